"""A few lines of the user's code with carets under what a finding is about.

Carets are placed by terminal cells, not characters: a tab, a wide character or a control character that is written out
takes more than one, a combining one none.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loaderlint.model.cells import as_written
from loaderlint.model.source import Source, Span
from loaderlint.reports._lines import Line, cells, line, usable, visible
from loaderlint.reports._style import FAINT

_TAB_STOP = 4
_CONTEXT = 1
_WHOLE = 4
"""A span of more lines than this is shown by its first two and its last."""
_CUT = "…"
_INDENT = "  "


class _Row(Struct, frozen=True):
    """One line of code as it is displayed: what stands for each character, and the cell where each begins.

    ``starts`` has one more entry: the cell after the last character.
    """

    shown: tuple[str, ...]
    starts: tuple[int, ...]

    def cell(self, column: int) -> int:
        """Return the cell of a column that counts from 1; past the end of the line, the cell after it."""
        return self.starts[min(max(column, 1), len(self.starts)) - 1]


def _row(text: str) -> _Row:
    shown, starts, cell = [], [0], 0
    for index, character in enumerate(text):
        if character == "\t":
            display = " " * (_TAB_STOP - cell % _TAB_STOP)
        elif character == "\ufeff" and index == 0:
            display = ""
        else:
            display = visible(character)
        cell += cells(display)
        shown.append(display)
        starts.append(cell)
    return _Row(tuple(shown), tuple(starts))


def frame(source: Source, span: Span, width: int, style: str) -> Iterator[Line]:
    """Yield the code around a span with its line numbers, and carets of this style under the span.

    Lines longer than ``width`` cells are cut around the span, which then stands without the lines around it. Nothing is
    yielded for a span outside the file.
    """
    lines = source.lines
    ends_before = span.end_line > span.line and span.end_column == 1
    last = min(span.end_line - ends_before, len(lines))
    if not 1 <= span.line <= last:
        return
    numbers = _numbers(lines, span.line, last)
    before = span.line - span.shown_line
    if span.cells is not None:
        numbers = [number for number in numbers if span.cells.place(number)[0] == span.cell and number > before]
    digits = len(str(numbers[-1] - before))
    room = usable(width) - len(_INDENT) - digits - len(" | ")
    left = _left_edge(_row(lines[span.line - 1]), span, room)
    if left:
        numbers = [number for number in numbers if span.line <= number <= last]
    previous = numbers[0] - 1
    for number in numbers:
        if number != previous + 1:
            yield line(_INDENT, (f"{'...':>{digits}}", FAINT))
        previous = number
        text = lines[number - 1] if span.cells is None else as_written(lines[number - 1])
        row = _row(text)
        yield line(_INDENT, (f"{number - before:>{digits}} |", FAINT), f" {_window(row, left, room)}".rstrip())
        if number in (span.line, last):
            carets = _carets(row, text, number, span, left, room)
            yield line(_INDENT, (f"{'':>{digits}} |", FAINT), " ", (carets, style))


def _numbers(lines: tuple[str, ...], first: int, last: int) -> list[int]:
    """Return the lines to show: the span's, the middle of a long one left out, and those around it unless blank."""
    inside = range(first, last + 1)
    shown = list(inside) if len(inside) <= _WHOLE else [first, first + 1, last]
    before = [number for number in range(first - _CONTEXT, first) if number >= 1 and lines[number - 1].strip()]
    after = [number for number in range(last + 1, last + 1 + _CONTEXT) if number <= len(lines)]
    return before + shown + [number for number in after if lines[number - 1].strip()]


def _left_edge(row: _Row, span: Span, room: int) -> int:
    """Return the first cell to show, so that the span's beginning is in view with something to its left."""
    start = row.cell(span.column)
    end = row.cell(span.end_column) if span.end_line == span.line else row.starts[-1]
    if row.starts[-1] <= room or end < room:
        return 0
    return max(0, min(start - room // 4, row.starts[-1] - room + 1))


def _window(row: _Row, left: int, room: int) -> str:
    """Return what stands in the cells from ``left`` on, with a mark where something is cut off."""
    right = left + room
    cut_right = row.starts[-1] > right
    from_cell, to_cell = left + (left > 0), right - cut_right
    kept = [
        (start, display)
        for start, end, display in zip(row.starts, row.starts[1:], row.shown, strict=False)
        if start >= from_cell and end <= to_cell
    ]
    padding = " " * (kept[0][0] - from_cell) if kept else ""
    text = padding + "".join(display for _, display in kept)
    return (_CUT if left else "") + text + (_CUT if cut_right else "")


def _carets(row: _Row, text: str, number: int, span: Span, left: int, room: int) -> str:
    indentation = len(text) - len(text.lstrip())
    start = row.cell(span.column if number == span.line else indentation + 1)
    end = row.cell(span.end_column) if number == span.end_line else row.cell(len(text.rstrip()) + 1)
    first = min(max(start - left, 0), room - 1)
    return " " * first + "^" * max(1, min(end - left, room) - first)
