"""Tuples with names for their items, whose class a call makes."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, traced

KIND = "from collections import namedtuple\nOptions = namedtuple({})\n"
TWO = KIND.format("'Options', ['n', 'size']")
READ = "DataLoader(1, num_workers=options.n)\n"
CASES: Cases = {
    "by keyword": (TWO + "options = Options(n=⟦4⟧, size=1)\n" + READ, {"4"}),
    "by position": (TWO + "options = Options(⟦4⟧, 1)\n" + READ, {"4"}),
    "names in a text": (KIND.format("'Options', 'size, n'") + "options = Options(1, ⟦4⟧)\n" + READ, {"4"}),
    "a default": (KIND.format("'Options', 'size n', defaults=(⟦4⟧,)") + "options = Options(1)\n" + READ, {"4 shared"}),
    "a default that a call gives": (
        KIND.format("'Options', 'size n', defaults=[2]") + "options = Options(1, ⟦4⟧)\n" + READ,
        {"4"},
    ),
    "a default of another": (
        KIND.format("'Options', 'n size', defaults=(2,)") + "options = Options(⟦4⟧)\n" + READ,
        {"4"},
    ),
    "replaced": (TWO + "options = Options(2, 1)._replace(n=⟦4⟧)\n" + READ, {"4"}),
    "another one replaced": (TWO + "options = Options(⟦4⟧, 1)._replace(size=2)\n" + READ, {"4"}),
    "as a dictionary": (TWO + "options = Options(⟦4⟧, 1)\nDataLoader(1, num_workers=options._asdict()['n'])\n", {"4"}),
}
OPEN: Cases = {
    "unpacked": (TWO + "n, size = Options(4, 1)\nDataLoader(1, num_workers=n)\n", {"open"}),
    "by number": (TWO + "options = Options(4, 1)\nDataLoader(1, num_workers=options[0])\n", {"open"}),
    "no such field": (TWO + "options = Options(4, 1)\nDataLoader(1, num_workers=options.m)\n", {"open"}),
    "a field left out": (TWO + "options = Options(size=4)\n" + READ, {"open"}),
    "positions nobody sees": (TWO + "options = Options(*values, 4)\n" + READ, {"open"}),
    "names nobody sees": (KIND.format("'Options', names") + "options = Options(4, 1)\n" + READ, {"open"}),
    "defaults nobody sees": (
        KIND.format("'Options', 'size n', defaults=them") + "options = Options(1)\n" + READ,
        {"open"},
    ),
    "too many": (TWO + "options = Options(4, 1, 2)\n" + READ, {"open"}),
    "another library's": (TWO.replace("collections", "theirs") + "options = Options(4, 1)\n" + READ, {"open"}),
    "replaced by what nobody sees": (TWO + "options = Options(4, 1)._replace(**them)\n" + READ, {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), [*CASES.values(), *OPEN.values()], ids=[*CASES, *OPEN])
def test_a_field_is_what_the_call_gives_or_its_default(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
