"""LL502."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import added
from loaderlint.model.rule import Rule, one_of
from loaderlint.model.target import Target

_SECONDS = 300


class NoDeadline(Rule):
    """Workers are waited for without a deadline.

    ## What it does
    Finds loaders with workers that are given no `timeout`. Off by default: `--extend-select LL502`.

    ## Why it breaks
    The main process waits for the next batch as long as it takes. A worker that is stuck (in a lock it inherited, a
    mount that went away, a batch it cannot send) stops the job without a word, and it holds its machines until somebody
    looks. With a deadline the same job fails and says why.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, timeout=300)
    ```
    Choose a deadline well above the slowest batch; the first one includes starting the workers.

    ## Fix safety
    Safe: a batch that comes within five minutes comes as before. No fix where the options are not written in a call, or
    where workers come and go and their number has no name.

    ## Evidence
    `_MultiProcessingDataLoaderIter._get_data` in `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU, Python 3.11,
    Linux, a worker that blocked hung 10 of 10 runs without a `timeout`; with one of 5 s each raised
    `RuntimeError: DataLoader timed out` after 5.1 s.
    """

    code = "LL502"
    severity = Severity.INFO
    confidence = Confidence.CERTAIN
    enabled_by_default = False

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count of a loader that is given no timeout."""
        if "timeout" in loader.options or loader.spelled("num_workers") != "num_workers":
            return
        for workers in loader.workers_on(target):
            message = f"the job hangs for ever when {one_of(workers)} is stuck: the loader has no timeout"
            fix = added(loader, "timeout", _SECONDS)
            yield self.finding(loader, workers, message, target, help="give it a timeout", fix=fix)
