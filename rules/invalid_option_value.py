"""LL206."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.edit import Fix, Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import drop
from loaderlint.model.rule import Rule
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText

from ._counts import asks_for_workers
from ._integers import made_integer
from ._refusals import how_sure, refusal


class InvalidOptionValue(Rule):
    """A loader option has a value that torch refuses, or takes for its opposite.

    ## What it does
    Finds `prefetch_factor` 0, negative or no integer; `timeout` negative, `None` or text; `batch_size` 0, negative, a
    float, a bool or text; `drop_last` and `shuffle` as text.

    ## Why it breaks
    torch refuses all but the last, some only at the first batch. `shuffle="False"` is text, so true, and shuffles.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, prefetch_factor=0)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, prefetch_factor=1)
    ```

    ## Fix safety
    Safe for `prefetch_factor`, which is dropped so that torch's own 2 holds: the program could not run. A flag that
    gives it is declared `type=int` instead. The others have no fix, because what was meant is not known.

    ## Evidence
    `DataLoader.__init__` in `torch/utils/data/dataloader.py`, `BatchSampler` in `sampler.py`. Every form was tried on
    torch 2.13.0 CPU, Python 3.11, Linux. Before 2.10 the error of `prefetch_factor=0` has no text.
    """

    code = "LL206"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each written value that is refused or misread."""
        for option in ("prefetch_factor", "timeout", "batch_size", "drop_last", "shuffle"):
            for given in loader.option(option).on(target).written:
                wrong = refusal(option, given, target)
                if wrong is None or (option == "prefetch_factor" and not _meets_workers(loader, given, target)):
                    continue
                message = f"{loader.spelled(option)} is {given.shown}, {wrong.why}"
                prefetches = option == "prefetch_factor"
                fix = _fix(loader, given, target) if prefetches else Unfixed("what was meant is not known")
                unsure = wrong.is_handled(loader) or (prefetches and asks_for_workers(given))
                sure = Confidence.POSSIBLE if unsure else how_sure(given)
                yield self.finding(loader, given, message, target, confidence=sure, error=wrong.error, fix=fix)


def _fix(loader: Loader, given: Candidate, target: Target) -> Remedy:
    """Return the fix of a factor: where a flag gives it, that takes integers, or what its user gives would be none."""
    value = loader.option("prefetch_factor")
    if isinstance(given.constant, CommandLineText) or any(one.holds(given.span) for one in value.given_at):
        integer = made_integer(value, given, target, "prefetch factor")
        if isinstance(integer, Fix):
            return integer
    return drop(loader, "prefetch_factor", given, target)


def _meets_workers(loader: Loader, given: Candidate, target: Target) -> bool:
    counts = loader.asked_for_on(target)
    # Where the factor is the worker count itself, or worked out of it, it is another one, too, with every count that
    # was not seen.
    of_count = any(one.span == given.span or one.span in given.sources for one in loader.num_workers.written)
    may_have_others = loader.num_workers.open and not of_count
    return may_have_others or any(together(given.assumptions, one.assumptions) is not None for one in counts)
