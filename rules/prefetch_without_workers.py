"""LL201."""

from __future__ import annotations

from loaderlint.model.loader import left_out
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate

from ._needs_workers import NeedsWorkers

_ERROR = (
    "ValueError: prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
    "multiprocessing, otherwise set prefetch_factor to None."
)


class PrefetchWithoutWorkers(NeedsWorkers):
    """`prefetch_factor` is given to a loader without workers.

    ## What it does
    Finds a `prefetch_factor` that meets a worker count of 0: written, left out, or possible in some run of the program
    (a command-line default, an override, one arm of a condition). The finding stands at the factor; its trail ends at
    the 0.

    ## Why it breaks
    Only workers load ahead, so torch refuses the option without them, whatever its value.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, prefetch_factor=4)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, prefetch_factor=4 if args.workers > 0 else None)
    ```

    ## Fix safety
    Safe: without workers the program could not run, and with workers the factor stays. Unsafe where other runs of the
    same setting have workers and its language has no conditions, and where another loader that may have workers gets
    the same value.

    ## Evidence
    `DataLoader.__init__` in `torch/utils/data/dataloader.py`: any factor but `None` is refused from 2.0 on, any but 2
    before. Tried on torch 2.13.0 CPU, Python 3.11, Linux.
    """

    code = "LL201"
    option = "prefetch_factor"

    def error(self, target: Target) -> str | None:
        """Return what torch prints on the target."""
        return None if _before_2_0(target) else _ERROR

    def refused(self, given: Candidate, target: Target) -> bool:
        """Return whether the target's torch refuses this factor beside a worker count of 0."""
        return super().refused(given, target) and given.constant != left_out(self.option, target)


def _before_2_0(target: Target) -> bool:
    return target.torch is not None and target.torch < (2, 0)
