"""Where a program lets Lightning's trainer run, which then asks a module or data module for its loaders.

``pytorch_lightning/trainer/trainer.py`` (2.6): ``fit``, ``validate``, ``test`` and ``predict``; ``LightningCLI`` calls
them, too, and so do ``lr_find`` and ``scale_batch_size`` (``tuner/tuning.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame
from loaderlint.vocabulary.callables import MODULES_WITH_LOADERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_RUNS = ("fit", "validate", "test", "predict", "lr_find", "scale_batch_size")
_HOOKS = ("train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader")
_COMMAND_LINE = "LightningCLI"


def trainer_runs(evaluator: Evaluator, owner: Class) -> list[Frame]:
    """Return where methods that run trainers, or its hooks, are called, for what it asks; for other classes none.

    Nobody asks whose methods they are: where something else is fitted there, a few places are looked at for nothing.
    There are none either where a command line made from classes may run the trainer.
    """
    lineage = classes.lineage(evaluator, owner)
    if MODULES_WITH_LOADERS.isdisjoint(name for one in lineage for name in classes.foreign_bases(evaluator, one)):
        return []
    if evaluator.callers.has_heirs(_COMMAND_LINE) or any(True for _ in evaluator.callers.sites(_COMMAND_LINE)):
        return []
    sites = (one for name in (*_RUNS, *_HOOKS) for one in evaluator.callers.sites(name))
    # A hook that asks another runs where the trainer does.
    return [Frame(facts, site.place) for facts, site in sites if site.place.scope.name not in _HOOKS]
