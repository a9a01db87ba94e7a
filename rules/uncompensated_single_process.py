"""LL605."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.edit import Fix, Remedy, SetValue, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.uses import Role
from loaderlint.model.value import Candidate, Value


class UncompensatedSingleProcess(Rule):
    """Small batches are accumulated where no worker loads ahead.

    ## What it does
    Finds a written worker count of 0 beside a batch size and gradients that are summed over several batches: in
    `TrainingArguments`, Lightning's `Trainer` or an `Accelerator`. Off by default (`--extend-select LL6`). Quiet where
    the 0 is only torch's default, where the same target may have workers, and for validation.

    ## Why it breaks
    Nothing breaks: it may be slower than it needs to be. Without workers the step waits for each of its batches. Twice
    the batch and half the accumulation are the same samples for each step, and what a batch costs by itself (collating,
    copying, launching kernels) is paid half as often. It takes more memory, and batch normalization sees more samples.

    ## Example
    ```python
    arguments = TrainingArguments(
        "out", dataloader_num_workers=0, per_device_train_batch_size=4, gradient_accumulation_steps=2
    )
    ```

    ## Safe equivalent
    ```python
    arguments = TrainingArguments(
        "out", dataloader_num_workers=0, per_device_train_batch_size=8, gradient_accumulation_steps=1
    )
    ```

    ## Fix safety
    Unsafe: the larger batch may not fit. There is a fix only for an accumulation of 2, and where this is the one loader
    that the program trains with: with more to halve, a second `--fix` would double the batch again.

    ## Evidence
    A report of a training job that gave up its workers on Windows and was advised to compensate for it this way.
    `accumulate` in `accelerate/accelerator.py` (1.15), `accumulate_grad_batches` on Lightning's `Trainer` page (2.6).
    With an `Accelerator` on torch 2.13.0 CPU, Python 3.11, Linux, 16 samples took 8 batches for 4 steps, and 4 for 4
    after the fix, with the same weight at the end to 4 decimals. The gain in time was not measured.
    """

    code = "LL605"
    severity = Severity.INFO
    confidence = Confidence.LIKELY
    enabled_by_default = False

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count of 0 that meets small batches that are accumulated."""
        counts = loader.num_workers.on(target)
        if loader.uses.role is Role.EVALUATION or loader.asked_for_on(target) or _may_be_anything(counts):
            return
        for workers in counts.written:
            met = next(self._accumulated(loader, workers, target), None) if workers.number(target) == 0 else None
            if met is None:
                continue
            batch, steps = met
            size, several = _whole(batch, target), _whole(steps, target)
            times = next(one for one in range(2, several + 1) if several % one == 0)
            fewer = several // times
            message = (
                f"no worker loads ahead, and each step waits for {several} batches of {size}, one after the other: "
                f"{fewer} of {size * times} would be the same {several * size} samples"
            )
            advice = (
                f"where memory allows, make the batch {size * times}, at {place(batch.span)}, "
                f"and the accumulation {fewer}, at {place(steps.span)}"
            )
            fix = self._fix(loader, batch, steps, target)
            yield self.finding(loader, workers, message, target, help=advice, fix=fix)

    @staticmethod
    def _accumulated(loader: Loader, workers: Candidate, target: Target) -> Iterator[tuple[Candidate, Candidate]]:
        for batch in loader.option("batch_size").on(target).written:
            for steps in loader.accumulation.on(target).written:
                if together(workers.assumptions, batch.assumptions, steps.assumptions) is None:
                    continue
                if _whole(batch, target) > 0 and _whole(steps, target) > 1:
                    yield batch, steps

    @staticmethod
    def _fix(loader: Loader, batch: Candidate, steps: Candidate, target: Target) -> Remedy:
        if _whole(steps, target) != 2:
            return Unfixed("how far the batch may grow is not known")
        alone = all(one.span == loader.span or one.uses.role is Role.EVALUATION for one in loader.program.loaders)
        values = (loader.option("batch_size"), loader.accumulation)
        if not alone:
            return Unfixed("other loaders of the program may have the same batch")
        if any(len(one.known) != 1 or _may_be_anything(one) for one in values):
            return Unfixed("other runs have other batches or steps")
        if any(one.sources or one.taken_out for one in (batch, steps)):
            return Unfixed("they are worked out from other numbers")
        edits = (SetValue(batch.span, 2 * _whole(batch, target)), SetValue(steps.span, 1))
        fix = Fix("double the batch and accumulate no more", edits)
        return fix.unsafe("a batch twice as large may not fit into memory")


def _whole(one: Candidate, target: Target) -> int:
    number = one.number(target)
    return number if isinstance(number, int) else 0


def _may_be_anything(value: Value) -> bool:
    return value.open and not value.by_user
