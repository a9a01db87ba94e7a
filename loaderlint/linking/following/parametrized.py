"""What pytest gives the parameters of tests (its documentation, "How to parametrize fixtures and test functions")."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.files.parametrized import Parametrized, parametrized
from loaderlint.linking.things.kinds import External, Frame, Made, Possibilities, Possibility, Row, end_of
from loaderlint.linking.things.possibilities import one_of, under, unseen
from loaderlint.model.assumptions import Cases
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_PARAMETRIZES = "pytest.mark.parametrize"
_PARAM = "pytest.param"


def given_to(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities | None:
    """Return what the decorators of a test, or of its class, give one of its parameters; None where they give none."""
    scope = frame.scope
    while scope.parent is not None and isinstance(scope.node, FunctionNode | ast.ClassDef):
        where = Frame(frame.facts, scope.defined or end_of(scope.parent))
        for one in parametrized(scope.node):
            if node.arg in one.names and _is_pytests(evaluator, one, where):
                found = in_each_call(evaluator, one, one.names.index(node.arg), where)
                note = f"{frame.scope.name}({node.arg}=…)"
                return tuple(way.step(frame.facts.span(one.decorator), note) for way in found)
        scope = scope.parent
    return None


def _is_pytests(evaluator: Evaluator, given: Parametrized, where: Frame) -> bool:
    things = [one.thing for one in evaluator.evaluate(given.decorator.func, where)]
    return all(isinstance(one, External) and one.name == _PARAMETRIZES for one in things)


def in_each_call(evaluator: Evaluator, given: Parametrized, place: int, where: Frame) -> Possibilities:
    """Return what the parameter at a place gets, with what is assumed of the call it gets that in."""
    span = where.facts.span(given.decorator)
    found: list[Possibility] = []
    for rows in evaluator.evaluate(given.values, where):
        if not isinstance(rows.thing, Row):
            found.extend(unseen(span, rows.assumptions))
            continue
        ways = [
            (number, tuple(cell for row in each for cell in _cell(evaluator, row, place, len(given.names), span)))
            for number, each in enumerate(rows.thing.items)
        ]
        found.extend(under(one_of(Cases(span) if len(given.names) == 1 else str(span), ways), rows.assumptions))
    return tuple(found) or unseen(span)


def _cell(evaluator: Evaluator, row: Possibility, place: int, names: int, span: Span) -> Possibilities:
    """Return what one row of values gives the parameter at a place."""
    thing = row.thing
    cells: Sequence[Possibilities] = ((row,),) if names == 1 else ()
    if isinstance(thing, Made) and thing.callee == _PARAM:
        cells = [evaluator.evaluate(one, thing.frame) for one in thing.call.args]
        if any(isinstance(one, ast.Starred) for one in thing.call.args):
            cells = ()
    elif names > 1 and isinstance(thing, Row):
        cells = thing.items
    return under(cells[place], row.assumptions) if place < len(cells) == names else unseen(span, row.assumptions)
