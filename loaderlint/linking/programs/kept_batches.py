"""Batches that the main process keeps: ``batches.append(batch)`` in the loop that iterates a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from loaderlint.linking.following.running import Iterated, shortened
from loaderlint.model.payload import Touch
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import CHANGES_ITS_OBJECT, CHANGES_NO_VALUE

_GROWS = frozenset({"append", "extend"})
_SHRINKS = frozenset({"clear", "pop", "popleft", "remove"})
_COLLECTS = frozenset({"list", "tuple", "sorted"})
_CHANGES = CHANGES_ITS_OBJECT - {"add", "pop", "popitem"}
"""Methods that change a batch: the sum of two tensors is new, and what is popped was put there by who collated."""


def kept_batches(place: Iterated) -> Iterator[Touch]:
    """Yield where what a loader gives is kept as it came, whole or in part, as long as the loop goes on."""
    facts, node = place.frame.facts, place.node
    if isinstance(node, ast.For | ast.AsyncFor):
        for call in _keeping(node):
            yield Touch(facts.span(call), shortened(facts.text(call)), place.assumptions)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _COLLECTS:
        yield Touch(facts.span(node), shortened(facts.text(node)), place.assumptions)


def changes_batches(place: Iterated) -> bool:
    """Return whether a loop changes in place what a loader gives: ``batch += 1``, ``rows["ids"].append(0)``."""
    node = place.node
    if not isinstance(node, ast.For | ast.AsyncFor):
        return False
    counted = isinstance(place.expression, ast.Call) and called_name(place.expression) == "enumerate"
    counted = counted and isinstance(node.target, ast.Tuple)
    targets = node.target.elts[1:] if counted and isinstance(node.target, ast.Tuple) else [node.target]
    given = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    inside = [one for statement in node.body for one in ast.walk(statement)]
    for one in inside:
        if isinstance(one, ast.Assign):
            names = {name.id for target in one.targets for name in ast.walk(target) if _is_stored(name)}
            # Another name for it or a part of it; what is worked out under the same name is something new.
            given = given | names if _begun_with(one.value) in given else given - names
        if any(_begun_with(changed) in given for changed in changed_by(one)):
            return True
    return False


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def changed_by(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a statement, call or target changes in place, or may, where it is no number."""
    if isinstance(node, ast.AugAssign):
        yield node.target
    elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _CHANGES or (name.endswith("_") and not name.endswith("__") and name not in CHANGES_NO_VALUE):
            yield node.func.value


def _begun_with(node: ast.expr) -> str:
    """Return the name that an expression takes parts of: ``rows`` in ``rows["ids"][0].mean``."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _keeping(loop: ast.For | ast.AsyncFor) -> Iterator[ast.Call]:
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    given = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    # What is moved or computed under the same name is another tensor.
    given -= {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    calls = [node for node in inside if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    emptied = {ast.dump(_owner(call)) for call in calls if _method(call) in _SHRINKS}
    stored = {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)}
    for call in calls:
        owner = _owner(call)
        if _method(call) not in _GROWS or len(call.args) != 1 or ast.dump(owner) in emptied:
            continue
        if not (isinstance(owner, ast.Name) and owner.id in stored) and _part_of(call.args[0]) in given:
            yield call


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _owner(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _part_of(node: ast.expr) -> str:
    """Return the name whose value, or whose part by index or key, an expression is."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
