"""Comprehensions over one of several things, of which one may not have been seen."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, traced

PARTS = """
class Part:
    def __init__(self, workers):
        self.workers = workers
class Other(Part):
    pass
KINDS = {'part': Part, 'other': Other}
names = ['part', 'other'] if quick() else theirs()
"""
CASES: Cases = {
    "a list": (
        "names = [1, 2] if quick() else theirs()\nDataLoader(d, num_workers=[⟦4⟧ for one in names][1])",
        {"4", "open"},
    ),
    "of what it goes over": (
        "names = [1, ⟦2⟧] if quick() else theirs()\nDataLoader(d, num_workers=[one for one in names][1])",
        {"2 shared", "open"},
    ),
    "objects in a list": (
        f"{PARTS}parts = [KINDS[one](⟦4⟧) for one in names]\nDataLoader(d, num_workers=parts[0].workers)",
        {"4", "open"},
    ),
    "objects in a dictionary, and its values in a list": (
        f"{PARTS}by_name = {{one: KINDS[one](⟦4⟧) for one in names}}\n"
        "parts = [part for name, part in by_name.items()]\nDataLoader(d, num_workers=parts[0].workers)",
        {"4", "open"},
    ),
    "what was seen of none": ("DataLoader(d, num_workers=[4 for one in theirs()][0])", {"open"}),
    "one of two that are seen": (
        "names = [⟦1⟧] if quick() else [⟦2⟧, 3]\nDataLoader(d, num_workers=[one for one in names][0])",
        {"1", "2 shared"},
    ),
    "a place that only the unseen may have": (
        "names = [1] if quick() else theirs()\nDataLoader(d, num_workers=[4 for one in names][1])",
        {"open"},
    ),
    "some that are left out by what was not seen": (
        "names = [1, 2] if quick() else theirs()\nDataLoader(d, num_workers=[4 for one in names if good(one)][1])",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_a_comprehension_over_one_of_several_makes_one_of_several(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
