"""Which attributes and keys the code of workers reads of objects that others may hold as well, by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from loaderlint.linking.things.kinds import Function
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, Scope, parameters
from loaderlint.readers.python_attributes import dictionary_of

ANY_NAME = ""
"""Under this name stand attributes and keys whose names are worked out, or all that something has."""
CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "__setstate__"})
"""Methods that run while an object is made."""
_DEEPEST = 4
"""Names that stand for parts of each other; deeper ones may stand for a part of anything."""
_SAYS_ALL = frozenset({"format", "repr", "str"})
"""Functions whose text may be of all that something has."""
_PASSED_ON = frozenset({"assign", "loop", "with"})
"""Kinds of bindings by which a name stands for a part of something."""


class Read(NamedTuple):
    """An attribute or key that a function reads, and what it is read of."""

    function: Function
    owner: ast.expr


def names_read(running: Sequence[Function]) -> Mapping[str, Sequence[Read]]:
    """Return what functions read, by the names or any; what a function makes itself is left out."""
    found: dict[str, list[Read]] = {}
    for function in running:
        if function.scope.name not in CONSTRUCTORS:
            for name, owner in _in(function):
                found.setdefault(name, []).append(Read(function, owner))
    return found


def _in(function: Function) -> Iterator[tuple[str, ast.expr]]:
    nodes = nodes_of(function.node)
    of_one_key = {id(keyed) for node in nodes if (keyed := _keyed(node)) is not None}
    for node in nodes:
        name, owner = named(node)
        if name and owner is not None and _is_held_elsewhere(function, owner, 0):
            yield name, owner
        whole = _read_whole(node) if id(node) not in of_one_key else None
        if whole is not None and _is_held_elsewhere(function, whole, 0):
            yield ANY_NAME, whole


def _keyed(node: ast.AST) -> ast.expr | None:
    """Return what one key is read of, by its name: ``vars(options)`` in ``vars(options)["scale"]``."""
    match node:
        case ast.Subscript(owner, ast.Constant(str())) | ast.Call(ast.Attribute(owner, "get"), [ast.Constant(), *_]):
            return owner
    return None


def _read_whole(node: ast.AST) -> ast.expr | None:
    """Return what an expression may read any attribute of, None where it tells which: ``vars(options)``."""
    match node:
        case ast.Call(ast.Name("getattr" | "hasattr"), [owner, name, *_]):
            return None if isinstance(name, ast.Constant) else owner
        case ast.Call(ast.Name(called), [owner]) if called in _SAYS_ALL:
            return owner
        case ast.FormattedValue(owner):
            return owner
        case ast.Attribute(ctx=ast.Load()) | ast.Call():
            return dictionary_of(node)
    return None


def named(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name of the attribute or key that an expression reads, and what it is read of."""
    match node:
        case ast.Attribute(owner, name, ast.Load()):
            return name, owner
        case ast.Subscript(owner, ast.Constant(str(name)), ast.Load()):
            return name, dictionary_of(owner) or owner
        case ast.Call(ast.Name("getattr" | "hasattr"), [owner, ast.Constant(str(name)), *_]):
            return name, owner
        case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str(name)), *_]):
            return name, owner
        case ast.Call(ast.Attribute(ast.Name("os") as owner, "getenv"), [ast.Constant(str(name)), *_]):
            return name, ast.copy_location(ast.Attribute(owner, "environ", ast.Load()), node)
    return "", None


def _is_held_elsewhere(function: Function, node: ast.expr, depth: int) -> bool:
    """Return whether an expression is, or is a part of, what the function did not make itself."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Name):
        return False
    if depth > _DEEPEST:
        return True
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
