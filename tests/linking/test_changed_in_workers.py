"""Whether worker code may change what its process keeps."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

CHANGES = {
    "a file that is opened once": "self.lines = self.lines or open(self.path)",
    "a queue that is emptied": "item = self.items.pop()",
    "a cache that is filled": "self.cache[index] = index",
    "a count": "self.count += 1",
    "a list under another name": "cache = self.cache\ncache.append(index)",
    "an iterator": "item = next(self.items)",
    "a name of the module": "global SEEN\nSEEN = index",
    "by name": "setattr(self, 'seen', index)",
    "in a helper": "self.note(index)",
}
KEEPS = {
    "a look at it": "item = self.items[index]",
    "a sample of its own": "sample = {}\nsample['number'] = index",
    "a list of its own": "found: int = 0\nrows = []\nrows.append(self.items[index])",
}


def changes(body: str) -> bool:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    (loader,) = loaders_of(
        "from torch.utils.data import DataLoader, Dataset\n"
        "class Numbers(Dataset):\n"
        "    def __init__(self):\n"
        "        self.items = [1]\n"
        "    def note(self, index):\n"
        "        self.seen = index\n"
        f"    def __getitem__(self, index):\n{lines}\n        return index\n"
        "loader = DataLoader(Numbers(), num_workers=2)\n"
    )
    return loader.payload.code.changes


@pytest.mark.parametrize("body", CHANGES.values(), ids=CHANGES)
def test_code_that_changes_what_is_kept(body: str) -> None:
    assert changes(body)


@pytest.mark.parametrize("body", KEEPS.values(), ids=KEEPS)
def test_code_that_leaves_it_as_it_is(body: str) -> None:
    assert not changes(body)
