"""The streams a process was given: what they can show, and how to write to them without falling over."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_WIDTH_OF_A_FILE = 100
SECONDS_WITHOUT_A_WORD = 1
"""After so many seconds a run says on a terminal that it is at work, and so often how long it has been."""
_START_OF_LINE = "\r\x1b[K"
"""Takes away what stands in the line of a terminal (ECMA-48, "EL")."""


class CannotShow(Exception):
    """Raised where a stream does not take what is written to it, as on a full disk; says why."""


def prepare() -> None:
    """Let both streams write every text: a character that a stream's encoding lacks is written as an escape.

    A stream that was closed before Python began, which then has None for it, takes every word and keeps none.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def has_color(stream: TextIO) -> bool:
    """Return whether to colour what goes to a stream; NO_COLOR and FORCE_COLOR decide before the terminal does."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and not _is_dumb()


def _is_dumb() -> bool:
    """Return whether the terminal shows the signs of commands as they are (terminfo, "dumb")."""
    return os.environ.get("TERM") == "dumb"


def width() -> int:
    """Return the terminal's width in cells, or that of a page when there is no terminal."""
    return shutil.get_terminal_size((_WIDTH_OF_A_FILE, 24)).columns


def show(text: str, stream: TextIO | None = None) -> None:
    """Write text to a stream (standard output when none is named); a reader that went away is no mistake."""
    show_bytes(text, stream or sys.stdout)


def show_bytes(content: str | bytes, stream: TextIO) -> None:
    """Write text, or bytes as they are, to a stream."""
    try:
        if isinstance(content, bytes):
            stream.flush()
            stream.buffer.write(content)
        else:
            stream.write(content)
        stream.flush()
    except OSError as error:
        # Python flushes the stream once more when it exits, which would be reported as an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise CannotShow(f"the report could not be written: {error.strerror or error}") from error


@contextmanager
def at_work(what: str, stream: TextIO) -> Iterator[None]:
    """Say on a terminal what goes on inside and for how many seconds, where it takes longer than one.

    Nothing is left of it in the end. It needs a timer, which Windows lacks and only the main thread can have.
    """
    has_timer = sys.platform != "win32" and threading.current_thread() is threading.main_thread()
    if not has_timer or not stream.isatty() or _is_dumb():
        yield
        return
    seconds = 0

    def write(text: str) -> None:
        # A signal may come in the middle of another write to the stream, which must not be begun again; and a terminal
        # that went away ends no run.
        with suppress(OSError):
            os.write(stream.fileno(), text.encode())

    def tell(number: int, frame: object) -> None:
        nonlocal seconds
        seconds += SECONDS_WITHOUT_A_WORD
        write(f"{_START_OF_LINE}loaderlint: {what} ({seconds} s)")

    before = signal.signal(signal.SIGALRM, tell)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_WITHOUT_A_WORD, SECONDS_WITHOUT_A_WORD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if seconds:
            write(_START_OF_LINE)
