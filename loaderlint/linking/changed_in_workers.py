"""Whether worker code may change what its process keeps: a worker that stays meets the change in its next epoch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from loaderlint.linking.things import Function
from loaderlint.readers.python import FunctionNode

_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "__getstate__", "__reduce__"})
_TAKES_OR_PUTS = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "read",
        "readline",
        "readlines",
        "remove",
        "reverse",
        "seek",
        "setdefault",
        "sort",
        "update",
        "__next__",
        "__setattr__",
    }
)
"""Methods that change the object they are called on, or how far it was read."""
_NEW = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


def changes_in_workers(functions: Iterable[Function]) -> bool:
    """Return whether one of the functions may change anything that it did not make itself."""
    return any(
        isinstance(function.node, FunctionNode)
        and function.node.name not in _CONSTRUCTORS
        and any(not _is_new(function.node, owner) for owner in _changed(function.node))
        for function in functions
    )


def _changed(function: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the expressions for what a function changes; None where that is a name outside it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node.value
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKES_OR_PUTS:
            yield node.func.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("next", "setattr"):
            yield node.args[0] if node.args else None


def _is_new(function: ast.AST, owner: ast.expr | None) -> bool:
    """Return whether a name stands for nothing but displays of the function itself: ``sample = {}``."""
    if not isinstance(owner, ast.Name):
        return False
    stored = [
        node
        for node in ast.walk(function)
        if (isinstance(node, ast.Name) and node.id == owner.id and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == owner.id)
    ]
    made = [
        target
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, _NEW)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == owner.id
    ]
    return bool(stored) and len(stored) == len(made)
