"""Tests that a loop asks of each value before it sets it on something: ``if value is not None``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from loaderlint.linking.things.kinds import Possibilities, Thing, Unseen
from loaderlint.linking.things.operations import truth_of
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import Arm

_KINDS = {one.__name__: one for one in (bool, dict, float, int, list, set, str, tuple)}
"""What a program asks a value to be one of, by name."""


def passing(asked: Iterable[tuple[Arm, str]], values: Possibilities, here: Span) -> Possibilities:
    """Return what of the values of a key a loop sets that asks about them: ``if value is not None``."""
    for arm, value in asked:
        answers = [(one, _passes(arm.test, value, one.thing, arm.truth)) for one in values]
        if any(passes is None for _, passes in answers):
            return unseen(here)
        values = tuple(one for one, passes in answers if passes)
    return values


def speaks_of(test: ast.expr | None, value: str) -> bool:
    """Return whether a test asks about something that is spelled so."""
    return test is not None and any(
        isinstance(one, ast.Name | ast.Subscript | ast.Call) and ast.unparse(one) == value for one in ast.walk(test)
    )


def _passes(test: ast.expr | None, value: str, thing: Thing, truth: bool) -> bool | None:
    """Return whether a test that asks if a value is there, or of a kind, may be answered so; None for any other."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return _passes(operand, value, thing, not truth)
        case ast.BoolOp(operator, operands):
            speaking = [one for one in operands if speaks_of(one, value)]
            answers = [_passes(one, value, thing, truth) for one in speaking]
            if truth is isinstance(operator, ast.And):
                return False if False in answers else None if None in answers else True
            others = len(speaking) < len(operands)
            return True if others or True in answers else None if None in answers else False
        case ast.Compare(asked, [ast.Is() | ast.Eq() | ast.IsNot() | ast.NotEq() as operator], [ast.Constant(None)]):
            if ast.unparse(asked) != value:
                return None
            return isinstance(thing, Unseen) or (thing is None) is (truth is isinstance(operator, ast.Is | ast.Eq))
        case ast.Call(ast.Name("isinstance"), [asked, kinds]) if ast.unparse(asked) == value:
            named = [last_name(one) for one in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
            known = isinstance(thing, str | int | float | None) and set(named) <= _KINDS.keys()
            if not known and not isinstance(thing, Unseen):
                return None
            return not known or isinstance(thing, tuple(_KINDS[one] for one in named)) is truth
        case ast.expr() if ast.unparse(test) == value:
            return truth_of(thing) in (None, truth)
    return None
