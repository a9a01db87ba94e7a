"""Loops without an end of their own that take from an iterator until it has no more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from loaderlint.nodes import last_name


class TakenByNext(NamedTuple):
    """A ``while True`` and a call of ``next`` that ends it."""

    loop: ast.While
    call: ast.Call


def taken_by_next(function: ast.AST) -> list[TakenByNext]:
    """Return the loops of a function that a ``StopIteration`` ends, with the calls that may raise it.

    They are left in its handler, or stand in the ``try`` themselves.
    """
    found: list[TakenByNext] = []
    for loop in ast.walk(function):
        if isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant):
            tried = (one for one in ast.walk(loop) if isinstance(one, ast.Try) and _is_left(one))
            found.extend(TakenByNext(loop, call) for one in tried for call in _nexts(one.body))
    for one in ast.walk(function):
        if isinstance(one, ast.Try) and any(_takes_end(handler) for handler in one.handlers):
            loops = (loop for loop in one.body if isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant))
            found.extend(TakenByNext(loop, call) for loop in loops for call in _nexts(loop.body))
    return found


def _is_left(tried: ast.Try) -> bool:
    """Return whether a loop is left where an iterator in its ``try`` has no more."""
    return any(_takes_end(one) and isinstance(one.body[-1], ast.Return | ast.Break) for one in tried.handlers)


def _takes_end(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(one is not None and last_name(one) == "StopIteration" for one in kinds)


def _nexts(body: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        for one in ast.walk(statement):
            if isinstance(one, ast.Call) and last_name(one.func) == "next" and len(one.args) == 1:
                yield one
