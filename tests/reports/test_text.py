from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loaderlint.model.finding import Confidence, Failure, Finding, Severity, Site
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.report import Report
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.reports import render
from tests.reports.build import CONFIG, LINUX, SET_TO_0, WINDOWS, YAML, finding, report, source, span

ESCAPE_CODE = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def text(report: Report, *, color: bool = False, width: int = 80, **options: bool) -> str:
    return render(report, "text", color=color, width=width, **options)


def test_a_finding_is_shown_with_its_code_its_way_and_its_fix() -> None:
    assert text(report(finding(error="RuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly"))) == (
        """\
configs/train.yaml:3:18: warning LL101 workers-on-windows (likely) on Windows
  each of the 4 workers is a fresh interpreter. It imports the program again

  2 |   params:
  3 |     num_workers: 4
    |                  ^
  4 |     batch_size: 8

  how it gets there:
    main.py:64   DataModuleFromConfig(num_workers=…)
    main.py:204  torch.utils.data.DataLoader
  error: RuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly
  fix: set num_workers to 0 (safe: --fix)

Found 1 finding (1 fixable with --fix).
"""
    )


def test_all_that_happened_is_said_once_in_order() -> None:
    unsafe = finding(code="LL301", name="high-prefetch", fix=SET_TO_0.unsafe("the number also serves a pool"))
    told = text(
        report(
            unsafe,
            fixed=(finding(),),
            rewritten={CONFIG: YAML.replace("4", "0").encode()},
            failures=(Failure("broken.py", "invalid syntax", 3, 7),),
            unproven=(Failure("main.py", "the fix would lose a comment", 9, 1),),
            suppressed=1,
            held_back=2,
            targets=(LINUX, Target(Platform.WINDOWS, (3, 14), (2, 6), Accelerator.CUDA, 8)),
        ),
        verbose=True,
    )
    assert told.partition("  fix: ")[2] == (
        """\
set num_workers to 0 (unsafe: --fix --unsafe-fixes)
    the number also serves a pool

broken.py:3:7: error: invalid syntax
main.py:9:1: not fixed: the fix would lose a comment

Fixed 1 finding in 1 file:
  configs/train.yaml
    3:18 LL101 workers-on-windows: set num_workers to 0

Found 2 findings (1 fixed, 1 left; 1 fixable with --fix --unsafe-fixes).
1 file could not be checked or written.
Not shown: 2 held back (--pedantic and --min-severity decide), 1 suppressed.
Looked at 212 files, read 14.
Checked for Linux (Python 3.12) and Windows (Python 3.14, torch 2.6, cuda, 8 CPUs).
"""
    )


def test_what_is_not_reached_on_a_platform_is_said_when_more_is_asked_for() -> None:
    process_group = Touch(span("train.py", 12, 5, 40), 'init_process_group("nccl")')
    on_linux = frozenset({Platform.LINUX})
    one = Loader(span("train.py", 20, 5, 40), "DataLoader", platforms=on_linux, ended={Platform.WINDOWS: process_group})
    other = replace(one, span=span("train.py", 30, 5, 40))
    alone = Loader(span("data.py", 3, 5, 40), "DataLoader", platforms=on_linux)
    reached = Loader(span("data.py", 4, 5, 40), "DataLoader")
    for loaders, told in (
        ((one, reached), '1 loader is not iterated on Windows: init_process_group("nccl") at train.py:12.\n'),
        ((one, other), '2 loaders are not iterated on Windows: init_process_group("nccl") at train.py:12.\n'),
        ((alone,), "1 loader is not iterated on Windows: the loader at data.py:3.\n"),
    ):
        assert text(report(unreached=tuple(one.unreached for one in loaders)), verbose=True).endswith(
            f"(Python 3.12).\n{told}"
        )
        assert "not iterated" not in text(report(unreached=tuple(one.unreached for one in loaders)))


def test_of_many_places_that_end_a_run_some_are_named() -> None:
    many = tuple(
        Loader(
            span("train.py", line, 5, 40),
            "DataLoader",
            platforms=frozenset({Platform.LINUX}),
            ended={Platform.WINDOWS: Touch(span("train.py", line - 1, 5, 40), "os.fork()")},
        )
        for line in (10, 20, 30, 40, 50)
    )
    assert text(report(unreached=tuple(one.unreached for one in many)), verbose=True).endswith(
        "5 loaders are not iterated on Windows:"
        " os.fork() at train.py:9, os.fork() at train.py:19, os.fork() at train.py:29 and 2 more.\n"
    )


def test_statistics_count_by_rule_the_most_frequent_first() -> None:
    other = {"code": "LL201", "name": "prefetch-without-workers"}
    twice = (finding(**other), finding(**other, fix=None))
    never = (finding(code="LL103", name="unpicklable-worker-callable", fix=None),)
    assert text(report(finding(), *never, *twice), statistics=True) == (
        """\
2  LL201  [-]  prefetch-without-workers
1  LL101  [*]  workers-on-windows
1  LL103  [ ]  unpicklable-worker-callable

Found 4 findings (2 fixable with --fix).
"""
    )


def test_nothing_found_is_one_line() -> None:
    assert text(report(), color=True) == "No findings in 212 files.\n"


def test_a_file_that_could_not_be_checked_is_none_without_findings() -> None:
    told = text(report(failures=(Failure("broken.py", "invalid syntax"), Failure("broken.py", "no end"))))
    assert told.endswith("No findings in 211 files.\n1 file could not be checked or written.\n")


def test_quiet_and_nothing_found_is_nothing() -> None:
    assert text(report(held_back=3, suppressed=2), quiet=True) == ""


def test_quiet_leaves_findings_and_failures_without_sums() -> None:
    told = text(report(finding(), failures=(Failure("broken.py", "invalid syntax"),)), quiet=True)
    assert told.endswith("(safe: --fix)\n\nbroken.py:1:1: error: invalid syntax\n")


def test_what_was_held_back_is_said_even_when_nothing_was_found() -> None:
    assert text(report(held_back=2)) == (
        "No findings in 212 files.\nNot shown: 2 held back (--pedantic and --min-severity decide).\n"
    )


@pytest.mark.parametrize(
    ("safe", "unsafe", "fixed", "expected"),
    [
        (0, 0, 0, "No findings in 212 files."),
        (1, 1, 0, "Found 2 findings (1 fixable with --fix, 1 more with --unsafe-fixes)."),
        (0, 2, 0, "Found 2 findings (2 fixable with --fix --unsafe-fixes)."),
        (0, 0, 2, "Found 2 findings (2 fixed, none left)."),
    ],
)
def test_the_sum_says_what_can_be_fixed_and_how(safe: int, unsafe: int, fixed: int, expected: str) -> None:
    left = [finding()] * safe + [finding(fix=SET_TO_0.unsafe("shared"))] * unsafe
    assert text(report(*left, fixed=(finding(),) * fixed)).splitlines()[-1] == expected


def test_a_finding_without_a_fix_shows_its_help_with_the_code_in_it_untouched() -> None:
    advice = "open it lazily:\n    if self.file is None:\n        self.file = open_it()"
    told = text(report(finding(fix=None, help=advice)))
    assert "\n  help: open it lazily:\n        if self.file is None:\n            self.file = open_it()\n\n" in told
    assert "fix:" not in told


def test_a_finding_that_is_not_fixed_says_why_after_what_to_do() -> None:
    told = text(report(finding(fix=None, help="leave it out", unfixed="what was meant is not known")))
    assert "\n  help: leave it out\n  not fixed: what was meant is not known\n\n" in told


def test_help_is_not_shown_beside_a_fix() -> None:
    assert "by hand" not in text(report(finding(help="do it by hand")))


@pytest.mark.parametrize(
    ("targets", "platforms", "ending"),
    [
        ((WINDOWS,), {Platform.WINDOWS}, "(likely)"),
        ((WINDOWS, Target(Platform.WINDOWS, (3, 14))), {Platform.WINDOWS}, "(likely)"),
        ((LINUX, WINDOWS), {Platform.WINDOWS}, "(likely) on Windows"),
        ((LINUX, WINDOWS), {Platform.WINDOWS, Platform.LINUX}, "(likely) on Linux and Windows"),
        ((LINUX, WINDOWS), set(Platform), "(likely) on Linux, Windows and macOS"),
        ((LINUX, WINDOWS), set(), "(likely)"),
    ],
)
def test_the_header_names_platforms_unless_there_is_only_one(
    targets: tuple[Target, ...], platforms: set[Platform], ending: str
) -> None:
    header = text(report(finding(platforms=frozenset(platforms)), targets=targets)).splitlines()[0]
    assert header.endswith(f" workers-on-windows {ending}")


def test_the_way_is_left_out_when_the_value_stands_at_the_loader() -> None:
    at_loader = finding(trail=(), site=Site(span(CONFIG, 1, 1, 19, end_line=4), "data"))
    assert "how it gets there" not in text(report(at_loader))


def test_the_loader_is_not_named_twice_when_the_trail_ends_there() -> None:
    arrived = finding(site=Site(span("main.py", 64, 5, 41), "torch.utils.data.DataLoader"))
    told = text(report(arrived))
    assert told.count("main.py:64") == 1
    assert "torch.utils.data.DataLoader" not in told


def test_a_finding_in_a_file_that_is_not_at_hand_has_no_frame() -> None:
    assert " | " not in text(report(finding(), sources={}))


def test_long_messages_are_wrapped_to_the_width() -> None:
    told = text(
        report(finding(message="word " * 60 + "end", span=span("a.yaml", 1, 1, 2), trail=(), site=None)), width=60
    )
    message = told.partition("  fix:")[0].splitlines()[1:]
    assert all(len(row) <= 60 and row.startswith("  ") for row in message)
    assert " ".join(message).split() == ["word"] * 60 + ["end"]


def test_color_changes_nothing_but_the_colors() -> None:
    plain, colored = (text(_everything(), color=color, verbose=True) for color in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[1;33m" in colored
    assert ESCAPE_CODE.sub("", colored) == plain


def test_color_does_not_depend_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(_everything(), color=True)
    for name, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "20", "FORCE_COLOR": "3"}.items():
        monkeypatch.setenv(name, value)
    assert text(_everything(), color=True) == before


def _everything() -> Report:
    return report(
        finding(),
        finding(severity=Severity.ERROR, confidence=Confidence.CERTAIN, help="drop it", fix=None),
        finding(severity=Severity.INFO, fix=SET_TO_0.unsafe("why")),
        fixed=(finding(),),
        failures=(Failure("a.py", "no"),),
        unproven=(Failure("b.py", "no"),),
        held_back=1,
    )


def test_a_run_that_found_nothing_does_not_import_rich() -> None:
    program = (
        "import sys; from loaderlint.model.report import Report; from loaderlint.reports import render;"
        "render(Report(), 'text', color=True, width=80); print('rich' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_an_escape_sequence_in_code_is_written_out() -> None:
    hostile = report(
        finding(message="\x1b[31mred\x1b]0;title\x07", span=span("a\x1b[2J\n.py", 1, 5, 6)),
        sources={"a\x1b[2J\n.py": source("a\x1b[2J\n.py", 'x = "\x1b]8;;http://evil\x07\u202e\x9b2J"\r\n')},
    )
    told = text(hostile)
    assert not CONTROL.search(told)
    assert r"a\x1b[2J\n.py:1:5: warning" in told
    assert r'  1 | x = "\x1b]8;;http://evil\x07\u202e\x9b2J"' in told
    assert not CONTROL.search(ESCAPE_CODE.sub("", text(hostile, color=True)))


ODD = st.text(st.characters(), max_size=40)
PLACES = st.integers(-1, 60)


@st.composite
def odd_findings(draw: st.DrawFn) -> tuple[Finding, str]:
    code = draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
    place: Any = span("odd.py", draw(PLACES), draw(PLACES), draw(PLACES), end_line=draw(PLACES))
    fields = {name: draw(ODD) for name in ("message", "error", "help", "name")}
    return finding(span=place, fix=None, **fields), code


@given(odd=odd_findings(), width=st.integers(-1, 120))
def test_no_text_and_no_place_can_break_the_report_or_reach_the_terminal(odd: tuple[Finding, str], width: int) -> None:
    one, code = odd
    told = text(report(one, sources={"odd.py": source("odd.py", code)}), width=width)
    assert not CONTROL.search(told)
    told.encode("utf-8")
