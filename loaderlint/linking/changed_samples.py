"""Samples that are changed where they are kept: what is read of them next hangs on how often that was done before."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

TAKES = frozenset({"pop", "popitem", "popleft"})
PUTS = frozenset({"add", "append", "appendleft", "extend", "insert"})
"""Methods that make a collection other than it was by what they take or put, whoever asks for what."""
_CHANGES_COLLECTIONS = TAKES | PUTS | {"clear", "discard", "remove"}
_CHANGES_NO_VALUE = frozenset({"requires_grad_", "share_memory_"})
"""Methods of tensors with the ending of those that change its values, which change none."""
_SHUFFLES = frozenset({"shuffle"})


def changes_samples(function: ast.FunctionDef | ast.AsyncFunctionDef, outlasts: Callable[[ast.expr], bool]) -> bool:
    """Return whether a function changes an element of what ``outlasts`` it, itself or by a name it gave that.

    One that is only stored by a key, from what stands under others, is the same however often that is done.
    """
    elements = _named_elements(function, outlasts)

    def is_element(node: ast.expr) -> bool:
        return _root(node) in elements or (_is_part(node) and outlasts(node))

    return any(is_element(changed) for changed in _changed(function)) or any(
        outlasts(one) for one in _shuffled(function)
    )


def _named_elements(function: ast.AST, outlasts: Callable[[ast.expr], bool]) -> set[str]:
    """Return the names that stand for nothing but elements of what outlasts a function: ``row = self.rows[index]``."""
    given: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(function):
        for target, value in _given(node):
            several = isinstance(target, ast.Tuple | ast.List)
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            values = value.elts if several and isinstance(value, ast.Tuple | ast.List) else [value] * len(parts)
            for part, of_part in zip(parts, values, strict=False):
                if isinstance(part, ast.Name):
                    given.setdefault(part.id, []).append(of_part)
        if isinstance(node, ast.arg):
            given.setdefault(node.arg, []).append(None)
    found: set[str] = set()
    while True:
        more = {
            name
            for name, values in given.items()
            if all(one is not None and (_root(one) in found or (_is_part(one) and outlasts(one))) for one in values)
        }
        if more <= found:
            return found
        found |= more


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Yield what a statement gives values to, with the value; None where it is no part of anything."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
            # What is gone through gives elements, whether it is one itself or not.
            yield target, ast.Subscript(iterable, ast.Slice(), ast.Load())
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, None


def _changed(function: ast.AST) -> Iterator[ast.expr]:
    """Yield what a function changes where it is kept."""
    for node in ast.walk(function):
        match node:
            case ast.AugAssign(target=ast.Name() as name, value=value) if not _is_text(value):
                yield name
            case ast.AugAssign(target=ast.Subscript(value=owner) | ast.Attribute(value=owner)):
                yield owner
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Subscript | ast.Attribute) and ast.unparse(target) in _read_in(value):
                        yield target.value
            case ast.Call(func=ast.Attribute(value=owner, attr=method)) if _changes_its_object(method):
                yield owner
        if isinstance(node, ast.keyword) and node.arg == "out":
            yield node.value


def _shuffled(function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SHUFFLES:
            yield from node.args[:1]


def _changes_its_object(method: str) -> bool:
    in_place = method.endswith("_") and not method.startswith("_") and method not in _CHANGES_NO_VALUE
    return in_place or method in _CHANGES_COLLECTIONS


def _is_text(value: ast.expr) -> bool:
    return any(isinstance(one, ast.JoinedStr) or _is_string(one) for one in ast.walk(value))


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _read_in(value: ast.expr) -> set[str]:
    return {ast.unparse(one) for one in ast.walk(value) if isinstance(one, ast.Subscript | ast.Attribute)}


def _is_part(node: ast.expr) -> bool:
    """Return whether an expression takes something out by a key: ``self.rows[index]``, ``self.rows[index].box``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript):
            return True
        node = node.value
    return False


def _root(node: ast.expr) -> str:
    """Return the name that an expression takes something of, or is itself."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
