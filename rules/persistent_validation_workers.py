"""LL504."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Fix, Remedy, SetValue, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import unless_asked
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.source import Span
from loaderlint.model.target import Accelerator, Target
from loaderlint.model.uses import Role
from loaderlint.model.value import Candidate


class PersistentValidationWorkers(Rule):
    """Validation workers stay alive beside those of the training loader, on Windows or ROCm.

    ## What it does
    Finds a true `persistent_workers` on a loader that validates or tests, beside a loader that trains in the same
    run, where the target is Windows or ROCm. What a loader is for is read from its name, the hook that makes it,
    or the loop that iterates it. A loader whose workers cannot start there (LL103, LL109) keeps none, nor does one of
    several that a function returns where no caller takes it. Quiet about those of Lightning's `test_dataloader` and
    `predict_dataloader`: its trainer ends all workers when it has fitted.

    ## Why it breaks
    The workers of both loaders are then alive all the time: twice the processes, each of which has imported torch and
    holds its data set and its prefetched batches. On these platforms training jobs were seen to stall in the first
    validation, and ran once the validation workers ended with it.

    ## Example
    ```python
    train_loader = DataLoader(train_set, num_workers=8, persistent_workers=True)
    val_loader = DataLoader(val_set, num_workers=4, persistent_workers=True)
    ```

    ## Safe equivalent
    ```python
    train_loader = DataLoader(train_set, num_workers=8, persistent_workers=True)
    val_loader = DataLoader(val_set, num_workers=4, persistent_workers=False)
    ```

    ## Fix safety
    Safe: the same batches in the same order; each validation starts its workers anew. Unsafe where a sample depends on
    those its worker read before, unsafe or none where the value also serves the training loader.

    ## Evidence
    Reports of training jobs on Windows and ROCm that waited for hours in a validation, and went on once it kept no
    workers; pytorch/pytorch#130610 for a second loader's workers beside a living pin-memory thread. What a kept worker
    holds: `persistent_workers` on the `torch.utils.data` page. Not measured: neither platform was at hand.
    """

    code = "LL504"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each value that keeps the workers of a validation loader."""
        if loader.uses.role is not Role.EVALUATION or not (target.windows or target.accelerator is Accelerator.ROCM):
            return
        beside = (one for one in loader.program.loaders if one.span in loader.uses.beside)
        trained = (one for one in beside if one.uses.role is Role.TRAINING and one.workers_on(target))
        started = (one for one in trained if not one.cannot_start(target))
        training = min(started, key=lambda one: _how_far(one.span, loader.span), default=None)
        if training is None or not loader.starts_workers or loader.cannot_start(target):
            return
        for kept in loader.option("persistent_workers").on(target).written:
            meets = (
                workers
                for workers, other in loader.together("num_workers", "persistent_workers", target)
                if other is kept and workers.starts_workers(target)
            )
            workers = next(meets, None)
            if kept.constant and workers is not None:
                system = "Windows" if target.windows else "ROCm"
                message = (
                    f"on {system} this validation loader keeps {counted(workers)} alive beside those of the training "
                    f"loader at {place(training.span)}"
                )
                fix = unless_asked(self._fix(loader, kept, workers), loader, "persistent_workers")
                help = "give this loader `persistent_workers=False`"
                yield self.finding(loader, kept, message, target, fix=fix, help=help)

    @staticmethod
    def _fix(loader: Loader, kept: Candidate, workers: Candidate) -> Remedy:
        # Without workers there is nothing left to mend.
        follows = kept.sources | workers.sources | {workers.span}
        title, argument = "let the validation workers end", loader.option("persistent_workers").at_the_call
        others = [one.option("persistent_workers") for one in loader.program.loaders if one.span != loader.span]
        serves_others = any(one.span == kept.span for other in others for one in other.known) or kept.serves_others
        if serves_others and (argument is None or argument == kept.span):
            return Unfixed("other loaders have the same value")
        at = argument if serves_others and argument is not None else kept.span
        fix = Fix(title, (SetValue(at, False),), follows=follows)
        if loader.payload.code.remembers:
            return fix.unsafe("a sample depends on those its worker read before, which new workers have not read")
        return fix


def _how_far(one: Span, other: Span) -> tuple[bool, bool, int]:
    """Return a sorting key for how far one loader stands from another: of those of a notebook the last counts."""
    return one.path != other.path, one.start > other.start, abs(other.line - one.line)
