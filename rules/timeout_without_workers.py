"""LL204."""

from __future__ import annotations

from loaderlint.model.target import Target
from loaderlint.model.value import Candidate

from ._needs_workers import NeedsWorkers

_ERROR_HAS_WORDS = (2, 10)


class TimeoutWithoutWorkers(NeedsWorkers):
    """`timeout` is given to a loader without workers.

    ## What it does
    Finds a `timeout` above 0 that meets a worker count of 0: written, left out, or possible in some run of the program
    (a command-line default, an override, one arm of a condition). The finding stands at the timeout; its trail ends at
    the 0.

    ## Why it breaks
    The timeout is how long to wait for a worker. Without any, the loader is made but raises as soon as it is iterated.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, timeout=60)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, timeout=60 if args.workers > 0 else 0)
    ```

    ## Fix safety
    Safe: without workers the program could not run, and with workers the timeout stays. Unsafe where other runs of the
    same setting have workers and its language has no conditions, and where another loader that may have workers gets
    the same value.

    ## Evidence
    `_SingleProcessDataLoaderIter.__init__` in `torch/utils/data/dataloader.py`; before 2.10 the error has no text.
    Tried on torch 2.13.0 CPU, Python 3.11, Linux.
    """

    code = "LL204"
    option = "timeout"
    refused_when = "at the first batch"

    def error(self, target: Target) -> str:
        """Return what torch prints on the target."""
        if target.torch is not None and target.torch < _ERROR_HAS_WORDS:
            return "AssertionError"
        return "AssertionError: _SingleProcessDataLoaderIter requires timeout == 0"

    def refused(self, given: Candidate, target: Target) -> bool:
        """Return whether this timeout is above 0; torch refuses one below, or none at all, whatever the workers."""
        seconds = given.number(target)
        return seconds is not None and seconds > 0
