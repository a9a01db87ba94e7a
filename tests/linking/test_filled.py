from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

HEAD = """
import os
import h5py
from torch.utils.data import ConcatDataset, Dataset, Subset

class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path)
    def __getitem__(self, index):
        return self.file["rows"][index]

"""

FILLED = {
    "once": "found = []\nfound.append(Rows('a'))\nDataLoader(ConcatDataset(found), num_workers=2)",
    "by a name": (
        "found = list()\nrows = Rows('a')\nfound.append(rows)\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "in a loop": (
        "found = []\nfor path in os.listdir('.'):\n    found.append(Rows(path))\n"
        "DataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "in a loop, in some of its turns": (
        "found = []\nfor path in os.listdir('.'):\n    if path.endswith('h5'):\n        found.append(Rows(path))\n"
        "DataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "in a function that gives more than the data set": (
        "def joined(paths):\n    found = []\n    for path in paths:\n        found.append(Rows(path))\n"
        "    print(len(found))\n    return ConcatDataset(found), 'log'\n"
        "data, _ = joined(os.listdir('.'))\nDataLoader(data, num_workers=2)"
    ),
    "and a part of it taken": (
        "found = []\nfound.append(Rows('a'))\nDataLoader(Subset(ConcatDataset(found), [0]), num_workers=2)"
    ),
}

NOT_FOLLOWED = {
    "it is emptied": (
        "found = []\nfound.append(Rows('a'))\nfound.clear()\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "something is taken out of it": (
        "found = []\nfound.append(Rows('a'))\nfound.pop()\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "another list gets its name": (
        "found = []\nfound.append(Rows('a'))\nfound = others()\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "an item is replaced": (
        "found = []\nfound.append(Rows('a'))\nfound[0] = other()\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "it is filled afterwards": (
        "found = []\nfound.append(other())\nDataLoader(ConcatDataset(found), num_workers=2)\nfound.append(Rows('a'))"
    ),
    "another function may change it": (
        "found = []\nfound.append(Rows('a'))\nprepare(found)\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "another function may change it, given by keyword": (
        "found = []\nfound.append(Rows('a'))\nprepare(rows=found)\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "another function may change it, given in a tuple": (
        "found = []\nfound.append(Rows('a'))\nprepare((found, 1))\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "something holds it": (
        "found = []\nfound.append(Rows('a'))\nlists = {'all': found}\nlists['all'].clear()\n"
        "DataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "it may have another name": (
        "found = []\nfound.append(Rows('a'))\nothers = found if many() else []\nothers.clear()\n"
        "DataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "it has another name": (
        "found = []\nfound.append(Rows('a'))\nothers = found\nothers.clear()\n"
        "DataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "a parameter is filled": (
        "def joined(found):\n    found.append(Rows('a'))\n    return ConcatDataset(found)\n"
        "DataLoader(joined(given()), num_workers=2)"
    ),
    "what is added does not keep the file": (
        "found = []\nfound.append(other(Rows('a')))\nDataLoader(ConcatDataset(found), num_workers=2)"
    ),
    "it is joined by something unknown": (
        "found = []\nfound.append(Rows('a'))\nDataLoader(joined(found), num_workers=2)"
    ),
}


def kept(text: str) -> list[str]:
    return sorted({one.name for loader in loaders_of(HEAD + text) for one in loader.payload.kept})


@pytest.mark.parametrize("text", FILLED.values(), ids=FILLED.keys())
def test_what_a_list_of_datasets_is_filled_with_travels(text: str) -> None:
    assert kept(text) == ["self.file"]


@pytest.mark.parametrize("text", NOT_FOLLOWED.values(), ids=NOT_FOLLOWED.keys())
def test_what_may_not_be_in_a_list_does_not_travel(text: str) -> None:
    assert kept(text) == []
