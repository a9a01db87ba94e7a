"""Defaults inside the declaration of a parameter or field: ``typer.Option(4)``, ``dataclasses.field(default=4)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_WRAPPERS = {
    "typer.Option": 0,
    "typer.Argument": 0,
    "dataclasses.field": None,
    "pydantic.Field": 0,
    "attr.ib": 0,
    "attrs.field": None,
    "attr.field": None,
    "simple_parsing.field": 0,
    "simple_parsing.helpers.field": 0,
    "transformers.hf_argparser.HfArg": None,
    "attr.Factory": None,
    "attrs.Factory": None,
}
"""Calls that stand for a default: the position of the default among their arguments (None: keyword only)."""


def _made_by(evaluator: Evaluator, factory: ast.expr, frame: Frame) -> Possibilities:
    """Return the object that a field's factory makes when it is called without arguments."""
    call = ast.copy_location(ast.Call(factory, [], []), factory)
    return evaluator.evaluate(call, frame)


def unwrapped(evaluator: Evaluator, possibilities: Possibilities) -> Possibilities:
    """Return the possibilities with the default in place of its declaration, such as ``typer.Option(4)``."""
    found: list[Possibility] = []
    for one in possibilities:
        thing = one.thing
        if not isinstance(thing, Made) or thing.callee not in _WRAPPERS:
            found.append(one)
            continue
        position = _WRAPPERS[thing.callee]
        given = keywords_of(thing.call)
        default = given.get("default")
        if default is None and position is not None and len(thing.call.args) > position:
            default = thing.call.args[position]
        factory = given.get("default_factory", given.get("factory"))
        if factory is None and thing.callee.endswith(".Factory") and thing.call.args:
            factory = thing.call.args[0]
        if default is None and factory is not None:
            found.extend(under(_made_by(evaluator, factory, thing.frame), one.assumptions))
        elif default is None:
            found.extend(unseen(one.span, one.assumptions))
        else:
            found.extend(under(evaluator.evaluate(default, thing.frame), one.assumptions))
    return tuple(found)
