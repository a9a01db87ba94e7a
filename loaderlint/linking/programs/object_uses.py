"""Where an object is used in a scope: by a name of it, by what is the same, and by what shows or takes a part of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple, TypeGuard

from loaderlint.nodes import nodes_of
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import VIEWS

_MOST_AROUND = 3
"""What stands around a use that is looked at: the method, its call, and whether that is a statement."""
SHOWS = frozenset({"T", "array", "data", "flat", "iloc", "imag", "loc", "mT", "real", "values"})
"""Attributes that give the same data."""


class Use(NamedTuple):
    """An expression for an object, with what that stands right ``around`` of it, the inner ones first.

    It may be for a ``part`` of the object alone, and an ``element`` that is taken out of it may be a mere number.
    """

    node: ast.expr
    around: Sequence[ast.AST]
    part: bool = False
    element: bool = False


class Uses:
    """The uses of names in the scopes of a program; what stands around what is worked out once for each scope."""

    def __init__(self, parts: Set[str]) -> None:
        self._parts = parts
        self._parents: dict[int, Mapping[int, ast.AST]] = {}

    def of_name(self, scope: ast.AST, name: str) -> Iterator[Use]:
        """Yield where something is used that a dotted name stands for, or a part of it; ``parts`` are attributes."""
        for node in nodes_of(scope):
            if isinstance(node, ast.Name | ast.Attribute) and dotted(node) == name:
                yield from self.of(scope, node)

    def of(self, scope: ast.AST, node: ast.expr, *, part: bool = False, element: bool = False) -> Iterator[Use]:
        """Yield where something is used that an expression in a scope stands for."""
        parents = self._parents_in(scope)
        while True:
            around = parents.get(id(node))
            if isinstance(around, ast.NamedExpr):
                yield Use(node, _chain(around, parents), part, element)
            if _is_same(around, node):
                node = around
            elif (outer := _part_around(node, parents, self._parts)) is not None:
                part, element = True, element or _takes_out(outer)
                node = outer
            else:
                break
        if around is not None:
            yield Use(node, _chain(around, parents), part, element)

    def _parents_in(self, scope: ast.AST) -> Mapping[int, ast.AST]:
        known = self._parents.get(id(scope))
        if known is None:
            known = {id(child): node for node in nodes_of(scope) for child in ast.iter_child_nodes(node)}
            self._parents[id(scope)] = known
        return known


def _chain(around: ast.AST | None, parents: Mapping[int, ast.AST]) -> Sequence[ast.AST]:
    found: list[ast.AST] = []
    while around is not None and len(found) < _MOST_AROUND:
        found.append(around)
        around = parents.get(id(around))
    return found


def _is_same(around: ast.AST | None, node: ast.expr) -> TypeGuard[ast.expr]:
    """Return whether an expression may give the very thing that one inside of it stands for: ``rows or None``."""
    match around:
        case ast.IfExp(_, body, orelse):
            return node is body or node is orelse
        case ast.BoolOp():
            return True
        case ast.NamedExpr(_, value):
            return node is value
    return False


def _takes_out(node: ast.expr) -> bool:
    """Return whether an expression takes an element, and no slice, of something."""
    return isinstance(node, ast.Subscript) and not any(isinstance(one, ast.Slice) for one in ast.walk(node.slice))


def _part_around(inner: ast.expr, parents: Mapping[int, ast.AST], parts: Set[str]) -> ast.expr | None:
    """Return what stands around an expression if that reads a part of it, or is a view: ``rows.view(4, 2)[0]``."""
    around = parents.get(id(inner))
    outer = parents.get(id(around))
    match around:
        case ast.Subscript(value, ctx=ast.Load()) if value is inner:
            return around
        case ast.Attribute(value, name, ast.Load()) if value is inner:
            if isinstance(outer, ast.Call) and outer.func is around:
                return outer if name in VIEWS else None
            return around if name in parts or name in SHOWS else None
        case ast.Call(args=[first, *_]) if first is inner and called_name(around) in VIEWS:
            return around
    return None
