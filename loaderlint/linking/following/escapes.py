"""Dictionaries that something out of sight may fill: what such a one was not seen to hold, it may hold all the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.effects import MOST_CALLEE_STEPS, parameters_handed
from loaderlint.linking.scopes.events import CALL
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import External, Frame, Function, end_of
from loaderlint.linking.things.made_calls import is_plain
from loaderlint.readers.python import Scope, dotted, parts_in
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.configurations import FIELDS_BY_NAME

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ONLY_READ = frozenset({"print", "len", "str", "repr", "dict", "sorted", "list", "info", "debug", "pprint", "deepcopy"})
"""Calls that do not change the dictionary they are given."""
_LOOK_AT_IT = frozenset(
    f"builtins.{name}"
    for name in ("all", "any", "bool", "callable", "enumerate", "frozenset", "hasattr", "id", "isinstance", "iter")
) | frozenset(f"builtins.{name}" for name in ("max", "min", "set", "tuple", "type", "zip"))
"""Functions of Python that do not change it either; methods of objects that have such names may."""


def may_be_filled(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether a dictionary may get keys in a way that is not followed.

    It may when it was handed to a function before that is not followed, or when another scope of the file changes a
    dictionary of its name in place.
    """
    name = dotted(node)
    if name is None:
        return False
    before = (site for site in frame.scope.calls if site.place.order < frame.place.order)
    handed = any(_loses(evaluator, one.node, name, frame.at(one.place), set()) for one in before)
    return handed or _changed_in_place(name.rpartition(".")[2], frame)


def may_hold_more(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether a dictionary that is asked for a key may hold one that was not seen.

    Only one that a function, or a script that nothing imports, has for itself under one name is changed by nobody else.
    """
    name = dotted(node)
    if isinstance(node, ast.Attribute) and _declares(node):
        return False
    if name is None or name not in frame.scope.bindings:
        return not isinstance(node, ast.Dict)
    if not frame.scope.is_function and evaluator.project.direct_users(frame.facts.source.path):
        return True
    values = (dotted(one.value) for ways in frame.scope.bindings.values() for one in ways if one.value is not None)
    known_otherwise = any(one == name or (one or "").startswith(f"{name}.") for one in values)
    return known_otherwise or may_be_filled(evaluator, node, frame)


def _declares(node: ast.Attribute) -> bool:
    """Return whether an attribute holds what a class declares, to which nothing is added while a program runs."""
    of_call = isinstance(node.value, ast.Call) and called_name(node.value) == "signature"
    return node.attr in FIELDS_BY_NAME or (of_call and node.attr == "parameters")


def _loses(evaluator: Evaluator, call: ast.Call, name: str, frame: Frame, seen: set[tuple[int, str]]) -> bool:
    """Return whether a call hands a dictionary to what is no function of the project, or to one that does so.

    What the project's functions do to it themselves is followed (`effects`).
    """
    given = [*call.args, *(one.value for one in call.keywords if one.arg is not None)]
    if called_name(call) in _ONLY_READ or not any(dotted(one) == name for one in given):
        return False
    with evaluator.steps(MOST_CALLEE_STEPS):
        callees = evaluator.evaluate(call.func, frame)
    for callee in callees:
        if isinstance(callee.thing, External) and callee.thing.name in _LOOK_AT_IT:
            continue
        handed = parameters_handed(evaluator, callee, call, name) if isinstance(callee.thing, Function) else []
        if not handed:
            return True
        for function, parameter in handed:
            if not is_plain(function.node) or function.scope.yields or _keeps(function.scope, parameter):
                return True
            if (id(function.scope), parameter) in seen:
                continue
            seen.add((id(function.scope), parameter))
            inside = Frame(function.facts, end_of(function.scope), receiver=function.receiver)
            events = evaluator.events.of(function.scope, parameter)
            whole = (one.binding for one in events if one.binding.kind == CALL and not one.path)
            calls = ((one.node, one.name, inside.at(one.place)) for one in whole if isinstance(one.node, ast.Call))
            if any(_loses(evaluator, *one, seen) for one in calls):
                return True
    return False


def _keeps(scope: Scope, parameter: str) -> bool:
    """Return whether a function puts what it is handed where others may find it."""
    return any(
        part.name == parameter
        for name, bindings in scope.bindings.items()
        for one in bindings
        if one.value is not None and ("." in name or one.kind in MUTATIONS or name in scope.outer_names)
        for _, part, _ in parts_in(one.value)
    )


def _changed_in_place(last: str, frame: Frame) -> bool:
    return any(
        _changes(scope, name, last)
        for scope in frame.facts.scopes.values()
        if scope is not frame.scope
        for name in scope.bindings
    )


def _changes(scope: Scope, name: str, last: str) -> bool:
    """Return whether a scope changes, under ``name``, a dictionary called ``last`` that is not its own."""
    bindings = scope.bindings[name]
    path = name.split(".")
    if len(path) > 1 and path[-2] == last:
        return any(one.kind == "assign" for one in bindings)
    if path[-1] != last or not any(one.kind in MUTATIONS for one in bindings):
        return False
    return len(path) > 1 or all(one.kind in MUTATIONS for one in bindings)
