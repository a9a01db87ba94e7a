"""Attributes of classes that are set outside the bodies of the classes, and defaults made before a change."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

CFG = "class Cfg:\n    workers = ⟦0⟧\n    depth = 1\n"
LOAD = "\ndef load():\n    return DataLoader(data, num_workers=Cfg.workers)\n"

CHANGED: Cases = {
    "at the top of the file": (f"{CFG}Cfg.workers = ⟦4⟧{LOAD}", {"0", "4"}),
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
    "read through an object": (f"{CFG}Cfg.workers = ⟦4⟧{LOAD.replace('Cfg.', 'Cfg().')}", {"0", "4"}),
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
