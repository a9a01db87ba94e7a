"""What a lambda, function or class that is defined inside a function takes along from there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Scope


def is_in_function(scope: Scope) -> bool:
    """Return whether a scope stands inside a function, however deep."""
    outer = scope.parent
    while outer is not None:
        if outer.is_function:
            return True
        outer = outer.parent
    return False


def captured(scope: Scope) -> tuple[str, ...]:
    """Return the names that a lambda, function or class takes from the functions around it, sorted."""
    names = {node.id for node in nodes_of(scope.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {name for inner in _with_children(scope) for name in inner.bindings}
    found = set()
    for name in names - own:
        outer = scope.parent
        while outer is not None:
            if name in outer.bindings and not outer.is_class:
                if outer.is_function:
                    found.add(name)
                break
            outer = outer.parent
    return tuple(sorted(found))


def _with_children(scope: Scope) -> Iterator[Scope]:
    yield scope
    for child in scope.children:
        yield from _with_children(child)
