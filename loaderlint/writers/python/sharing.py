"""Which names of a module may refer to one object, so that changing one changes the other."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from loaderlint.writers.python.bindings import own_scope


def shared_names(nodes: Iterable[ast.stmt]) -> Iterator[frozenset[str]]:
    """Yield the names that one assignment or loop makes refer to the same object, or to one that holds it."""
    for node in own_scope(nodes):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield _names(*targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                yield _names(target, value)
            case ast.AugAssign(target=target, value=value):
                yield _names(target, value)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield _names(target, value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner), args=arguments)):
                yield _names(owner, *arguments)


def groups(pairs: Iterable[frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return for each name all names it may share an object with, itself among them."""
    found: dict[str, frozenset[str]] = {}
    for pair in pairs:
        joined = pair.union(*(found.get(name, frozenset()) for name in pair))
        found.update(dict.fromkeys(joined, joined))
    return found


def _names(*nodes: ast.expr) -> frozenset[str]:
    return frozenset(name for node in nodes for name in _held(node))


def _held(node: ast.expr) -> Iterator[str]:
    """Yield the names whose objects an expression may be, or may hold; what arithmetic makes is new."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            yield from _held(value)
        case ast.NamedExpr(target=target, value=value):
            yield target.id
            yield from _held(value)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            if isinstance(function, ast.Attribute):
                yield from _held(function.value)
            for one in [*arguments, *(keyword.value for keyword in keywords)]:
                yield from _held(one)
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.IfExp() | ast.BoolOp():
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _held(child)
        case ast.ListComp(generators=generators) | ast.SetComp(generators=generators):
            yield from (name for one in generators for name in _held(one.iter))
        case ast.GeneratorExp(generators=generators) | ast.DictComp(generators=generators):
            yield from (name for one in generators for name in _held(one.iter))
