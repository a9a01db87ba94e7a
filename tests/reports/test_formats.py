from __future__ import annotations

from pathlib import Path

import pytest

from loaderlint import reports
from loaderlint.reports import FORMATS, render
from tests.reports.build import finding, report


def test_every_format_of_the_contract_that_is_built_is_offered() -> None:
    assert set(FORMATS) >= {"text", "concise", "json", "github"}


def test_what_other_commands_print_and_shared_parts_are_no_formats() -> None:
    assert not {"diff", "trace", "rules"} & set(FORMATS)
    assert not [name for name in FORMATS if name.startswith("_")]


def test_a_format_is_there_when_its_module_is() -> None:
    modules = {path.stem for path in Path(reports.__file__).parent.glob("[a-z]*.py")}
    assert modules - {"diff", "trace", "rules"} == set(FORMATS)


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_ends_in_a_newline(format: str) -> None:
    assert render(report(finding()), format, color=False, width=80).endswith("\n")


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_says_the_same_every_time(format: str) -> None:
    one = report(finding(), finding(code="LL999"))
    assert render(one, format, color=True, width=80) == render(one, format, color=True, width=80)


@pytest.mark.parametrize("format", ["", "yaml", "diff", "_style", "../cli"])
def test_an_unknown_format_is_refused_with_the_known_ones(format: str) -> None:
    with pytest.raises(ValueError, match="choose from concise, github, json"):
        render(report(), format, color=False, width=80)
