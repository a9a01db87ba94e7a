"""Methods that a library calls on an object it was handed: each such call is written down as the library makes it.

What the library hands on may have been changed by what its user gives: a call of a hook is never the only one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.things.classes import class_of, foreign_bases
from loaderlint.linking.things.kinds import Class, External, Frame
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.hooks import HOOKS, HOOKS_OF_BASES, Hooks, OwnHooks

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
            made = [one for name, hooks in HOOKS.items() for one in self._made(name, hooks, method)]
            own = [one for base, hooks in HOOKS_OF_BASES.items() for one in self._of_base(base, hooks, method)]
            self._known[method] = [*made, *own]
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

    def _of_base(self, base: str, hooks: Mapping[str, OwnHooks], method: str) -> Iterator[tuple[PythonFacts, CallSite]]:
        """Yield the calls of a method that a library's class makes on the project's classes that inherit from it."""
        calling = {name: one for name, one in hooks.items() if method in one.methods}
        heirs = [*self._heirs(base)] if calling else []
        for name, hook in calling.items():
            called = sorted({one.node.name for one in heirs}) if name == "__init__" else [name] if heirs else []
            for facts, site in (one for each in called for one in self._evaluator.callers.sites(each)):
                function = site.node.func if name == "__init__" else getattr(site.node.func, "value", None)
                if function is not None and self._is_one_of(heirs, function, Frame(facts, site.place)):
                    yield facts, CallSite(_own_call(site.node, function, hook, method), site.place)

    def _heirs(self, base: str) -> Iterator[Class]:
        last = base.rpartition(".")[2]
        for facts in self._evaluator.project.all_python():
            scopes = facts.scopes.values() if last in facts.source.text else ()
            for scope in scopes:
                of = class_of(facts, scope) if isinstance(scope.node, ast.ClassDef) else None
                if of is not None and base in foreign_bases(self._evaluator, of):
                    yield of

    def _is_one_of(self, heirs: list[Class], node: ast.expr, frame: Frame) -> bool:
        found = (one.thing for one in self._evaluator.evaluate(node, frame))
        return any(isinstance(one, Class) and any(one.node is heir.node for heir in heirs) for one in found)


def _own_call(call: ast.Call, on: ast.expr, hook: OwnHooks, method: str) -> ast.Call:
    given = arguments(call, hook.parameters)
    unseen = ast.copy_location(ast.Constant(...), call)
    handed_on = [given.get(one, unseen) if one is not None else unseen for one in hook.methods[method]]
    callee = ast.copy_location(ast.Attribute(on, method, ast.Load()), call)
    return ast.copy_location(ast.Call(callee, handed_on, []), call)


def _call(call: ast.Call, given: dict[str, ast.expr], hooks: Hooks, method: str) -> ast.Call:
    positions, names = hooks.methods[method]

    def handed_on(parameter: str | None) -> ast.expr:
        known = given.get(parameter) if parameter is not None else None
        return known or ast.copy_location(ast.Constant(...), call)

    callee = ast.copy_location(ast.Attribute(given[hooks.owner], method, ast.Load()), given[hooks.owner])
    keywords = [ast.copy_location(ast.keyword(name, handed_on(one)), call) for name, one in names.items()]
    return ast.copy_location(ast.Call(callee, [handed_on(one) for one in positions], keywords), call)
