"""Members of enumerations and what they hold."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, loader_of, traced

COUNTS = "from enum import Enum, IntEnum\nclass Counts({base}):\n    MANY = {many}\n    FEW = 2\n"

CASES: Cases = {
    "the value of a member": (
        COUNTS.format(base="Enum", many="⟦8⟧") + "DataLoader(d, num_workers=Counts.MANY.value)\n",
        {"8 shared"},
    ),
    "a value worked with": (
        COUNTS.format(base="IntEnum", many="8") + "DataLoader(d, num_workers=⟦Counts.MANY.value // 2⟧)\n",
        {"4"},
    ),
    "a text": (
        "from enum import StrEnum\nclass Counts(StrEnum):\n    MANY = ⟦'8'⟧\n"
        "DataLoader(d, num_workers=Counts.MANY.value)\n",
        {"'8' shared"},
    ),
    "a class that is no enumeration": (
        COUNTS.format(base="object", many="8") + "DataLoader(d, num_workers=Counts.MANY.value)\n",
        {"open"},
    ),
    "members that say themselves what they hold": (
        COUNTS.format(base="Enum", many="8")
        + "    @property\n    def value(self):\n        return 1\nDataLoader(d, num_workers=Counts.MANY.value)\n",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_members_hold(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_value_of_a_member_cannot_be_set_for_the_loader_alone() -> None:
    loader = loader_of(COUNTS.format(base="Enum", many="8") + "DataLoader(d, num_workers=Counts.MANY.value)\n")

    assert [one.taken_out for one in loader.num_workers.candidates] == [True]
