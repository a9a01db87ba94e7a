"""Iterators that a map-style dataset keeps and that have fewer items than it says that it has samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.constructed import Left, left_by_constructor, ways
from loaderlint.linking.following.datasets import is_new
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.things.kinds import External, Frame, Function, Instance, Row
from loaderlint.model.assumptions import NO_ASSUMPTIONS
from loaderlint.model.worker_code import Exhausted
from loaderlint.readers.python import CallSite, dotted
from loaderlint.readers.python import parameters as parameters_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_GOES_THROUGH = {"iter": 0, "enumerate": 0, "reversed": 0, "map": 1, "filter": 1}
"""Functions that give an iterator with no more items than one argument has, by its position."""


def exhausted(evaluator: Evaluator, instance: Instance, reading: Function, length: int) -> Iterator[Exhausted]:
    """Yield where each sample takes one item of an iterator that the constructor made of fewer than ``length``.

    ``reading`` is the method that reads one sample. Quiet where a sample may do without, where something takes the
    error, and where an attribute of that name is given something else anywhere.
    """
    first = next(parameters_of(reading.node), None)
    for site in reading.scope.calls if first is not None else ():
        name = _taken_of(site, first.arg) if first is not None else None
        if name is None or len(evaluator.attributes_set.get(name, ())) != 1 or _may_be_left_out(reading, site):
            continue
        left = left_by_constructor(evaluator, instance).get(name, [])
        if len(left) != 1 or not left[0].whole or ways(evaluator, left[0].circumstances) != [NO_ASSUMPTIONS]:
            continue
        items = _most_items(evaluator, left[0])
        if items is not None and items < length:
            facts, made = reading.facts, left[0].frame.facts.span(left[0].value)
            yield Exhausted(facts.span(site.node), facts.text(site.node), made, items, length)


def _taken_of(site: CallSite, receiver: str) -> str | None:
    """Return the attribute whose next item a call takes, with nothing to give instead: ``next(self.items)``."""
    match site.node:
        case ast.Call(func=ast.Name("next"), args=[ast.Attribute(ast.Name(owner), name)]) if owner == receiver:
            return name
    return None


def _may_be_left_out(reading: Function, site: CallSite) -> bool:
    """Return whether some samples do not come to a call, or what it raises does not get out as it is."""
    scope = reading.scope
    returned = any(place.arms and place.order < site.place.order for _, place in scope.returns)
    return (
        site.place.scope is not scope
        or bool(site.place.arms)
        or returned
        or scope.yields
        or bool(getattr(scope.node, "decorator_list", ()))
        or is_caught(reading.facts, site.node, "StopIteration")
    )


def _most_items(evaluator: Evaluator, left: Left) -> int | None:
    """Return how many items an iterator has at most, None where that is not seen."""
    value, frame = left.value, left.frame
    if isinstance(value, ast.GeneratorExp):
        return _items_of(evaluator, value.generators[0].iter, frame) if len(value.generators) == 1 else None
    if not isinstance(value, ast.Call) or dotted(value.func) not in _GOES_THROUGH or value.keywords:
        return None
    position = _GOES_THROUGH[dotted(value.func) or ""]
    if len(value.args) != position + 1 or any(isinstance(one, ast.Starred) for one in value.args):
        return None
    with evaluator.steps(STEPS):
        callees = [one.thing for one in evaluator.evaluate(value.func, frame)]
    if not all(isinstance(one, External) and one.name.startswith("builtins.") for one in callees):
        return None
    return _items_of(evaluator, value.args[position], frame)


def _items_of(evaluator: Evaluator, node: ast.expr, frame: Frame) -> int | None:
    """Return how many items a row has that is made where it stands, None for any other."""
    if not is_new(node):
        return None
    with evaluator.steps(STEPS):
        rows = [one.thing for one in evaluator.evaluate(node, frame)]
    lengths = [len(one.items) for one in rows if isinstance(one, Row)]
    return max(lengths) if lengths and len(lengths) == len(rows) else None
