"""What a program reads of the objects it sent that code in workers changes: those change copies, which nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.scopes.own_nodes import own_nodes
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import CHANGES_ITS_OBJECT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_IN_PLACE = MUTATIONS | {"augment"}
_CHANGES = _IN_PLACE | {"assign", "unpack"}


def read_back(evaluator: Evaluator, running: Sequence[Function]) -> Iterator[Touch]:
    """Yield where code outside of workers reads an attribute of an object that functions in them change.

    Methods of the object read what is collected and counted there (``self.log.append(index)``); what is only set once
    in a while is mostly a handle, which they would open, too.
    """
    inside = {id(one.node) for one in running}
    seen = set[tuple[int, int, str, bool]]()
    for function in running:
        receiver = function.receiver
        for attribute, in_place in _changed(function).items() if receiver is not None else ():
            assert receiver is not None
            asked = (id(receiver.of.node), id(receiver.call), attribute, in_place)
            if asked in seen:
                continue
            seen.add(asked)
            for method, facts in _methods(evaluator, receiver.of) if in_place else ():
                if id(method.node) not in inside and _is_asked(evaluator, method):
                    own = (one for one in _reads(method, attribute) if _is_name(one.value, _receiver(method)))
                    yield from (touch_at(facts, one) for one in own)
            yield from _read_outside(evaluator, receiver, attribute, inside)


def _changed(function: Function) -> Mapping[str, bool]:
    """Return the attributes that a method changes of its object, and whether it does so in place."""
    changed: dict[str, bool] = {}
    for name, bindings in function.scope.bindings.items():
        owner, _, attribute = name.rpartition(".")
        kinds = {one.kind for one in bindings if not told_apart(one.place)} & _CHANGES
        if owner == _receiver(function.scope) and attribute and kinds:
            changed[attribute] = not kinds.isdisjoint(_IN_PLACE)
    return changed


def _methods(evaluator: Evaluator, owner: Class) -> Iterator[tuple[Scope, PythonFacts]]:
    for one in classes.lineage(evaluator, owner):
        yield from ((scope, one.facts) for scope in one.scope.children if isinstance(scope.node, FunctionNode))


def _is_asked(evaluator: Evaluator, method: Scope) -> bool:
    """Return whether somebody may ask a method for something: its object's length, or what the project calls it for."""
    called = not method.name.startswith("__") and any(True for _ in evaluator.callers.sites(method.name))
    return called or method.name == "__len__"


def _reads(scope: Scope, attribute: str) -> Iterator[ast.Attribute]:
    """Yield where a scope reads an attribute of something, and does not only change it."""
    nodes = [*own_nodes(scope.node)]
    changing = set[int]()
    for node in nodes:
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            changing |= {id(node.value.func.value)} if called_name(node.value) in CHANGES_ITS_OBJECT else set()
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changing.add(id(node.value))
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Load):
            yield from [node] if id(node) not in changing else ()


def _read_outside(evaluator: Evaluator, instance: Instance, attribute: str, inside: set[int]) -> Iterator[Touch]:
    """Yield where code that is no worker's, nor the object's own, reads an attribute of an object."""
    for facts in evaluator.project.all_python():
        scopes = facts.scopes.values() if f".{attribute}" in facts.source.text else ()
        for scope in scopes:
            if scope.is_class or id(scope.node) in inside:
                continue
            for node in _reads(scope, attribute):
                if not _is_name(node.value, _receiver(scope)) and _may_be(
                    evaluator, facts, scope, node.value, instance
                ):
                    yield touch_at(facts, node)


def _may_be(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr, instance: Instance) -> bool:
    """Return whether an expression may stand for an object, as far as that is known by the call that made it.

    So may what is called a data set, such as a loader's, of which nothing is known.
    """
    with evaluator.steps(STEPS):
        things = [one.thing for one in evaluator.evaluate(node, Frame(facts, place_in(scope, node)))]
    known = [one for one in things if isinstance(one, Instance)]
    if not known:
        return isinstance(node, ast.Attribute) and node.attr == "dataset"
    return any(
        one.of.node is instance.of.node and (one.call is instance.call or None in (one.call, instance.call))
        for one in known
    )


def _receiver(scope: Scope) -> str:
    """Return what a method calls its object, nothing for a function that is none."""
    if scope.parent is None or not scope.parent.is_class or not isinstance(scope.node, FunctionNode):
        return ""
    return next((one.arg for one in parameters(scope.node)), "")


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
