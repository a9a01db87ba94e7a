"""Keeping comments behind code in the column they are lined up in, where edits made the code longer."""

from __future__ import annotations

import io
import tokenize
from collections import defaultdict

from loaderlint.writers.python.line_length import lines_of

_LEAST = 2
"""Spaces before a comment behind code (PEP 8, "Inline Comments")."""


def lined_up(old: str, new: str) -> str:
    """Return what edits made of an old text, with the comments behind longer code moved back as far as they can be.

    Such a comment stood further from its code than it had to, in line with others. Its column is that of the old line
    which begins alike.
    """
    before, lines = lines_of(old), lines_of(new)
    edited = set(lines).difference(before)
    if not any("#" in line for line in edited):
        return new
    gaps: dict[str, list[str]] = defaultdict(list)
    for number, column in _behind_code(old):
        gaps[before[number][column:]].append(before[number][:column])
    for number, column in _behind_code(new):
        code, comment = lines[number][:column], lines[number][column:]
        if lines[number] in edited and comment in gaps:
            was = max(gaps[comment], key=lambda one: _alike(one, code))
            own = code.rstrip(" ")
            spaces, spaces_before = (len(one) - len(one.rstrip(" ")) for one in (code, was))
            grown = len(own) - len(was.rstrip(" "))
            if spaces == spaces_before and grown > 0:
                lines[number] = own + " " * max(min(_LEAST, spaces), spaces - grown) + comment
    return "".join(lines)


def _behind_code(text: str) -> list[tuple[int, int]]:
    """Return the line, from 0, and the column of each comment that does not begin its line."""
    try:
        found = [
            one
            for one in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
            if one.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError):
        return []
    return [(one.start[0] - 1, one.start[1]) for one in found if one.line[: one.start[1]].strip()]


def _alike(one: str, other: str) -> int:
    """Return how many characters two lines begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
