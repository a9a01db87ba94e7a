"""LL505."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.uses import Role


class ValidationForksBesidePinning(Rule):
    """Validation workers are forked while the training loader's pin-memory thread is alive.

    ## What it does
    Finds a loader that validates with forked workers, beside a loader that trains with `pin_memory` on: validation in
    the midst of an epoch, or a training loader that keeps its workers, and so its thread. Shown with `--pedantic` only.

    ## Why it breaks
    `fork` copies locks as they are held. The pin-memory thread may just hold one of the C library's, which no thread of
    the forked worker ever gives back: the worker hangs when it first needs it, and the job waits for it. It is rare,
    and depends on libraries and driver.

    ## Example
    ```python
    train_loader = DataLoader(train_set, num_workers=8, pin_memory=True, persistent_workers=True)
    val_loader = DataLoader(val_set, num_workers=4)
    ```

    ## Safe equivalent
    ```python
    train_loader = DataLoader(train_set, num_workers=8, pin_memory=True, persistent_workers=True)
    val_loader = DataLoader(val_set, num_workers=4, multiprocessing_context="forkserver")
    ```
    A `timeout` makes a hang an error.

    ## Fix safety
    There is no fix: each way out has a price of its own, and most programs never meet the hang.

    ## Evidence
    pytorch/pytorch#130610 (a debugger's trace of the held lock), whose reports go from none in 211 runs to one in 13.
    On torch 2.11.0 (CUDA 13.0), Python 3.12, Linux, an H200, none of 40 runs hung that forked 4 workers for validation
    eight times beside 8 pinned ones.
    """

    code = "LL505"
    severity = Severity.INFO
    confidence = Confidence.POSSIBLE

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for a validation loader that forks beside a pinning one."""
        if loader.uses.role is not Role.EVALUATION or target.cuda is False:
            return
        forked = next(
            (workers for workers, start in loader.worker_starts(target) if start.method is StartMethod.FORK), None
        )
        for training in loader.program.loaders if forked is not None else ():
            if training.uses.role is Role.TRAINING and self._pins_meanwhile(training, loader, target):
                assert forked is not None
                message = (
                    f"this validation loader forks {counted(forked)} while the pin-memory thread of the "
                    f"training loader at {place(training.span)} is alive: a lock it holds just then hangs them"
                )
                advice = 'start them by `multiprocessing_context="forkserver"`, or give the loader a `timeout`'
                yield self.finding(loader, Touch(loader.span, loader.callee), message, target, help=advice)
                return

    @staticmethod
    def _pins_meanwhile(training: Loader, loader: Loader, target: Target) -> bool:
        pins = any(one.constant for one in training.option("pin_memory").on(target).written)
        stays = any(one.constant for one in training.option("persistent_workers").on(target).written)
        batches = {one.span for one in training.uses.iterations}
        amid = any(loop.span in batches for one in loader.uses.iterations for loop in one.loops)
        return pins and bool(training.workers_on(target)) and (stays or amid)
