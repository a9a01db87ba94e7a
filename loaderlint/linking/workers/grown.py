"""Which attributes hold as many Python objects as there are samples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.following.constructed import Left
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.model.kept import Kind
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.kept import JSON, LIST, LISTING

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

Grown: TypeAlias = tuple[ast.expr, Kind]
"""An expression and what it grows to."""

_COLLECTORS = frozenset({"list", "tuple", "sorted"})
_DEEPEST = 3


def grown(evaluator: Evaluator, left: Left) -> Grown | None:
    """Return what an attribute gets that has one Python object for each of many, None where that was not seen."""
    if left.whole:
        return _grown(evaluator, left.value, left.frame, _DEEPEST)
    in_a_loop = any(arm.loop for arm in left.frame.place.arms)
    return (left.value, LIST) if in_a_loop else None


def _grown(evaluator: Evaluator, node: ast.expr, frame: Frame, deep: int) -> Grown | None:
    if isinstance(node, ast.ListComp):
        return None if _is_small(node) else (node, LIST)
    if isinstance(node, ast.Name) and deep > 0:
        return _under_a_name(evaluator, node, frame, deep)
    if not isinstance(node, ast.Call):
        return None
    name = called_name(node)
    if name in _COLLECTORS and dotted(node.func) == name and len(node.args) == 1:
        if isinstance(node.args[0], ast.GeneratorExp):
            return None if _is_small(node.args[0]) else (node, LIST)
        return _grown(evaluator, node.args[0], frame, deep - 1) if deep > 0 else None
    if name in LISTING:
        return node, LIST
    if name in ("load", "loads"):
        callees = evaluator.evaluate(node.func, frame)
        if any(isinstance(one.thing, External) and one.thing.name == f"json.{name}" for one in callees):
            return node, JSON
    return None


def _under_a_name(evaluator: Evaluator, node: ast.Name, frame: Frame, deep: int) -> Grown | None:
    """Return what the last value of a local name grows to, or what a loop appends to it."""
    bindings = frame.scope.bindings.get(node.id, ())
    given = [one for one in bindings if one.kind == "assign" and one.value is not None]
    for one in bindings:
        added = one.node.args if one.kind == "list" and isinstance(one.node, ast.Call) else []
        if (
            added
            and any(arm.loop for arm in one.place.arms)
            and all(value.place.order < one.place.order for value in given)
        ):
            return added[0], LIST
    if not given or len(bindings) > 1 or given[0].value is None:
        return None
    return _grown(evaluator, given[0].value, frame.at(given[0].place), deep - 1)


def _is_small(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Return whether a comprehension goes over what is written out, or counts to a number that is."""
    over = node.generators[0].iter
    if isinstance(over, ast.Call) and dotted(over.func) == "range":
        return all(isinstance(one, ast.Constant) for one in over.args)
    return isinstance(over, ast.List | ast.Tuple | ast.Set | ast.Constant)
