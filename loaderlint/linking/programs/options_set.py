"""Options that are set on a loader after it was made: ``loader.batch_size = 8``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame, Made
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.uses import OptionSet
from loaderlint.model.value import Constant
from loaderlint.readers.python import Binding, PythonFacts, owners_set
from loaderlint.vocabulary.uses import FIXED_OPTIONS, LOADERS_OF_TORCH

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_RECEIVERS = ("self", "cls")
_UNLOCKS = "_DataLoader__initialized"
"""The attribute that makes a loader refuse others; who knows it may set it to False (``DataLoader.__setattr__``)."""


def options_set(evaluator: Evaluator, call: ast.Call) -> tuple[OptionSet, ...]:
    """Return what is set on the loaders that a call makes."""
    none: Mapping[int, tuple[OptionSet, ...]] = {}
    return evaluator.once(("options set on loaders",), none, lambda: _by_call(evaluator)).get(id(call), ())


def _by_call(evaluator: Evaluator) -> Mapping[int, tuple[OptionSet, ...]]:
    found: dict[int, tuple[OptionSet, ...]] = {}
    for option in (*FIXED_OPTIONS, "num_workers", "prefetch_factor"):
        for facts, binding in evaluator.attributes_set.get(option, ()):
            if binding.kind in MUTATIONS or binding.name.rpartition(".")[0] in _RECEIVERS:
                continue
            for call, one in _set_on(evaluator, facts, binding, option):
                found[call] = (*found.get(call, ()), one)
    return found


def _set_on(evaluator: Evaluator, facts: PythonFacts, binding: Binding, option: str) -> Iterator[tuple[int, OptionSet]]:
    frame = Frame(facts, binding.place)
    if is_caught(facts, binding.node, "ValueError") or _UNLOCKS in facts.source.text:
        return
    for target in owners_set(binding.node, option):
        with evaluator.steps(STEPS):
            ways = evaluator.evaluate(target, frame)
            alternatives = evaluator.conditions(binding.place.arms, frame)
        if not all(isinstance(one.thing, Made) and one.thing.callee in LOADERS_OF_TORCH for one in ways):
            continue
        span, what = facts.span(binding.node), shortened(facts.text(binding.node))
        refused = option in FIXED_OPTIONS
        for one in ways:
            assert isinstance(one.thing, Made)
            for constant, given in _constants(evaluator, binding, frame):
                for conditions in alternatives:
                    met = together(one.assumptions, conditions, given)
                    if met is not None:
                        yield (
                            id(one.thing.call),
                            OptionSet(span, what, met, option=option, refused=refused, constant=constant),
                        )
                        break


def _constants(evaluator: Evaluator, binding: Binding, frame: Frame) -> Iterator[tuple[Constant, Assumptions]]:
    """Yield the numbers and other constants that are set; a single None where there may be others."""
    known = evaluator.binding(binding, frame) if binding.kind == "assign" else ()
    if known and all(one.constant for one in known):
        for one in known:
            assert one.thing is None or isinstance(one.thing, bool | int | float | str)
            yield one.thing, one.assumptions
    else:
        yield None, frozenset()
