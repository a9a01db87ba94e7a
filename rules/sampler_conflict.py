"""LL207."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loaderlint.model.edit import Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import redundant
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText, asks_no_more, gives_way

_BATCHES = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"


class _Conflict(NamedTuple):
    """An option, the other that leaves no room for it, and what torch says."""

    option: str
    other: str
    error: str


_CONFLICTS = (
    _Conflict("shuffle", "sampler", "sampler option is mutually exclusive with shuffle"),
    *(_Conflict(option, "batch_sampler", _BATCHES) for option in ("batch_size", "shuffle", "sampler", "drop_last")),
    _Conflict(
        "drop_last",
        "batch_size",
        "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
    ),
)


class SamplerConflict(Rule):
    """Two options both say which samples make a batch.

    ## What it does
    Finds `shuffle=True` beside a `sampler`; `batch_size`, `shuffle`, `sampler` or `drop_last` beside a `batch_sampler`;
    `drop_last=True` beside `batch_size=None`; and a `BatchSampler` given as `sampler` while torch still makes batches.

    ## Why it breaks
    A sampler decides the order, a batch sampler the batches, and torch refuses a second word on it. A `BatchSampler`
    given as `sampler` raises nothing: each of its batches becomes one sample of a batch of torch's own.

    ## Example
    ```python
    loader = DataLoader(dataset, batch_size=8, shuffle=True, sampler=DistributedSampler(dataset))
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))
    ```
    Where the sampler may be None, `shuffle=sampler is None` says it.

    ## Fix safety
    Safe: the program could not run; what is redundant is dropped. No fix where other runs of the program need it, nor
    for a `BatchSampler` given as `sampler`.

    ## Evidence
    `DataLoader.__init__` in `torch/utils/data/dataloader.py` and the `torch.utils.data` page, "Loading Batched and
    Non-Batched Data". Every combination was tried on torch 2.13.0 CPU, Python 3.11, Linux.
    """

    code = "LL207"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each option that another leaves no room for."""
        found: set[tuple[str, Candidate]] = set()
        for option, other, error in _CONFLICTS:
            for given, beside in loader.written_together(option, other, target):
                if not (_says(option, given) and _leaves_no_room(other, beside)) or (option, given) in found:
                    continue
                found.add((option, given))
                sure = asks_no_more(given, beside.assumptions) and not loader.may_be_guarded
                # A batch size of None that was handed on is often a place to be filled in later.
                handed_on = other == "batch_size" and bool(beside.trail)
                sure = sure and not handed_on and not isinstance(given.constant, CommandLineText)
                sure = sure and not given.may_be_changed and not beside.may_be_changed
                sure = sure and not gives_way(given, loader.option(option).on(target).known, beside.assumptions)
                yield self.finding(
                    loader,
                    given,
                    f"{_shown(loader, option, given)} but {_shown(loader, other, beside)} ({place(beside.span)}): "
                    "torch raises when the loader is made",
                    target,
                    confidence=None if sure else Confidence.POSSIBLE,
                    error=f"ValueError: {error}",
                    help=f"give {option} only where {other} is None" if other != "batch_size" else None,
                    fix=redundant(loader, option, given, other, target),
                )
        yield from self._wrapped(loader, target)

    def _wrapped(self, loader: Loader, target: Target) -> Iterator[Finding]:
        for given, size in loader.written_together("sampler", "batch_size", target):
            deliberate = loader.payload.collate_fn is not None
            if getattr(given.constant, "batches", False) and size.constant is not None and not deliberate:
                message = "a BatchSampler is given as sampler: each of its batches becomes one sample of another batch"
                help = "give it as batch_sampler, or set batch_size=None"
                fix = Unfixed("whether samples or whole batches are meant is not known")
                yield self.finding(loader, given, message, target, severity=Severity.WARNING, help=help, fix=fix)
                return


def _says(option: str, given: Candidate) -> bool:
    if option == "sampler":
        return given.constant is not None
    return given.constant != 1 if option == "batch_size" else bool(given.constant)


def _leaves_no_room(other: str, given: Candidate) -> bool:
    return (given.constant is None) is (other == "batch_size")


def _shown(loader: Loader, option: str, given: Candidate) -> str:
    if option in ("sampler", "batch_sampler"):
        return f"a {option} is given"
    return f"{loader.spelled(option)} is {given.shown}"
