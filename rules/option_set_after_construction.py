"""LL209."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.uses import OptionSet

_ERROR = "ValueError: {} attribute should not be set after DataLoader is initialized"
_NO_PREFETCH = "TypeError: '<=' not supported between instances of 'NoneType' and 'int'"


class OptionSetAfterConstruction(Rule):
    """An attribute of a finished loader is set that torch only takes when the loader is made.

    ## What it does
    Finds `loader.batch_size = …` and the like for what torch refuses to change, and a `num_workers` above 0 set on a
    loader that was made without workers. Only for objects that were followed to the call that made the loader. Quiet
    where the error is caught or expected, and in a file that unlocks the loader (`_DataLoader__initialized`).

    ## Why it breaks
    Samplers and batches are built when the loader is, so torch refuses to change what they were built from. It takes
    another `num_workers`, but the `prefetch_factor` that goes with workers is set at construction alone: the first
    iteration raises.

    ## Example
    ```python
    loader = DataLoader(dataset, batch_size=32)
    loader.batch_size = 8
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, batch_size=8)
    ```
    For another size later on make another loader: it is cheap until it is iterated.

    ## Fix safety
    There is no fix: which of the two values is meant, and from when on, is not written anywhere.

    ## Evidence
    `DataLoader.__setattr__` and `_MultiProcessingDataLoaderIter.__init__` in `torch/utils/data/dataloader.py`. On torch
    2.13.0 CPU, Python 3.11, Linux, each of the six attributes raised the error quoted; `num_workers = 2` on a loader
    made with 0 raised at the first iteration, and `num_workers = 0` on one made with 2 was fine.
    """

    code = "LL209"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each attribute that is set."""
        for one in loader.uses.options_set:
            if not holds_on(one.assumptions, target):
                continue
            at = place(loader.span)
            if one.refused:
                message = f"`{one.what}` raises: torch refuses another {one.option} for the loader made at {at}"
                advice = f"give {one.option} when the loader is made"
                yield self.finding(loader, one, message, target, error=_ERROR.format(one.option), help=advice)
            elif self._starts_workers_too_late(one, loader, target):
                message = (
                    f"`{one.what}` comes too late: the loader at {at} was made without workers and so has no "
                    "prefetch_factor; iterating it raises"
                )
                advice = "give num_workers when the loader is made"
                yield self.finding(loader, one, message, target, error=_NO_PREFETCH, help=advice)

    @staticmethod
    def _starts_workers_too_late(one: OptionSet, loader: Loader, target: Target) -> bool:
        if one.option != "num_workers" or not isinstance(one.constant, int) or one.constant <= 0:
            return False
        if loader.num_workers.open or any(other.option == "prefetch_factor" for other in loader.uses.options_set):
            return False
        return any(
            workers.constant == 0 and together(workers.assumptions, one.assumptions) is not None
            for workers in loader.num_workers.on(target).known
        )
