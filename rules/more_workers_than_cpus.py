"""LL302."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import single_process
from loaderlint.model.rule import Rule
from loaderlint.model.target import Target

_WARNING = (
    "UserWarning: This DataLoader will create {} worker processes in total. Our suggested max number of worker in "
    "current system is {}, which is smaller than what this DataLoader is going to create."
)


class MoreWorkersThanCpus(Rule):
    """A loader has more workers than the machine has CPUs.

    ## What it does
    Finds a worker count above the `cpus` that the project gives for its target. `os.cpu_count()` counts as that number.
    Each loader is judged by itself. Quiet where no `cpus` are given.

    ## Why it breaks
    Workers that outnumber the CPUs take turns, with each other and with the training process. Each still costs its
    start, its memory and its share of the batches held ready.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=16)  # cpus = 8
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=8)
    ```
    The CPUs a job may use are `len(os.sched_getaffinity(0))` on Linux; with several ranks they are shared.

    ## Fix safety
    Safe: samples and their order stay. Unsafe for an IterableDataset, which is divided among the workers, and where the
    number also serves something else.

    ## Evidence
    `DataLoader.check_worker_number_rationality` in `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU, Python 3.11,
    Linux, it warned when the loader was made and at every epoch, and only for strictly more workers than CPUs.
    """

    code = "LL302"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count above the CPUs there are."""
        cpus = target.cpus
        for workers in loader.workers_on(target) if cpus is not None else ():
            many = workers.number(target)
            if many is None or cpus is None or many <= cpus:
                continue
            fix = single_process(loader, workers, target, cpus)
            if loader.payload.iterable:
                fix = fix.unsafe("an IterableDataset is divided among its workers")
            is_made_of = f" ({workers.constant})" if many != workers.constant else ""
            there_are = "there is 1 CPU" if cpus == 1 else f"there are {cpus} CPUs"
            message = f"{loader.spelled('num_workers')} is {many}{is_made_of} but {there_are}: the workers take turns"
            error = _WARNING.format(many, cpus)
            yield self.finding(loader, workers, message, target, error=error, fix=fix)
