"""Attributes that another method than the constructor gives their value, alone or several together."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, met, traced

BUILDER = """
class Builder:
    def __init__(self):
        self.n = 0
        self.factor = FACTOR
    def with_workers(self, n, factor=4):
        self.n = n
        self.factor = factor
        return self
    def build(self):
        return DataLoader(data, num_workers=self.n, prefetch_factor=self.factor)
"""
PLAIN = BUILDER.replace("FACTOR", "3")
AHEAD = "    def ahead(self, factor):\n        self.factor = factor\n        return self\n"
SOMETIMES = "    def ahead(self, factor):\n        if factor:\n            self.factor = factor\n        return self\n"

TOGETHER: dict[str, tuple[Files, set[tuple[str, str]]]] = {
    "one method sets both": (f"{BUILDER.replace('FACTOR', 'None')}Builder().with_workers(2).build()\n", {("2", "4")}),
    "two counts of one method": (
        f"{PLAIN}Builder().with_workers(2).build()\nBuilder().with_workers(0, None).build()\n",
        {("2", "4"), ("0", "None")},
    ),
    "one method sets both, another one of them": (
        f"{PLAIN}{AHEAD}Builder().with_workers(2).ahead(5).build()\n",
        {("2", "4"), ("2", "5")},
    ),
    "one method sets both, another may set one of them": (
        f"{PLAIN}{SOMETIMES}Builder().with_workers(2).ahead(5).build()\n",
        {("2", "4"), ("2", "5")},
    ),
    "two methods set one each": (
        PLAIN.replace("self.n = 0", "self.n = 1").replace("        self.factor = factor\n", "")
        + f"{AHEAD}Builder().with_workers(2).ahead(5).build()\n",
        {("1", "3"), ("2", "3"), ("1", "5"), ("2", "5")},
    ),
}

DATA = """
class Data:
    def __init__(self, n=0):
        self.n = GIVEN
    def setup(self):
        SETS
    def load(self):
        return DataLoader(data, num_workers=self.n)
data = Data()
data.setup()
data.load()
"""


def _set(given: str, sets: str) -> str:
    return DATA.replace("GIVEN", given).replace("SETS", sets)


HELD_OPEN: Cases = {
    "-1": (_set("-1", "self.n = ⟦2⟧"), {"2", "open"}),
    "0": (_set("0", "self.n = ⟦2⟧"), {"2", "open"}),
    "0, in each arm of a condition": (
        _set("0", "if ask():\n            self.n = ⟦2⟧\n        else:\n            self.n = ⟦3⟧"),
        {"2", "3", "open"},
    ),
    "0, which a method may leave": (_set("⟦0⟧", "if ask():\n            self.n = ⟦2⟧"), {"0", "2"}),
    "0, which a method adds to": (_set("0", "self.n += 2"), {"open"}),
    "0, which no method replaces": (_set("⟦0⟧", "self.m = 2"), {"0"}),
    "a count": (_set("⟦4⟧", "self.n = ⟦0⟧"), {"4", "0"}),
    "a truth value": (_set("⟦False⟧", "self.n = ⟦2⟧"), {"False", "2"}),
    "what a caller gives": (_set("n", "self.n = ⟦2⟧").replace("n=0", "n=⟦0⟧"), {"0", "2"}),
}


@pytest.mark.parametrize(("files", "expected"), TOGETHER.values(), ids=TOGETHER.keys())
def test_what_one_method_sets_together(files: Files, expected: set[tuple[str, str]]) -> None:
    assert met(files) == expected


@pytest.mark.parametrize(("files", "expected"), HELD_OPEN.values(), ids=HELD_OPEN.keys())
def test_places_held_open_for_what_a_method_brings(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
