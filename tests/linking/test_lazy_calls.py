"""Calls that are written down for later, the way of detectron2's ``LazyCall``."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

LAZY = "from detectron2.config import LazyCall as L\n"
OWN = """
class L:
    def __init__(self, target):
        self.target = target
    def __call__(self, **kwargs):
        return {**kwargs, '_target_': self.target}
"""
LOAD = "def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n"
DEFAULT = LOAD.replace("=4", "=⟦4⟧")

WRITTEN_DOWN: Cases = {
    "by detectron2": (f"{LAZY}{LOAD}train = L(load)(workers=⟦8⟧)", {"8", "open"}),
    "by NeMo-Run": (f"import nemo_run as run\n{LOAD}train = run.Config(load, workers=⟦8⟧)", {"8", "open"}),
    "by NeMo-Run, inside of another": (
        f"import nemo_run as run\n{LOAD}def recipe():\n"
        "    return run.Partial(train, data=run.Config(load, workers=⟦8⟧))\n",
        {"8", "open"},
    ),
    "by NeMo-Run, without the key": (f"import nemo_run as run\n{LOAD}train = run.Config(load, size=1)", {"open"}),
    "by another library's class of that name": (
        f"import theirs as run\n{DEFAULT}run.Config(load, workers=8)",
        {"4", "open"},
    ),
    "by its full name": (
        f"import detectron2.config.lazy\n{LOAD}train = detectron2.config.lazy.LazyCall(load)(workers=⟦8⟧)",
        {"8", "open"},
    ),
    "by a class of the project": (f"{OWN}{LOAD}train = L(load)(workers=⟦8⟧)", {"8", "open"}),
    "as an attribute of a configuration": (
        f"{LAZY}{LOAD}loaders = make()\nloaders.train = L(load)(workers=⟦8⟧)\nloaders.test = L(load)(workers=⟦2⟧)",
        {"8", "2", "open"},
    ),
    "in another file": (
        {
            "data.py": f"{IMPORT}{LOAD}",
            "configs/coco.py": f"{LAZY}from data import load\ntrain = L(load)(workers=⟦8⟧)",
        },
        {"8", "open"},
    ),
    "beside a call": (f"{LAZY}{LOAD}train = L(load)(workers=⟦8⟧)\nload(data, ⟦2⟧)", {"8", "2", "open"}),
    "of a class": (
        f"{LAZY}class Data:\n    def __init__(self, n):\n        DataLoader(data, num_workers=n)\nL(Data)(n=⟦8⟧)",
        {"8", "open"},
    ),
    "of a library's loader": (f"{LAZY}train = L(DataLoader)(dataset=data, num_workers=⟦8⟧)", {"8", "open"}),
    "of a library's loader by its full name": (
        f"{LAZY}import torch\ntrain = L(torch.utils.data.DataLoader)(dataset=data, num_workers=⟦8⟧)",
        {"8", "open"},
    ),
    "of a library's loader, by a class of the project": (
        f"{OWN}train = L(DataLoader)(dataset=data, num_workers=⟦8⟧)",
        {"8", "open"},
    ),
    "of a library's loader, without the key": (f"{LAZY}train = L(DataLoader)(dataset=data)", {"open"}),
    "of a library's loader, set anew": (
        f"{LAZY}c = make()\nc.train = L(DataLoader)(num_workers=8)\nc.train.num_workers = 2",
        {"open"},
    ),
}

NO_LOADERS: Cases = {
    "by another library": ("from elsewhere import L\ntrain = L(DataLoader)(num_workers=8)", {"no loader"}),
    "by a class that does not say what for": (
        f"{OWN.replace('_target_', 'made')}train = L(DataLoader)(num_workers=8)",
        {"no loader"},
    ),
    "of something else": (f"{LAZY}from elsewhere import Loader\ntrain = L(Loader)(num_workers=8)", {"no loader"}),
    "of several things": (f"{LAZY}train = L(DataLoader, data)(num_workers=8)", {"no loader"}),
    "what takes its place": (f"{LAZY}train = L(DataLoader)(num_workers=8)\ntrain = None", {"no loader"}),
}
OTHERS: Cases = {
    "a text that is an interpolation": (f"{LAZY}{LOAD}train = L(load)(workers='${{other.workers}}')", {"open"}),
    "an interpolation in a longer text": (f"{LAZY}{LOAD}train = L(load)(workers='of ${{..workers}}')", {"open"}),
    "a text that is none": (f"{LAZY}{LOAD}train = L(load)(workers=⟦'$workers'⟧)", {"'$workers'", "open"}),
    "an argument that is left out may be given by what changes the configuration": (
        f"{LAZY}{LOAD}train = L(load)(data=data)",
        {"open"},
    ),
    "an argument that is set anew": (
        f"{LAZY}{LOAD}c = make()\nc.train = L(load)(workers=8)\nc.train.workers = 2",
        {"open"},
    ),
    "an argument that is not": (
        f"{LAZY}{LOAD}c = make()\nc.train = L(load)(workers=⟦8⟧)\nc.train.data = data",
        {"8", "open"},
    ),
    "what takes the place of another": (
        f"{LAZY}{LOAD}train = L(load)(workers=8)\ntrain = L(load)(workers=⟦2⟧)",
        {"2", "open"},
    ),
    "what stands beside a function that is an argument itself": (
        f"{LAZY}{DEFAULT}L(other)(load=load, workers=8)",
        {"4", "open"},
    ),
    "by another library": (f"from elsewhere import L\n{DEFAULT}train = L(load)(workers=8)", {"4", "open"}),
    "by a class that does not say what for": (
        f"{OWN.replace('_target_', 'made')}{DEFAULT}train = L(load)(workers=8)",
        {"4", "open"},
    ),
}


@pytest.mark.parametrize("case", WRITTEN_DOWN)
def test_what_is_written_down_arrives_unless_it_is_changed(case: str) -> None:
    files, expected = WRITTEN_DOWN[case]
    assert traced(files) == expected


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_not_written_down_or_set_anew_is_left_open(case: str) -> None:
    files, expected = OTHERS[case]
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NO_LOADERS.values(), ids=NO_LOADERS)
def test_what_is_not_written_down_for_a_loader_is_none(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
