"""Attributes of classes that are set outside the bodies of the classes, and defaults made before a change."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

CFG = "class Cfg:\n    workers = ⟦0⟧\n    depth = 1\n"
SET_ANEW = CFG.replace("⟦0⟧", "0")
LOAD = "\ndef load():\n    return DataLoader(data, num_workers=Cfg.workers)\n"

CHANGED: Cases = {
    "at the top of the file": (f"{SET_ANEW}Cfg.workers = ⟦4⟧{LOAD}", {"4"}),
    "another attribute": (f"{CFG}Cfg.depth = 4{LOAD}", {"0"}),
    "of another class": (f"{CFG}class Other:\n    pass\nOther.workers = 4{LOAD}", {"0"}),
    "in a function": (f"{CFG}def main(args):\n    Cfg.workers = args.workers{LOAD}", {"0", "open"}),
    "in a function that is handed the class": (
        f"{CFG}def configure(settings):\n    settings.workers = ⟦4⟧\nconfigure(Cfg){LOAD}",
        {"0", "4"},
    ),
    "in a class method": (
        """
        class Cfg:
            workers = ⟦0⟧
            @classmethod
            def configure(cls):
                cls.workers = ⟦4⟧
        class Small(Cfg):
            pass
        def load():
            return DataLoader(data, num_workers=Cfg.workers)
        """,
        {"0", "4"},
    ),
    "of its base": (
        f"{CFG}class Small(Cfg):\n    pass\nCfg.workers = ⟦4⟧{LOAD.replace('Cfg.', 'Small.')}",
        {"0", "4"},
    ),
    "of a subclass": (f"{CFG}class Small(Cfg):\n    pass\nSmall.workers = 4{LOAD}", {"0"}),
    "read through an object": (f"{SET_ANEW}Cfg.workers = ⟦4⟧{LOAD.replace('Cfg.', 'Cfg().')}", {"4"}),
    "in another file": (
        {
            "config.py": CFG,
            "data.py": f"{IMPORT}from config import Cfg{LOAD}",
            "run.py": "from config import Cfg\nimport data\nCfg.workers = ⟦4⟧\ndata.load()\n",
        },
        {"0", "4"},
    ),
    "under a name that is worked out": (
        f"{CFG}def override(target, **given):\n    for key, value in given.items():\n"
        f"        setattr(target, key, value)\noverride(Cfg, workers=9){LOAD}",
        {"0", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_attributes_of_a_class_set_later(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


DEFAULTS: Cases = {
    "a name that is bound again after the definition": (
        """
        n = ⟦3⟧
        def load(data, workers=n):
            return DataLoader(data, num_workers=workers)
        n = 8
        load(1)
        """,
        {"3"},
    ),
    "a name that is bound again before the definition": (
        """
        n = 3
        n = ⟦8⟧
        def load(data, workers=n):
            return DataLoader(data, num_workers=workers)
        load(1)
        """,
        {"8"},
    ),
    "of a constructor": (
        """
        n = ⟦3⟧
        class Loaders:
            def __init__(self, workers=n):
                self.workers = workers
        n = 8
        DataLoader(data, num_workers=Loaders().workers)
        """,
        {"3 shared"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_a_default_is_worked_out_where_the_definition_runs(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


OBJECT = "class Cfg:\n    workers = ⟦0⟧\ncfg = Cfg()\n"
SET = OBJECT.replace("⟦0⟧", "0")
READ = "\nDataLoader(data, num_workers=cfg.workers)\n"

BY_OTHER_MEANS: Cases = {
    "object.__setattr__": (f"{SET}object.__setattr__(cfg, 'workers', ⟦4⟧){READ}", {"4"}),
    "object.__setattr__ of another attribute": (f"{OBJECT}object.__setattr__(cfg, 'depth', 4){READ}", {"0"}),
    "its own __setattr__": (f"{SET}cfg.__setattr__('workers', ⟦4⟧){READ}", {"4"}),
    "a class that overrides __setattr__ and passes on": (
        "class Cfg:\n    workers = ⟦0⟧\n    def __setattr__(self, name, value):\n"
        f"        object.__setattr__(self, name, value)\ncfg = Cfg(){READ}",
        {"0"},
    ),
    "a class that overrides __setattr__ and sets something else": (
        "class Cfg:\n    workers = ⟦0⟧\n    def __setattr__(self, name, value):\n"
        f"        object.__setattr__(self, name, value + 1)\ncfg = Cfg(){READ}",
        {"0", "open"},
    ),
    "an item of its dictionary": (f"{SET}cfg.__dict__['workers'] = ⟦4⟧{READ}", {"4"}),
    "another item of its dictionary": (f"{OBJECT}cfg.__dict__['depth'] = 4{READ}", {"0"}),
    "an item of vars": (f"{SET}vars(cfg)['workers'] = ⟦4⟧{READ}", {"4"}),
    "an item of a name for vars": (f"{OBJECT}held = vars(cfg)\nheld['workers'] = 4{READ}", {"0", "open"}),
    "an item of getattr's dictionary": (f"{SET}getattr(cfg, '__dict__')['workers'] = ⟦4⟧{READ}", {"4"}),
    "what a function gives": (
        f"{OBJECT}def settings():\n    return cfg\nsettings().workers = 4{READ}",
        {"0", "open"},
    ),
    "another attribute of what a function gives": (
        f"{OBJECT}def settings():\n    return cfg\nsettings().depth = 4{READ}",
        {"0"},
    ),
    "its dictionary, all at once": (f"{OBJECT}cfg.__dict__ = given(){READ}", {"0", "open"}),
    "a keyword of an update of its dictionary": (f"{SET}vars(cfg).update(workers=⟦4⟧){READ}", {"4"}),
    "another keyword of such an update": (f"{OBJECT}vars(cfg).update(depth=4){READ}", {"0"}),
    "a dictionary whose keys are attributes": (
        "from easydict import EasyDict\ncfg = EasyDict(workers=0)\nsetattr(cfg, 'workers', ⟦4⟧)" + READ,
        {"4"},
    ),
    "a dictionary whose keys are attributes, under any name": (
        "from easydict import EasyDict\ncfg = EasyDict(workers=⟦0⟧)\nsetattr(cfg, key, 4)" + READ,
        {"0", "open"},
    ),
    "an assignment before a name worked out": (
        f"{SET}cfg.workers = ⟦2⟧\nsetattr(cfg, key, 4){READ}",
        {"2", "open"},
    ),
    "an assignment after a name worked out": (f"{SET}setattr(cfg, key, 4)\ncfg.workers = ⟦2⟧{READ}", {"2"}),
    "one more, in another function": (
        f"{SET}def more():\n    ⟦cfg.workers += 1⟧\nmore(){READ}",
        {"1"},
    ),
    "an object's type": (f"{OBJECT}type(cfg).workers = 4{READ}", {"0", "open"}),
    "patch.object": (
        f"from unittest import mock\n{CFG}with mock.patch.object(Cfg, 'workers', 4):\n"
        "    DataLoader(data, num_workers=Cfg.workers)\n",
        {"0", "open"},
    ),
    "the object, where the class is read": (f"{CFG}setattr(Cfg(), key, 4){LOAD}", {"0"}),
    "a module of another file": (
        {
            "settings.py": "workers = ⟦0⟧\n",
            "put.py": "import settings\ndef apply():\n    vars(settings)['workers'] = ⟦4⟧\n",
            "main.py": f"{IMPORT}import settings, put\nput.apply()\nDataLoader(d, num_workers=settings.workers)\n",
        },
        {"0", "4"},
    ),
    "a module of another file, beside names worked out": (
        {
            "settings.py": "workers = ⟦0⟧\n",
            "put.py": "import settings\ndef apply(**given):\n    for key in given:\n        setattr(settings, key, 1)\n"
            "    vars(settings)['workers'] = ⟦4⟧\n",
            "main.py": f"{IMPORT}import settings, put\nput.apply()\nDataLoader(d, num_workers=settings.workers)\n",
        },
        {"0", "4"},
    ),
    "a property's setter": (
        """
        class Cfg:
            def __init__(self, workers=2):
                self._workers = workers
            @property
            def workers(self):
                return self._workers
            @workers.setter
            def workers(self, value):
                self._workers = min(value, 4)
        cfg = Cfg()
        cfg.workers = 16
        DataLoader(data, num_workers=cfg.workers)
        """,
        {"open"},
    ),
    "a property's setter that stands in its call": (
        "class Cfg:\n    workers = property(lambda self: self.kept, put)\ncfg = Cfg()\ncfg.workers = 4" + READ,
        {"open"},
    ),
    "a __setattr__ that hands something else to its base": (
        f"class Cfg:\n    workers = ⟦0⟧\n    def __setattr__(self, name, value):\n"
        f"        super().__setattr__(name, value * 2)\ncfg = Cfg(){READ}",
        {"0", "open"},
    ),
    "an assignment after it is read": (
        f"{OBJECT}held = vars(cfg)\nheld['workers'] = 4{READ}cfg.workers = 8\n",
        {"0", "open"},
    ),
    "by way of the table of modules": (
        f"{OBJECT}import sys\nsys.modules[__name__].Cfg.workers = 4{READ}",
        {"0", "open"},
    ),
    "the attribute of another class's property": (
        "class Other:\n    @property\n    def workers(self):\n        return 1\n    @workers.setter\n"
        f"    def workers(self, value):\n        pass\n{OBJECT.replace('⟦0⟧', '0')}cfg.workers = ⟦4⟧{READ}",
        {"4"},
    ),
    "a function's defaults": (
        "def load(data, workers=⟦2⟧):\n    return DataLoader(data, num_workers=workers)\n"
        "load.__defaults__ = (4,)\nload(1)\n",
        {"2", "open"},
    ),
    "another function's defaults": (
        "def other(data, workers=4):\n    pass\n"
        "def load(data, workers=⟦2⟧):\n    return DataLoader(data, num_workers=workers)\n"
        "other.__defaults__ = (4,)\nload(1)\n",
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), BY_OTHER_MEANS.values(), ids=BY_OTHER_MEANS.keys())
def test_what_is_set_by_other_means(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


REPLACED: Cases = {
    "the library's name": (
        "import torch\ntorch.utils.data.DataLoader = Mine\nDataLoader(data, num_workers=2)\n",
        {"open"},
    ),
    "the library's name, by setattr": (
        "import torch\nsetattr(torch.utils.data, 'DataLoader', Mine)\nDataLoader(data, num_workers=2)\n",
        {"open"},
    ),
    "the constructor": ("DataLoader.__init__ = init\nDataLoader(data, num_workers=2)\n", {"open"}),
    "another method": ("DataLoader.__iter__ = turns\nDataLoader(data, num_workers=⟦2⟧)\n", {"2"}),
    "a name of the project": (
        "class Kept:\n    pass\nKept.DataLoader = Mine\nDataLoader(data, num_workers=⟦2⟧)\n",
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), REPLACED.values(), ids=REPLACED.keys())
def test_nothing_is_certain_of_a_loader_that_is_replaced(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
