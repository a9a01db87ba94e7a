"""Decorators that stand between a function and its callers: which of them leave the arguments alone.

One from outside the project does unless it is known to fill in arguments. One of the project is read: it does when it
calls the function with just what it was called with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Function, end_of
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import without_arguments
from loaderlint.vocabulary.commandlines import FILLS_IN

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def hides_arguments(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, facts: PythonFacts, scope: Scope
) -> bool:
    """Return whether a decorator may hand a function other arguments than its callers give."""
    if isinstance(function, ast.Lambda) or not function.decorator_list or scope.parent is None:
        return False
    where = Frame(facts, end_of(scope.parent))
    return any(not _passes_on(evaluator, one, where) for one in function.decorator_list)


def _passes_on(evaluator: Evaluator, decorator: ast.expr, frame: Frame) -> bool:
    made = without_arguments(decorator)
    for one in evaluator.evaluate(made, frame):
        thing = one.thing
        if isinstance(thing, External):
            return thing.name.rpartition(".")[2] not in FILLS_IN
        if isinstance(thing, Function) and not isinstance(thing.node, ast.Lambda):
            return _calls_as_called(evaluator, thing)
    name = made.attr if isinstance(made, ast.Attribute) else ""
    return name not in FILLS_IN


def _calls_as_called(evaluator: Evaluator, decorator: Function) -> bool:
    """Return whether the functions inside a decorator call what it decorates only with the arguments of theirs."""
    names = {one.arg for scope in _functions(decorator.scope) for one in _own_parameters(scope)}
    return all(
        _is_forwarded(site.node, scope) and _leaves_arguments_alone(evaluator, scope, decorator.facts)
        for scope in _functions(decorator.scope)
        for site in scope.calls
        if isinstance(site.node.func, ast.Name)
        and site.node.func.id in names
        and site.node.func.id not in scope.bindings
    )


def _functions(scope: Scope) -> Iterator[Scope]:
    yield scope
    for inner in scope.children:
        if inner.is_function:
            yield from _functions(inner)


def _own_parameters(scope: Scope) -> Iterator[ast.arg]:
    if isinstance(scope.node, FunctionNode | ast.Lambda):
        yield from parameters(scope.node)


def _is_forwarded(call: ast.Call, scope: Scope) -> bool:
    if not isinstance(scope.node, FunctionNode | ast.Lambda):
        return False
    positional = [one.value if isinstance(one, ast.Starred) else one for one in call.args]
    given = {dotted(one) for one in (*positional, *(one.value for one in call.keywords))}
    return given == {one.arg for one in parameters(scope.node)} and all(
        one.arg in (None, dotted(one.value)) for one in call.keywords
    )


def _leaves_arguments_alone(evaluator: Evaluator, scope: Scope, facts: PythonFacts) -> bool:
    """Return whether a function neither gives its parameters other values nor changes what they stand for."""
    names = [one.arg for one in _own_parameters(scope)]
    frame = Frame(facts, end_of(scope))
    return not any(
        any(binding.kind != "parameter" for binding in scope.bindings.get(name, ()))
        or evaluator.effects.changing(frame, name)
        for name in names
    )
