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

    One that needs no platform, as far as can be read, is none that checks.
    """

    def found() -> Function | None:
        made = classes.constructor(evaluator, of)
        return replace(made, receiver=Instance(of, call, frame)) if made is not None else None

    needs = evaluator.remembered(("needs a platform", of.node), None, lambda: _may_need_platform(evaluator, of))
    return evaluator.remembered(("constructor", id(call)), frame, found) if needs else None


def _may_need_platform(evaluator: Evaluator, of: Class) -> bool:
    """Return whether a constructor of a class, or of one above it, calls what goes by a name of what some lack.

    It does so itself or in one of its own methods.
    """
    constructors = (
        scope
        for owner in classes.lineage(evaluator, of)
        for scope in owner.scope.children
        if scope.is_function and scope.name == "__init__"
    )
    return any(
        _calls_by_name(method)
        for constructor in constructors
        for method in (constructor, *(stop.own_method for stop in constructor.stops))
        if method is not None
    )


def _calls_by_name(method: Scope) -> bool:
    calls = (stop.call for stop in method.stops if stop.call is not None)
    return any(may_need_cuda(call) or called_name(call) in LAST_NAMES for call in calls)
