"""Handlers of errors that are come to where a key is missing: ``try: count = settings["workers"]``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from loaderlint.linking.things.alternatives import joined, simplified
from loaderlint.linking.things.dictionaries import entries_of
from loaderlint.linking.things.kinds import Absent, Frame, Items, Possibility
from loaderlint.model.assumptions import Assumptions
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import dotted
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MISSES_KEY = frozenset({"KeyError", "LookupError"})
_ANY_ERROR = frozenset({"Exception", ""})
"""What handlers of any error are for: a missing key, where nothing else can go wrong."""
_CONVERTERS = frozenset({"bool", "float", "int", "str"})
"""Functions that raise no error of a missing key."""
_LOOKED_UP = 64
"""``try`` statements whose bodies are remembered."""


def ways_to_handler(evaluator: Evaluator, node: ast.Try, frame: Frame) -> list[Assumptions] | None:
    """Return the alternatives under which a body ends by a missing key; None where it may end by something else.

    A subscript of a dictionary raises ``KeyError`` where the key is missing (Python's docs, "Mapping Types").
    """
    looked_up = _looked_up(node)
    if not looked_up:
        return None
    return simplified(way for one in looked_up for way in _ways_to_miss(evaluator, one, frame))


def _ways_to_miss(evaluator: Evaluator, node: ast.Subscript, frame: Frame) -> Iterator[Assumptions]:
    """Yield the alternatives under which a subscript finds nothing, as far as what it looks into is seen."""
    keys = evaluator.evaluate(node.slice, frame)
    key = keys[0].thing if len(keys) == 1 else None
    for one in evaluator.evaluate(node.value, frame):
        yield from joined([one.assumptions], _missing_in(one, key))


def _missing_in(owner: Possibility, key: object) -> Iterator[Assumptions]:
    """Yield what is assumed where a key is not in something, which may be what nobody sees."""
    thing = owner.thing
    values = entries_of(thing).get(key, ()) if isinstance(thing, Items | TreeMapping) and isinstance(key, str) else ()
    if not values or not isinstance(thing, Items | TreeMapping):
        yield owner.assumptions
        return
    yield from (one.assumptions for one in values if isinstance(one.thing, Absent))


@lru_cache(_LOOKED_UP)
def _looked_up(node: ast.Try) -> tuple[ast.Subscript, ...]:
    """Return the subscripts of a body that does nothing but look up keys and keep what it finds; else none."""
    kinds = set(_handled(node.handlers[0])) if len(node.handlers) == 1 else set()
    if kinds.isdisjoint(_MISSES_KEY | _ANY_ERROR):
        return ()
    if not all(map(_keeps_or_returns, node.body)):
        return ()
    inside = [one for statement in node.body for one in nodes_of(statement)]
    kept = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    read = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    plain = _PLAIN if kinds <= _MISSES_KEY else _PLAINEST
    if kept & read or not all(isinstance(one, plain) for one in inside):
        return ()
    if any(isinstance(one, ast.Call) and dotted(one.func) not in _CONVERTERS for one in inside):
        return ()
    return tuple(one for one in inside if isinstance(one, ast.Subscript))


def _handled(handler: ast.ExceptHandler) -> list[str]:
    """Return the names of the errors that a handler is for, an empty one where it is for all."""
    if handler.type is None:
        return [""]
    several = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [dotted(one) or "?" for one in several]


def _keeps_or_returns(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is not None
    return isinstance(statement, ast.Assign) and all(map(_is_name, statement.targets))


def _is_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_is_name, target.elts)))


_PLAINEST = (ast.Assign, ast.Return, ast.Name, ast.Constant, ast.Subscript, ast.Tuple)
_PLAIN = (*_PLAINEST, ast.Call, ast.Attribute)
