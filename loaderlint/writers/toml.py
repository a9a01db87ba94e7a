"""Rewrites TOML by splicing exact places; comments, line ends and the layout of tables stay as they are."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable
from typing import Any

from loaderlint.model.edit import Edit
from loaderlint.model.source import Source
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite, Rewritten
from loaderlint.writers.members import member
from loaderlint.writers.stepwise import Dialect, Removal
from loaderlint.writers.stepwise import rewrite as rewrite_stepwise

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS_BEFORE = re.compile(r"""(?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')[ \t]*\.[ \t]*)*$""")
"""The parts of a dotted key that stand before its last."""
_REST_OF_LINE = re.compile(r"[ \t]*(?P<comment>#[^\r\n]*)?(?P<end>\r\n|\n|\Z)")
_LAST_LINE_END = re.compile(r"(?:\r\n|\n)\Z")


def rewrite(source: Source, edits: Iterable[Edit]) -> Rewritten:
    """Return the source's text with these edits made; see `stepwise.rewrite`. TOML has no null to set a value to."""
    return rewrite_stepwise(source, edits, _TOML)


def _parse(text: str) -> Any:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _typed(constant: Constant, written: str) -> str:
    if constant is None:
        raise CannotRewrite("TOML has no null")
    if isinstance(constant, bool):
        return "true" if constant else "false"
    if isinstance(constant, int):
        return str(constant)
    if isinstance(constant, float):
        return repr(constant) if math.isfinite(constant) else str(constant)
    if written.startswith("'") and constant.isprintable() and "'" not in constant:
        return f"'{constant}'"
    return json.dumps(constant, ensure_ascii=False).replace("\x7f", "\\u007f")


def _removal(text: str, start: int, end: int) -> Removal:
    """Return the stretch that goes with an entry: its lines, or what goes with it between braces."""
    line = max(text.rfind("\n", 0, start) + 1, 1 if text.startswith("\ufeff") else 0)
    keys = _KEYS_BEFORE.search(text, line, start)
    first = keys.start() if keys else start
    rest = _REST_OF_LINE.match(text, end)
    if text[line:first].strip(" \t") or rest is None:
        return member(text, first, end)
    if not rest["end"] and line:
        # The line before becomes the last one, and so the one without a line end.
        last = _LAST_LINE_END.search(text, 0, line)
        line = last.start() if last else line
    return Removal(line, rest.end(), rest["comment"] is not None)


_TOML = Dialect("TOML", _parse, _typed, _removal)
