"""What a run says of itself while somebody waits at a terminal."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from loaderlint import terminal
from loaderlint.terminal import at_work

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such timer")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, TextIO]]:
    """What a terminal shows is read from the first, what is written to the second."""
    monkeypatch.setenv("TERM", "xterm")
    shown, written = os.openpty()
    os.set_blocking(shown, False)
    with open(written, "w") as stream:
        yield shown, stream
    os.close(shown)


def _read(shown: int) -> str:
    try:
        return os.read(shown, 1000).decode()
    except BlockingIOError:
        return ""


def test_a_run_that_lasts_says_for_how_long_and_leaves_nothing_of_it(screen: tuple[int, TextIO]) -> None:
    shown, stream = screen
    text = ""
    with at_work("reading 3 files", stream):
        while "(2 s)" not in text:
            time.sleep(0.01)
            text += _read(shown)
    assert text == "\r\x1b[Kloaderlint: reading 3 files (1 s)\r\x1b[Kloaderlint: reading 3 files (2 s)"
    assert _read(shown) == "\r\x1b[K"


def test_a_short_run_says_nothing(screen: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "SECONDS_WITHOUT_A_WORD", 1000)
    shown, stream = screen
    with at_work("reading 3 files", stream):
        pass
    assert _read(shown) == ""


def test_a_terminal_that_obeys_no_command_is_told_nothing(
    screen: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "SECONDS_WITHOUT_A_WORD", 0.01)
    monkeypatch.setenv("TERM", "dumb")
    shown, stream = screen
    with at_work("reading 3 files", stream):
        time.sleep(0.2)
    assert _read(shown) == ""


def test_a_run_goes_on_where_its_terminal_went_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "SECONDS_WITHOUT_A_WORD", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    shown, written = os.openpty()
    with open(written, "w") as stream, at_work("reading 3 files", stream):
        os.close(shown)
        time.sleep(0.2)


def test_what_is_no_terminal_is_told_nothing() -> None:
    stream = io.StringIO()
    with at_work("reading 3 files", stream):
        time.sleep(1.1)
    assert stream.getvalue() == ""


def test_the_timer_is_gone_after_an_error(screen: tuple[int, TextIO]) -> None:
    shown, stream = screen
    with pytest.raises(KeyError), at_work("reading 3 files", stream):
        raise KeyError
    time.sleep(1.1)
    assert _read(shown) == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_mistake(closed: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from torch.utils.data import DataLoader\nDataLoader([], num_workers=2)\n")
    run = f'"{sys.executable}" -c "from loaderlint.__main__ import main; exit(main())" --no-cache . {closed}'
    ended = subprocess.run(run, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
@pytest.mark.parametrize("arguments", ["--no-cache .", "config", "trace ."])
def test_a_report_that_finds_no_room_is_a_mistake_in_one_line(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from torch.utils.data import DataLoader\nDataLoader([], num_workers=2)\n")
    run = f'"{sys.executable}" -c "from loaderlint.__main__ import main; exit(main())" {arguments} > /dev/full'
    ended = subprocess.run(run, shell=True, cwd=tmp_path, capture_output=True, text=True)
    said = "loaderlint: the report could not be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, said)
