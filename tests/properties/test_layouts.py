"""What ``--fix`` leaves is what somebody would have written who never made the fault, to the last character."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.laid_out import BELOW, Call, Mapping, calls, heads, mappings
from tests.properties.twins import PYTHON_TWINS, YAML_TWINS, Twin, as_it_is, with_form_feeds, with_tabs
from tests.properties.whole_tool import LINUX, after, fix
from tests.properties.written_programs import Program, programs, run

EVERYWHERE = {"platforms": ["linux", "windows"], "python": ["3.14"], "torch": "2.13"}
"""Targets on which no worker is forked."""


def mended(path: str, content: bytes, **settings: object) -> bytes:
    """Return what a file becomes; nothing is left to be mended, and a second run changes nothing."""
    report = fix({path: content}, **settings)
    assert (report.unproven, report.failures) == ((), ())
    return after({path: content}, report)[path]


@settings(max_examples=60)
@given(calls(), st.sampled_from([as_it_is, *(twin for twin in PYTHON_TWINS if twin is not with_tabs)]))
def test_a_call_is_as_if_it_had_been_written_without_the_fault(call: Call, twin: Twin) -> None:
    sound = twin(call.mended.text)
    assert mended("main.py", twin(call.text), **LINUX) == sound
    assert fix({"main.py": sound}, **LINUX).rewritten == {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(sound, "main.py", "exec"), {})


@settings(max_examples=80)
@given(mappings(), st.sampled_from([as_it_is, *YAML_TWINS]))
def test_a_mapping_is_as_if_it_had_been_written_without_the_fault(mapping: Mapping, twin: Twin) -> None:
    sound = twin(mapping.mended.text)
    assert mended("train.yaml", twin(mapping.text), **LINUX) == sound
    assert fix({"train.yaml": sound}, **LINUX).rewritten == {}
    assert yaml.safe_load(sound)["epochs"] == 3


@settings(max_examples=30)
@given(heads(), st.sampled_from([as_it_is, *PYTHON_TWINS]))
def test_an_import_that_a_fix_needs_is_one_line_below_what_comes_first(head: str, twin: Twin) -> None:
    content = mended("main.py", twin(head + BELOW), **{**LINUX, "platforms": ["linux", "windows"]})
    exec(compile(content, "main.py", "exec"), {"__name__": "main"})
    before, found = re.subn(r'0 if \w+\.platform == "win32" else 4', "4", undressed(content))
    assert found == 1
    ways = (rf"{above}import sys(?: as \w+)?\n{below}" for above in ("", r"(?<=\n)\n") for below in ("", r"\n"))
    assert undressed(twin(head + BELOW)) in {before, *(re.sub(way, "", before, count=1) for way in ways)}


def undressed(content: bytes) -> str:
    return content.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\t", "    ")


@pytest.mark.filterwarnings("ignore:Exception ignored in.*_MultiProcessingDataLoaderIter")
@settings(max_examples=30)
@given(programs(), st.sampled_from([as_it_is, *(twin for twin in PYTHON_TWINS if twin is not with_form_feeds)]))
def test_a_program_that_is_mended_for_spawned_workers_does_nothing_when_they_import_it(
    program: Program, twin: Twin
) -> None:
    # Where a page begins at a statement that moves into a guard, the mark moves along: that twin is another program.
    plain, other = {"main.py": program.text}, {"main.py": twin(program.text)}
    report = fix(other, **EVERYWHERE)
    # A worker count that is a number at last starts the workers that the module has no guard for.
    assert all("shows LL102 unguarded-entry-point" in one.message for one in report.unproven)
    left = after(other, report)
    assert left["main.py"] == twin(after(plain, fix(plain, **EVERYWHERE))["main.py"].decode())
    assert fix(left, **EVERYWHERE).rewritten == {}
    if report.findings == ():
        main = run(left["main.py"])
        assert main["batches"] == [0, 2, 4, 6]
        if main["loader"]["num_workers"]:
            assert run(left["main.py"], name="__mp_main__") == {"loader": None, "batches": []}
