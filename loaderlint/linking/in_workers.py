"""Code that asks whether it runs in a worker, and does one thing there and another in the main process."""

from __future__ import annotations

import ast

from loaderlint.readers.python import Place, Scope

_ASKS = "worker_info"
"""What stands in the names of what tells a worker from the main process (``torch.utils.data.get_worker_info``)."""


def told_apart(place: Place) -> bool:
    """Return whether a place is reached by a test that asks for the worker, so that a worker may never reach it."""
    return any(arm.test is not None and asks_for_worker(arm.test, place.scope) for arm in place.arms)


def asks_for_worker(node: ast.AST, scope: Scope) -> bool:
    """Return whether an expression asks for the worker, itself or by a name of its function that was set to that."""
    if _names_it(node):
        return True
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return any(one.value is not None and _names_it(one.value) for name in names for one in scope.bindings.get(name, ()))


def _names_it(node: ast.AST) -> bool:
    return any(
        _ASKS in (one.id if isinstance(one, ast.Name) else one.attr)
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    )
