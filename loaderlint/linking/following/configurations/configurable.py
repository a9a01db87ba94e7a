"""Functions under detectron2's ``@configurable``: what a call that is given a configuration hands over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following import functions
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.classes import class_of
from loaderlint.linking.things.kinds import (
    ABSENT,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import laid_over, unseen
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_CONFIGURABLE = "configurable"


def source_of(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, facts: PythonFacts, scope: Scope
) -> Function | None:
    """Return the function that works out the arguments of a call that is given a configuration, None without one.

    ``detectron2/config/config.py``, ``configurable``: a function names it as ``from_config``, the class of a
    constructor has it as a class method of that name.
    """
    for decorator in function.decorator_list if isinstance(function, FunctionNode) else ():
        made = without_arguments(decorator)
        if (dotted(made) or "").rpartition(".")[2] != _CONFIGURABLE or scope.parent is None:
            continue
        owner = class_of(facts, scope.parent)
        if owner is not None:
            return _class_method(evaluator, owner)
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "from_config":
                for one in evaluator.evaluate(keyword.value, Frame(facts, end_of(scope.parent))):
                    if isinstance(one.thing, Function):
                        return one.thing
    return None


def _class_method(evaluator: Evaluator, owner: Class) -> Function | None:
    """Return the ``from_config`` that a class has, called on it."""
    for one in classes.lineage(evaluator, owner):
        for scope in one.scope.children:
            if scope.name == "from_config" and isinstance(scope.node, ast.FunctionDef):
                return Function(one.facts, scope.node, scope, Instance(owner), one)
    return None


def given_for(evaluator: Evaluator, source: Function, caller: Caller, name: str) -> Possibilities | None:
    """Return what a call that is given a configuration hands over for a parameter, None for any other call.

    ``detectron2/config/config.py``, ``_get_args_from_config``: what ``from_config`` has no parameter for wins over what
    it returns, unless it takes any arguments and so gets them all.
    """
    if not _has_configuration(caller.call):
        return None
    source = _of_the_class_called(evaluator, source, caller)
    span = caller.frame.facts.span(caller.call)
    made = _made_by(evaluator, source, caller)
    given = made.entries.get(name) or ((Possibility(ABSENT, span),) if made.complete else unseen(span))
    return laid_over(_beside_configuration(evaluator, source, caller, name), lambda: given)


def all_given(evaluator: Evaluator, source: Function, caller: Caller) -> Items | None:
    """Return all that a call that is given a configuration hands over, by parameter name; None for any other call."""
    if not _has_configuration(caller.call):
        return None
    called = _of_the_class_called(evaluator, source, caller)
    made = _made_by(evaluator, called, caller)
    splats = [_splatted(evaluator, one, caller) for one in caller.call.keywords if one.arg is None]
    keys = dict.fromkeys(made.entries)
    if not _takes_anything(called):
        own = {one.arg for one in parameters(called.node)}
        beside = [
            *(one.arg for one in caller.call.keywords if one.arg),
            *(key for one in splats for key in one.entries),
        ]
        keys.update(dict.fromkeys(key for key in beside if key not in own))
    return Items(
        Lazily.of(keys, lambda name: given_for(evaluator, source, caller, name) or ()),
        made.complete and all(one.complete for one in splats),
    )


def _has_configuration(call: ast.Call) -> bool:
    first = arguments_of(call, ("cfg",)).get("cfg")
    return first is not None and _is_configuration(first)


def _of_the_class_called(evaluator: Evaluator, source: Function, caller: Caller) -> Function:
    """Return the ``from_config`` of the class that a call makes an object of, which may be a subclass's own."""
    if source.owner is None:
        return source
    for one in evaluator.evaluate(caller.call.func, caller.frame):
        if isinstance(one.thing, Class):
            return _class_method(evaluator, one.thing) or source
    return source


def _made_by(evaluator: Evaluator, source: Function, caller: Caller) -> Items:
    returned = functions.returned(evaluator, source, caller.call, caller.frame)
    return dictionaries.as_items(evaluator, returned)[0]


def _beside_configuration(evaluator: Evaluator, source: Function, caller: Caller, name: str) -> Possibilities | None:
    """Return what a call itself gives a parameter of a function whose arguments a configuration gives, None if nothing.

    An `Absent` among it stands for what the configuration gives.
    """
    if _takes_anything(source) or name in {one.arg for one in parameters(source.node)}:
        return None
    frame = caller.frame
    for keyword in caller.call.keywords:
        if keyword.arg == name:
            return dictionaries.entered(evaluator, keyword.value, frame, frame.facts.span(keyword))
    for keyword in caller.call.keywords:
        splat = _splatted(evaluator, keyword, caller) if keyword.arg is None else Items({})
        if name in splat.entries:
            return splat.entries[name]
        if not splat.complete:
            span = frame.facts.span(keyword.value)
            return (*unseen(span), Possibility(ABSENT, span))
    return None


def _splatted(evaluator: Evaluator, keyword: ast.keyword, caller: Caller) -> Items:
    return dictionaries.as_items(evaluator, evaluator.evaluate(keyword.value, caller.frame))[0]


def _takes_anything(function: Function) -> bool:
    return function.node.args.vararg is not None or function.node.args.kwarg is not None


def _is_configuration(node: ast.expr) -> bool:
    """Return whether an argument is a configuration by its name, as detectron2 asks for its type."""
    last = (dotted(node) or "").rpartition(".")[2].lower().strip("_")
    return last in ("cfg", "config") or last.endswith(("_cfg", "_config"))
