"""Where a program draws random numbers of which samples, or their order, draw too: in one process they share them.

Samples draw from NumPy's and Python's in workers that have their own. An order that is drawn as it goes along is drawn
some batches ahead of them. Where nothing seeds, each run draws others anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import Iterations
from loaderlint.linking.programs.meanwhile import from_then_on
from loaderlint.linking.programs.reaching_samples import SAMPLERS, instances
from loaderlint.linking.things import classes
from loaderlint.linking.workers.draws import drawn_by
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Touch
from loaderlint.vocabulary.drawing import GENERATORS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite


def draws_beside(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    by_samples: frozenset[str],
) -> Iterator[Touch]:
    """Yield where a program draws, as it iterates a loader or later, of what samples, or their order, draw as well."""
    ordering = list(_drawn_in_order(evaluator, given))
    shared = (by_samples & GENERATORS.keys()) | {library for library, _ in ordering}
    if not shared or not _seeds(evaluator):
        return
    yield from (touch for library, touch in ordering if library in by_samples)
    for part in dict.fromkeys(from_then_on(evaluator, site.call, runs)):
        for library, call in drawn_by(part.scope, part.sites):
            if library in shared:
                yield touch_at(part.facts, call)


def _drawn_in_order(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[tuple[str, Touch]]:
    """Yield what samplers draw for one index, or batch, after the other."""
    for sampler in instances(evaluator, given, SAMPLERS):
        method = classes.method(evaluator, sampler, "__iter__")
        if method is not None and method.scope.yields:
            looped = [one for one in method.scope.calls if any(arm.loop for arm in one.place.arms)]
            for library, call in drawn_by(method.scope, looped):
                yield library, touch_at(method.facts, call)


def _seeds(evaluator: Evaluator) -> bool:
    """Return whether a program seeds anything, by the name of what it calls."""

    def seeds() -> bool:
        return any("seed" in name.lower() for facts in evaluator.project.all_python() for name in facts.calls)

    return evaluator.remembered(("seeds",), None, seeds)
