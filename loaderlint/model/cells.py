"""How a notebook stands in the one Python text that is read in its place.

The text is a first line of its own, then for each code cell a mark and the cell's lines. A line that is no Python (a
magic, a shell command, a cell in another language) stands in it as a comment that says what it was, so that every line
of a cell is one line of the text, and the text can be taken apart into the cells again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from msgspec import Struct

FIRST_LINE = "# a notebook, cell by cell\n"
"""Without it an encoding named at the top of the first cell would be that of the text (PEP 263: lines one and two)."""

HIDDEN = "# notebook: "
"""Begins a line of a cell that is no Python at all."""

IN_PLACE = "pass  # notebook: "
"""Stands, behind the line's indentation, for a line that is no Python in a cell that otherwise is."""

_MARK = "# %% cell "
_MARKED = re.compile(rf"{re.escape(_MARK)}(\d+)")
_HELD = re.compile(rf"([ \t]*){re.escape(IN_PLACE)}(.*)", re.DOTALL)


def mark(number: int) -> str:
    """Return the line that stands before a cell, which counts from 1 among all cells of the notebook."""
    return f"{_MARK}{number}\n"


def is_ours(line: str) -> bool:
    """Return whether a line of a cell looks like one that only the text has."""
    return _MARKED.fullmatch(line) is not None or line.startswith(HIDDEN) or _HELD.match(line) is not None


def hidden(line: str) -> str:
    """Return how a line of a cell that is no Python stands in the text; a carriage return in it ends a line, too."""
    return HIDDEN + re.sub(r"\r(?=.)", f"\r{HIDDEN}", line)


def names_taken(text: str) -> frozenset[str]:
    """Return the names that lines which are no Python take from it: ``!python prepare.py --jobs {N}``, or ``$N``.

    IPython, "Using the system shell": "any Python variable or expression which you prepend with $ or in {}".
    """
    lines = (line for line in text.splitlines() if line.startswith(HIDDEN) or _HELD.match(line))
    return frozenset(name for line in lines for name in _TAKEN.findall(line))


_TAKEN = re.compile(r"[{$]\s*\{?\s*([A-Za-z_]\w*)")


class Cells(Struct, frozen=True, order=True):
    """Which lines of the text belong to which cell: ``marks`` are the lines that ``numbers`` stand in, from 1."""

    marks: tuple[int, ...]
    numbers: tuple[int, ...]

    def place(self, line: int) -> tuple[int, int]:
        """Return the number of the cell that a line of the text stands in, and the line in that cell, from 1."""
        at = max(bisect_right(self.marks, line) - 1, 0)
        return self.numbers[at], max(line - self.marks[at], 1)

    def line(self, cell: int, line: int) -> int | None:
        """Return the line of the text that a line of a cell is: the inverse of `place`; None when there is none."""
        if cell not in self.numbers:
            return None
        at = self.numbers.index(cell)
        found = self.marks[at] + line
        return found if at + 1 == len(self.marks) or found < self.marks[at + 1] else None


def cells_in(lines: tuple[str, ...]) -> Cells:
    """Return the cells of a text by its lines."""
    found = [(number, matched) for number, one in enumerate(lines, start=1) if (matched := _MARKED.fullmatch(one))]
    return Cells(tuple(number for number, _ in found), tuple(int(matched[1]) for _, matched in found))


def parted(text: str) -> Mapping[int, str]:
    """Return what each code cell holds, by its number, as the notebook has it."""
    cells: dict[int, list[str]] = {}
    here: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        matched = _MARKED.fullmatch(line)
        if matched is not None:
            here = cells.setdefault(int(matched[1]), [])
        else:
            here.append(as_written(line))
    return {number: "\n".join(lines) for number, lines in cells.items()}


def as_written(line: str) -> str:
    """Return a line of the text as the notebook has it."""
    if line.startswith(HIDDEN):
        return line[len(HIDDEN) :].replace(f"\r{HIDDEN}", "\r")
    held = _HELD.fullmatch(line)
    return f"{held[1]}{held[2]}" if held else line


def keeps_its_cells(before: str, after: str) -> bool:
    """Return whether a rewritten text has the same cells, and in them the same lines that are no Python."""

    def kept(text: str) -> list[str]:
        lines = text.split("\n")
        return [lines[0], *(one for one in lines[1:] if is_ours(one)), lines[-1]]

    return after.startswith(f"{FIRST_LINE}{_MARK}") and kept(before) == kept(after)
