"""Whatever the bytes of a file are: no traceback, no endless run, and ``--fix`` changes only what it has found."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loaderlint.model.source import Source
from tests.properties import nasty_files
from tests.properties.nasty_files import Files
from tests.properties.whole_tool import LINUX, after, fix, source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

DEADLINE = 60.0
"""Seconds until a run counts as endless. The slowest takes about 5 on two idle cores, and most half of one."""

EVERYWHERE: dict[str, object] = {**LINUX, "platforms": ["linux", "windows", "macos"], "pedantic": True}

NASTY = {
    **{f"{name} (Python)": files for name, files in nasty_files.PYTHON.items()},
    **{f"{name} (YAML)": files for name, files in nasty_files.YAML.items()},
    **{f"{name} (shell)": files for name, files in nasty_files.SHELL.items()},
}

THROUGH_THE_COMMAND_LINE = [
    "NUL bytes alone (Python)",
    "a lone surrogate (Python)",
    "a surrogate written as an escape (Python)",
    "too deep parentheses (Python)",
    "a long string of signs (Python)",
    "star imports in a circle (Python)",
    "tags that make objects (YAML)",
    "too deep flow (YAML)",
    "a bomb of aliases (YAML)",
    "line ends of all kinds (YAML)",
]
"""Those that meet more than the rooms behind the command line: bytes, terminals, the C stack, the disk."""


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    """Fail a test that runs for ever, where the platform has a clock to be woken by."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _too_late(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"not done after {DEADLINE} s")


def check(files: Files) -> None:
    """Lint and fix the files; raises AssertionError when the fix does anything but mend, and all of it at once."""
    report = fix(files, **EVERYWHERE)
    mended = {edit.span.path for one in report.fixed if one.fix is not None for edit in one.fix.edits}
    assert set(report.rewritten) <= mended
    assert {failure.path for failure in report.failures}.isdisjoint(report.rewritten)
    if report.rewritten:
        now = after(files, report)
        assert all(isinstance(source(path, now[path]), Source) for path in report.rewritten)
        again = fix(now, **EVERYWHERE)
        assert (again.rewritten, again.fixed, again.failures) == ({}, (), report.failures)


@pytest.mark.parametrize("files", NASTY.values(), ids=NASTY)
def test_a_nasty_file_is_read_or_refused(files: Files) -> None:
    check(files)


@pytest.mark.parametrize("name", THROUGH_THE_COMMAND_LINE)
def test_the_command_line_survives_it_and_touches_no_other_file(name: str, tmp_path: Path) -> None:
    files = NASTY[name]
    (tmp_path / ".git").mkdir()
    for path, content in files.items():
        (tmp_path / path).write_bytes(content)
    finished = subprocess.run(
        [sys.executable, "-m", "loaderlint", "--fix", "--pedantic", "--format", "concise", "."],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=DEADLINE,
        check=False,
    )
    assert finished.returncode in (0, 1, 2)
    assert (finished.stderr, "Traceback" in finished.stdout) == ("", False)
    assert {path.name for path in tmp_path.iterdir()} == {".git", *files}
    if "Fixed" not in finished.stdout:
        assert {path: (tmp_path / path).read_bytes() for path in files} == files


def fixtures(suffix: str) -> list[bytes]:
    found = sorted(path for path in FIXTURES.rglob(f"*{suffix}") if path.is_file() and "__pycache__" not in path.parts)
    return [path.read_bytes() for path in found]


PIECES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b"\f", b"\\", b"#", b"'", b'"""'),
    *(b"(", b")", b"[", b"{", b"}", b":", b",", b"=", b"*", b"**", b"lambda: ", b"async ", b"yield "),
    *(b"&a ", b"*a", b"<<: ", b"!!", b"${", b"- ", b"? "),
]
"""What makes the most of a file when it comes at the wrong place."""


@st.composite
def mutated(draw: st.DrawFn, suffix: str) -> bytes:
    """A fixture with something cut out, put in, doubled or changed, a few times over."""
    content = draw(st.sampled_from(fixtures(suffix)))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 1, 4, 20, 200, 10**6])))
        piece = draw(
            st.one_of(st.sampled_from(PIECES), st.binary(max_size=3), st.just(content[start:end] * 2), st.just(b""))
        )
        content = content[:start] + piece + content[end:]
    return content


@settings(max_examples=100)
@given(mutated(".py"))
@example(b"from torch.utils.data import DataLoader\nDataLoader([1], prefetch_factor=4)\\")
def test_a_python_file_that_was_garbled(content: bytes) -> None:
    check({"main.py": content})


@settings(max_examples=150)
@given(mutated(".yaml"))
def test_a_yaml_file_that_was_garbled(content: bytes) -> None:
    check({"train.yaml": content})


@settings(max_examples=100)
@given(st.binary(max_size=60), st.sampled_from(["main.py", "train.yaml"]))
def test_any_bytes_beside_a_loaders_word(content: bytes, path: str) -> None:
    check({path: b"# num_workers DataLoader\n" + content})


@settings(max_examples=100)
@given(st.text(max_size=60), st.sampled_from(["main.py", "train.yaml"]))
def test_any_text_where_a_worker_count_stands(text: str, path: str) -> None:
    start = "from torch.utils.data import DataLoader\nDataLoader([1], prefetch_factor=4, num_workers="
    start = start if path == "main.py" else "_target_: torch.utils.data.DataLoader\nprefetch_factor: 4\nnum_workers: "
    check({path: (start + text).encode(errors="surrogatepass")})
