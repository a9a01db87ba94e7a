from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.finding import Failure, Severity
from loaderlint.model.report import Report
from loaderlint.reports import render
from tests.reports.build import SET_TO_0, finding, report, span

COMMAND = re.compile(r"::(?P<name>\w+) (?P<properties>[^:]*)::(?P<message>.*)")


def github(report: Report) -> str:
    return render(report, "github", color=True, width=80)


def read(command: str) -> tuple[str, dict[str, str], str]:
    """Return a workflow command's name, properties and message, unescaped as the runner does it."""
    match = COMMAND.fullmatch(command)
    assert match
    pairs = (pair.partition("=") for pair in match["properties"].split(","))
    return match["name"], {key: _unescaped(value) for key, _, value in pairs}, _unescaped(match["message"])


def _unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_a_finding_is_an_annotation_at_its_place() -> None:
    assert github(report(finding(error="RuntimeError: worker exited"))) == (
        "::warning file=configs/train.yaml,line=3,endLine=3,col=18,endColumn=19,title=LL101 workers-on-windows"
        "::each of the 4 workers is a fresh interpreter. It imports the program again (on Windows)"
        "%0Aerror: RuntimeError: worker exited%0Afix: set num_workers to 0 (safe)\n"
    )


@pytest.mark.parametrize(
    ("severity", "name"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")]
)
def test_severity_chooses_the_command(severity: Severity, name: str) -> None:
    assert read(github(report(finding(severity=severity))).rstrip("\n"))[0] == name


def test_a_finding_over_several_lines_has_no_columns() -> None:
    _, properties, _ = read(github(report(finding(span=span("a.py", 3, 5, 2, end_line=9)))).rstrip("\n"))
    assert properties == {"file": "a.py", "line": "3", "endLine": "9", "title": "LL101 workers-on-windows"}


def test_help_is_given_where_there_is_no_fix() -> None:
    assert github(report(finding(fix=None, help="open it lazily"))).endswith("%0Ahelp: open it lazily\n")
    assert "help" not in github(report(finding(fix=SET_TO_0, help="open it lazily")))
    told = github(report(finding(fix=None, help="leave it out", unfixed="what was meant is not known")))
    assert told.endswith("%0Ahelp: leave it out%0Anot fixed: what was meant is not known\n")


def test_a_file_that_does_not_parse_is_an_error() -> None:
    told = github(report(failures=(Failure("a.py", "invalid syntax: 100%", 3, 7),)))
    assert told == "::error file=a.py,line=3,col=7,title=loaderlint::invalid syntax: 100%25\n"


def test_nothing_found_is_nothing() -> None:
    assert github(report(held_back=1, suppressed=1)) == ""


PRINTABLE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))


@given(path=PRINTABLE.filter(bool), message=st.lists(PRINTABLE).map("\n".join))
def test_the_runner_reads_back_what_was_said(path: str, message: str) -> None:
    told = github(report(finding(span=span(path, 1, 1, 2), message=message, fix=None, platforms=frozenset())))
    _, properties, said = read(told.removesuffix("\n"))
    assert (properties["file"], said) == (path, message)


@given(text=st.text(st.characters()))
def test_no_text_begins_a_command_of_its_own(text: str) -> None:
    told = github(report(finding(span=span(text, 1, 1, 2), message=text, error=text, name=text)))
    assert len(told.splitlines()) == 1
    told.encode("utf-8")
