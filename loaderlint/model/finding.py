"""What a rule says."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.model.source import Span
from loaderlint.model.target import Platform, StartMethod

if TYPE_CHECKING:
    from loaderlint.model.edit import Fix
    from loaderlint.model.value import Trail

START_METHOD = "\0"
"""What stands in the sentence of a rule where a message says how workers start."""


class Severity(str, Enum):
    """How bad it is when it happens."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Confidence(str, Enum):
    """How sure it is that it happens (RULES.md, "Confidence")."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """0 for the surest."""
        return list(Confidence).index(self)


class Site(Struct, frozen=True):
    """The loader a finding is about: where it stands and what is called there."""

    span: Span
    callee: str


class Finding(Struct, frozen=True):
    """One thing that goes wrong, at something somebody wrote.

    ``message`` says first what happens, with the user's own numbers. ``error`` is the text torch or Python prints when
    it does, None where nothing is printed. ``help`` says what to do where no fix can be made, ``unfixed`` why none can
    where the rule fixes others. ``platforms`` are those of the targets it holds on. ``start`` is how the workers start
    that the message speaks of, None where it says nothing of that, and ``sentence`` what it says of any start.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    span: Span
    platforms: frozenset[Platform]
    site: Site | None = None
    trail: Trail = ()
    error: str | None = None
    help: str | None = None
    fix: Fix | None = None
    unfixed: str = ""
    start: StartMethod | None = None
    sentence: str = ""

    @property
    def order(self) -> tuple[Span, str, str]:
        """Findings are reported in this order, which depends on nothing but what they say."""
        return self.span, self.code, self.message


class Failure(Struct, frozen=True):
    """A file that could not be read, parsed or written, or a fix that could not be proven, at its place.

    In a notebook the line is that of the ``cell``, which counts from 1.
    """

    path: str
    message: str
    line: int = 1
    column: int = 1
    cell: int | None = None
