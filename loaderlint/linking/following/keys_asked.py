"""What a scope asks about the key that it looks something up by: which one it is answers that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from loaderlint.linking.things.alternatives import joined
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.readers.python import dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_TESTS = 4
"""Further tests of a key are taken to go either way."""


def answers(evaluator: Evaluator, node: ast.expr, key: int | str, frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which a scope's tests of an expression answer as they do where it is this key.

    In a loop nothing is said of them: another turn may ask about another key.
    """
    ways = [NO_ASSUMPTIONS]
    if any(arm.loop for arm in frame.place.arms):
        return ways
    for test, answer in islice(_answered(node, key, frame), _MOST_TESTS):
        ways = joined(ways, evaluator.question(test, frame, answer)) or ways
    return ways


def _answered(node: ast.expr, key: int | str, frame: Frame) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests that compare an expression with what is written there, each with its answer for a key."""
    name = dotted(node)
    for test, place in frame.facts.tests if name is not None else ():
        if place.scope is not frame.scope or not isinstance(test, ast.Compare):
            continue
        match test.left, test.ops, test.comparators:
            case (asked, [ast.Eq() | ast.NotEq() as kind], [ast.Constant(value)]) | (
                ast.Constant(value),
                [ast.Eq() | ast.NotEq() as kind],
                [asked],
            ) if dotted(asked) == name:
                yield test, (key == value) is isinstance(kind, ast.Eq)
            case (asked, [ast.In() | ast.NotIn() as kind], [ast.Tuple(items) | ast.List(items) | ast.Set(items)]) if (
                dotted(asked) == name and all(isinstance(one, ast.Constant) for one in items)
            ):
                held = any(isinstance(one, ast.Constant) and one.value == key for one in items)
                yield test, held is isinstance(kind, ast.In)
