"""However a program is written, ``--fix`` mends its faults, changes what it says it changes, and nothing else."""

from __future__ import annotations

import ast
import itertools
import multiprocessing
import re
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaderlint.model.edit import TextEdit
from loaderlint.model.report import Report
from loaderlint.model.source import Source
from tests.properties.twins import PYTHON_TWINS, YAML_TWINS, Twin
from tests.properties.whole_tool import LINUX, after, fix, lint, preview
from tests.properties.written_programs import (
    NEEDING_WORKERS,
    Configured,
    Option,
    Program,
    configured_programs,
    programs,
    run,
)

PYTHON = "main.py"
YAML = "train.yaml"

Files = Mapping[str, str]

UNSAFE = {
    "a comment would be lost": lambda one: bool(one.comments),
    "other runs of the same setting have workers": lambda one: (
        isinstance(one, Program)
        and one.home_of("num_workers") == "flag"
        and any(option.home == "splat" for option in one.options)
    ),
}
"""The reasons a fault is left, and whether a program can have one: its language or its comments stand in the way."""


def files_of(program: Program | Configured) -> dict[str, str]:
    return program.files if isinstance(program, Configured) else {PYTHON: program.text}


def fixed(files: Mapping[str, str | bytes]) -> dict[str, str]:
    return {path: content.decode() for path, content in after(files, fix(files, **LINUX)).items()}


either = st.one_of(programs(), configured_programs())


@settings(max_examples=60)
@given(either)
def test_every_fault_is_found_and_mended_unless_a_reason_is_given(program: Program | Configured) -> None:
    files = files_of(program)
    assert {one.code for one in lint(files, **LINUX).findings} == program.codes
    report = fix(files, **LINUX)
    assert report.unproven == ()
    assert report.failures == ()
    for one in report.findings:
        assert one.fix is not None
        assert not one.fix.safe
        assert UNSAFE[one.fix.reason](program), one
    assert {one.code for one in (*report.fixed, *report.findings)} == program.codes
    again = lint(after(files, report), **LINUX)
    assert sorted(one.code for one in again.findings) == sorted(one.code for one in report.findings)


@settings(max_examples=60)
@given(either)
def test_a_fix_changes_the_characters_that_the_report_names_and_no_other(program: Program | Configured) -> None:
    files = files_of(program)
    said = preview(files, **LINUX)
    edits = [edit for one, edits in said.edits.items() if one.fix is not None and one.fix.safe for edit in edits]
    for path, text in fixed(files).items():
        own = [edit for edit in edits if edit.span.path == path]
        if path == PYTHON:
            ast.parse(text)
        if not own:
            assert text == files[path]
        elif apart(own):
            assert text == spliced(said.sources[path], own)
        else:
            assert holds_in_order(text, kept(said.sources[path], own))


@settings(max_examples=40)
@given(either)
def test_fixing_twice_is_fixing_once(program: Program | Configured) -> None:
    once = fixed(files_of(program))
    report = fix(once, **LINUX)
    assert report.rewritten == {}
    assert report.fixed == ()


@settings(max_examples=60)
@given(program=programs(), twin=st.sampled_from(PYTHON_TWINS))
def test_the_fix_of_a_file_in_other_clothes_is_the_fix_in_those_clothes(program: Program, twin: Twin) -> None:
    files = {PYTHON: twin(program.text)}
    assert after(files, fix(files, **LINUX)) == {PYTHON: twin(fixed({PYTHON: program.text})[PYTHON])}


@settings(max_examples=40)
@given(program=configured_programs(), twin=st.sampled_from(YAML_TWINS))
def test_the_same_holds_for_yaml(program: Configured, twin: Twin) -> None:
    files: dict[str, str | bytes] = {**program.files, YAML: twin(program.text)}
    assert after(files, fix(files, **LINUX))[YAML] == twin(fixed(program.files)[YAML])


@pytest.mark.skipif(
    multiprocessing.get_all_start_methods()[:1] != ["fork"] or sys.version_info >= (3, 14),
    reason="the programs are written for a target that forks",
)
@pytest.mark.filterwarnings("ignore:Exception ignored in.*_MultiProcessingDataLoaderIter")
class TestRun:
    """What torch says of the program as it was and as it is."""

    @settings(max_examples=40)
    @given(programs())
    def test_a_mended_program_runs_and_the_faulty_one_died_with_the_words_of_a_finding(self, program: Program) -> None:
        files = files_of(program)
        report = fix(files, **LINUX)
        words = {one.error for one in (*report.fixed, *report.findings)}
        if words != {None}:
            with pytest.raises((AssertionError, TypeError, ValueError)) as raised:
                run(program.text)
            assert f"{type(raised.value).__name__}: {raised.value}" in words
        if report.findings == ():
            assert run(fixed(files)[PYTHON])["batches"] == [0, 2, 4, 6]

    @settings(max_examples=20)
    @given(programs())
    def test_the_options_stay_in_runs_that_have_workers(self, program: Program) -> None:
        workers = Option("num_workers", 0, "flag")
        others = tuple(
            option
            for option in program.options
            if option.name in ("prefetch_factor", "timeout")
            and option.value == NEEDING_WORKERS[option.name]
            and option.home != "splat"
        )
        varying = replace(program, options=(workers, *others))
        assert run(fixed(files_of(varying))[PYTHON])["batches"] == [0, 2, 4, 6]
        loader = run(fixed(files_of(varying))[PYTHON], "--num-workers", "2")["loader"]
        assert loader["num_workers"] == 2
        for option in others:
            assert loader[option.name] == option.value


def apart(edits: list[TextEdit]) -> bool:
    """Return whether no two of the edits meet."""
    spans = sorted({edit.span for edit in edits})
    contents = {edit.span: edit.content for edit in edits}
    ordered = all(one.end < other.start for one, other in itertools.pairwise(spans))
    return ordered and all(contents[edit.span] == edit.content for edit in edits)


def spliced(source: Source, edits: list[TextEdit]) -> str:
    text = source.text
    for edit in sorted(set(edits), key=lambda one: one.span, reverse=True):
        start, end = source.offset(*edit.span.start), source.offset(*edit.span.end)
        text = text[:start] + edit.content + text[end:]
    return text


def kept(source: Source, edits: list[TextEdit]) -> list[str]:
    """Return the runs of whole lines that no edit touches."""
    touched = {line for edit in edits for line in range(edit.span.line, edit.span.end_line + 1)}
    runs = [""]
    for number, line in enumerate(source.text.splitlines(keepends=True), start=1):
        if number in touched:
            runs.append("")
        else:
            runs[-1] += line
    return runs


def holds_in_order(text: str, pieces: list[str]) -> bool:
    # The comma in front of the last of several items that go is nobody's but theirs together, and so is the line end
    # that is left between braces when all of them go.
    patterns = [re.sub(r"(?:(,)|(\{))(\\\n)$", _theirs, re.escape(piece)) for piece in pieces]
    return re.fullmatch(".*?".join(patterns), text, re.DOTALL) is not None


def _theirs(end: re.Match[str]) -> str:
    return f",?{end[3]}" if end[1] else f"{{(?:{end[3]})?"


def test_the_comparison_sees_a_change_elsewhere() -> None:
    report: Report = preview({PYTHON: Program((Option("timeout", 60, "argument"),)).text}, **LINUX)
    (edits,) = report.edits.values()
    source = report.sources[PYTHON]
    mended = spliced(source, list(edits))
    assert holds_in_order(mended, kept(source, list(edits)))
    assert not holds_in_order(mended.replace("digits", "digit"), kept(source, list(edits)))
