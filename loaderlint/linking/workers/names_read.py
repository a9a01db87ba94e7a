"""Which attributes and keys the code of workers reads of objects that others may hold as well, by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from loaderlint.linking.things.kinds import Function
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, Scope, parameters
from loaderlint.readers.python_attributes import dictionary_of

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "__setstate__"})
"""Methods that run while an object is made."""
_DEEPEST = 4
"""Names that stand for parts of each other; deeper ones are not looked into."""
_PASSED_ON = frozenset({"assign", "loop", "with"})
"""Kinds of bindings by which a name stands for a part of something."""


class Read(NamedTuple):
    """An attribute or key that a function reads, and what it is read of."""

    function: Function
    owner: ast.expr


def names_read(running: Sequence[Function]) -> Mapping[str, Sequence[Read]]:
    """Return what functions read, by the names; what a function makes itself is left out."""
    found: dict[str, list[Read]] = {}
    for function in running:
        if function.scope.name not in CONSTRUCTORS:
            for name, owner in _in(function):
                found.setdefault(name, []).append(Read(function, owner))
    return found


def _in(function: Function) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes_of(function.node):
        name, owner = named(node)
        if name and owner is not None and _is_held_elsewhere(function, owner, 0):
            yield name, owner


def named(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name of the attribute or key that an expression reads, and what it is read of."""
    match node:
        case ast.Attribute(owner, name, ast.Load()):
            return name, owner
        case ast.Subscript(owner, ast.Constant(str(name)), ast.Load()):
            return name, dictionary_of(owner) or owner
        case ast.Call(ast.Name("getattr"), [owner, ast.Constant(str(name)), *_]):
            return name, owner
        case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str(name)), *_]):
            return name, owner
    return "", None


def _is_held_elsewhere(function: Function, node: ast.expr, depth: int) -> bool:
    """Return whether an expression is, or is a part of, what the function did not make itself."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Name) or depth > _DEEPEST:
        return False
    scope = function.scope
    own = scope.bindings.get(node.id, ())
    if not own or node.id in scope.outer_names:
        return True
    if any(one.kind == "parameter" for one in own):
        return _is_receiver(function, node.id) or not _is_method(scope)
    return any(
        one.kind in _PASSED_ON and one.value is not None and _is_held_elsewhere(function, one.value, depth + 1)
        for one in own
    )


def _is_receiver(function: Function, name: str) -> bool:
    node = function.node
    first = next(parameters(node), None) if isinstance(node, FunctionNode) else None
    return function.owner is not None and first is not None and first.arg == name


def _is_method(scope: Scope) -> bool:
    return scope.parent is not None and scope.parent.is_class
