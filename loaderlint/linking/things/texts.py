"""Pieces of text: what splitting a text gives and what puts them together again, ``path.rsplit(".", 1)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from loaderlint.linking.things import operators
from loaderlint.linking.things.kinds import Frame, Possibilities, Possibility, Row
from loaderlint.linking.things.loops import MOST_TURNS, taken_out
from loaderlint.linking.things.possibilities import combined, distinct, under, unseen
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_SPLITS: dict[str, Callable[..., Iterable[str]]] = {
    "split": str.split,
    "rsplit": str.rsplit,
    "partition": str.partition,
    "rpartition": str.rpartition,
}
"""Methods that give the pieces of a text."""


def given_by(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities | None:
    """Return the pieces that a method makes of a text, or the text that it makes of pieces; None for any other."""
    if name in _SPLITS and all(one.arg in ("sep", "maxsplit") for one in node.keywords):
        return _pieces(evaluator, owner, node, name, frame, span)
    if name == "join" and len(node.args) == 1 and not node.keywords:
        return _joined(evaluator, owner, node, frame, span)
    return None


def _pieces(
    evaluator: Evaluator, text: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities:
    written = [*node.args, *(one.value for one in node.keywords)]
    names = [one.arg for one in node.keywords if one.arg is not None]
    found: list[Possibility] = []
    for values, assumptions, places in combined((text,), *(evaluator.evaluate(one, frame) for one in written)):
        given = [one.thing for one in values]
        placed = len(given) - len(names)
        try:
            pieces = [*_SPLITS[name](*given[:placed], **dict(zip(names, given[placed:], strict=True)))]
        except (TypeError, ValueError):
            found.extend(unseen(span, assumptions))
            continue
        found.append(Possibility(Row(taken_out(pieces, span, places)), span, assumptions=assumptions))
    return tuple(found)


def _joined(
    evaluator: Evaluator, between: Possibility, node: ast.Call, frame: Frame, span: Span
) -> Possibilities | None:
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame):
        given = one.thing
        if isinstance(given, Row) and given.in_order is None and len(given.items) <= MOST_TURNS:
            operands = ((between,), *given.items)
            texts = operators.compute(evaluator, operands, node, frame, _put_together)
            found.extend(under(texts, one.assumptions))
        else:
            found.extend(unseen(span, one.assumptions))
    return distinct(found) or None


def _put_together(texts: list[object]) -> object:
    between, *pieces = texts
    return str.join(between, pieces)  # type: ignore[arg-type]
