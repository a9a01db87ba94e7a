"""Which worker options a program gives only where it asked for workers first."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import TypeAlias

from msgspec.structs import replace

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.comparisons import COMPARISONS
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import PythonFacts

_Asked: TypeAlias = tuple[ast.expr, bool, Frame]
"""A test with the answer it has to give, and where it is asked."""


def with_gates(evaluator: Evaluator, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders, each worker option of which can say which worker counts were asked for before it was given.

    It is found out for those alone that somebody asks: a fix that takes the workers away.
    """

    def gated(value: Value) -> Value:
        known = tuple(
            replace(
                one,
                gates=partial(_gates, evaluator, one, value.argument),
                chosen_by=partial(_chosen_by, evaluator, one, value.argument),
            )
            for one in value.candidates
        )
        return replace(value, candidates=known, gates=partial(_gates_of_argument, evaluator, value.argument))

    return tuple(
        replace(one, options={name: gated(value) if name in WORKER_OPTIONS else value for name, value in options})
        for one in loaders
        for options in (one.options.items(),)
    )


def _gates(evaluator: Evaluator, candidate: Candidate, argument: Span | None) -> frozenset[Span]:
    """Return where the numbers were written that must be above 0 for a run to come to where a candidate is given.

    It is given where it stands, or chosen where it passes: ``None if workers == 0 else settings.prefetch``.
    """
    # What a number was worked out from may be 0 although the number is not: ``max(workers, 1)``.
    return frozenset(
        one.span
        for test, answer, frame in _asked_before(evaluator, candidate, argument)
        for number in _above_zero(test, answer)
        for one in evaluator.evaluate(number, frame)
    )


def _chosen_by(evaluator: Evaluator, candidate: Candidate, argument: Span | None) -> frozenset[Span]:
    """Return where the numbers were written of which it is asked whether they are high enough, whatever the answer."""
    return frozenset(
        one.span
        for test, _, frame in _asked_before(evaluator, candidate, argument)
        for answer in (True, False)
        for number in _above_zero(test, answer)
        for one in evaluator.evaluate(number, frame)
    )


def _asked_before(evaluator: Evaluator, candidate: Candidate, argument: Span | None) -> Iterator[_Asked]:
    """Yield what has to be answered for a run to come to where a candidate is given."""
    places = {candidate.entry or candidate.span, *(step.span for step in candidate.trail)}
    for place in places:
        yield from _tests_around(evaluator, place)
    if argument is not None:
        yield from _tests_inside(evaluator, argument, candidate.span)


def _gates_of_argument(evaluator: Evaluator, argument: Span | None) -> frozenset[Span]:
    """Return where the numbers were written without which an argument is a choice of what leaves the option out."""
    in_python = argument is not None and Language.of(argument.path) is Language.PYTHON
    facts = evaluator.project.python(argument.path) if argument is not None and in_python else None
    for node, where in facts.tests if facts is not None else ():
        if facts is not None and isinstance(node, ast.IfExp) and facts.span(node) == argument:
            frame = Frame(facts, where)
            without = [isinstance(one, ast.Constant) and not one.value for one in (node.body, node.orelse)]
            asked = _above_zero(node.test, without[1]) if without[0] is not without[1] else ()
            return frozenset(one.span for number in asked for one in evaluator.evaluate(number, frame))
    return frozenset()


def _tests_around(evaluator: Evaluator, place: Span) -> Iterator[_Asked]:
    """Yield what has to be answered for a run to come to a place."""
    facts = evaluator.project.python(place.path) if Language.of(place.path) is Language.PYTHON else None
    if facts is not None:
        yield from _tests_of_place(facts, place)


@lru_cache(maxsize=1 << 12)
def _tests_of_place(facts: PythonFacts, place: Span) -> tuple[_Asked, ...]:
    found: list[_Asked] = []
    for node, where in facts.tests:
        if not isinstance(node, ast.If | ast.IfExp) or not facts.span(node).holds(place):
            continue
        if not facts.span(node.test).holds(place):
            body = node.body if isinstance(node, ast.If) else [node.body]
            found.append((node.test, any(facts.span(one).holds(place) for one in body), Frame(facts, where)))
    return tuple(found)


def _tests_inside(evaluator: Evaluator, argument: Span, written: Span) -> Iterator[_Asked]:
    """Yield what has to be answered for an argument to be what was written elsewhere."""
    facts = evaluator.project.python(argument.path) if Language.of(argument.path) is Language.PYTHON else None
    for node, frame in _choices_in(facts, argument) if facts is not None else ():
        gives = [any(one.span == written for one in evaluator.evaluate(arm, frame)) for arm in (node.body, node.orelse)]
        if gives[0] is not gives[1]:
            yield node.test, gives[0], frame


@lru_cache(maxsize=1 << 12)
def _choices_in(facts: PythonFacts, argument: Span) -> tuple[tuple[ast.IfExp, Frame], ...]:
    """Return the conditional expressions inside an argument, each with where it stands."""
    return tuple(
        (node, Frame(facts, where))
        for node, where in facts.tests
        if isinstance(node, ast.IfExp) and argument.holds(facts.span(node))
    )


def _above_zero(test: ast.expr, answer: bool) -> Iterator[ast.expr]:
    """Yield the expressions that are no 0 wherever a test has this answer."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _above_zero(test.operand, not answer)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is answer:
            for one in test.values:
                yield from _above_zero(one, answer)
    elif isinstance(test, ast.Compare):
        (kind, *more), (compared, *_) = test.ops, test.comparators
        holds = COMPARISONS.get(type(kind))
        limit = compared.value if isinstance(compared, ast.Constant) else None
        if holds is not None and not more and isinstance(limit, int) and holds(0, limit) is not answer:
            yield test.left
    elif isinstance(test, ast.Name | ast.Attribute | ast.Subscript) and answer:
        yield test
