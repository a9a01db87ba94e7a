"""Which of its values a name has where a test reads it: of each the test asks another question."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from loaderlint.linking.scopes.names import MUTATIONS, Reaching, reaching, unbound
from loaderlint.linking.scopes.uses import bindings_of
from loaderlint.linking.things.alternatives import joined, simplified
from loaderlint.linking.things.kinds import Frame
from loaderlint.linking.things.possibilities import choice
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Arm, Binding, Place, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_TESTS_REMEMBERED = 4096
"""The same tests are asked about over and over, those of one function at a time."""
_MOST_WAYS = 16
"""A test of names that have more values than this between them asks one question of all."""


def values_read(evaluator: Evaluator, test: ast.expr, frame: Frame) -> list[tuple[str, Assumptions]]:
    """Return the ways in which a test comes by what it reads: since when that is so, in a word, and what it assumes.

    What the scope binds once has one value, which needs no word.
    """
    ways = [("", NO_ASSUMPTIONS)]
    for name, bindings in _renewed(test, frame):
        if len(bindings) > _MOST_WAYS:
            return not_told_apart(test, frame)
        values = _told_apart(name, _values(evaluator, name, bindings, frame), frame)
        ways = [
            (f"{word} {since}", joint)
            for word, before in ways
            for since, way in values
            if (joint := together(before, way)) is not None
        ]
        if len(ways) > _MOST_WAYS:
            return not_told_apart(test, frame)
    return ways


def not_told_apart(test: ast.expr, frame: Frame) -> list[tuple[str, Assumptions]]:
    """Return the one way in which a test comes by what it reads, whichever of its values a name has.

    Where a name can have other values it is another way.
    """
    words = [""]
    for name, bindings in _renewed(test, frame):
        first, *others = sorted(_origins(name, bindings, frame.place))
        words.append(f"{name} since {[first, *others] if others else first}")
    return [(" ".join(words), NO_ASSUMPTIONS)]


def _renewed(test: ast.expr, frame: Frame) -> list[tuple[str, list[Binding]]]:
    """Return the names a test reads that may have several values in a scope, with what gives them those."""
    every = ((name, _bindings(name, frame)) for name in names_of(test))
    return [(name, bindings) for name, bindings in every if len(bindings) > 1 or ("." in name and bindings)]


@lru_cache(_TESTS_REMEMBERED)
def names_of(test: ast.expr) -> tuple[str, ...]:
    """Return the names an expression reads, the dotted ones as well as what they begin with."""
    names = (dotted(one) for one in nodes_of(test) if isinstance(one, ast.expr))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _bindings(name: str, frame: Frame) -> list[Binding]:
    if name not in frame.scope.bindings:
        return []
    return [one for one in bindings_of(frame.scope, name) if one.kind not in MUTATIONS]


_Origin = tuple[int, bool]
"""The place that gave a value, and whether an earlier turn of a loop did."""
_UNSET: _Origin = 0, False
_Values = dict[_Origin, list[Assumptions]]
"""Under what a name has each of its values."""


def _values(evaluator: Evaluator, name: str, bindings: list[Binding], frame: Frame) -> _Values:
    """Return the values a name can have at a frame's place.

    What is made of the value before, such as ``fast = fast and ready``, is not told from it: one answer may settle the
    other.
    """
    here = _ways(evaluator, name, bindings, frame)
    made: dict[Binding, _Ways] = {}
    waiting = [here]
    while waiting:
        for one, _, _ in waiting.pop():
            if one is not None and one not in made and _keeps(one, name):
                made[one] = _ways(evaluator, name, bindings, frame.at(one.place))
                waiting.append(made[one])
    before: dict[Binding, _Values] = {one: {} for one in sorted(made, key=lambda one: one.place.order)}
    for _ in made:
        known = [values.keys() for values in before.values()]
        for one in before:
            before[one] = _left(made[one], before)
        # A loop may bring a value back to where it was made before.
        if known == [values.keys() for values in before.values()]:
            break
    return _left(here, before)


_Ways = list[tuple[Binding | None, _Origin, list[Assumptions]]]
"""By what gave a name its value and where that is: under what it has it; None where it was not bound."""


def _ways(evaluator: Evaluator, name: str, bindings: list[Binding], frame: Frame) -> _Ways:
    """Return the ways in which a name comes by a value at a frame's place."""
    reached = reaching(bindings, frame.place)
    found: _Ways = [
        (one.binding, (one.binding.place.order, one.earlier_turn), _alternatives(evaluator, one, frame))
        for one in reached
    ]
    if "." in name or not reached:
        found += [(None, _UNSET, _under(evaluator, arms, frame)) for arms in unbound(bindings, frame.place)]
    return found


def _left(ways: _Ways, before: Mapping[Binding, _Values]) -> _Values:
    """Return the values that ways leave, where some of them keep a value a name had ``before``."""
    found: _Values = {}
    for binding, origin, alternatives in ways:
        kept = before.get(binding) if binding is not None else None
        for first, assumed in ({origin: [NO_ASSUMPTIONS]} if kept is None else kept).items():
            joint = joined(assumed, alternatives) if alternatives else []
            if joint:
                found[first] = simplified((*found.get(first, ()), *joint))
    return found


def _origins(name: str, bindings: list[Binding], place: Place) -> set[_Origin]:
    """Return what gave the values that a name can have at a place."""
    found: set[_Origin] = set()
    waiting, seen = [place], {place}
    while waiting:
        at = waiting.pop()
        ways = reaching(bindings, at)
        for way in ways:
            one = way.binding
            if not _keeps(one, name):
                found.add((one.place.order, way.earlier_turn))
            elif one.place not in seen:
                seen.add(one.place)
                waiting.append(one.place)
        if "." in name and unbound(bindings, at):
            found.add(_UNSET)
    return found or {_UNSET}


def _alternatives(evaluator: Evaluator, way: Reaching, frame: Frame) -> list[Assumptions]:
    return _under(evaluator, way.conditions, frame)


def _under(evaluator: Evaluator, arms: Iterable[Arm], frame: Frame) -> list[Assumptions]:
    """Return what branches are taken under; a loop may go on because of the very test that is asked."""
    return evaluator.conditions(
        tuple(one for one in arms if not isinstance(one.owner, _LOOPS) or (one.ended and not one.loop)), frame
    )


_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _keeps(binding: Binding, name: str) -> bool:
    """Return whether what gives a name a value may let it answer as the value before; a sum is another number."""
    value = binding.value
    if isinstance(binding.node, ast.AugAssign):
        return not isinstance(binding.node.op, _SUMS)
    if value is None or (isinstance(value, ast.BinOp) and isinstance(value.op, _SUMS)):
        return False
    return any(isinstance(one, ast.expr) and dotted(one) == name for one in nodes_of(value))


_SUMS = (ast.Add, ast.Sub)


def _told_apart(name: str, values: _Values, frame: Frame) -> list[tuple[str, Assumptions]]:
    """Return the values in words, each assuming that it is this one of them."""
    every = sorted(values)
    where = f"{frame.facts.source.path}:{frame.scope.qualified()}"
    among = f"{where}:{name} is one of {every}{frame.called and f', called at {frame.called}'}"
    return [
        (f"{name} since {since}", joint)
        for since in every
        for way in values[since]
        if (joint := together(way, choice(among, every.index(since)) if len(every) > 1 else NO_ASSUMPTIONS)) is not None
    ]
