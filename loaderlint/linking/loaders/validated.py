"""Whether a program ever asks for the loader of a validation hook.

``pytorch_lightning/trainer/trainer.py`` (2.6, ``enable_validation``): where ``limit_val_batches`` is 0, ``fit`` never
validates, not even to check its sanity, and ``val_dataloader`` is not called.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Possibilities
from loaderlint.vocabulary.hooks import TRAINERS, VALIDATES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite

_HOOK = "val_dataloader"


def is_never_asked_for(evaluator: Evaluator, site: PythonSite) -> bool:
    """Return whether a loader stands in a validation hook of a program that was seen to validate nothing."""
    scope = site.frame.scope
    if scope.name != _HOOK or scope.parent is None or not scope.parent.is_class:
        return False
    return evaluator.once(("validates nothing",), False, lambda: _validates_nothing(evaluator))


def _validates_nothing(evaluator: Evaluator) -> bool:
    """Return whether all trainers of the project were told to validate nothing, and nothing else asks for it."""
    if any(True for name in (*VALIDATES, _HOOK) for _ in evaluator.callers.sites(name)):
        return False
    limits = list(_limits(evaluator))
    return bool(limits) and all(len(one) == 1 and one[0].thing == 0 for one in limits)


def _limits(evaluator: Evaluator) -> Iterator[Possibilities]:
    """Yield what each trainer takes for its limit of validation batches; nothing for one that is given none."""
    for facts, site in evaluator.callers.sites("Trainer"):
        frame = Frame(facts, site.place)
        callees = evaluator.evaluate(site.node.func, frame)
        if any(isinstance(one.thing, External) and one.thing.name in TRAINERS for one in callees):
            given = next((one.value for one in site.node.keywords if one.arg == "limit_val_batches"), None)
            yield evaluator.evaluate(given, frame) if given is not None else ()
