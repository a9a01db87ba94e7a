"""LL404."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Fix, WriteAs
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target
from loaderlint.model.worker_code import SeedOrigin


class NumpySeedOverflow(Rule):
    """NumPy is seeded with a number that is too big for it.

    ## What it does
    Finds `np.random.seed(torch.initial_seed())`, or the seed of `get_worker_info()`, in code that runs in a worker.
    Quiet where that code gives torch a seed of its own.

    ## Why it breaks
    In a worker torch's seed is a random number of 63 bits; NumPy takes 32. All but one in two thousand million raise.

    ## Example
    ```python
    def seed_worker(worker_id):
        np.random.seed(torch.initial_seed())

    loader = DataLoader(images, num_workers=4, worker_init_fn=seed_worker)
    ```

    ## Safe equivalent
    ```python
    def seed_worker(worker_id):
        np.random.seed(torch.initial_seed() % 2**32)
    ```

    ## Fix safety
    Safe: the program could not run before. `% 2**32` is added.

    ## Evidence
    The `torch.utils.data` page, "Randomness in multi-process data loading"; `_BaseDataLoaderIter.__init__` in
    `torch/utils/data/dataloader.py` draws the seed. On torch 2.13.0 CPU with NumPy 2.4, Python 3.11, Linux, 2 of 2 runs
    raised; with the remainder 2 of 2 delivered.
    """

    code = "LL404"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each seed."""
        for seed in loader.payload.code.seeds:
            workers = next((count for count, _ in loader.worker_starts(target, seed)), None)
            if seed.origin is SeedOrigin.DRAWN and workers is not None:
                message = f"the first of {counted(workers)} raises: `{seed.what}` hands NumPy a number of 63 bits"
                fix = Fix("take the remainder by 2**32", (WriteAs(seed.span, "{} % 2**32"),))
                yield self.finding(loader, seed, message, target, error=_ERROR, fix=fix)


_ERROR = "ValueError: Seed must be between 0 and 2**32 - 1"
