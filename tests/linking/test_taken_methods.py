"""Methods that a class takes from a function under another name: ``__iter__ = numbers``."""

from __future__ import annotations

import pytest

from tests.linking.traced import loader_of

HEAD = """
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
def outside(self):
    for one in range(self.count):
        yield one
def shared(self):
    yield get_worker_info().id
def ended(self, index):
    raise StopIteration
class Numbers(IterableDataset):
    count = 4
    def inside(self):
        for one in range(self.count):
            yield one
    {taken}
class Rows(Dataset):
    def helper(self, index):
        raise StopIteration
    {taken}
"""
REPEATED = {
    "a function of the file": "__iter__ = outside",
    "a function of the class": "__iter__ = inside",
    "a lambda beside it": "__iter__ = outside; size = lambda self: 4",
}
NOT_REPEATED = {
    "a function that shares out": "__iter__ = shared",
    "another name": "rows = outside",
    "one of two": "__iter__ = outside\n    __iter__ = shared",
    "what a call gives": "__iter__ = wrapped(outside)",
    "a name that nothing defines": "__iter__ = elsewhere",
}


@pytest.mark.parametrize("taken", REPEATED.values(), ids=REPEATED.keys())
def test_an_iterator_that_a_class_takes_reads_the_same_in_every_worker(taken: str) -> None:
    loader = loader_of({"main.py": HEAD.format(taken=taken) + "DataLoader(Numbers(), num_workers=2)\n"})
    assert [one.what for one in loader.payload.code.repeated] == ["range(self.count)"]


@pytest.mark.parametrize("taken", NOT_REPEATED.values(), ids=NOT_REPEATED.keys())
def test_an_iterator_that_shares_out_or_is_not_seen_does_not(taken: str) -> None:
    loader = loader_of({"main.py": HEAD.format(taken=taken) + "DataLoader(Numbers(), num_workers=2)\n"})
    assert not loader.payload.code.repeated


@pytest.mark.parametrize(
    ("taken", "ends"),
    [("__getitem__ = ended", 1), ("__getitem__ = helper", 1), ("__getitem__ = outside", 0), ("row = helper", 0)],
)
def test_what_a_class_takes_to_read_a_sample_runs_in_workers(taken: str, ends: int) -> None:
    loader = loader_of({"main.py": HEAD.format(taken=taken) + "DataLoader(Rows(), num_workers=2)\n"})
    assert len(loader.payload.code.ends) == ends
