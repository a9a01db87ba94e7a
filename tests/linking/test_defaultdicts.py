"""A ``defaultdict`` takes what makes its values into workers, unless a plain dictionary is made of it."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

COUNTED = """from collections import defaultdict
from torch.utils.data import DataLoader, Dataset
class Counted(Dataset):
    def __init__(self, counts):
        self.counts = counts
    def __getitem__(self, index):
        return self.counts[index]
def main():
    counts = defaultdict(lambda: 4)
    {between}
    DataLoader(Counted({given}), num_workers=2)
"""
MADE = {
    "as it is": ("", "counts", True),
    "beside an empty dictionary": ("names = dict()", "counts", True),
    "as a plain one": ("", "dict(counts)", False),
    "as a plain one with more": ("", "dict(counts, more=1)", False),
    "without what makes its values": ("counts.default_factory = None", "counts", False),
}


@pytest.mark.parametrize(("between", "given", "travels"), MADE.values(), ids=MADE)
def test_what_makes_the_values_of_a_defaultdict_travels(between: str, given: str, travels: bool) -> None:
    (loader,) = loaders_of(COUNTED.format(between=between, given=given))
    assert [one.kind for one in loader.payload.unpicklable] == ["lambda"] * travels
