from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

READ: Cases = {
    "what was given": (
        "first = DataLoader(1, num_workers=⟦4⟧)\nDataLoader(2, num_workers=first.num_workers)",
        {"4"},
    ),
    "what was given by position, and by getattr": (
        "first = DataLoader(1, 8, False, None, None, ⟦4⟧)\nDataLoader(2, num_workers=getattr(first, 'num_workers', 0))",
        {"4"},
    ),
    "what a dictionary brought": (
        "options = {'num_workers': ⟦4⟧}\nfirst = DataLoader(1, **options)\n"
        "DataLoader(2, num_workers=first.num_workers)",
        {"4"},
    ),
    "what was given to one that an object keeps": (
        """
        class Data:
            def __init__(self, workers):
                self.train = DataLoader(1, num_workers=workers)
            def sub(self, workers=None):
                if workers is None:
                    workers = self.train.num_workers
                return DataLoader(2, num_workers=workers)
        Data(⟦8⟧).sub()
        """,
        {"8"},
    ),
    "torch's default where nothing was given": (
        "first = ⟦DataLoader(1)⟧\nDataLoader(2, num_workers=first.num_workers)",
        {"0 unwritten", "0 shared"},
    ),
    "what nobody sees given": (
        "first = DataLoader(1, **more())\nDataLoader(2, num_workers=first.num_workers)",
        {"open"},
    ),
    "what is set on it later": (
        """
        first = DataLoader(1, num_workers=⟦4⟧)
        def quicker(loader):
            loader.num_workers = 2
        quicker(first)
        DataLoader(2, num_workers=first.num_workers)
        """,
        {"4", "open"},
    ),
    "what may be set on it by a name that varies": (
        """
        first = DataLoader(1, num_workers=⟦4⟧)
        for name, value in load().items():
            setattr(first, name, value)
        DataLoader(2, num_workers=first.num_workers)
        """,
        {"4", "open"},
    ),
    "what another library's loader holds": (
        "from elsewhere import Loader\nfirst = Loader(1, num_workers=4)\nDataLoader(2, num_workers=first.num_workers)",
        {"open"},
    ),
}

SIZES: Cases = {
    "given": ("first = DataLoader(1, ⟦16⟧)\nDataLoader(2, batch_size=first.batch_size)", {"16"}),
    "of a loader with a batch sampler": (
        "first = DataLoader(1, batch_sampler=sampler)\nDataLoader(2, batch_size=first.batch_size)",
        {"1 unwritten", "open"},
    ),
}

AHEAD: Cases = {
    "given": (
        "first = DataLoader(1, num_workers=2, prefetch_factor=⟦4⟧)\n"
        "DataLoader(2, num_workers=2, prefetch_factor=first.prefetch_factor)",
        {"4"},
    ),
    "settled by torch": (
        "first = DataLoader(1, num_workers=2)\nDataLoader(2, num_workers=2, prefetch_factor=first.prefetch_factor)",
        {"None unwritten", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), READ.values(), ids=READ.keys())
def test_a_worker_count_that_is_read_from_another_loader(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), SIZES.values(), ids=SIZES.keys())
def test_a_batch_size_that_is_read_from_another_loader(files: str, expected: set[str]) -> None:
    assert traced(files, "batch_size") == expected


@pytest.mark.parametrize(("files", "expected"), AHEAD.values(), ids=AHEAD.keys())
def test_how_many_batches_are_loaded_ahead_that_is_read_from_another_loader(files: str, expected: set[str]) -> None:
    assert traced(files, "prefetch_factor") == expected
