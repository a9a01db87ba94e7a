"""LL503."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.edit import Fix, SetValue
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import LONG_ENOUGH, short_timeouts, unless_asked, unless_shared
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate


class TimeoutBelowStartup(Rule):
    """The deadline for a batch is shorter than it takes to start the workers.

    ## What it does
    Finds a `timeout` under 10 seconds where workers start by spawn or forkserver.

    ## Why it breaks
    Such a worker is a fresh interpreter that imports torch and the program first. The deadline counts from when the
    first batch is asked for, so it can pass before the worker has begun, and the run fails though nothing is wrong.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, timeout=5, multiprocessing_context="spawn")
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, timeout=60, multiprocessing_context="spawn")
    ```

    ## Fix safety
    Safe: 60 seconds, so that what came in time still does. Unsafe where the number also serves something else.

    ## Evidence
    `_MultiProcessingDataLoaderIter._get_data` in `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU, Python 3.11,
    Linux, a spawned worker took 1 to 7 s to start, and `timeout=1` raised on a dataset of a few numbers; under fork the
    same loader was fine.
    """

    code = "LL503"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each timeout that workers of a fresh interpreter can miss."""
        for given in short_timeouts(loader, target):
            start = next(_slow_starts(loader, given, target), None)
            if start is not None:
                message = (
                    f"the first batch can come too late: {start} can take longer than its timeout of {given.shown}"
                )
                longer = Fix(f"set timeout to {LONG_ENOUGH}", (SetValue(given.span, LONG_ENOUGH),))
                fix = unless_asked(unless_shared(longer, given), loader, "timeout")
                error = f"RuntimeError: DataLoader timed out after {given.constant} seconds"
                yield self.finding(loader, given, message, target, error=error, fix=fix)


def _slow_starts(loader: Loader, given: Candidate, target: Target) -> Iterator[str]:
    for workers, start in loader.worker_starts(target):
        met = together(given.assumptions, workers.assumptions, start.assumptions)
        if start.method.reimports and met is not None:
            yield f"starting {counted(workers)} by {start.method.value}"
