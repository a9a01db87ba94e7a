from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

LOAD = "def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n"

DECORATED: Cases = {
    "one from outside": (f"from elsewhere import timed\n@timed\n{LOAD}load(1, ⟦8⟧)", {"8"}),
    "one that fills in arguments": (f"from theirs import inject\n@inject\n{LOAD}load(1)", {"open"}),
    "one of an object that fills in arguments": (f"@experiment.capture\n{LOAD}load(1, 8)", {"open"}),
    "one that hands everything on": (
        f"""
def timed(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
@timed
{LOAD}
load(1, ⟦8⟧)
""",
        {"8"},
    ),
    "one with arguments that hands everything on": (
        f"""
import functools
def named(name):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            print(name)
            return function(*args, **kwargs)
        return inner
    return decorate
@named("train")
{LOAD}
load(1, workers=⟦8⟧)
""",
        {"8"},
    ),
    "one that notes the function": (
        f"""
KNOWN = []
def register(function):
    KNOWN.append(function)
    return function
@register
{LOAD}
load(1, ⟦8⟧)
""",
        {"8", "open"},
    ),
    "one that sets an argument before it hands them on": (
        f"""
def careful(function):
    def inner(*args, **kwargs):
        kwargs["workers"] = 0
        return function(*args, **kwargs)
    return inner
@careful
{LOAD}
load(1, 8)
""",
        {"open"},
    ),
    "one that fills in an argument that is left out": (
        f"""
def careful(function):
    def inner(*args, **kwargs):
        kwargs.setdefault("workers", 0)
        return function(*args, **kwargs)
    return inner
@careful
{LOAD}
load(1)
""",
        {"open"},
    ),
    "one that hands the arguments to a function that changes them": (
        f"""
def fill(given):
    given["workers"] = 0
def careful(function):
    def inner(*args, **kwargs):
        fill(kwargs)
        return function(*args, **kwargs)
    return inner
@careful
{LOAD}
load(1)
""",
        {"open"},
    ),
    "one that binds the arguments anew": (
        f"""
def careful(function):
    def inner(*args, **kwargs):
        kwargs = {{**kwargs, "workers": 0}}
        return function(*args, **kwargs)
    return inner
@careful
{LOAD}
load(1)
""",
        {"open"},
    ),
    "one that shows the arguments": (
        f"""
def shown(function):
    def inner(*args, **kwargs):
        print(args, kwargs)
        return function(*args, **kwargs)
    return inner
@shown
{LOAD}
load(1, ⟦8⟧)
""",
        {"8"},
    ),
    "one that gives arguments of its own": (
        f"""
def quick(function):
    def inner(data, workers):
        return function(data, workers=0)
    return inner
@quick
{LOAD}
load(1, 8)
""",
        {"open"},
    ),
    "one that drops arguments": (
        f"""
def bare(function):
    def inner(data, **kwargs):
        return function(data)
    return inner
@bare
{LOAD}
load(1, workers=8)
""",
        {"open"},
    ),
}

OF_SETTINGS = "def load(settings):\n    return DataLoader(1, num_workers=settings['workers'])\n"

CHANGING: Cases = {
    "something else of an argument": (
        f"""
def named(function):
    def inner(settings):
        settings["name"] = "first"
        return function(settings)
    return inner
@named
{OF_SETTINGS}
load({{"workers": ⟦8⟧}})
""",
        {"8"},
    ),
    "something else in a function that is asked for it": (
        f"""
def name(given):
    if not given.get("name"):
        given["name"] = "first"
def named(function):
    def inner(settings):
        name(settings)
        return function(settings=settings)
    return inner
@named
{OF_SETTINGS}
load({{"workers": ⟦8⟧}})
""",
        {"8"},
    ),
    "what the function asks for": (
        f"""
def careful(function):
    def inner(settings):
        settings["workers"] = ⟦0⟧
        return function(settings)
    return inner
@careful
{OF_SETTINGS}
load({{"workers": 8}})
""",
        {"0"},
    ),
    "what the function asks for, after it was called": (
        f"""
def careful(function):
    def inner(settings):
        function(settings)
        settings["workers"] = 0
    return inner
@careful
{OF_SETTINGS}
load({{"workers": ⟦8⟧}})
""",
        {"8"},
    ),
    "what the function asks for, and again below that": (
        f"""
def once(function):
    def inner(settings):
        settings["workers"] = ⟦2⟧
        return function(settings)
    return inner
def careful(function):
    def inner(settings):
        settings["workers"] = 0
        return function(settings)
    return inner
@careful
@once
{OF_SETTINGS}
load({{"workers": 8}})
""",
        {"2"},
    ),
    "the argument for another one": (
        f"""
def careful(function):
    def inner(settings):
        settings = {{**settings, "workers": 0}}
        return function(settings)
    return inner
@careful
{OF_SETTINGS}
load({{"workers": 8}})
""",
        {"open"},
    ),
    "what it takes away from one that is handed on with the rest": (
        f"""
def careful(function):
    def inner(*args):
        args[0]["workers"] = 0
        return function(*args)
    return inner
@careful
{OF_SETTINGS}
load({{"workers": 8}})
""",
        {"open"},
    ),
}

CONFIGURABLE = "from detectron2.config import configurable\n"
FROM_CONFIG = """
def _from_config(cfg, *, data=None):
    return {"data": data, "workers": cfg["workers"]}
@configurable(from_config=_from_config)
"""

CONFIGURABLES: Cases = {
    "a function that is called with a configuration": (
        f"{CONFIGURABLE}{FROM_CONFIG}{LOAD}cfg = {{'workers': ⟦8⟧}}\nload(cfg)",
        {"8"},
    ),
    "a function that is called with a configuration and more": (
        f"{CONFIGURABLE}{FROM_CONFIG}{LOAD}cfg = {{'workers': 8}}\nload(cfg, workers=⟦2⟧)",
        {"2"},
    ),
    "a function that is called as it stands": (
        f"{CONFIGURABLE}{FROM_CONFIG}{LOAD}load(1, workers=⟦8⟧)",
        {"8"},
    ),
    "a default that the configuration never gives": (
        f"{CONFIGURABLE}def _from_config(cfg):\n    return {{'data': cfg['data']}}\n"
        f"@configurable(from_config=_from_config)\n{LOAD.replace('=4', '=⟦4⟧')}load(cfg)",
        {"4"},
    ),
    "a constructor": (
        CONFIGURABLE
        + """
class Data:
    @configurable
    def __init__(self, workers=4):
        self.loader = DataLoader(1, num_workers=workers)
    @classmethod
    def from_config(cls, cfg):
        return {"workers": cfg["workers"]}
cfg = {"workers": ⟦8⟧}
Data(cfg)
""",
        {"8"},
    ),
}

CONFIGURED_CLASS = (
    CONFIGURABLE
    + """
cfg = {"workers": ⟦4⟧}
class Data:
    @configurable
    def __init__(self, data, *, workers=1):
        self.workers = workers
    @classmethod
    def from_config(cls, cfg):
        return {"data": 1, "workers": cfg["workers"]}
"""
)
SUBCLASS = """
class Sub(Data):
    @configurable
    def __init__(self, *, name, **kwargs):
        super().__init__(**kwargs)
    @classmethod
    def from_config(cls, cfg):
        given = super().from_config(cfg)
        given["name"] = "sub"
        return given
"""
UNUSED = CONFIGURED_CLASS.replace("⟦4⟧", "4")

CONFIGURED_OBJECTS: Cases = {
    "an object of a known call": (f"{CONFIGURED_CLASS}DataLoader(1, num_workers=Data(cfg).workers)", {"4"}),
    "an object of a known call with more": (
        f"{UNUSED}DataLoader(1, num_workers=Data(cfg, workers=⟦7⟧).workers)",
        {"7"},
    ),
    "an object made without a configuration": (
        f"{UNUSED.replace('=1)', '=⟦1⟧)')}DataLoader(1, num_workers=Data(1).workers)",
        {"1"},
    ),
    "a subclass that hands on what its configuration gives": (
        f"{CONFIGURED_CLASS}{SUBCLASS}DataLoader(1, num_workers=Sub(cfg).workers)",
        {"4"},
    ),
    "a subclass whose configuration says something else": (
        UNUSED
        + SUBCLASS.replace("        return", "        given['workers'] = ⟦9⟧\n        return")
        + "DataLoader(1, num_workers=Sub(cfg).workers)",
        {"9"},
    ),
    "a splat beside the configuration": (
        f"{CONFIGURABLE}{FROM_CONFIG}{LOAD}cfg = {{'workers': 8}}\nmore = {{'workers': ⟦6⟧}}\nload(cfg, **more)",
        {"6"},
    ),
    "keywords handed on beside the configuration": (
        f"{CONFIGURABLE}{FROM_CONFIG}{LOAD}def again(cfg, **more):\n    load(cfg, **more)\n"
        "again({'workers': ⟦8⟧})\nagain({'workers': 7}, workers=⟦3⟧)",
        {"8", "3"},
    ),
    "a from_config that takes any keyword and keeps it": (
        f"{CONFIGURABLE}def _from_config(cfg, **kwargs):\n    return {{'data': make(**kwargs)}}\n"
        f"@configurable(from_config=_from_config)\n{LOAD.replace('=4', '=⟦4⟧')}cfg = {{}}\nload(cfg, workers=7)",
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CHANGING.values(), ids=CHANGING.keys())
def test_decorators_that_change(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), DECORATED.values(), ids=DECORATED.keys())
def test_functions_under_a_decorator(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [*CONFIGURABLES.values(), *CONFIGURED_OBJECTS.values()],
    ids=[*CONFIGURABLES, *CONFIGURED_OBJECTS],
)
def test_functions_that_work_out_their_arguments_from_a_configuration(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


REGISTRY = """
class Registry:
    def __init__(self):
        self.known = {}
    def register(self, name=None):
        def note(thing):
            self.known[name or thing.__name__] = thing
            return thing
        return note
    def get(self, name):
        return self.known[name]
LOADERS = Registry()
"""
DATA = f"""
from torch.utils.data import DataLoader
from registry import LOADERS
@LOADERS.register()
{LOAD}
"""
MANY_OTHERS = "".join(f"@LOADERS.register()\ndef other_{n}(rows):\n    return rows\n" for n in range(200))

REGISTERED: Cases = {
    "by its name": (
        {"registry.py": REGISTRY, "data.py": DATA, "main.py": "from registry import LOADERS\nLOADERS.get(x)(1, ⟦8⟧)\n"},
        {"8"},
    ),
    "by a name that is written": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA,
            "main.py": "from registry import LOADERS\nmake = LOADERS.get('load')\nmake(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "by a name of its own": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA.replace("register()", "register('plain')"),
            "main.py": "from registry import LOADERS\nLOADERS.get('plain')(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "by a name that a keyword is a part of": (
        {
            "registry.py": REGISTRY.replace("name=None", "suffix=''").replace(
                "name or thing.__name__", "f'{thing}{suffix}'"
            ),
            "data.py": DATA.replace("register()", "register(suffix='_fast')"),
            "main.py": "from registry import LOADERS\nLOADERS.get('load_fast')(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "by a name that a space of names is a part of": (
        {
            "registry.py": REGISTRY.replace("name=None", "namespace=''").replace(
                "name or thing.__name__", "f'{namespace}{thing}'"
            ),
            "data.py": DATA.replace("register()", "register(namespace='fast_')"),
            "main.py": "from registry import LOADERS\nLOADERS.get('fast_load')(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "by a name that a keyword gives": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA.replace("=4", "=⟦4⟧").replace("register()", "register(name='plain')"),
            "main.py": "from registry import LOADERS\nLOADERS.get('load')(1, 8)\n",
        },
        {"4", "open"},
    ),
    "another one of the registry": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA.replace("=4", "=⟦4⟧") + "@LOADERS.register()\ndef other(data, n):\n    return n\n",
            "main.py": "from registry import LOADERS\nLOADERS.get('other')(1, 8)\n",
        },
        {"4", "open"},
    ),
    "one of another registry": (
        {
            "registry.py": REGISTRY + "MODELS = Registry()\n",
            "data.py": DATA.replace("=4", "=⟦4⟧"),
            "main.py": "from registry import MODELS\nMODELS.get(x)(1, 8)\n",
        },
        {"4", "open"},
    ),
    "among very many": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA.replace("@", f"{MANY_OTHERS}@", 1),
            "main.py": "from registry import LOADERS\nmake = LOADERS.get('load')\nmake(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "fetched in a way that is not followed, and called": (
        {
            "registry.py": REGISTRY,
            "data.py": DATA + "load(1, ⟦2⟧)\n",
            "main.py": "from registry import LOADERS\nLOADERS.build(x, 1, 8)\n",
        },
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), REGISTERED.values(), ids=REGISTERED.keys())
def test_functions_that_are_registered(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
