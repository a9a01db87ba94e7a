"""Over how many batches a program sums gradients before each step of its optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.loaders.made import value_of
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.model.value import NOTHING_GIVEN, Value
from loaderlint.vocabulary.uses import ACCUMULATES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = frozenset(name.rpartition(".")[2] for name in ACCUMULATES)


def accumulation(evaluator: Evaluator, files: Iterable[str]) -> Value:
    """Return what the one trainer that the files of a program make is told; nothing where they make several or none."""
    made = list(_makers(evaluator, files))
    if len(made) != 1:
        return NOTHING_GIVEN
    call, keyword, frame = made[0]
    summed = next((one.value for one in call.keywords if one.arg == keyword), None)
    if summed is None:
        return NOTHING_GIVEN
    span = frame.facts.span(summed)
    with evaluator.steps(STEPS):
        given = Given.known(evaluator.evaluate(summed, frame), span)
        return value_of(evaluator, keyword, given, evaluator.conditions(frame.place.arms, frame), span)


def _makers(evaluator: Evaluator, files: Iterable[str]) -> Iterator[tuple[ast.Call, str, Frame]]:
    """Yield the calls that make what steps the optimizer, each with the keyword that says how often."""
    for path in files:
        facts = evaluator.project.python(path)
        for name in sorted(_NAMES) if facts is not None else ():
            assert facts is not None
            for site in facts.calls.get(name, ()):
                frame = Frame(facts, site.place)
                with evaluator.steps(STEPS):
                    callees = evaluator.evaluate(site.node.func, frame)
                keywords = {ACCUMULATES.get(one.thing.name) for one in callees if isinstance(one.thing, External)}
                yield from ((site.node, keyword, frame) for keyword in keywords if keyword is not None)
