"""The streams a process was given: what they can show, and how to write to them without falling over."""

from __future__ import annotations

import io
import os
import shutil
import sys
from typing import TextIO

_WIDTH_OF_A_FILE = 100


def prepare() -> None:
    """Let both streams write every text: a character that a stream's encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def has_color(stream: TextIO) -> bool:
    """Return whether to colour what goes to a stream; NO_COLOR and FORCE_COLOR decide before the terminal does."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


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
    except BrokenPipeError:
        # Python flushes the stream once more when it exits, which would be reported as an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
