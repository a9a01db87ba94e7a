"""Whether a program may change what it sent to the workers: workers that are kept would go on with what they got first.

A doubt counts as a change here, for what follows from the answer is to keep workers (LL601). What a program was seen to
change in every epoch, where a doubt is none, is asked of `changed_datasets` (LL405).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING

from loaderlint.linking.following import set_outside
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.meanwhile import comes_after
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, Made
from loaderlint.readers.python import Place, Scope, dotted, owners_set

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_CHANGED_ON_LIBRARIES = ("transform", "transforms", "target_transform", "indices", "dataset")
"""Attributes of the data sets of libraries that programs set between epochs."""


def may_change(evaluator: Evaluator, given: Mapping[str, Given]) -> bool:
    """Return whether code of the project may change a data set or collate function after it was made."""
    for thing in _sent(evaluator, given):
        if isinstance(thing, Instance) and (_class_changes(evaluator, thing.of) or _given_changes(thing)):
            return True
        if isinstance(thing, Made) and _library_changes(evaluator, thing.call):
            return True
    return False


def is_set_outside(evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given]) -> bool:
    """Return whether code outside its class was seen to set an attribute of a data set, or to change what it got.

    So it does where it changes the data set in place, or has a method do so, in the loop over the loader.
    """
    sent = [thing for thing in _sent(evaluator, given) if isinstance(thing, Instance)]
    return any(_given_changes(thing) or _changes_meanwhile(evaluator, thing, site) for thing in sent) or any(
        _is_set(evaluator, one) for thing in sent for one in classes.lineage(evaluator, thing.of)
    )


def _sent(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[object]:
    """Yield what a loader is given, and the data sets that those of torch are made of: ``Subset(dataset, indices)``."""
    for role in ("dataset", "collate_fn"):
        for one in given[role].possibilities if role in given else ():
            yield one.thing
            made = one.thing
            if isinstance(made, Made) and made.callee.startswith("torch.utils.data.") and made.call.args:
                with evaluator.steps(STEPS):
                    yield from (inner.thing for inner in evaluator.evaluate(made.call.args[0], made.frame))


def _is_set(evaluator: Evaluator, owner: Class) -> bool:
    with evaluator.steps(STEPS):
        any_object = evaluator.any_object(owner)
        return any(set_outside.on_objects(evaluator, any_object, name) for name in sorted(set(_attributes(owner))))


def _given_changes(instance: Instance) -> bool:
    """Return whether what an object was made of is changed in place after that, or by methods beside the one here.

    A name that is given another value somewhere may stand for something else there.
    """
    if instance.call is None or instance.frame is None:
        return False
    scope, made = instance.frame.scope, instance.frame.place
    arguments = (dotted(one) for one in (*instance.call.args, *(keyword.value for keyword in instance.call.keywords)))
    names = [name for name in arguments if name]
    here = (one for name in names if not _varies(scope, name) for one in scope.bindings.get(name, ()))
    if any(one.kind in MUTATIONS and comes_after(one.place, made) for one in here):
        return True
    around = scope.parent if scope.parent is not None and scope.parent.is_class else None
    beside = [one for one in around.children if one is not scope] if around is not None else []
    kept = [name for name in names if name.startswith("self.")]
    return any(one.kind in MUTATIONS for method in beside for name in kept for one in method.bindings.get(name, ()))


def _changes_meanwhile(evaluator: Evaluator, instance: Instance, site: PythonSite) -> bool:
    """Return whether a loop over a loader changes an object in place that was made in the same scope as the loader."""
    scope = site.frame.scope
    if instance.call is None or instance.frame is None or instance.frame.scope is not scope:
        return False
    loaders = _names_of(scope, site.call)
    for name in _names_of(scope, instance.call):
        changes = [
            one.place
            for other, bindings in scope.bindings.items()
            for one in bindings
            if one.kind in MUTATIONS and (other == name or other.startswith(f"{name}."))
        ]
        for call in scope.calls:
            owner, _, method = (dotted(call.node.func) or "").rpartition(".")
            if owner == name and _changes_its_object(evaluator, instance, method):
                changes.append(call.place)
        if any(_is_inside_loop_over(one, site.call, loaders) for one in changes):
            return True
    return False


def _names_of(scope: Scope, call: ast.Call) -> Set[str]:
    """Return the names of a scope that stand for what a call gives, and for nothing else."""
    return {name for name, bindings in scope.bindings.items() if {one.value for one in bindings if one.value} == {call}}


def _changes_its_object(evaluator: Evaluator, instance: Instance, method: str) -> bool:
    found = classes.nearest(classes.lineage(evaluator, instance.of), method)
    return found is not None and any(name.startswith("self.") for name in found[1].bindings)


def _is_inside_loop_over(place: Place, loader: ast.Call, names: Set[str]) -> bool:
    """Return whether a place is in the body of a loop over a loader, by one of its names or where it is made."""
    return any(
        isinstance(arm.owner, ast.For | ast.AsyncFor)
        and any(one is loader or (isinstance(one, ast.Name) and one.id in names) for one in ast.walk(arm.owner.iter))
        for arm in place.arms
        if arm.loop
    )


def _varies(scope: Scope, name: str) -> bool:
    return len([one for one in scope.bindings.get(name, ()) if one.kind not in MUTATIONS]) > 1


def _class_changes(evaluator: Evaluator, owner: Class) -> bool:
    with evaluator.steps(STEPS):
        for one in classes.lineage(evaluator, owner):
            if _is_set(evaluator, one):
                return True
            for method in one.scope.children:
                sets = any(name.startswith("self.") for name in method.bindings)
                if sets and not method.name.startswith("__") and evaluator.callers.sites(method.name):
                    return True
    return False


def _attributes(owner: Class) -> Iterator[str]:
    for method in owner.scope.children:
        for name in (*method.bindings, *method.set_on):
            if name.startswith("self."):
                yield name.split(".")[1]
    yield from owner.scope.bindings


def _library_changes(evaluator: Evaluator, call: ast.Call) -> bool:
    for name in _CHANGED_ON_LIBRARIES:
        for facts, binding in evaluator.attributes_set.get(name, ()):
            if binding.name.rpartition(".")[0] == "self":
                continue
            frame = Frame(facts, binding.place)
            with evaluator.steps(STEPS):
                ways = [way for target in owners_set(binding.node, name) for way in evaluator.evaluate(target, frame)]
            if any(isinstance(way.thing, Made) and way.thing.call is call for way in ways):
                return True
    return False
