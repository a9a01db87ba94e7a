"""Calls of methods on objects of which only ``isinstance`` tells the class, wherever they come from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Class, Frame, Thing, Unseen
from loaderlint.readers.python import CallSite, PythonFacts, Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def may_run(evaluator: Evaluator, facts: PythonFacts, site: CallSite, matches: Callable[[Thing], bool]) -> bool:
    """Return whether a call on an object that was not seen may run a method of a class that its scope asks it for."""
    callee = site.node.func
    name = dotted(callee.value) if isinstance(callee, ast.Attribute) else None
    if name is None or not isinstance(callee, ast.Attribute) or "isinstance" not in facts.calls:
        return False
    key = ("told by isinstance", id(site.place.scope))
    told = evaluator.remembered(key, None, lambda: tuple(_told_in(site.place.scope)))
    denied = [arm.test for arm in site.place.arms if not arm.truth]
    kinds = [kind for one, kind, test in told if one == name and not any(test is no for no in denied)]
    if not kinds:
        return False
    frame = Frame(facts, site.place)
    if not any(isinstance(one.thing, Unseen) for one in evaluator.evaluate(callee.value, frame)):
        return False
    return any(
        matches(method.thing)
        for kind in kinds
        for one in evaluator.evaluate(kind, frame)
        if isinstance(one.thing, Class)
        for method in evaluator.attribute_of(evaluator.any_object(one.thing), callee.attr)
    )


def _told_in(scope: Scope) -> Iterator[tuple[str, ast.expr, ast.Call]]:
    """Yield the dotted names that a scope asks for their class, each with a class it asks for, and the test itself."""
    for site in scope.calls:
        function, given = site.node.func, site.node.args
        if isinstance(function, ast.Name) and function.id == "isinstance" and len(given) == 2:
            name = dotted(given[0])
            kinds = given[1].elts if isinstance(given[1], ast.Tuple) else [given[1]]
            yield from ((name, kind, site.node) for kind in kinds if name is not None)
