"""LL408."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.uses import Role
from loaderlint.model.value import holds_on, together


class EpochNeverSet(Rule):
    """A distributed sampler shuffles every epoch into the same order because nobody tells it the epoch.

    ## What it does
    Finds a shuffling `DistributedSampler` whose loader is iterated in a loop of epochs, in a program without any call
    of `set_epoch` that could reach it. Quiet for `shuffle=False`, for evaluation, where a single epoch was seen or the
    program asks which epoch it is, where the sampler's `epoch` or `seed` is set, and where a library takes the loader
    over (Lightning, accelerate, Hugging Face and the like call it themselves).

    ## Why it breaks
    The order is drawn from `seed + epoch`, and the sampler counts no epochs itself: without `set_epoch` the epoch stays
    0. All epochs see the same batches, made of the same samples, in the same order. Nothing is raised.

    ## Example
    ```python
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    for epoch in range(90):
        for batch in loader:
            train(batch)
    ```

    ## Safe equivalent
    ```python
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    for epoch in range(90):
        sampler.set_epoch(epoch)
        for batch in loader:
            train(batch)
    ```

    ## Fix safety
    There is no fix: only the author knows which name counts the epochs, and every later epoch gets another order.

    ## Evidence
    `torch/utils/data/distributed.py` (2.13): `g.manual_seed(self.seed + self.epoch)`, and the class's docstring
    ("Otherwise, the same ordering will be always used."). On torch 2.13.0 CPU, Python 3.11, Linux, three epochs gave
    one order without the call, and three with it.
    """

    code = "LL408"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each sampler that is told no epoch."""
        if loader.uses.role is Role.EVALUATION:
            return
        for sampler in loader.uses.shuffles_by_epoch:
            for one in loader.uses.iterations:
                met = together(sampler.assumptions, one.assumptions)
                if one.epochs is None or one.epochs.asked or one.wrapped_by or met is None or not holds_on(met, target):
                    continue
                message = (
                    f"every turn of `{one.epochs.what}` gets the samples in the same order: the sampler is never told "
                    f"the epoch; the loader is iterated at {place(one.span)}"
                )
                advice = "call `set_epoch(epoch)` on the sampler before each epoch's iteration"
                yield self.finding(loader, sampler, message, target, help=advice)
                break
