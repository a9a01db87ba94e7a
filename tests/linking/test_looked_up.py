"""Classes and functions that a program looks up by a name from its configuration, and the objects they come through."""

from __future__ import annotations

import ast

import pytest

from loaderlint.linking.following.called_by_name import that_may_give
from loaderlint.linking.following.evaluate import Evaluator
from tests.linking.traced import IMPORT, Cases, project_of, traced

LOADERS = f"""{IMPORT}
class Train:
    def __init__(self, size, num_workers=1):
        self.loader = DataLoader(range(size), num_workers=num_workers)

def spare(size, num_workers=3):
    return size
"""
CONFIG = '{"type": "Train", "args": {"size": 8, "num_workers": ⟦2⟧}}'
READ = "import json\nimport loaders\nconfig = json.load(open('config.json'))\n"
BY_SUBSCRIPT = """
class Config:
    def __init__(self, said):
        self._said = said
    def __getitem__(self, key):
        return self._said[key]
    @classmethod
    def read(cls, path):
        return cls(json.load(open(path)))
"""


def project(program: str, config: str = CONFIG) -> dict[str, str]:
    return {"loaders.py": LOADERS, "main.py": READ + program, "config.json": config}


LOOKED_UP: Cases = {
    "getattr of a module": (project("getattr(loaders, config['type'])(**config['args'])"), {"2"}),
    "the names of the own file": (
        project("from loaders import Train\nglobals()[config['type']](**config['args'])"),
        {"2"},
    ),
    "the names of the own file, kept in a variable": (
        project("from loaders import *\nfound = globals().get(config['type'])\nfound(**config['args'])"),
        {"2"},
    ),
    "getattr kept in a variable": (
        project("found = getattr(loaders, config['type'])\nfound(**config['args'])"),
        {"2"},
    ),
    "another of the names of the own file": (
        project(
            "from loaders import *\nglobals()[config['type']](**config['args'])\nTrain(4, num_workers=⟦5⟧)",
            CONFIG.replace("Train", "spare").replace("⟦", "").replace("⟧", ""),
        ),
        {"5"},
    ),
    "the name in a variable": (
        project("name = config['type']\ngetattr(loaders, name)(**config['args'])"),
        {"2"},
    ),
    "a class method and subscripts of an object": (
        project(f"{BY_SUBSCRIPT}c = Config.read('config.json')\ngetattr(loaders, c['type'])(**c['args'])"),
        {"2"},
    ),
    "a class that has a name of its own afterwards": (
        project("Train = config\nfound = getattr(loaders, 'Train')\nfound(**config['args'])"),
        {"2"},
    ),
    "a class of a module that is imported by its name": (
        project(
            "import importlib\nmodule = importlib.import_module('loaders')\n"
            "found = getattr(module, 'Train')\nfound(**config['args'])"
        ),
        {"2"},
    ),
    "another attribute under a name of its own": (
        project(
            "found = getattr(loaders, 'spare')\nfound(**config['args'])",
            '{"type": "Train", "args": {"size": 8, "num_workers": 2}}',
        ),
        {"1 at loaders.py:4:42", "open"},
    ),
    "an attribute of what was not seen": (
        project(
            "found = getattr(something(), 'Train')\nfound(**config['args'])",
            '{"type": "Train", "args": {"size": 8, "num_workers": 2}}',
        ),
        {"1 at loaders.py:4:42", "open"},
    ),
    "another class": (
        project(
            "getattr(loaders, config['type'])(**config['args'])",
            '{"type": "spare", "args": {"size": 8, "num_workers": 2}}',
        ),
        {"1 at loaders.py:4:42", "open"},
    ),
    "a name that was not seen": (
        project("getattr(loaders, find())(**config['args'])", '{"type": "Train", "args": {"num_workers": 2}}'),
        {"1 at loaders.py:4:42", "open"},
    ),
    "one of several files": (
        project(
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--config')\n"
            "said = json.load(open(parser.parse_args().config))\n"
            "getattr(loaders, said['type'])(**said['args'])"
        ),
        {"2", "open"},
    ),
    "a class method of a class that has a subclass": (
        project(
            f"{BY_SUBSCRIPT}class Other(Config):\n    def __getitem__(self, key):\n        return 'spare'\n"
            "c = Config.read('config.json')\ngetattr(loaders, c['type'])(size=1)",
            '{"type": "Train"}',
        ),
        {"1 at loaders.py:4:42"},
    ),
    "a class method that is called on a subclass": (
        project(
            f"{BY_SUBSCRIPT}class Other(Config):\n    def __getitem__(self, key):\n        return 'Train'\n"
            "c = Other.read('config.json')\ngetattr(loaders, c['type'])(size=1)",
            '{"type": "spare"}',
        ),
        {"1 at loaders.py:4:42"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LOOKED_UP.values(), ids=LOOKED_UP.keys())
def test_what_is_looked_up_by_name(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


BASE = f"""{IMPORT}
class Base:
    registry = {{}}
    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        cls.registry[cls.name] = cls
    def __init__(self, n=4):
        self.n = n

class One(Base):
    name = "one"
    def load(self):
        return DataLoader(1, num_workers=self.n)

class Two(Base):
    name = "two"
    def load(self):
        return None

"""
NAMED = BASE.replace("cls, **more", "cls, title=None, **more").replace("[cls.name]", "[title]")

ENTERED: Cases = {
    "by an attribute of the class": (
        {
            "base.py": BASE,
            "main.py": "from base import Base\nBase.registry['one'](⟦8⟧).load()\nBase.registry['two'](2).load()",
        },
        {"8"},
    ),
    "by the name of the class": (
        {"main.py": BASE.replace("[cls.name]", "[cls.__name__]") + "Base.registry['One'](⟦8⟧).load()"},
        {"8"},
    ),
    "by what its definition says": (
        {
            "main.py": NAMED.replace("One(Base)", "One(Base, title='first')")
            + "Base.registry['first'](⟦8⟧).load()\nBase.registry.get('two')(2).load()"
        },
        {"8"},
    ),
    "by a name in a configuration": (
        {
            "base.py": BASE,
            "config.json": '{"kind": "one", "n": ⟦8⟧}',
            "main.py": "import json\nfrom base import Base\nsaid = json.load(open('config.json'))\n"
            "Base.registry[said['kind']](said['n']).load()",
        },
        {"8"},
    ),
    "two classes of one name": (
        {"main.py": BASE + "class Three(Base):\n    name = 'one'\nBase.registry['one'](⟦8⟧).load()"},
        {"8"},
    ),
    "a name that none of them has": (
        {"main.py": BASE + "Base.registry['three'](8).load()\nOne(⟦2⟧)"},
        {"2", "open"},
    ),
    "something else is put there, too": (
        {"main.py": BASE + "Base.registry['one'] = other\nBase.registry['one'](8).load()\nOne(⟦2⟧)"},
        {"2", "open"},
    ),
    "an object of the class": (
        {"main.py": BASE.replace("= cls", "= cls()").replace("n=4", "n=⟦4⟧") + "Base.registry['one'](8).load()"},
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), ENTERED.values(), ids=ENTERED.keys())
def test_classes_that_enter_themselves(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


SOME = f"""{IMPORT}
class Base:
    registry = {{{{}}}}
    workers = None
    def __init_subclass__(cls, hidden=False):
        {{entering}}
    def load(self):
        return DataLoader(1, num_workers=self.workers)

class One(Base):
    workers = ⟦2⟧

class Two(Base{{said}}):
    {{body}}

"""
EVERY = "for name in sorted(Base.registry):\n    Base.registry[name]().load()\n"


def some(entering: str, body: str = "pass", said: str = "") -> dict[str, str]:
    return {"main.py": SOME.format(entering=entering, body=body, said=said) + EVERY}


ENTERED_IN_PART: Cases = {
    "where it has an attribute": (
        some("if cls.workers is not None:\n            Base.registry[cls.__name__] = cls"),
        {"2"},
    ),
    "where it has an attribute, by itself": (
        some("if cls.workers is not None:\n            cls.registry[cls.__name__] = cls"),
        {"2"},
    ),
    "where nothing ended the hook": (
        some("if cls.workers is None:\n            return\n        Base.registry[cls.__name__] = cls"),
        {"2"},
    ),
    "where its definition does not say otherwise": (
        some("if not hidden:\n            Base.registry[cls.__name__] = cls", "workers = 5", ", hidden=True"),
        {"2"},
    ),
    "where its definition may say otherwise": (
        some("if not hidden:\n            Base.registry[cls.__name__] = cls", "workers = ⟦5⟧", ", hidden=seen()"),
        {"2", "5"},
    ),
    "where it has an attribute, as both have": (
        some("if cls.workers is not None:\n            Base.registry[cls.__name__] = cls", "workers = ⟦5⟧"),
        {"2", "5"},
    ),
    "where something holds that is not followed": (
        some("if ready(cls):\n            Base.registry[cls.__name__] = cls", "workers = ⟦5⟧"),
        {"2", "5"},
    ),
    "where the objects would have an attribute": (
        some(
            "if cls.workers is not None:\n            Base.registry[cls.__name__] = cls",
            "def __init__(self):\n        self.workers = 5",
        ),
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), ENTERED_IN_PART.values(), ids=ENTERED_IN_PART.keys())
def test_classes_that_enter_themselves_under_a_condition(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


KINDS = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--kind', default='a')\n"
ARGS = f"{KINDS}args = parser.parse_args()\n"

UNDER_ANY_KEY: Cases = {
    "a number under a key of the user": (
        f"{ARGS}kinds = {{'a': ⟦1⟧, 'b': ⟦2⟧}}\nDataLoader(data, num_workers=kinds[args.kind])",
        {"1", "2"},
    ),
    "a number under a key of the user, or a default": (
        f"{ARGS}kinds = {{'a': ⟦1⟧, 'b': ⟦2⟧}}\nDataLoader(data, num_workers=kinds.get(args.kind, ⟦3⟧))",
        {"1", "2", "3"},
    ),
    "a number under a key of the user, where there may be others": (
        f"{ARGS}kinds = {{'a': ⟦1⟧, 'b': ⟦2⟧}}\nkinds[unknown()] = 3\nDataLoader(data, num_workers=kinds[args.kind])",
        {"1", "2", "open"},
    ),
    "a number under a key that nobody saw, which may be meant for something else": (
        "given = {'size': 1, 'workers': 2}\nDataLoader(data, num_workers=given[unknown()])",
        {"open"},
    ),
    "a dictionary under a key that nobody saw": (
        "kinds = {'a': {'num_workers': ⟦1⟧}, 'b': {'num_workers': ⟦2⟧}}\nDataLoader(data, **kinds[unknown()])",
        {"1", "2"},
    ),
    "a dictionary under a default's key": (
        "kinds = {'a': {'num_workers': ⟦1⟧}, 'b': {'num_workers': 2}}\n"
        "def load(kind='a'):\n    DataLoader(data, **kinds[kind])\nload()",
        {"1"},
    ),
    "one of many dictionaries": (
        f"kinds = {{{', '.join(f'{str(one)!r}: dict(num_workers={one})' for one in range(20))}}}\n"
        "DataLoader(data, num_workers=kinds[unknown()]['num_workers'])",
        {"open"},
    ),
    "a dictionary at a place of a list that nobody saw": (
        "kinds = [{'num_workers': ⟦1⟧}, {'num_workers': ⟦2⟧}]\nDataLoader(data, **kinds[unknown()])",
        {"1", "2"},
    ),
    "a part of a list": (
        "kinds = [{'num_workers': 1}, {'num_workers': 2}]\nDataLoader(data, **kinds[unknown():])",
        {"open"},
    ),
    "a copy of what was parsed": (
        f"{KINDS}parser.add_argument('--workers', type=int, default=⟦4⟧)\n"
        "given = vars(parser.parse_args()).copy()\nDataLoader(data, num_workers=given['workers'])",
        {"4", "open"},
    ),
    "a copy of what was parsed, changed": (
        f"{KINDS}parser.add_argument('--workers', type=int, default=4)\n"
        "given = vars(parser.parse_args()).copy()\ngiven['workers'] = ⟦1⟧\n"
        "DataLoader(data, num_workers=given['workers'])",
        {"1"},
    ),
    "a copy of what was parsed, changed, and what was parsed": (
        f"{KINDS}parser.add_argument('--workers', type=int, default=⟦4⟧)\nargs = parser.parse_args()\n"
        "given = vars(args).copy()\ngiven['workers'] = 1\nDataLoader(data, num_workers=args.workers)",
        {"4", "open"},
    ),
}

EVERY_PAIR = (
    "from itertools import product\nfor n, size in product({}, {}):\n    DataLoader(data, size, num_workers=n)\n"
)

PAIRS: Cases = {
    "of what was seen": (EVERY_PAIR.format("[⟦0⟧, ⟦2⟧]", "[3, 4]"), {"0", "2"}),
    "of what was not seen": (EVERY_PAIR.format("[0, 2]", "unknown()"), {"open"}),
    "of very many": (EVERY_PAIR.format("[0, 2]", "range(300)"), {"open"}),
}


@pytest.mark.parametrize("case", [*UNDER_ANY_KEY, *PAIRS])
def test_what_is_chosen_while_the_program_runs(case: str) -> None:
    files, expected = {**UNDER_ANY_KEY, **PAIRS}[case]
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("holder", "may_hold"),
    [
        ("def train():\n    pass\n", True),
        ("from elsewhere import train\n", True),
        ("from elsewhere import train as fit\n", True),
        ("import elsewhere\nfit = elsewhere.train\n", True),
        ("from elsewhere import *\n", True),
        ("globals().update(make())\n", True),
        ("def __getattr__(name):\n    return make(name)\n", True),
        ('"""How we train."""\ndef train_step():\n    pass\n', False),
        ("def step():\n    train = 1\n    return train\n", False),
        ("class Step:\n    def train(self):\n        pass\n", False),
    ],
)
def test_a_module_may_hold_what_it_binds_a_name_to_and_not_what_it_mentions(holder: str, may_hold: bool) -> None:
    project, _ = project_of({"held.py": holder, "main.py": f"{IMPORT}import held\ngetattr(held, pick())()\n"})
    facts = project.python("main.py")
    assert facts is not None
    calls = [(facts, one) for one in facts.module.calls if not isinstance(one.node.func, ast.Name)]
    assert [*that_may_give(Evaluator(project), calls, "train")] == (calls if may_hold else [])
    assert len(calls) == 1
