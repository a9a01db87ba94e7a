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
SHOWS = frozenset({"H", "T", "array", "at", "data", "flat", "iat", "iloc", "imag", "loc", "mH", "mT", "real", "values"})
"""Attributes that give the same data."""
SPLITS = frozenset(
    {"array_split", "chunk", "dsplit", "hsplit", "split", "split_with_sizes", "tensor_split", "unbind", "vsplit"}
)
"""What gives views of parts of an array (numpy.org, ``numpy.split``; pytorch.org, ``torch.split``)."""
_SEES = VIEWS | SPLITS
_TAKEN = frozenset({"get", "pop", "popitem", "setdefault"})
"""Methods of containers that give one of the things in it."""
ANY_KEY = ""
"""Under this key, or none at all, something may be kept in a container."""


class Use(NamedTuple):
    """An expression for an object, with what that stands right ``around`` of it, the inner ones first.

    It may be for a ``part`` of the object alone, and an ``element`` that is taken out of it may be a mere number. It
    may be for a container that the object is ``held`` in, by this key.
    """

    node: ast.expr
    around: Sequence[ast.AST]
    part: bool = False
    element: bool = False
    held: str | None = None


class Uses:
    """The uses of names in the scopes of a program; what stands around what is worked out once for each scope."""

    def __init__(self, parts: Set[str]) -> None:
        self._parts = parts
        self._parents: dict[int, Mapping[int, ast.AST]] = {}

    def of_name(self, scope: ast.AST, name: str, held: str | None = None, *, whole: bool = False) -> Iterator[Use]:
        """Yield where something is used that a dotted name stands for, or a part of it; ``parts`` are attributes.

        Where it is ``held`` in what has the name, what is taken out of that is a part if the ``whole`` of it matters.
        """
        for node in nodes_of(scope):
            if isinstance(node, ast.Name | ast.Attribute) and dotted(node) == name:
                yield from self.of(scope, node, held=held, whole=whole)

    def of(
        self,
        scope: ast.AST,
        node: ast.expr,
        *,
        part: bool = False,
        element: bool = False,
        held: str | None = None,
        whole: bool = False,
    ) -> Iterator[Use]:
        """Yield where something is used that an expression in a scope stands for; ``whole`` is that of what is held."""
        parents = self._parents_in(scope)
        while True:
            around = parents.get(id(node))
            if isinstance(around, ast.NamedExpr):
                yield Use(node, _chain(around, parents), part, element, held)
            if _is_same(around, node):
                node = around
            elif isinstance(around, ast.expr) and (key := _held_by(around, node, parents)) is not None:
                node, held = around, key if held is None else ANY_KEY
            elif held is not None and (outer := _taken_out(node, parents, held)) is not None:
                node, held, part = outer, None, part or whole
            elif held is None and (outer := _part_around(node, parents, self._parts)) is not None:
                part, element = True, element or _takes_out(outer)
                node = outer
            else:
                break
        if around is not None:
            yield Use(node, _chain(around, parents), part, element, held)

    def _parents_in(self, scope: ast.AST) -> Mapping[int, ast.AST]:
        known = self._parents.get(id(scope))
        if known is None:
            known = self._parents[id(scope)] = parents_in(scope)
        return known


def parents_in(scope: ast.AST) -> Mapping[int, ast.AST]:
    """Return what stands right around each node in a scope, by the identity of the node."""
    return {id(child): node for node in nodes_of(scope) for child in ast.iter_child_nodes(node)}


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


def _held_by(around: ast.AST | None, node: ast.expr, parents: Mapping[int, ast.AST]) -> str | None:
    """Return the key under which a display keeps what stands in it, None where it is no display.

    Values that are given to as many names at once are no container: ``first, second = rows, 2``.
    """
    match around:
        case ast.Dict(keys, values) if any(one is node for one in values):
            key = next(key for key, value in zip(keys, values, strict=True) if value is node)
            return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY_KEY
        case ast.List(elements, ast.Load()) | ast.Tuple(elements, ast.Load()):
            outer = parents.get(id(around))
            is_unpacked = isinstance(outer, ast.Assign) and any(
                isinstance(one, ast.Tuple | ast.List) and len(one.elts) == len(elements) for one in outer.targets
            )
            return None if is_unpacked else ANY_KEY
        case ast.Set():
            return ANY_KEY
    return None


def _taken_out(inner: ast.expr, parents: Mapping[int, ast.AST], key: str) -> ast.expr | None:
    """Return what stands around a container if that may take out what it holds under a key: ``state["rows"]``."""
    around = parents.get(id(inner))
    outer = parents.get(id(around))
    match around:
        case ast.Subscript(value, index, ast.Load()) if value is inner:
            return around if _may_be(index, key) else None
        case ast.Attribute(value, name, ast.Load()) if value is inner:
            if isinstance(outer, ast.Call) and outer.func is around:
                return outer if name in _TAKEN and (not outer.args or _may_be(outer.args[0], key)) else None
            return around if key in (ANY_KEY, name) else None
    return None


def _may_be(index: ast.expr, key: str) -> bool:
    is_text = isinstance(index, ast.Constant) and isinstance(index.value, str)
    return key == ANY_KEY or not is_text or (isinstance(index, ast.Constant) and index.value == key)


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
                return outer if name in _SEES else None
            return around if name in parts or name in SHOWS else None
        case ast.Call(ast.Name("getattr"), [first, name, *_]) if first is inner:
            return around if not isinstance(name, ast.Constant) or name.value in parts else None
        case ast.Call(args=[first, *_]) if first is inner and called_name(around) in _SEES:
            return around
    return None
