"""By which name a piece of code can call a module: ``sys``, ``torch``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from loaderlint.nodes import nodes_of
from loaderlint.writers.base import CannotRewrite

Point: TypeAlias = tuple[int, int]
"""A line and column of `ast`: lines from 1, columns in UTF-8 bytes from 0."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


class ModuleName(Struct, frozen=True):
    """The name for a module in one file; ``missing`` says that an import of it has to be added at the top."""

    name: str
    missing: bool


class _Means(Enum):
    """What a name means at a place, as far as one module goes."""

    MODULE = "it is the module"
    NOTHING_YET = "it would be, if the module imported it at the top"
    SOMETHING_ELSE = "it is, or may be, something else"


def module_name(tree: ast.Module, package: str, uses: Sequence[Point]) -> ModuleName:
    """Return a name that means a package at all the places, its own where possible.

    Raises `CannotRewrite` when every name is taken.
    """
    private = f"_{package}"
    names = [package, *sorted(known_names(tree, package) - {package, private}), private]
    meanings = {name: {_meaning(tree, package, name, use) for use in uses} for name in names}
    for name in names:
        if meanings[name] == {_Means.MODULE}:
            return ModuleName(name, missing=False)
    for name in names:
        if _Means.SOMETHING_ELSE not in meanings[name]:
            return ModuleName(name, missing=True)
    changing = _changing_any_name(tree)
    if changing is not None:
        shown = ast.unparse(changing)
        raise CannotRewrite(
            f"`{shown}` may give any name of the module another value, so {package} may be something else"
        )
    raise CannotRewrite(f"the names {package} and {private} both mean something else here")


def known_names(tree: ast.Module, package: str) -> frozenset[str]:
    """Return all names under which the file imports a package."""
    return frozenset(
        alias.asname or package
        for node in nodes_of(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if _is_package(alias, package)
    )


def imports_of_package(tree: ast.Module, package: str) -> bool:
    """Return whether the module itself imports a package whenever it is run, or something of it."""
    return any(
        (isinstance(node, ast.Import) and any(one.name.partition(".")[0] == package for one in node.names))
        or (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] == package)
        for node in tree.body
    )


def _is_package(alias: ast.alias, package: str) -> bool:
    """Return whether an import binds a package itself, as ``import torch.utils.data`` does, too."""
    return alias.name == package or (alias.asname is None and alias.name.startswith(f"{package}."))


def binds(tree: ast.Module, name: str) -> bool:
    """Return whether the file binds a name anywhere, and so may shadow a builtin of that name."""
    return any(name in _bound(node) for node in nodes_of(tree))


def _meaning(tree: ast.Module, package: str, name: str, use: Point) -> _Means:
    around = _scopes_around(tree, use)
    in_function = any(isinstance(scope, _FUNCTIONS) for scope in around)
    for depth, scope in enumerate(reversed(around)):
        if isinstance(scope, ast.ClassDef) and depth > 0:
            continue  # a class body's names are not seen by the functions in it
        found = _bindings(scope, name)
        if found:
            return _Means.MODULE if _imported_before(scope, package, name, found, use) else _Means.SOMETHING_ELSE
    found = _bindings(tree, name)
    if not all(_imports(node, package, name) for node in found) or _changing_any_name(tree) is not None:
        return _Means.SOMETHING_ELSE
    ready = any(node in tree.body and (in_function or node.lineno < use[0]) for node in found)
    return _Means.MODULE if ready else _Means.NOTHING_YET


def _changing_any_name(tree: ast.Module) -> ast.expr | None:
    """Return what may give any name of the module another value: ``globals()[key] = ...``, ``exec(text)``."""
    for node in nodes_of(tree):
        match node:
            case ast.Subscript(value=held, slice=key, ctx=ast.Store()) if not isinstance(key, ast.Constant):
                changed = [held]
            case ast.Call(func=ast.Attribute(value=held, attr="update")):
                changed = [held]
            case ast.Call(func=ast.Name("exec"), args=[_, *changed]):
                pass
            case _:
                continue
        if any(isinstance(one, ast.Call) and getattr(one.func, "id", "") == "globals" for one in changed):
            return node
    for node in _own_nodes(tree):
        match node:
            case ast.Call(func=ast.Name("exec"), args=[_]):
                return node
    return None


def _imported_before(scope: ast.AST, package: str, name: str, found: Sequence[ast.stmt | ast.AST], use: Point) -> bool:
    body = getattr(scope, "body", [])
    first = found[0]
    return (
        all(_imports(node, package, name) for node in found)
        and isinstance(body, list)
        and isinstance(first, ast.stmt)
        and first in body
        and first.lineno < use[0]
    )


def _imports(node: ast.AST, package: str, name: str) -> bool:
    return isinstance(node, ast.Import) and all(
        _is_package(alias, package) for alias in node.names if (alias.asname or alias.name.partition(".")[0]) == name
    )


def _scopes_around(tree: ast.Module, use: Point) -> list[ast.AST]:
    """Return the functions and classes around a place, outermost first."""
    return [
        node
        for node in nodes_of(tree)
        if isinstance(node, _SCOPES)
        and (node.lineno, node.col_offset) <= use < (node.end_lineno or 0, node.end_col_offset or 0)
    ]


def _bindings(scope: ast.AST, name: str) -> list[ast.AST]:
    return [node for node in _own_nodes(scope) if name in _bound(node)]


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a scope but in no scope inside it; comprehensions count as part of theirs."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _own_nodes(child)


def _bound(node: ast.AST) -> set[str]:
    """Return the names a node binds or declares, for better or worse."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.Import(names=aliases):
            return {alias.asname or alias.name.partition(".")[0] for alias in aliases}
        case ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name for alias in aliases}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.arg(arg=name):
            return {name}
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return set(names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
    return set()
