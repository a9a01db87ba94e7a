"""The nodes of a syntax tree, looked up once wherever they are asked for again and again, and what names them."""

from __future__ import annotations

import ast
from typing import cast

_KEPT = "_every_node"


def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return a node and all below it, the outer ones first, as ``ast.walk`` yields them; nobody changes such a tree.

    What a name is there for (``ast.Load``, ``ast.Store``) is no node of its own.
    """
    known = tree.__dict__.get(_KEPT)
    if known is None:
        known = tree.__dict__[_KEPT] = _found(tree)
    return cast("tuple[ast.AST, ...]", known)


def _found(tree: ast.AST) -> tuple[ast.AST, ...]:
    found = [tree]
    for node in found:
        # A list that grows while it is gone through is a queue.
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return tuple(found)


def last_name(node: ast.AST | None) -> str:
    """Return the last part of a name: ``c`` for ``a.b.c`` and for ``f(x).c``, nothing for what has no name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def without_types(node: ast.expr) -> ast.expr:
    """Return what an expression names, without the types it is given in brackets: ``Base`` for ``Base[int]``."""
    match node:
        case ast.Subscript(ast.Name() | ast.Attribute() as named):
            return named
    return node
