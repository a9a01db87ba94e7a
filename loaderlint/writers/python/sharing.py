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


def opened(nodes: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the names by which statements know nothing but files that they open: ``with open(path) as file:``.

    Whatever else goes by such a name in other statements is another object.
    """
    nodes = list(nodes)
    found: dict[str, int] = {}
    for node in own_scope(nodes):
        if isinstance(node, ast.With):
            for name in map(_file, node.items):
                found[name] = found.get(name, 0) + 1 + _count(node.body, name)
    return frozenset(name for name, count in found.items() if count == _count(nodes, name))


def _file(item: ast.withitem) -> str:
    match item:
        case ast.withitem(ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open")), ast.Name(id=name)):
            return name
    return ""


def _count(nodes: Iterable[ast.AST], name: str) -> int:
    return sum(isinstance(one, ast.Name) and one.id == name for node in nodes for one in ast.walk(node))


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
