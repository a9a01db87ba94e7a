"""Dictionaries that something out of sight may fill: what such a one was not seen to hold, it may hold all the same."""

from __future__ import annotations

import ast

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame
from loaderlint.readers.python import Scope, dotted

_ONLY_READ = frozenset({"print", "len", "str", "repr", "dict", "sorted", "list", "info", "debug", "pprint", "deepcopy"})
"""Calls that do not change the dictionary they are given."""


def may_be_filled(node: ast.expr, frame: Frame) -> bool:
    """Return whether a dictionary may get keys in a way that is not followed.

    It may when it was handed to a function before, or when another scope of the file changes a dictionary of its name
    in place.
    """
    name = dotted(node)
    if name is None:
        return False
    return _handed_over(name, frame) or _changed_in_place(name.rpartition(".")[2], frame)


def _handed_over(name: str, frame: Frame) -> bool:
    for site in frame.scope.calls:
        if site.place.order >= frame.place.order:
            continue
        function = site.node.func
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        given = [*site.node.args, *(one.value for one in site.node.keywords if one.arg is not None)]
        if called not in _ONLY_READ and any(dotted(one) == name for one in given):
            return True
    return False


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
