"""LL202."""

from __future__ import annotations

from loaderlint.model.target import Target

from ._needs_workers import NeedsWorkers


class PersistentWithoutWorkers(NeedsWorkers):
    """`persistent_workers` is on for a loader without workers.

    ## What it does
    Finds a true `persistent_workers` that meets a worker count of 0: written, left out, or possible in some run of the
    program (a command-line default, an override, one arm of a condition). The finding stands at the option; its trail
    ends at the 0.

    ## Why it breaks
    There is nothing to keep alive, and torch refuses the option.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, persistent_workers=True)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=args.workers, persistent_workers=args.workers > 0)
    ```

    ## Fix safety
    Safe: without workers the program could not run, and with workers the option stays. Unsafe where other runs of the
    same setting have workers and its language has no conditions, and where another loader that may have workers gets
    the same value.

    ## Evidence
    `DataLoader.__init__` in `torch/utils/data/dataloader.py`. Tried on torch 2.13.0 CPU, Python 3.11, Linux.
    transformers hands `dataloader_persistent_workers` on without a check of its own (`trainer.py`, 5.23).
    """

    code = "LL202"
    option = "persistent_workers"

    def error(self, target: Target) -> str:
        """Return what torch prints on every target."""
        return "ValueError: persistent_workers option needs num_workers > 0"
