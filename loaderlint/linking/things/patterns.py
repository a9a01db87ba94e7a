"""Regular expressions that a program asks texts by, as far as they are plain."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import TRUTHY, UNSEEN, Frame, Possibilities, Possibility, Thing
from loaderlint.linking.things.possibilities import combined, distinct, unseen
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MATCHES = {"re.match": re.match, "re.search": re.search, "re.fullmatch": re.fullmatch}
"""Functions that look for a pattern in a text; what they find counts as true, and is None where it is nothing."""
_PLAIN = re.compile(r"[\w|^$.]*")
"""Patterns that repeat nothing: no text takes long."""


def matched(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return what ``re.match(pattern, text)`` or one of its like finds."""
    found: list[Possibility] = []
    for (pattern, text), assumptions, places in combined(*(evaluator.evaluate(one, frame) for one in node.args)):
        thing: Thing = UNSEEN
        if isinstance(pattern.thing, str) and isinstance(text.thing, str) and _PLAIN.fullmatch(pattern.thing):
            thing = TRUTHY if MATCHES[name](pattern.thing, text.thing) else None
        found.append(Possibility(thing, span, assumptions=assumptions, sources=places))
    return distinct(found) or unseen(span)
