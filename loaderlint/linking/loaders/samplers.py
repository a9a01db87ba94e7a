"""What samplers a loader is given: options that get objects, which no constant stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.loaders import replaced
from loaderlint.linking.loaders.made import value_of
from loaderlint.linking.loaders.options import STEPS, Given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things.kinds import Instance, Made, Thing
from loaderlint.linking.things.operations import is_object
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.loader import OBJECT_OPTIONS
from loaderlint.model.value import Object, Value
from loaderlint.vocabulary.datasets import BATCH_SAMPLERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def samplers_of(evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given]) -> dict[str, Value]:
    """Return the sampler options that a call is given."""
    if any(kind is site.kind for kind in replaced.loaders(evaluator)):
        given = dict.fromkeys(OBJECT_OPTIONS, Given.known(unseen(site.span)))
    named = [option for option in OBJECT_OPTIONS if option in given]
    with evaluator.steps(STEPS):
        ways = evaluator.conditions(site.frame.place.arms, site.frame) if named else []
    return {option: value_of(evaluator, option, given[option], ways, site.span, object_of) for option in named}


def object_of(thing: Thing) -> Object | None:
    """Return the object that a sampler option gets; None for what may be None after all."""
    if not is_object(thing):
        return None
    if isinstance(thing, Instance):
        return Object(thing.of.node.name)
    if isinstance(thing, Made):
        return Object(thing.callee.rpartition(".")[2], thing.callee in BATCH_SAMPLERS)
    return Object("an object")
