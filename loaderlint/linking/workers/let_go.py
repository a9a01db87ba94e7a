"""What the main process lets go of again after a constructor kept it, and classes that may pickle their own way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Instance
from loaderlint.linking.workers.worker_uses import RUN_IN_WORKER
from loaderlint.readers.python import Place, Scope, dotted, owners_set

if TYPE_CHECKING:
    import ast

    from loaderlint.linking.following.evaluate import Evaluator

_WITHOUT_STATE = ("torch.", "lightning.", "pytorch_lightning.", "torchvision.", "abc.", "typing.", "builtins.")
"""Libraries whose classes leave it to pickle what of their objects travels."""


def may_pickle_itself(evaluator: Evaluator, instance: Instance) -> bool:
    """Return whether a base that was not seen, or ``copyreg``, may decide what of an object travels."""
    lineage = classes.lineage(evaluator, instance.of)
    foreign = (name for one in lineage for name in classes.foreign_bases(evaluator, one))
    if any(not name.startswith(_WITHOUT_STATE) for name in foreign):
        return True
    nodes = {one.node for one in lineage}
    for facts, site in evaluator.callers.sites("pickle"):
        frame = Frame(facts, site.place)
        with evaluator.steps(STEPS):
            callees = [one.thing for one in evaluator.evaluate(site.node.func, frame)]
            given = [one.thing for argument in site.node.args[:1] for one in evaluator.evaluate(argument, frame)]
        named = any(isinstance(one, External) and one.name == "copyreg.pickle" for one in callees)
        if named and any(isinstance(one, Class) and one.node in nodes for one in given):
            return True
    return False


def is_let_go(evaluator: Evaluator, instance: Instance, attribute: str, loader: Frame) -> bool:
    """Return whether what an attribute keeps is closed, deleted or replaced before a loader goes through its data."""
    return any(_is_before(place, instance, loader) for place in _let_go(evaluator, instance, attribute))


def _let_go(evaluator: Evaluator, instance: Instance, attribute: str) -> Iterator[Place]:
    for facts, binding in evaluator.attributes_set.get(attribute, ()):
        where = Frame(facts, binding.place)
        if binding.kind in ("assign", "other") and not classes.names_receiver(where, binding.name.rpartition(".")[0]):
            owners = [*owners_set(binding.node, attribute), *_deleted(binding.node, attribute)]
            if any(_is(evaluator, owner, where, instance) for owner in owners):
                yield binding.place
    for facts, site in evaluator.callers.sites("close"):
        owner = getattr(getattr(site.node.func, "value", None), "value", None)
        named = (dotted(site.node.func) or "").endswith(f".{attribute}.close")
        if named and owner is not None and _is(evaluator, owner, Frame(facts, site.place), instance):
            yield site.place
    methods = {
        scope.name
        for one in classes.lineage(evaluator, instance.of)
        for scope in one.scope.children
        if scope.name not in ("__init__", *RUN_IN_WORKER) and _lets_go(scope, attribute)
    }
    for name in sorted(methods):
        for facts, site in evaluator.callers.sites(name):
            owner = getattr(site.node.func, "value", None)
            if owner is not None and _is(evaluator, owner, Frame(facts, site.place), instance):
                yield site.place


def _deleted(node: ast.AST, attribute: str) -> list[ast.expr]:
    """Return the objects whose attribute a ``del`` takes away."""
    return [one.value for one in getattr(node, "targets", ()) if getattr(one, "attr", "") == attribute]


def _lets_go(method: Scope, attribute: str) -> bool:
    ends = f".{attribute}"
    bound = any(name.endswith(ends) and name.count(".") == 1 for name in method.bindings)
    return bound or any((dotted(site.node.func) or "").endswith(f"{ends}.close") for site in method.calls)


def _is(evaluator: Evaluator, node: ast.expr, frame: Frame, instance: Instance) -> bool:
    with evaluator.steps(STEPS):
        things = [one.thing for one in evaluator.evaluate(node, frame)]
    return any(isinstance(one, Instance) and one.call is not None and one.call is instance.call for one in things)


def _is_before(place: Place, instance: Instance, loader: Frame) -> bool:
    """Return whether a place runs after an object is made and before a loader of it is gone through."""
    if place.scope is not loader.scope:
        return instance.frame is not None and place.scope is instance.frame.scope
    start, end = loader.place.order, place.order
    later = [*(one.place for one in place.scope.calls), *(where for _, _, where in place.scope.iterations)]
    return not any(start < one.order < end for one in later)
