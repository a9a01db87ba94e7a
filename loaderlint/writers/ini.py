"""Rewrites INI by splicing exact places; comments, line ends and the layout of sections stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from configparser import Error, RawConfigParser
from typing import Any

from loaderlint.model.edit import Edit
from loaderlint.model.source import Source
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite, Rewritten
from loaderlint.writers.stepwise import Dialect, Removal
from loaderlint.writers.stepwise import rewrite as rewrite_stepwise

_REST_OF_LINE = re.compile(r"[ \t]*(?:\r\n|\n|\Z)")


def rewrite(source: Source, edits: Iterable[Edit]) -> Rewritten:
    """Return the source's text with these edits made; see `stepwise.rewrite`. INI has no null to set a value to."""
    return rewrite_stepwise(source, edits, _INI)


def _parse(text: str) -> Any:
    parser = RawConfigParser(allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(error.message) from error
    own = parser._sections  # type: ignore[attr-defined]
    return {"": dict(parser.defaults()), **{name: dict(own[name]) for name in parser.sections()}}


def _typed(constant: Constant, written: str) -> str:
    if constant is None:
        raise CannotRewrite("INI has no null")
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return str(constant)


def _removal(text: str, start: int, end: int) -> Removal:
    """Return the line that goes with an option."""
    rest = _REST_OF_LINE.match(text, end)
    return Removal(text.rfind("\n", 0, start) + 1, rest.end() if rest else end)


_INI = Dialect("INI", _parse, _typed, _removal, plain=True)
