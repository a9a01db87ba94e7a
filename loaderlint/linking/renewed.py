"""Which of its values a name has where a test reads it: of each the test asks another question."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loaderlint.linking.names import MUTATIONS, Reaching, reaching, unbound
from loaderlint.linking.things import Frame, choice
from loaderlint.linking.uses import bindings_of
from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.readers.python import Arm, Binding, Place, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_MOST_WAYS = 16
"""A test of names that have more values than this between them asks one question of all."""


def values_read(evaluator: Evaluator, test: ast.expr, frame: Frame) -> list[tuple[str, Assumptions]]:
    """Return the ways in which a test comes by what it reads: since when that is so, in a word, and what it assumes.

    What the scope binds once has one value, which needs no word.
    """
    ways = [("", NO_ASSUMPTIONS)]
    for name in dict.fromkeys(_names(test)):
        bindings = _bindings(name, frame)
        if len(bindings) > _MOST_WAYS:
            return [("", NO_ASSUMPTIONS)]
        if len(bindings) > 1 or ("." in name and bindings):
            values = _told_apart(name, _values(evaluator, name, bindings, frame, frame.place), frame)
            ways = [
                (f"{word} {since}", joint)
                for word, before in ways
                for since, way in values
                if (joint := together(before, way)) is not None
            ]
    return ways if len(ways) <= _MOST_WAYS else [("", NO_ASSUMPTIONS)]


def _names(test: ast.expr) -> list[str]:
    """Return the names an expression reads, the dotted ones as well as what they begin with."""
    return [name for one in ast.walk(test) if isinstance(one, ast.expr) and (name := dotted(one)) is not None]


def _bindings(name: str, frame: Frame) -> list[Binding]:
    if name not in frame.scope.bindings:
        return []
    return [one for one in bindings_of(frame.scope, name) if one.kind not in MUTATIONS]


_Values = dict[tuple[int, bool], list[Assumptions]]
"""By the place that gave a value, and whether an earlier turn of a loop did: under what a name has it."""


def _values(
    evaluator: Evaluator,
    name: str,
    bindings: list[Binding],
    frame: Frame,
    place: Place,
    followed: frozenset[Binding] = frozenset(),
) -> _Values:
    """Return the values a name can have at a place.

    What is made of the value before, such as ``fast = fast and ready``, is not told from it: one answer may settle the
    other.
    """
    found: _Values = {}
    ways = [*reaching(bindings, place)]
    for way in ways:
        one = way.binding
        alternatives = _alternatives(evaluator, way, frame)
        if not _reads(one, name):
            found.setdefault((one.place.order, way.earlier_turn), []).extend(alternatives)
        elif one not in followed:
            before = _values(evaluator, name, bindings, frame, one.place, followed | {one})
            for value, assumed in before.items():
                both = (together(first, then) for first in assumed for then in alternatives)
                found.setdefault(value, []).extend(joint for joint in both if joint is not None)
    if "." in name or not ways:
        unset = [way for arms in unbound(bindings, place) for way in _under(evaluator, arms, frame)]
        if unset:
            found[0, False] = unset
    return found


def _alternatives(evaluator: Evaluator, way: Reaching, frame: Frame) -> list[Assumptions]:
    # What was so in an earlier turn of a loop is no condition of this one.
    return [NO_ASSUMPTIONS] if way.earlier_turn else _under(evaluator, way.arms, frame)


def _under(evaluator: Evaluator, arms: Iterable[Arm], frame: Frame) -> list[Assumptions]:
    """Return what branches are taken under; a loop may go on because of the very test that is asked."""
    return evaluator.conditions(tuple(one for one in arms if not isinstance(one.owner, _LOOPS)), frame)


_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _reads(binding: Binding, name: str) -> bool:
    """Return whether what gives a name a value may be made of the value it had."""
    value = binding.value
    reads = value is not None and any(isinstance(one, ast.expr) and dotted(one) == name for one in ast.walk(value))
    return reads or binding.kind == "augment"


def _told_apart(name: str, values: _Values, frame: Frame) -> list[tuple[str, Assumptions]]:
    """Return the values in words, each assuming that it is this one of them."""
    every = sorted(values)
    among = f"{frame.facts.source.path}:{frame.scope.qualified()}:{name} is one of {every}"
    return [
        (f"{name} since {since}", joint)
        for since in every
        for way in values[since]
        if (joint := together(way, choice(among, every.index(since)) if len(every) > 1 else NO_ASSUMPTIONS)) is not None
    ]
