"""The functions of the project that a call runs at once, in which something may end the run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.readers.python import Scope
from loaderlint.readers.python_branches import may_need_cuda
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.platforms import LAST_NAMES

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
    """Return the constructor of a class as one call runs it, the same whenever it is asked for.

    One that needs no platform, as far as can be read there and in its own methods, is none that checks.
    """

    def found() -> Function | None:
        made = classes.constructor(evaluator, of)
        if made is None or not _may_need_platform(made.scope):
            return None
        return replace(made, receiver=Instance(of, call, frame))

    return evaluator.remembered(("constructor", id(call)), frame, found)


def _may_need_platform(method: Scope) -> bool:
    """Return whether a method calls what goes by a name of what not every platform has, itself or by its own methods.

    What the constructor of a base does may be anything.
    """
    return any(
        may_need_cuda(stop.call)
        or called_name(stop.call) in LAST_NAMES
        or classes.is_super_init(stop.call)
        or (stop.own_method is not None and stop.own_method is not method and _calls_by_name(stop.own_method))
        for stop in method.stops
        if stop.call is not None
    )


def _calls_by_name(method: Scope) -> bool:
    calls = (stop.call for stop in method.stops if stop.call is not None)
    return any(may_need_cuda(call) or called_name(call) in LAST_NAMES for call in calls)
