"""Files and places in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from loaderlint.model.cells import Cells, cells_in

STDIN = "-"
"""What stands for standard input among paths, and for its name where it was given none."""
_LINE_END = re.compile(r"\r\n|\r|\n")


class Language(str, Enum):
    """A language loaderlint reads and rewrites."""

    PYTHON = "python"
    YAML = "yaml"
    JSON = "json"
    TOML = "toml"
    INI = "ini"
    SHELL = "shell"

    @classmethod
    def of(cls, path: str) -> Language | None:
        """Return the language a file name stands for, or None when it is none of ours; standard input is Python's."""
        if path == STDIN or path.endswith((f"/{STDIN}", f"\\{STDIN}")):
            return cls.PYTHON
        return _BY_SUFFIX.get(path[path.rfind(".") :].lower())

    def as_written(self, content: bytes) -> Language:
        """Return the language that a file of this one's name is in: an object in braces is JSON, and nothing of INI.

        ``configparser`` ends where a file does not begin with a section (``MissingSectionHeaderError``, Python 3.13).
        """
        return Language.JSON if self is Language.INI and content.lstrip().startswith(b"{") else self

    @property
    def is_configuration(self) -> bool:
        """Whether the language writes settings down, as a tree of mappings, sequences and scalars."""
        return self not in (Language.PYTHON, Language.SHELL)

    @property
    def is_typed(self) -> bool:
        """Whether settings in the language have types, and are not all texts that a program makes something of."""
        return self.is_configuration and self is not Language.INI

    @property
    def is_anybodys(self) -> bool:
        """Whether most files in the language have nothing to do with training: data, and settings of other tools."""
        return self in (Language.JSON, Language.TOML, Language.INI, Language.SHELL)


NOTEBOOK = ".ipynb"
"""How the name of a notebook ends; its cells are read as one Python text (`Cells`)."""

_BY_SUFFIX = {
    ".py": Language.PYTHON,
    ".pyi": Language.PYTHON,
    NOTEBOOK: Language.PYTHON,
    ".yaml": Language.YAML,
    ".yml": Language.YAML,
    ".json": Language.JSON,
    ".toml": Language.TOML,
    ".ini": Language.INI,
    ".cfg": Language.INI,
    ".conf": Language.INI,
    ".sh": Language.SHELL,
    ".bash": Language.SHELL,
    ".slurm": Language.SHELL,
    ".sbatch": Language.SHELL,
}


class Span(NamedTuple):
    """A stretch of text somebody wrote.

    ``path`` is relative to the working folder, with ``/`` on every platform. Lines and columns count from 1, columns
    in characters (not bytes), and ``end_column`` is one past the last character. In a notebook they are those of the
    text that is read in its place, and ``cells`` says where that is.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cells: Cells | None = None

    @property
    def cell(self) -> int | None:
        """The number of the notebook's cell, from 1 among all its cells; None where the file is no notebook."""
        return None if self.cells is None else self.cells.place(self.line)[0]

    @property
    def shown_line(self) -> int:
        """The first line as people count it: in a notebook, that of the cell."""
        return self.line if self.cells is None else self.cells.place(self.line)[1]

    @property
    def shown_end_line(self) -> int:
        """The last line as people count it."""
        return self.end_line if self.cells is None else self.cells.place(self.end_line)[1]

    @property
    def place(self) -> str:
        """The file and line as messages name them: ``configs/train.yaml:4``, ``train.ipynb:cell 3:4``."""
        cell = "" if self.cells is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.shown_line}"

    @property
    def start(self) -> tuple[int, int]:
        """The first character's line and column."""
        return self.line, self.column

    @property
    def end(self) -> tuple[int, int]:
        """The line and column one past the last character."""
        return self.end_line, self.end_column

    def holds(self, other: Span) -> bool:
        """Return whether ``other`` lies inside this span (a span holds itself)."""
        return self.path == other.path and self.start <= other.start and other.end <= self.end

    def __str__(self) -> str:
        return f"{self.place}:{self.column}"


class Source(Struct, frozen=True, dict=True):
    """One file as it was read: its bytes, and how they become text.

    ``path`` is the name findings use (see `Span`); ``location`` is the absolute path it is written back to.
    ``encoding`` is a Python codec name that decodes ``content`` without loss, a byte order mark included in the text.
    A ``notebook`` is the bytes of the file where ``content`` is the Python text that is read in its place (`Cells`).
    """

    path: str
    location: str
    language: Language
    content: bytes
    encoding: str = "utf-8"
    notebook: bytes | None = None

    @cached_property
    def text(self) -> str:
        """The decoded content: line ends, byte order mark and form feeds as they stand in the file."""
        return self.content.decode(self.encoding)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text's lines without their ends; only CR, LF and CRLF end a line, as for Python and YAML."""
        return tuple(_LINE_END.split(self.text))

    @cached_property
    def cells(self) -> Cells | None:
        """Where the cells of a notebook stand in the text; None for any other file."""
        return None if self.notebook is None else cells_in(self.lines)

    @cached_property
    def _line_offsets(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in _LINE_END.finditer(self.text)))

    def offset(self, line: int, column: int) -> int:
        """Return the index into ``text`` of a line and column that count from 1."""
        return self._line_offsets[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column, from 1, of an index into ``text``: the inverse of `offset`."""
        line = bisect_right(self._line_offsets, offset)
        return line, offset - self._line_offsets[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of ``text[start:end]``."""
        return Span(self.path, *self.position(start), *self.position(end), self.cells)

    def at(self, span: Span) -> str:
        """Return the text of a span of this file."""
        return self.text[self.offset(*span.start) : self.offset(*span.end)]
