"""click: options as decorators of the function they are handed to.

click's documentation ("Options", "Name Your Options"): every option is a keyword of the function, by the name it is
given without dashes, else by its longest flag. An option takes its type from its default, so that a default that is no
string is never replaced by one.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from loaderlint.linking.commandlines.flags import Flag, declared_flag, default_values, flag_values
from loaderlint.linking.things import External, Frame, Function, Items, Possibilities, Possibility, end_of
from loaderlint.readers.python import FunctionNode, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_OPTIONS = ("option", "argument")


def options_of(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> Items | None:
    """Return what click hands over to a function by its options, None for a function that is no command.

    ``frame`` is the frame in which the function's decorators are read.
    """
    entries: dict[str, Possibilities] = {}
    complete = True
    for decorator in function.decorator_list:
        for flag in _declared(evaluator, decorator, frame):
            entries[flag.name] = flag_values(evaluator, flag, default_values(evaluator, flag))
        complete = complete and isinstance(decorator, ast.Call)
    return Items(entries, complete) if entries else None


def _declared(evaluator: Evaluator, decorator: ast.expr, frame: Frame) -> list[Flag]:
    """Return the options that a decorator declares: one of click's own, or a function that applies several of them."""
    if not isinstance(decorator, ast.Call):
        functions = evaluator.evaluate(decorator, frame)
        return [flag for one in functions for flag in _applied(evaluator, one)]
    if (dotted(decorator.func) or "").rpartition(".")[2] not in _OPTIONS:
        return []
    callee = evaluator.evaluate(decorator.func, frame)
    if not any(isinstance(one.thing, External) and one.thing.name.startswith("click.") for one in callee):
        return []
    flag = declared_flag(decorator, frame)
    return [replace(flag, text=False, switch=_switch(flag))] if flag is not None else []


def _switch(flag: Flag) -> bool | None:
    is_flag = flag.keyword("is_flag")
    return True if isinstance(is_flag, ast.Constant) and is_flag.value is True else None


def _applied(evaluator: Evaluator, decorator: Possibility) -> list[Flag]:
    """Return the options that a function of the project adds to the command it decorates."""
    function = decorator.thing
    if not isinstance(function, Function):
        return []
    where = Frame(function.facts, end_of(function.scope))
    return [flag for site in function.scope.calls for flag in _declared(evaluator, site.node, where)]
