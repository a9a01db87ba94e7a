"""LL501."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Fix, Unfixed, WriteAs
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target

_OTHERS = Unfixed("what to give in its place is not known")


class UnsendableBatch(Rule):
    """A worker gives back something that cannot be sent to the main process.

    ## What it does
    Finds a lambda, generator, lock, open file, object of a local class, `defaultdict` with a lambda, or a tensor that
    keeps its graph, in what a `collate_fn` returns, or in an item where nothing collates: a `collate_fn` that hands the
    items on, or `batch_size=None`. Graphs also where a `collate_fn` stacks the items: what a layer, a parameter or a
    model of the project gives has one. Quiet about graphs where the project switches gradients off anywhere.

    ## Why it breaks
    The thread that sends the batch cannot pickle it, prints that, and drops the batch. The worker goes on; the main
    process waits for the batch for ever, however workers are started. Without workers the same code runs.

    ## Example
    ```python
    def collate(samples):
        return {"images": torch.stack(samples), "decode": lambda labels: labels.argmax()}

    loader = DataLoader(images, num_workers=4, collate_fn=collate)
    ```

    ## Safe equivalent
    ```python
    def decode(labels):
        return labels.argmax()

    def collate(samples):
        return {"images": torch.stack(samples), "decode": decode}
    ```
    A function at the top of a module travels as its name. Make a generator a list, a `defaultdict` a `dict`, and
    `detach()` a tensor; a lock or an open file stays in the worker.

    ## Fix safety
    Safe for a tensor of a batch: it is detached, and its numbers stay. Unsafe for one of an item, which may be taken
    without workers as well, to learn from. For the rest there is no fix: what the training loop does
    with it is not seen.

    ## Evidence
    `torch/utils/data/dataloader.py`, `_get_data`, waits without a limit where there is no `timeout`; CPython,
    `multiprocessing/queues.py`, `_on_queue_feeder_error`. On torch 2.13.0 CPU, Python 3.11, Linux, every form hung
    under fork (50 of 50 runs) and spawn (5 of 5). torch's own collate refuses all of them at once but the
    `defaultdict`, which hung there, too; `map` and `zip` objects and leaf tensors that require grad arrived.
    """

    code = "LL501"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each thing that cannot be sent."""
        for one in loader.payload.code.unsendable:
            workers = next((count for count, _ in loader.worker_starts(target, one)), None)
            if workers is not None:
                message = (
                    f"the main process waits for a batch that never comes: {counted(workers)} cannot send {one.what}, "
                    f"which {one.role} gives"
                )
                fix = Fix("detach the tensor", (WriteAs(one.span, "{}.detach()"),)) if one.graph else _OTHERS
                if isinstance(fix, Fix) and one.role == "dataset":
                    fix = fix.unsafe("whoever takes an item that no worker sends may need its graph")
                help = "give what pickles: a function by its name, a list, a dict, a detached tensor"
                sure = Confidence.LIKELY if one.graph else Confidence.CERTAIN
                yield self.finding(loader, one, message, target, confidence=sure, error=one.error, help=help, fix=fix)
