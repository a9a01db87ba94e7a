"""Whether a program may change what it sent to the workers: workers that are kept would go on with what they got first.

A doubt counts as a change here, for what follows from the answer is to keep workers (LL601). What a program was seen to
change in every epoch, where a doubt is none, is asked of `changed_datasets` (LL405).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.following import set_outside
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, Made
from loaderlint.readers.python import owners_set

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given

_CHANGED_ON_LIBRARIES = ("transform", "transforms", "target_transform", "indices", "dataset")
"""Attributes of the data sets of libraries that programs set between epochs."""


def may_change(evaluator: Evaluator, given: Mapping[str, Given]) -> bool:
    """Return whether code of the project may change a data set or collate function after it was made."""
    for role in ("dataset", "collate_fn"):
        for one in given[role].possibilities if role in given else ():
            if isinstance(one.thing, Instance) and _class_changes(evaluator, one.thing.of):
                return True
            if isinstance(one.thing, Made) and _library_changes(evaluator, one.thing.call):
                return True
    return False


def _class_changes(evaluator: Evaluator, owner: Class) -> bool:
    with evaluator.steps(STEPS):
        for one in classes.lineage(evaluator, owner):
            attributes = set(_attributes(one))
            if any(set_outside.on_objects(evaluator, one, name) for name in sorted(attributes)):
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
