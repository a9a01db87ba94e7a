"""The functions of the project that a call runs at once, in which something may end the run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def checking_function(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Function | None:
    """Return the function of the project that a call runs at once, where something may end the run in it.

    A call of a class runs its constructor.
    """
    callees = evaluator.evaluate(call.func, frame)
    function = callees[0].thing if len(callees) == 1 else None
    if isinstance(function, Class):
        function = _constructor(evaluator, function, call, frame)
    if not isinstance(function, Function) or not isinstance(function.node, ast.FunctionDef):
        return None
    if function.scope.yields or function.node.decorator_list or not function.scope.stops:
        return None
    return function


def _constructor(evaluator: Evaluator, of: Class, call: ast.Call, frame: Frame) -> Function | None:
    """Return the constructor of a class as one call runs it, the same whenever it is asked for."""

    def found() -> Function | None:
        made = classes.constructor(evaluator, of)
        return replace(made, receiver=Instance(of, call, frame)) if made is not None else None

    return evaluator.remembered(("constructor", id(call)), frame, found)
