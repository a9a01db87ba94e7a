"""Methods that a library calls on an object it was handed: each such call is written down as the library makes it.

What the library hands on may have been changed by what its user gives: a call of a hook is never the only one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.hooks import HOOKS, Hooks

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class HookCalls:
    """The calls that libraries make of the methods of the project's objects, by the name of the method."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[str, list[tuple[PythonFacts, CallSite]]] = {}

    def of(self, method: str) -> list[tuple[PythonFacts, CallSite]]:
        """Return the calls of a method of this name, each where the library is handed the object."""
        if method not in self._known:
            self._known[method] = [one for name, hooks in HOOKS.items() for one in self._made(name, hooks, method)]
        return self._known[method]

    def _made(self, name: str, hooks: Hooks, method: str) -> Iterator[tuple[PythonFacts, CallSite]]:
        if method not in hooks.methods:
            return
        module, _, called = name.rpartition(".")
        self._evaluator.mentioned.update((f"from {module} import", f"import {module}"))
        for facts, site in self._evaluator.callers.sites(called):
            given = arguments(site.node, hooks.parameters)
            frame = Frame(facts, site.place)
            if hooks.owner in given and any(
                isinstance(one.thing, External) and one.thing.name == name
                for one in self._evaluator.evaluate(site.node.func, frame)
            ):
                yield facts, CallSite(_call(site.node, given, hooks, method), site.place)


def _call(call: ast.Call, given: dict[str, ast.expr], hooks: Hooks, method: str) -> ast.Call:
    positions, names = hooks.methods[method]

    def handed_on(parameter: str | None) -> ast.expr:
        known = given.get(parameter) if parameter is not None else None
        return known or ast.copy_location(ast.Constant(...), call)

    callee = ast.copy_location(ast.Attribute(given[hooks.owner], method, ast.Load()), given[hooks.owner])
    keywords = [ast.copy_location(ast.keyword(name, handed_on(one)), call) for name, one in names.items()]
    return ast.copy_location(ast.Call(callee, [handed_on(one) for one in positions], keywords), call)
