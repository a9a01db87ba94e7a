"""LL305."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target
from loaderlint.model.uses import Restart
from loaderlint.model.value import Candidate


class LoaderRebuiltInLoop(Rule):
    """Every turn of a loop starts a loader's workers anew where one start would do.

    ## What it does
    Finds a loader with workers that is made inside a loop of epochs or steps of things that no turn changes, and
    `next(iter(loader))` in a loop of steps. Quiet for loops over data sets and folds, where anything that the loader is
    made of may change, for one batch taken beside an epoch, for classes whose `__iter__` goes on where it was, and
    where the workers cannot start at all (LL103, LL109).

    ## Why it breaks
    Each iterator starts all its workers, and each worker fills its prefetch queue. A loader that is made again cannot
    keep them: `persistent_workers` has no effect. Where nobody asked for that and workers are forked, which is quick,
    it is an info and no warning: a loader made before the loop starts workers in every epoch, too, unless they persist.
    `next(iter(loader))` throws all but one batch away and, without shuffling, gives the same batch every time.

    ## Example
    ```python
    for step in range(1000):
        batch = next(iter(loader))
        train(batch)
    ```

    ## Safe equivalent
    ```python
    batches = iter(loader)
    for step in range(1000):
        batch = next(batches, None)
        if batch is None:
            batches = iter(loader)
            batch = next(batches)
        train(batch)
    ```
    A loader that is made in the loop is made before it, with `persistent_workers=True`.

    ## Fix safety
    There is no fix: the place above the loop is easily found, but a new iterator gives other batches.

    ## Evidence
    The `torch.utils.data` page ("each time an iterator of a DataLoader is created ... worker processes are created").
    On torch 2.13.0 CPU, Python 3.11, Linux, 20 times `next(iter(loader))` took 0.67 s and gave one batch, 0.01 s from
    one iterator; a loader made in each epoch started its workers in each, with `persistent_workers=True` as without. A
    forked worker took 0.05 s to start, a spawned one 2 to 3 s.
    """

    code = "LL305"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that starts workers in every turn."""
        if loader.cannot_start(target):
            return
        for restart in loader.uses.restarts:
            for workers in loader.workers_on(target):
                if together(workers.assumptions, restart.assumptions) is None:
                    continue
                if restart.one_batch and self._kept(loader, workers, target):
                    continue
                message, advice = self._words(restart, counted(workers))
                costs = restart.one_batch or self._starts_cost(loader, workers, restart, target)
                severity = None if costs else Severity.INFO
                yield self.finding(loader, restart, message, target, severity=severity, help=advice)
                break

    @staticmethod
    def _words(restart: Restart, workers: str) -> tuple[str, str]:
        loop = restart.loop.what
        if restart.one_batch:
            return (
                f"`{restart.what}` starts {workers} in every turn of `{loop}` and keeps one batch of what they load",
                "make the iterator before the loop, and take its next batch in every turn",
            )
        return (
            f"every turn of `{loop}` makes this loader again of the same things and so starts {workers} anew",
            "make the loader before the loop, with `persistent_workers=True`: its workers then start once",
        )

    def _starts_cost(self, loader: Loader, workers: Candidate, restart: Restart, target: Target) -> bool:
        """Return whether the workers were meant to stay, or each of them starts a fresh interpreter."""
        kept = loader.option("persistent_workers").on(target).known
        return any(
            one.constant and together(one.assumptions, workers.assumptions, restart.assumptions) is not None
            for one in kept
        ) or any(start.method.reimports for _, start in loader.worker_starts(target, workers, restart))

    @staticmethod
    def _kept(loader: Loader, workers: Candidate, target: Target) -> bool:
        kept = loader.option("persistent_workers").on(target)
        return kept.open or any(
            one.constant and together(one.assumptions, workers.assumptions) is not None for one in kept.known
        )
