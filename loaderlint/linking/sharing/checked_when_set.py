"""Attributes that a class of the project looks at when they are set, and may refuse: ``__setattr__``, descriptors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.reads import Read
from loaderlint.linking.following.restricted import Restricted
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance
from loaderlint.readers.python import Binding, FunctionNode, PythonFacts, Scope, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_STEPS = 50
_SETTERS = ("__set__", "__setattr__")


def checked_when_set(evaluator: Evaluator) -> Iterator[Restricted]:
    """Yield what a project gives attributes that their class may refuse, by the number that it is."""
    files = list(evaluator.project.all_python())
    if any(_refuses(scope, name) for facts in files for scope in facts.scopes.values() for name in _SETTERS):
        for facts in files:
            yield from _checked_in(evaluator, facts)


def _checked_in(evaluator: Evaluator, facts: PythonFacts) -> Iterator[Restricted]:
    for scope in facts.scopes.values():
        receiver = classes.owner_of(facts, scope)
        for name, bindings in scope.bindings.items():
            owner, _, attribute = name.rpartition(".")
            for one in bindings if owner and "." not in owner else ():
                if one.kind == "assign" and one.value is not None:
                    with evaluator.steps(_STEPS):
                        of = [receiver] if receiver and owner == "self" else _classes_of(evaluator, facts, owner, one)
                        if any(_is_checked(evaluator, each, attribute) for each in of):
                            yield Restricted(facts.span(one.value), (Read(facts, one.place, one.value),))


def _classes_of(evaluator: Evaluator, facts: PythonFacts, name: str, binding: Binding) -> list[Class]:
    frame = Frame(facts, binding.place)
    found = evaluator.evaluate(ast.copy_location(ast.Name(name, ast.Load()), binding.node), frame)
    return [one.thing.of for one in found if isinstance(one.thing, Instance)]


def _is_checked(evaluator: Evaluator, owner: Class, attribute: str) -> bool:
    family = evaluator.remembered(("lineage", owner.node), None, lambda: classes.lineage(evaluator, owner))
    refuses = ("refuses what is set", owner.node)
    return evaluator.remembered(
        refuses, None, lambda: any(_refuses(one.scope, "__setattr__") for one in family)
    ) or any(
        _refuses(made.thing.scope, "__set__")
        for one in family
        for binding in one.scope.bindings.get(attribute, ())
        if isinstance(binding.value, ast.Call)
        for made in evaluator.evaluate(binding.value.func, Frame(one.facts, binding.place))
        if isinstance(made.thing, Class)
    )


def _refuses(owner: Scope, method: str) -> bool:
    """Return whether a class has a method that may raise for what it is handed last: the value that is set."""
    for scope in owner.children:
        if scope.name == method and isinstance(scope.node, FunctionNode):
            value = [one.arg for one in parameters(scope.node)][-1:]
            every = list(ast.walk(scope.node))
            tests = [one.test for one in every if isinstance(one, ast.If | ast.IfExp | ast.Assert)]
            asked = {one.id for test in tests for one in ast.walk(test) if isinstance(one, ast.Name)}
            if any(isinstance(one, ast.Raise | ast.Assert) for one in every) and not asked.isdisjoint(value):
                return True
    return False
