"""Which worker options a program gives only where it asked for workers first."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.comparisons import COMPARISONS
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value


def with_gates(evaluator: Evaluator, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders, each worker option of which can say which worker counts were asked for before it was given.

    It is found out for those alone that somebody asks: a fix that takes the workers away.
    """

    def gated(value: Value) -> Value:
        known = tuple(replace(one, gates=partial(_gates, evaluator, one)) for one in value.candidates)
        return replace(value, candidates=known)

    return tuple(
        replace(one, options={name: gated(value) if name in WORKER_OPTIONS else value for name, value in options})
        for one in loaders
        for options in (one.options.items(),)
    )


def _gates(evaluator: Evaluator, candidate: Candidate) -> frozenset[Span]:
    """Return where the numbers were written that must be above 0 for a run to come to where a candidate is given."""
    given = candidate.entry or candidate.span
    facts = evaluator.project.python(given.path) if Language.of(given.path) is Language.PYTHON else None
    if facts is None:
        return frozenset()
    found = set[Span]()
    for node, place in facts.tests:
        if isinstance(node, ast.If) and facts.span(node).holds(given) and not facts.span(node.test).holds(given):
            frame = Frame(facts, place)
            inside = any(facts.span(statement).holds(given) for statement in node.body)
            for number in _above_zero(node.test, inside):
                # What a number was worked out from may be 0 although the number is not: ``max(workers, 1)``.
                found.update(one.span for one in evaluator.evaluate(number, frame))
    return frozenset(found)


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
