"""LL203."""

from __future__ import annotations

from loaderlint.model.target import Target

from ._needs_workers import NeedsWorkers


class ContextWithoutWorkers(NeedsWorkers):
    """`multiprocessing_context` is given to a loader without workers.

    ## What it does
    Finds a `multiprocessing_context` that meets a worker count of 0: written, left out, or possible in some run of the
    program (a command-line default, an override, one arm of a condition). The finding stands at the context; its trail
    ends at the 0.

    ## Why it breaks
    There is no process to start, and torch refuses the option.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context="spawn")
    ```

    ## Safe equivalent
    ```python
    context = "spawn" if args.workers > 0 else None
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=context)
    ```

    ## Fix safety
    Safe: without workers the program could not run, and with workers the context stays. Unsafe where other runs of the
    same setting have workers and its language has no conditions, and where another loader that may have workers gets
    the same value.

    ## Evidence
    `DataLoader.multiprocessing_context` in `torch/utils/data/dataloader.py`. Tried on torch 2.13.0 CPU, Python 3.11,
    Linux.
    """

    code = "LL203"
    option = "multiprocessing_context"

    def error(self, target: Target) -> str:
        """Return what torch prints on every target."""
        return (
            "ValueError: multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
            "but got num_workers=0"
        )
