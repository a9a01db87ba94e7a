"""What text goes with one of the entries between braces: those of a JSON object, or of an inline table of TOML."""

from __future__ import annotations

import re

from loaderlint.writers.stepwise import Removal

_COMMA = re.compile(r"\s*,")
_REST_OF_LINE = re.compile(r"[ \t]*(?=[\r\n])")
_BLANK = re.compile(r"\s*")


def member(text: str, start: int, end: int) -> Removal:
    """Return the stretch that goes with the entry at these offsets: one comma goes with it, unless it stands alone.

    The next entry takes its place on the line, or the line goes where nothing follows on it.
    """
    before = len(text[:start].rstrip())
    comma = _COMMA.match(text, end)
    if comma is None:
        if text[before - 1] == ",":
            return Removal(before - 1, end)
        return Removal(before, _after_blank(text, end))
    if _REST_OF_LINE.match(text, comma.end()):
        return Removal(before, comma.end())
    return Removal(start, _after_blank(text, comma.end()))


def _after_blank(text: str, offset: int) -> int:
    blank = _BLANK.match(text, offset)
    return blank.end() if blank else offset
