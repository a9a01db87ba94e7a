"""Methods that a library calls on an object it was handed: each such call is written down as the library makes it.

What the library hands on may have been changed by what its user gives: a call of a hook is never the only one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things.classes import class_of, foreign_bases, is_super_init, own_method
from loaderlint.linking.things.kinds import Class, External, Frame
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.hooks import HOOKS, HOOKS_OF_BASES, Hooks, OwnHooks

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OnObject: TypeAlias = tuple[PythonFacts, CallSite, ast.expr]
"""A call, and the object or class that the library then calls a method on."""


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
            for facts, site, on in self._made_among(heirs) if name == "__init__" else self._called_on(heirs, name):
                yield facts, CallSite(_own_call(site.node, on, hook, method), site.place)

    def _made_among(self, heirs: list[Class]) -> Iterator[_OnObject]:
        """Yield the calls that give the library's constructor something, each with what the object or its class is."""
        plain = [one for one in heirs if own_method(one, "__init__") is None]
        for name in sorted({one.node.name for one in plain}):
            for facts, site in self._evaluator.callers.sites(name):
                if self._is_one_of(plain, site.node.func, Frame(facts, site.place)):
                    yield facts, site, site.node.func
        # A constructor of its own may take something else, and hand on what it likes.
        for heir in heirs:
            own = own_method(heir, "__init__")
            receiver = receiver_in(own) if own is not None else None
            if own is not None and receiver is not None:
                above = (site for site in own.calls if is_super_init(site.node))
                yield from ((heir.facts, site, _name(receiver, site.node)) for site in above)

    def _called_on(self, heirs: list[Class], name: str) -> Iterator[_OnObject]:
        """Yield the calls of a method of the library's class on the project's, each with what it is called on."""
        for facts, site in self._evaluator.callers.sites(name) if heirs else ():
            on = getattr(site.node.func, "value", None)
            if on is not None and self._is_one_of(heirs, on, Frame(facts, site.place)):
                yield facts, site, on

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


def _name(name: str, at: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


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
