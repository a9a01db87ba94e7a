"""Decorators that stand between a function and its callers: which of them leave the arguments alone.

One from outside the project does unless it is known to fill in arguments. One of the project is read: it does when it
calls the function with just what it was called with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import External, Frame, Function, end_of
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import without_arguments
from loaderlint.vocabulary.commandlines import FILLS_IN

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def hides_arguments(
    evaluator: Evaluator,
    function: FunctionNode | ast.Lambda,
    facts: PythonFacts,
    scope: Scope,
    *,
    followed: bool = False,
) -> bool:
    """Return whether a decorator may hand a function other arguments than its callers give.

    One that changes what an argument stands for gives the same argument where that is ``followed`` (`handed_on`).
    """
    if isinstance(function, ast.Lambda) or not function.decorator_list or scope.parent is None:
        return False
    where = Frame(facts, end_of(scope.parent))
    return any(not _passes_on(evaluator, one, where, followed=followed) for one in function.decorator_list)


def handed_on(evaluator: Evaluator, function: FunctionNode, frame: Frame, name: str) -> Iterator[tuple[Frame, str]]:
    """Yield where decorators call a function, the outermost first, with the name that they have for an argument."""
    if frame.scope.parent is None:
        return
    where = Frame(frame.facts, end_of(frame.scope.parent))
    order = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    for decorator in function.decorator_list:
        for one in evaluator.evaluate(without_arguments(decorator), where):
            if not isinstance(one.thing, Function):
                continue
            for site, _ in _calls_of_decorated(one.thing):
                given = {word.arg: word.value for word in site.node.keywords} | dict(
                    zip(order, site.node.args, strict=False)
                )
                if isinstance(held := given.get(name), ast.Name):
                    yield Frame(one.thing.facts, site.place), held.id


def _passes_on(evaluator: Evaluator, decorator: ast.expr, frame: Frame, *, followed: bool) -> bool:
    made = without_arguments(decorator)
    for one in evaluator.evaluate(made, frame):
        thing = one.thing
        if isinstance(thing, External):
            return thing.name.rpartition(".")[2] not in FILLS_IN
        if isinstance(thing, Function) and not isinstance(thing.node, ast.Lambda):
            return _calls_as_called(evaluator, thing, followed=followed)
    name = made.attr if isinstance(made, ast.Attribute) else ""
    return name not in FILLS_IN


def _calls_as_called(evaluator: Evaluator, decorator: Function, *, followed: bool) -> bool:
    """Return whether the functions inside a decorator call what it decorates only with the arguments of theirs."""
    return all(
        _is_forwarded(site.node, scope)
        and _leaves_arguments_alone(evaluator, scope, decorator.facts, followed=followed)
        for site, scope in _calls_of_decorated(decorator)
    )


def _calls_of_decorated(decorator: Function) -> Iterator[tuple[CallSite, Scope]]:
    """Yield the calls in the functions inside a decorator of what a parameter of theirs stands for."""
    names = {one.arg for scope in _functions(decorator.scope) for one in _own_parameters(scope)}
    for scope in _functions(decorator.scope):
        for site in scope.calls:
            called = site.node.func.id if isinstance(site.node.func, ast.Name) else None
            if called in names and called not in scope.bindings:
                yield site, scope


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


def _leaves_arguments_alone(evaluator: Evaluator, scope: Scope, facts: PythonFacts, *, followed: bool) -> bool:
    """Return whether a function neither gives its parameters other values nor changes what they stand for.

    What it changes of one that has a name of its own is ``followed``, not what it changes of the rest.
    """
    assert isinstance(scope.node, FunctionNode | ast.Lambda)
    frame = Frame(facts, end_of(scope))
    for one in _own_parameters(scope):
        may_change = followed and one not in (scope.node.args.vararg, scope.node.args.kwarg)
        kinds = {binding.kind for binding in scope.bindings.get(one.arg, ())} - {"parameter"}
        if not kinds <= (MUTATIONS if may_change else frozenset()):
            return False
        if not may_change and evaluator.effects.changing(frame, one.arg):
            return False
    return True
