"""Methods that nothing calls by their own name run only where an object was given them under another one."""

from __future__ import annotations

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link
from loaderlint.model.source import Language, Source
from tests.linking.test_project_files import Folder
from tests.linking.traced import IMPORT, Cases, traced

_MODULE = """
import pytorch_lightning as pl
class Module(pl.LightningDataModule):
    def __init__(self, num_workers=None, predict=None):
        super().__init__()
        self.num_workers = num_workers
        self.predict = predict
        if predict is not None:
            self.predict_dataloader = self._predict
    def _predict(self):
        return DataLoader(self.predict, num_workers=self.num_workers)
"""
_ELSEWHERE = "        self.other = self._predict\n    def _predict(self):\n"

NAMED: Cases = {
    "under a condition that no call meets": (_MODULE + "Module(5)\n", {"no loader"}),
    "under a condition that one of two calls meets": (_MODULE + "Module(5)\nModule(⟦8⟧, predict=[1])\n", {"8"}),
    "as part of something else": (
        _MODULE.replace("= self._predict", "= partial(self._predict, shuffle=False)")
        + "from functools import partial\nModule(5)\nModule(⟦8⟧, predict=[1])\n",
        {"8"},
    ),
    "under a condition that nobody knows": (
        _MODULE + "import sys\nModule(⟦5⟧, predict=sys.stdin.readline())\n",
        {"5"},
    ),
    "where another class has a method of that name": (
        _MODULE
        + "class Other:\n    def fit(self):\n        self._predict()\n"
        + "    def _predict(self):\n        pass\nModule(5)\n",
        {"no loader"},
    ),
    "in another place as well": (
        _MODULE.replace("    def _predict(self):\n", _ELSEWHERE) + "Module(⟦5⟧)\n",
        {"5"},
    ),
    "where something calls it": (_MODULE + "module = Module(⟦5⟧)\nmodule._predict()\n", {"5"}),
    "where the object calls it": (
        _MODULE + "    def fit(self):\n        return self._predict()\nModule(⟦5⟧)\n",
        {"5"},
    ),
    "where a base calls it": (
        "class Base:\n    def fit(self):\n        return self._predict()\n    def _predict(self):\n        pass\n"
        + _MODULE.replace("pl.LightningDataModule", "Base")
        + "Module(⟦5⟧)\n",
        {"5"},
    ),
    "where a class below may call it": (
        _MODULE + "class More(Module):\n    pass\nModule(⟦5⟧)\n",
        {"5"},
    ),
    "where what it inherits from is not known": (
        _MODULE.replace("pl.LightningDataModule", "pl.Other") + "Module(⟦5⟧)\n",
        {"5"},
    ),
    "where its name is written as text": (_MODULE + "module = Module(⟦5⟧)\ngetattr(module, '_predict')()\n", {"5"}),
    "where its name may be put together": (
        _MODULE + "import sys\nmodule = Module(⟦5⟧)\ngetattr(module, f'_{sys.argv[1]}')()\n",
        {"5"},
    ),
    "where its name may be put together before": (
        _MODULE + "import sys\nmodule = Module(⟦5⟧)\nname = '_' + sys.argv[1]\ngetattr(module, name)()\n",
        {"5"},
    ),
    "where another name may be put together": (
        _MODULE + "import sys\nmodule = Module(5)\ngetattr(module, 'predict_' + sys.argv[1])()\n",
        {"no loader"},
    ),
    "where any of its methods may be asked for": (
        _MODULE + "    def run(self, name):\n        return getattr(self, name)()\nModule(⟦5⟧)\n",
        {"5"},
    ),
    "by a name that users may call": (_MODULE.replace("_predict", "given") + "Module(⟦5⟧)\n", {"5"}),
    "in another file": (
        {
            "module.py": IMPORT + _MODULE,
            "main.py": "from module import Module\nmodule = Module(⟦5⟧)\nmodule._predict()\n",
        },
        {"5"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), NAMED.values(), ids=NAMED.keys())
def test_a_method_that_nothing_calls_runs_where_it_is_handed_on(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("asked", "loaders"),
    [
        ("'_' + which", 1),
        ("f'_{which}'", 1),
        ("which.lower()", 1),
        ("'_fit' + which", 0),
        ("'_' + which + 'ed'", 0),
        ("which", 0),
    ],
)
def test_a_name_put_together_in_a_file_that_says_nothing_of_loaders(asked: str, loaders: int) -> None:
    calling = f"def call(data, which):\n    return getattr(data, {asked})()\n"
    main = IMPORT + "from calls import call\n" + _MODULE + "call(Module(5), 'predict')\n"
    source = Source("main.py", "/project/main.py", Language.PYTHON, main.encode())
    project = Project({"main.py": source}, Folder({"main.py": main, "calls.py": calling}))
    assert len(link(project)) == loaders
