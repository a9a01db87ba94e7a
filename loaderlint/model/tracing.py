"""What somebody asks to be traced, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.model.cells import Cells
from loaderlint.model.finding import Failure
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.model.loader import Loader


class Asked(Struct, frozen=True):
    """Something to trace: the files that were named, as they were named, and the line that is meant if not all are.

    In a notebook that is a line of the text that is read in its place, with its ``cells``.
    """

    name: str
    files: frozenset[str]
    line: int | None = None
    cells: Cells | None = None

    @property
    def place(self) -> str:
        """What was asked for, as messages name it."""
        if self.line is None:
            return self.name
        cell, line = (None, self.line) if self.cells is None else self.cells.place(self.line)
        return f"{self.name}:{line}" if cell is None else f"{self.name}:cell {cell}:{line}"

    def holds(self, span: Span) -> bool:
        """Return whether a span lies in one of the files and, where a line is asked for, goes over it."""
        return span.path in self.files and (self.line is None or span.line <= self.line <= span.end_line)


class Nothing(Struct, frozen=True):
    """Something asked for at which no loader stands and from where no value reaches one.

    Where a line was asked for, ``loaders`` and ``values`` are the lines of its file that have a loader, and the others
    that have a value which reaches one.
    """

    asked: Asked
    loaders: tuple[int, ...] = ()
    values: tuple[int, ...] = ()


class Traced(Struct, frozen=True):
    """The loaders that were asked for, what came to nothing, and the named files that could not be parsed."""

    loaders: tuple[Loader, ...] = ()
    nothing: tuple[Nothing, ...] = ()
    failures: tuple[Failure, ...] = ()
