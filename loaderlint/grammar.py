"""Whose grammar Python files are read with: that of the interpreter loaderlint runs on, whatever the targets are."""

from __future__ import annotations

import sys

READ_AS = ".".join(map(str, sys.version_info[:2]))


def refusal(error: SyntaxError) -> str:
    """Return why a file is no valid Python, with the version whose grammar says so."""
    return f"{error.msg} (read as Python {READ_AS}, which loaderlint runs on; newer syntax needs a newer one)"
