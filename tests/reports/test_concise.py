from __future__ import annotations

import pytest

from loaderlint.model.finding import Failure
from loaderlint.model.report import Report
from loaderlint.reports import render
from tests.reports.build import SET_TO_0, finding, report


def concise(report: Report, *, quiet: bool = True, statistics: bool = False) -> str:
    return render(report, "concise", color=False, width=80, quiet=quiet, statistics=statistics)


def test_a_finding_is_one_line_with_the_first_sentence() -> None:
    assert concise(report(finding())) == (
        "configs/train.yaml:3:18: LL101 [warning] [*] each of the 4 workers is a fresh interpreter.\n"
    )


@pytest.mark.parametrize("fix", [None, SET_TO_0.unsafe("shared")])
def test_only_what_fix_mends_is_marked(fix: object) -> None:
    assert "[*]" not in concise(report(finding(fix=fix)))


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("torch 2.13 raises: e.g. here", "torch 2.13 raises: e.g. here"),
        ("one\ntwo", "one"),
        ("one\r\n\r\nTwo", "one"),
        ("\n  one", "one"),
        ("wait! Then go on", "wait!"),
        ("", ""),
    ],
)
def test_a_message_is_cut_after_its_first_sentence_or_line(message: str, shown: str) -> None:
    assert concise(report(finding(message=message, fix=None))) == f"configs/train.yaml:3:18: LL101 [warning] {shown}\n"


def test_failures_have_the_same_form() -> None:
    assert concise(report(failures=(Failure("a.py", "invalid\nsyntax", 3, 7),))) == "a.py:3:7: error: invalid syntax\n"


def test_the_sum_follows_unless_quiet() -> None:
    assert concise(report(finding()), quiet=False).endswith("Found 1 finding (1 fixable with --fix).\n")
    assert "Found" not in concise(report(finding()))


def test_statistics_take_the_place_of_findings() -> None:
    assert concise(report(finding(), finding()), statistics=True) == "2  LL101  [*]  workers-on-windows\n"
