"""Errors that a ``try`` takes for others: of those that tell of a platform, it raises each again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache

from loaderlint.nodes import nodes_of
from loaderlint.vocabulary.platforms import REFUSALS

_REMEMBERED = 1024


def gets_out(handled: Iterable[tuple[ast.stmt, int]]) -> bool:
    """Return whether an error about what a platform lacks gets out of all the statements that handle some."""
    return all(isinstance(owner, ast.Try) and _raises_again(owner) for owner, _ in handled)


@lru_cache(_REMEMBERED)
def _raises_again(node: ast.Try) -> bool:
    return bool(node.handlers) and all(_raises(one.body, one.name) for one in node.handlers)


def _raises(body: Sequence[ast.stmt], name: str | None) -> bool:
    """Return whether the statements of a handler raise, whichever of these errors they are about."""
    if any(isinstance(inside, ast.Return | ast.Break | ast.Continue) for one in body for inside in nodes_of(one)):
        return False
    match body[-1]:
        case ast.Raise():
            return True
        case ast.If(ast.Compare(ast.Constant(str(word)), [ast.In()], [text]), _, [_, *_] as otherwise):
            asks = any(isinstance(one, ast.Name) and one.id == name for one in nodes_of(text))
            return asks and not any(word.lower() in one.lower() for one in REFUSALS) and _raises(otherwise, name)
    return False
