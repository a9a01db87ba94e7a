"""What functions keep from call to call where the program calls them before its workers, which call them, too.

A forked worker goes on where those calls ended; one that is started anew begins where the first of them began. Where
all that is kept is what each call would work out again, that makes no difference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import full_name, is_later, touch_at
from loaderlint.linking.workers.worked_out import goes_on
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.running import DIFFERENT_IN_EACH_PROCESS, DRAWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CACHES = frozenset({"cache", "lru_cache"})
"""Decorators that keep what a function gave for the same arguments (``functools``)."""


def kept_from_before(
    evaluator: Evaluator, running: Sequence[Function], own: Sequence[Span], changes: Iterable[Touch]
) -> Iterator[Touch]:
    """Yield the changes that functions make which the program calls before, unless they keep what is worked out.

    ``own`` is where the ``running`` functions stand. What a function that keeps its results draws is one, too.
    """
    met = list(changes)
    for function in running:
        if not isinstance(function.node, FunctionNode):
            continue
        span = function.facts.span(function.node)
        drawn = list(_drawn(function))
        inside = (one for one in met if span.holds(one.span))
        found = [one for one in inside if goes_on(evaluator, function, one, drawn=bool(drawn))]
        found += drawn if keeps_results(function.node) else []
        if found and (
            _is_called_before(evaluator, function.node.name, own) or _is_asked_before(evaluator, function, own)
        ):
            yield from found


def _is_called_before(evaluator: Evaluator, name: str, own: Sequence[Span]) -> bool:
    """Return whether a function is called by its name in what runs neither in workers nor when they import it."""
    return any(
        is_later(evaluator, facts, site.node, site.place)
        for facts in evaluator.project.all_python()
        for site in facts.calls.get(name, ())
        if not any(one.holds(facts.span(site.node)) for one in own)
    )


def _is_asked_before(evaluator: Evaluator, function: Function, own: Sequence[Span]) -> bool:
    """Return whether the program takes an item of an object whose class has a function as its ``__getitem__``."""
    around = function.scope.parent
    if function.scope.name != "__getitem__" or around is None or not around.is_class:
        return False
    names = evaluator.remembered(("heirs", id(around)), None, partial(_heirs, evaluator, around.name))
    for facts in evaluator.project.all_python():
        taken = evaluator.remembered(("items taken", facts.source.path), None, partial(_items_taken, facts))
        spans = (span for name in taken.keys() & names for span in taken[name])
        if any(not any(one.holds(span) for one in own) for span in spans):
            return True
    return False


def _heirs(evaluator: Evaluator, name: str) -> Set[str]:
    """Return the names of a class and of those that are made from it."""
    found, left = {name}, [name]
    made_from = evaluator.remembered(("made from",), None, partial(_made_from, evaluator))
    while left:
        new = made_from.get(left.pop(), set()) - found
        found |= new
        left.extend(new)
    return found


def _made_from(evaluator: Evaluator) -> Mapping[str, Set[str]]:
    """Return the names of the classes that are made from others, by the last names of those."""
    found: dict[str, set[str]] = {}
    for facts in evaluator.project.all_python():
        for scope in facts.scopes.values():
            for base in scope.node.bases if isinstance(scope.node, ast.ClassDef) else ():
                found.setdefault((dotted(base) or "").rpartition(".")[2], set()).add(scope.name)
    return found


def _items_taken(facts: PythonFacts) -> Mapping[str, Sequence[Span]]:
    """Return where a file takes an item of what a call made, by the last name of what was called."""
    found: dict[str, list[Span]] = {}
    for scope in facts.scopes.values():
        for node in _in_scope(scope):
            if isinstance(node, ast.Subscript):
                for name in _makers(scope, node.value):
                    found.setdefault(name, []).append(facts.span(node))
    return found


def _in_scope(scope: Scope) -> Iterator[ast.AST]:
    """Yield the nodes of a scope but for those of the scopes that it holds."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope.node))
    inside = {id(one.node) for one in scope.children}
    while waiting:
        node = waiting.pop()
        if id(node) not in inside:
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _makers(scope: Scope, node: ast.expr) -> Iterator[str]:
    """Yield the last names of what is called to make an expression, or what it is a name for."""
    if isinstance(node, ast.Call):
        yield called_name(node)
    around: Scope | None = scope
    while around is not None and isinstance(node, ast.Name):
        values = [one.value for one in around.bindings.get(node.id, ()) if isinstance(one.value, ast.Call)]
        if values:
            yield from map(called_name, values)
            return
        around = around.parent


def keeps_results(function: FunctionNode) -> bool:
    """Return whether a function keeps what it gave for the same arguments before."""
    called = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return any((dotted(one) or "").rpartition(".")[2] in _CACHES for one in called)


def _drawn(function: Function) -> Iterator[Touch]:
    """Yield where a function asks for something else than another process does."""
    for site in function.scope.calls:
        if full_name(function.scope, dotted(site.node.func) or "").startswith((*DIFFERENT_IN_EACH_PROCESS, *DRAWS)):
            yield touch_at(function.facts, site.node)
