"""LL601."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.edit import Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.remedy import added
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import Accelerator, Target
from loaderlint.model.uses import Role


class RespawnedEveryEpoch(Rule):
    """Spawned workers are started again for every epoch.

    ## What it does
    Finds a loader whose workers start by spawn or forkserver, that is iterated in a loop of epochs and says nothing of
    `persistent_workers`. Off by default (`--extend-select LL6`). Quiet where the program changes the data set between
    epochs, iterates the loader twice at once, or takes a library's hands to it, and for validation on Windows and ROCm.

    ## Why it breaks
    Nothing breaks: it is slow. A spawned worker is a fresh interpreter that imports torch and the main module and
    unpickles the data set, which takes seconds, in every epoch.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="spawn")
    for epoch in range(90):
        for batch in loader:
            train(batch)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="spawn", persistent_workers=True)
    for epoch in range(90):
        for batch in loader:
            train(batch)
    ```

    ## Fix safety
    Safe: the same samples; a shuffling loader draws another order from its second epoch on, and random augmentation
    goes on where it was instead of starting anew. Unsafe where not all of the data set was seen, where any code may
    get at it, or at what it was made of, in a way that was not followed (`trainer.loader.dataset.alpha = 1`), where
    the program changes the environment that worker code reads, or a file that its module reads, where there is a
    `worker_init_fn`, or where worker code changes what it keeps: a file that a worker opened once and read to its end
    gives nothing in the second epoch.

    ## Evidence
    `persistent_workers` on the `torch.utils.data` page and `DataLoader.__iter__` in
    `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU, Python 3.11, Linux, an epoch of 8 batches with 2 workers took
    3.4 to 6.6 s under spawn, 4.0 s under forkserver and 0.1 s under fork; with kept workers 0.02 s from the second on.
    """

    code = "LL601"
    severity = Severity.INFO
    confidence = Confidence.LIKELY
    enabled_by_default = False

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for a loader whose workers could stay."""
        kept = loader.option("persistent_workers").on(target)
        uses = loader.uses
        if kept.open or kept.written or uses.payload_changes or uses.iterated_within_itself:
            return
        if uses.role is Role.EVALUATION and (target.windows or target.accelerator is Accelerator.ROCM):
            return
        epochs = next((one for one in uses.iterations if one.epochs is not None and not one.wrapped_by), None)
        if epochs is None or epochs.epochs is None or any(not one.one_batch for one in uses.restarts):
            return
        for workers, start in loader.worker_starts(target):
            if start.method.reimports and together(workers.assumptions, epochs.assumptions) is not None:
                message = (
                    f"{counted(workers)} started by {start.method.value} start again in every turn of "
                    f"`{epochs.epochs.what}`, at {place(epochs.span)}"
                )
                at, help = Touch(loader.span, loader.callee), "give the loader `persistent_workers=True`"
                yield self.finding(loader, at, message, target, fix=self._fix(loader), help=help)
                return

    @staticmethod
    def _fix(loader: Loader) -> Remedy:
        fix = added(loader, "persistent_workers", True)
        if isinstance(fix, Unfixed):
            return fix
        if not loader.payload.seen:
            return fix.unsafe("not all that travels into the workers was seen to stay as it is")
        if loader.uses.payload_touched:
            return fix.unsafe("the program may change, between epochs, what the workers have a copy of")
        if (change := loader.payload.code.read_anew()) is not None:
            return fix.unsafe(f"`{change.what}` ({change.span.place}) changes what each new worker reads")
        if loader.payload.worker_init_fn is not None:
            return fix.unsafe("worker_init_fn runs where a worker starts, and a worker that stays starts once")
        if loader.payload.code.changes or loader.payload.code.remembers:
            return fix.unsafe("worker code changes what it keeps: a worker that stays goes on with that")
        return fix
