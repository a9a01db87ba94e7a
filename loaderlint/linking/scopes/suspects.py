"""Which method calls may change what they are handed, judged by the names of the methods alone.

Finding out what object a method is called on can mean following half a program. Most calls change nothing whichever
method of that name they are of, so they are cleared here before anybody follows them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.scopes.events import CALL, Event
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters, written
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Handed: TypeAlias = tuple[Scope, str]
"""A function's scope and the parameter that gets the thing."""


class Suspects:
    """The method calls of a project that may change what they are handed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._functions: dict[str, list[Scope]] | None = None
        self._otherwise_named: set[str] = set()
        self._cleared: set[tuple[int, str]] = set()

    def may_change(self, call: ast.Call, name: str, scope: Scope) -> bool:
        """Return whether a call in a scope that is handed what a (dotted) name stands for may change it."""
        waiting = self._handed(call, name, scope)
        seen: set[tuple[int, str]] = set()
        while waiting:
            function, parameter = waiting.pop()
            key = (id(function), parameter)
            if key in seen or key in self._cleared:
                continue
            seen.add(key)
            for event in self._evaluator.events.of(function, parameter):
                further = self._handed_on(event, function)
                if further is None:
                    return True
                waiting.extend(further)
        if waiting is None:
            return True
        self._cleared |= seen
        return False

    def changes_directly(self, call: ast.Call, name: str) -> bool:
        """Return whether a function of the called name changes a (dotted) name that it is handed, in its own body."""
        called = called_name(call)
        self._named(called)
        return any(
            event.binding.kind != CALL
            for one in (self._functions or {}).get(called, ())
            for parameter in _parameters(one, call, name)
            for event in self._evaluator.events.of(one, parameter)
        )

    def _handed_on(self, event: Event, scope: Scope) -> list[_Handed] | None:
        """Return the parameters that get the thing in one event of a function; None where the thing may change."""
        call = event.binding.node
        if event.binding.kind != CALL or not isinstance(call, ast.Call):
            return None
        return self._handed(call, event.binding.name, scope)

    def _handed(self, call: ast.Call, name: str, scope: Scope) -> list[_Handed] | None:
        """Return the parameters that can get what is handed to a call; None where that cannot be told by name."""
        function = call.func
        if not isinstance(function, ast.Attribute) or _is_imported((dotted(function) or "").partition(".")[0], scope):
            return None
        if (dotted(function) or "").partition(".")[0] == name.partition(".")[0]:
            return None
        functions = self._named(function.attr)
        if functions is None:
            return None
        return [(one, parameter) for one in functions for parameter in _parameters(one, call, name)]

    def _named(self, name: str) -> list[Scope] | None:
        """Return the functions of a name; None when something else in the project may be called by it."""
        if self._functions is None:
            self._functions = {}
            read: set[str] = set()
            for facts in self._evaluator.project.all_python():
                read.add(facts.source.path)
                for scope in facts.scopes.values():
                    if isinstance(scope.node, FunctionNode):
                        self._functions.setdefault(scope.name, []).append(scope)
                    elif isinstance(scope.node, ast.ClassDef):
                        self._otherwise_named.add(scope.name)
                    for bound, bindings in scope.bindings.items():
                        if ("." in bound or not scope.is_function) and any(one.kind != "function" for one in bindings):
                            self._otherwise_named.add(bound.rpartition(".")[2])
            self._otherwise_named |= self._evaluator.project.definitions_besides(read)
        return None if name in self._otherwise_named else self._functions.get(name, [])


def _is_imported(name: str, scope: Scope) -> bool:
    here: Scope | None = scope
    while here is not None:
        if name in here.bindings:
            return any(one.kind == "import" for one in here.bindings[name])
        here = here.parent
    return not name


def _parameters(function: Scope, call: ast.Call, name: str) -> list[str]:
    """Return the parameters of a function that can get a named argument, whether or not the first is the receiver."""
    node = function.node
    assert isinstance(node, FunctionNode)
    positional = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    keywords = {one.arg for one in parameters(node)}
    found = [one.arg for one in call.keywords if one.arg in keywords and one.arg and written(one.value) == name]
    for place, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            break
        if written(argument) == name:
            found.extend(positional[place : place + 2])
    return found
