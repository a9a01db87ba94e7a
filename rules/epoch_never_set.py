"""LL408."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.edit import BeginTurns, Fix, Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.uses import Iteration, Loop, Role, UntoldSampler


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
    Unsafe: every later epoch gets another order. The call is added where the loop names its turns (`for epoch in …`,
    not `while`) and the sampler, or its loader, always goes by one name there; otherwise there is no fix.

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
            found = [one for one in loader.uses.iterations if _same_order(sampler, one, target)]
            loops = list(dict.fromkeys(one.epochs for one in found if one.epochs is not None))
            if not loops:
                continue
            message = (
                f"every turn of `{loops[0].what}` gets the samples in the same order: the sampler is never told "
                f"the epoch; the loader is iterated at {place(found[0].span)}"
            )
            help = "call `set_epoch(epoch)` on the sampler before each epoch's iteration"
            yield self.finding(loader, sampler, message, target, help=help, fix=_fix(sampler, loops))


def _same_order(sampler: UntoldSampler, one: Iteration, target: Target) -> bool:
    """Return whether a loop of epochs iterates the loader, in a run that has the sampler."""
    met = together(sampler.assumptions, one.assumptions)
    counted = one.epochs is not None and not one.epochs.asked
    return counted and not one.wrapped_by and met is not None and holds_on(met, target)


def _fix(sampler: UntoldSampler, loops: Sequence[Loop]) -> Remedy:
    for one in loops:
        if not one.counter:
            return Unfixed(f"no name counts the turns of `{one.what}`")
        if not sampler.name_in(one):
            return Unfixed(f"the sampler has no name of its own at `{one.what}`")
    told = tuple(BeginTurns(one.span, f"{sampler.name_in(one)}.set_epoch({one.counter})") for one in loops)
    return Fix("tell the sampler the epoch", told).unsafe("every later epoch gets another order")
