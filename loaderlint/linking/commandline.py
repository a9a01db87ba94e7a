"""Command lines: the flags a parser declares, and what each gives when the user says nothing.

``argparse``: CPython ``Lib/argparse.py`` (an argument's ``dest`` is its first long flag with dashes as underscores;
without ``type`` a value stays a string; a default that is a string is passed through ``type``). ``click``: the options
documentation ("Name Your Options").
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from loaderlint.linking.commandlines.flags import declared_flag, default_values, flag_values
from loaderlint.linking.things import (
    Frame,
    Made,
    Possibilities,
    Possibility,
    end_of,
    under,
    unseen,
)
from loaderlint.readers.python import FunctionNode, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_WRAPPERS = {
    "typer.Option": 0,
    "typer.Argument": 0,
    "dataclasses.field": None,
    "pydantic.Field": 0,
    "attr.ib": 0,
    "attrs.field": None,
    "attr.field": None,
}
"""Calls that stand for a default: the position of the default among their arguments (None: keyword only)."""


def option_of_decorator(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, name: str, frame: Frame
) -> Possibilities | None:
    """Return what a ``click.option`` above a function gives its parameter, None when there is none."""
    if isinstance(function, ast.Lambda):
        return None
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or (dotted(decorator.func) or "").rpartition(".")[2] != "option":
            continue
        parent = frame.scope.parent
        assert parent is not None
        flag = declared_flag(decorator, Frame(frame.facts, end_of(parent)))
        if flag is not None and flag.name == name:
            # click takes the type from the default, so a default that is no string is never replaced by a string.
            return flag_values(evaluator, replace(flag, text=False), default_values(evaluator, flag))
    return None


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
        default = next((keyword.value for keyword in thing.call.keywords if keyword.arg == "default"), None)
        if default is None and position is not None and len(thing.call.args) > position:
            default = thing.call.args[position]
        factory = next((keyword.value for keyword in thing.call.keywords if keyword.arg == "default_factory"), None)
        if default is None and factory is not None:
            found.extend(under(_made_by(evaluator, factory, thing.frame), one.assumptions))
        elif default is None:
            found.extend(unseen(one.span, one.assumptions))
        else:
            found.extend(under(evaluator.evaluate(default, thing.frame), one.assumptions))
    return tuple(found)
