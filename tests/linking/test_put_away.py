"""What is called with what samples read: a container that it is put into, or anything that may change it."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

PROGRAM = """
import collections
import queue
import sklib
import numpy as np
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, kept):
        self.kept = kept
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.kept[index]
class Keeper:
    def __init__(self):
        self.kept = []
    def update(self, rows):
        self.kept.append(rows)
def main():
    rows = {rows}
    other = {other}
    for batch in DataLoader(Rows(rows), num_workers=2):
        {does}
if __name__ == "__main__":
    main()
"""
SCALER = "sklib.Scaler()"
CHANGED = {
    **{name: (SCALER, f"other.{name}(rows)") for name in ("add", "extend", "put", "register", "update")},
    "a method of lists": ("None", "list.append(rows, 2)"),
    "a method of lists that gives something": ("None", "last = list.pop(rows)"),
    "what a dictionary has": ("{'a': sklib.Scaler()}", "other['a'].update(rows)"),
    "a container's element": ("[]", "other.append(rows)\n        other[0][0] = 2"),
}
PUT = {
    "a list": ("[]", "other.append(rows)"),
    "a dictionary": ("dict()", "other.update(rows=rows)"),
    "a queue": ("queue.Queue()", "other.put(rows)"),
    "two ends": ("collections.deque(maxlen=2)", "other.appendleft(rows)"),
    "one of the project": ("Keeper()", "other.update(rows)"),
    "a method of lists that asks": ("None", "print(list.index(rows, 2))"),
}


def changes(rows: str, other: str, does: str) -> bool:
    (loader,) = loaders_of(PROGRAM.format(rows=rows, other=other, does=does))
    return bool(loader.uses.unsettled)


@pytest.mark.parametrize("rows", ["[1, 2, 3, 4]", "np.ones(4)"])
@pytest.mark.parametrize(("other", "does"), CHANGED.values(), ids=CHANGED)
def test_what_is_handed_what_samples_read_may_change_it(rows: str, other: str, does: str) -> None:
    assert changes(rows, other, does)


@pytest.mark.parametrize("rows", ["[1, 2, 3, 4]", "np.ones(4)"])
@pytest.mark.parametrize(("other", "does"), PUT.values(), ids=PUT)
def test_a_container_leaves_what_is_put_into_it_as_it_is(rows: str, other: str, does: str) -> None:
    assert not changes(rows, other, does)
