"""What a decorator of the project puts in place of a function or class, by its name in its module.

Pickle writes that name down and asks the module for it. A function made inside the decorator has no such name, unless
``functools.wraps`` gives it that of what it is put in place of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.things.kinds import Class, External, Frame, Function, Made, end_of
from loaderlint.readers.python import Arm, FunctionNode, Scope, parameters
from loaderlint.readers.python_calls import called_name, without_arguments
from loaderlint.vocabulary.kept import PICKLES_ITSELF
from loaderlint.vocabulary.sharding import DECORATES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_KEPT = "kept"
"""What goes by the name that it had: what is decorated itself, or what ``functools.wraps`` gives that name."""


class Wrapper(NamedTuple):
    """What a decorator gives instead of what it decorates: a local function or class, None where that was not seen."""

    decorator: ast.expr
    local: Scope | None


def wrapper_of(evaluator: Evaluator, made: Function | Class) -> Wrapper | None:
    """Return what takes the place of a function or class in its module, None where it is found there by its name.

    Decorators of libraries are taken to keep the name, as those of Python's own do.
    """
    around = made.scope.parent
    if isinstance(made.node, ast.Lambda) or around is None:
        return None
    for decorator in made.node.decorator_list:
        given = _given(evaluator, decorator, Frame(made.facts, end_of(around)))
        if given != _KEPT:
            return Wrapper(decorator, given if isinstance(given, Scope) else None)
    return None


def _given(evaluator: Evaluator, decorator: ast.expr, frame: Frame) -> Scope | str | None:
    """Return what a decorator gives: a local function or class, what goes by the name, or None for something else."""
    named = without_arguments(decorator)
    if isinstance(named, ast.Name) and named.id in DECORATES:
        return _KEPT
    things = [one.thing for one in evaluator.evaluate(decorator, frame)]
    # A registry's method is a decorator, or gives one: what else it can give is of other uses.
    functions = [one for one in things if isinstance(one, Function)]
    if functions:
        return _agreed([result for one in functions for result in _results(one)])
    return _KEPT if all(isinstance(one, External | Made) for one in things) else None


def _agreed(found: list[Scope | str | None]) -> Scope | str | None:
    """Return what all say; of several local functions the first."""
    if all(isinstance(one, Scope) for one in found) or all(one == _KEPT for one in found):
        return found[0] if found else None
    return None


def _results(decorator: Function) -> Iterator[Scope | str | None]:
    """Yield what a function gives for the function or class that it is called with."""
    node, scope = decorator.node, decorator.scope
    own = [*parameters(node)][1 if decorator.receiver is not None else 0 :]
    if not own or isinstance(node, ast.AsyncFunctionDef) or (isinstance(node, FunctionNode) and node.decorator_list):
        yield None
        return
    decorated = own[0].arg
    returned = [value for value, place in scope.returns if not any(_is_left_out(one, decorated) for one in place.arms)]
    yield from (_result(value, scope, decorated) for value in returned)
    if not returned:
        yield None


def _is_left_out(arm: Arm, decorated: str) -> bool:
    """Return whether an arm runs only where a decorator is called without anything that it decorates."""
    match arm.test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as asked], comparators=[ast.Constant(None)]
        ):
            return name == decorated and arm.truth is isinstance(asked, ast.Is)
    return False


def _result(value: ast.expr | None, scope: Scope, decorated: str) -> Scope | str | None:
    is_it = all(one.kind == "parameter" for one in scope.bindings.get(decorated, ()))
    match value:
        case ast.Name(id=name) if name == decorated and is_it:
            return _KEPT
        case ast.Name(id=name) if len(scope.bindings.get(name, ())) == 1:
            local = next((one for one in scope.children if one.name == name), None)
            return _local(local, scope, decorated) if local is not None else None
        case ast.Lambda():
            return next((one for one in scope.children if one.node is value), None)
        case ast.Call(func=ast.Call() as wraps, args=[ast.Name()]) if is_it and _wraps(wraps, decorated):
            return _KEPT
        case ast.Call(args=[ast.Name(), ast.Name(id=name)], keywords=[]) if name == decorated and is_it:
            return _KEPT if called_name(value) == "update_wrapper" else None
    return None


def _local(local: Scope, scope: Scope, decorated: str) -> Scope | str | None:
    """Return a local function or class as it is, or that it goes by the name of what is decorated."""
    if not isinstance(local.node, FunctionNode | ast.ClassDef) or scope.set_on.get(local.name):
        return None
    if "__qualname__" in local.bindings or not PICKLES_ITSELF.isdisjoint(local.bindings):
        return None
    handed = [
        site.node
        for site in scope.calls
        for one in (*site.node.args, *(keyword.value for keyword in site.node.keywords))
        if isinstance(one, ast.Name) and one.id == local.name
    ]
    decorators = local.node.decorator_list
    if not handed:
        return (_KEPT if all(_wraps(one, decorated) for one in decorators) else None) if decorators else local
    match handed:
        case [ast.Call(args=[_, ast.Name(id=name)], keywords=[]) as call] if name == decorated and not decorators:
            return _KEPT if called_name(call) == "update_wrapper" else None
    return None


def _wraps(decorator: ast.expr, decorated: str) -> bool:
    """Return whether a decorator is ``functools.wraps`` of what is decorated, with all that it gives by default."""
    match decorator:
        case ast.Call(args=[ast.Name(id=name)], keywords=given):
            return (
                called_name(decorator) == "wraps" and name == decorated and all(one.arg == "updated" for one in given)
            )
    return False
