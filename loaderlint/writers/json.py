"""Rewrites JSON by splicing exact places; indentation, line ends and a byte order mark stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from loaderlint.model.edit import Edit
from loaderlint.model.source import Source
from loaderlint.model.value import Constant
from loaderlint.writers.base import Rewritten
from loaderlint.writers.members import member
from loaderlint.writers.stepwise import Dialect
from loaderlint.writers.stepwise import rewrite as rewrite_stepwise


def rewrite(source: Source, edits: Iterable[Edit]) -> Rewritten:
    """Return the source's text with these edits made; see `stepwise.rewrite`."""
    return rewrite_stepwise(source, edits, _JSON)


_COMMENT_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<comment>(?://|#)[^\r\n]*)')


def _parse(text: str) -> Any:
    """Return what JSON says, of which a program may take comments away before it reads it."""
    text = text.removeprefix("\ufeff")
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_COMMENT_OR_TEXT.sub(lambda one: "" if one["comment"] else one[0], text))


def _typed(constant: Constant, written: str) -> str:
    return json.dumps(constant, ensure_ascii=written.isascii())


_JSON = Dialect("JSON", _parse, _typed, member)
