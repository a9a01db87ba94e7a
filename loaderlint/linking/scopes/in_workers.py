"""Code that asks whether it runs in a worker, and does one thing there and another in the main process."""

from __future__ import annotations

import ast
from functools import lru_cache

from loaderlint.readers.python import Place, Scope, dotted

_ASKS = "worker_info"
"""What stands in the names of what tells a worker from the main process (``torch.utils.data.get_worker_info``)."""


def told_apart(place: Place) -> bool:
    """Return whether a place is reached by a test that asks for the worker, so that a worker may never reach it.

    One that every worker passes, ``if get_worker_info() is not None:``, keeps none of them away.
    """
    return any(
        arm.test is not None
        and asks_for_worker(arm.test, place.scope)
        and not _lets_workers_through(arm.test, arm.truth, place.scope)
        for arm in place.arms
    )


@lru_cache(maxsize=1 << 14)
def asks_for_worker(node: ast.AST, scope: Scope) -> bool:
    """Return whether an expression asks for the worker, itself or by a name of its function that was set to that."""
    if _names_it(node):
        return True
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return any(one.value is not None and _names_it(one.value) for name in names for one in scope.bindings.get(name, ()))


@lru_cache(maxsize=1 << 14)
def _names_it(node: ast.AST) -> bool:
    return any(
        _ASKS in (one.id if isinstance(one, ast.Name) else one.attr)
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    )


def _lets_workers_through(test: ast.expr, truth: bool, scope: Scope) -> bool:
    """Return whether no worker is kept from giving a test this answer, as far as the test asks for the worker."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _lets_workers_through(inner, not truth, scope)
        case ast.BoolOp(op=ast.And(), values=parts) if truth:
            return all(not asks_for_worker(one, scope) or _lets_workers_through(one, True, scope) for one in parts)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]):
            return _is_info(left, scope) and truth is isinstance(operator, ast.IsNot)
    return truth and _is_info(test, scope)


def _is_info(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is what ``get_worker_info`` gives, which is None in the main process alone."""
    if isinstance(node, ast.NamedExpr):
        return _is_info(node.value, scope)
    if isinstance(node, ast.Name):
        given = [one.value for one in scope.bindings.get(node.id, ())]
        return bool(given) and all(isinstance(one, ast.Call) and _is_info(one, scope) for one in given)
    return isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == f"get_{_ASKS}"
