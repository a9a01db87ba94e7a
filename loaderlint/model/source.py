"""Files and places in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Language(str, Enum):
    """A language loaderlint reads and rewrites."""

    PYTHON = "python"
    YAML = "yaml"
    JSON = "json"
    TOML = "toml"

    @classmethod
    def of(cls, path: str) -> Language | None:
        """Return the language a file name stands for, or None when it is none of ours."""
        return _BY_SUFFIX.get(path[path.rfind(".") :].lower())

    @property
    def is_configuration(self) -> bool:
        """Whether the language writes settings down, as a tree of mappings, sequences and scalars."""
        return self is not Language.PYTHON

    @property
    def is_anybodys(self) -> bool:
        """Whether most files in the language have nothing to do with training: data, and settings of other tools."""
        return self in (Language.JSON, Language.TOML)


_BY_SUFFIX = {
    ".py": Language.PYTHON,
    ".pyi": Language.PYTHON,
    ".yaml": Language.YAML,
    ".yml": Language.YAML,
    ".json": Language.JSON,
    ".toml": Language.TOML,
}


class Span(NamedTuple):
    """A stretch of text somebody wrote.

    ``path`` is relative to the working folder, with ``/`` on every platform. Lines and columns count from 1, columns
    in characters (not bytes), and ``end_column`` is one past the last character.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

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
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Source:
    """One file as it was read: its bytes, and how they become text.

    ``path`` is the name findings use (see `Span`); ``location`` is the absolute path it is written back to.
    ``encoding`` is a Python codec name that decodes ``content`` without loss, a byte order mark included in the text.
    """

    path: str
    location: str
    language: Language
    content: bytes
    encoding: str = "utf-8"

    @cached_property
    def text(self) -> str:
        """The decoded content: line ends, byte order mark and form feeds as they stand in the file."""
        return self.content.decode(self.encoding)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text's lines without their ends; only CR, LF and CRLF end a line, as for Python and YAML."""
        return tuple(_LINE_END.split(self.text))

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
        return Span(self.path, *self.position(start), *self.position(end))

    def at(self, span: Span) -> str:
        """Return the text of a span of this file."""
        return self.text[self.offset(*span.start) : self.offset(*span.end)]
