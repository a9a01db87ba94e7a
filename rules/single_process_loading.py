"""LL603."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule
from loaderlint.model.target import Platform, Target
from loaderlint.model.uses import Role


class SingleProcessLoading(Rule):
    """A training program loads every batch in the process that trains.

    ## What it does
    Finds a loader that trains without workers, where the project runs on Linux (or WSL) alone. Off by default
    (`--extend-select LL6`). Quiet where a user can ask for workers, where the data set was not seen to read or compute
    anything for a sample, is iterable, or holds what workers cannot share, for validation, and where nothing was seen
    to iterate the loader.

    ## Why it breaks
    Nothing breaks: the model waits while samples are read and collated, and the samples wait while it computes. Workers
    do the one beside the other. Where a sample takes hardly any work they cost more than they save.

    ## Example
    ```python
    train_loader = DataLoader(dataset, batch_size=32, shuffle=True)
    for images, labels in train_loader:
        step(images, labels)
    ```

    ## Safe equivalent
    ```python
    workers = max(1, len(os.sched_getaffinity(0)) // processes_per_machine - 1)
    train_loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=workers)
    for images, labels in train_loader:
        step(images, labels)
    ```
    It is a number to start from, not the best one: measure an epoch with it, and with less.

    ## Fix safety
    There is none: how many workers pay off depends on the machine and on what a sample costs.

    ## Evidence
    "Single- and Multi-process Data Loading" on the `torch.utils.data` page: without workers data loading may block
    computing. The number to start from is Lightning's `suggested_max_num_workers`; torch gives none. On torch 2.13.0
    CPU, Python 3.11, Linux, 8 samples that took 0.1 s each and 8 steps of 0.1 s took 1.6 s, and 1.0 s with 2 workers.
    """

    code = "LL603"
    severity = Severity.INFO
    confidence = Confidence.LIKELY
    enabled_by_default = False
    on_every_target = True

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for a loader that trains without workers."""
        counts = loader.num_workers.on(target)
        # Without an entry point nothing was seen to iterate it.
        trains = loader.uses.role is Role.TRAINING and loader.program.guarded is not None
        if target.platform is not Platform.LINUX or not trains or counts.open or not _can_have_workers(loader):
            return
        if counts.known and all(one.number(target) == 0 for one in counts.known):
            message = "no worker loads ahead: the model waits for every batch of this training loader"
            advice = (
                f"set {loader.spelled('num_workers')} to the CPUs of the process, less one: "
                "max(1, len(os.sched_getaffinity(0)) // processes_per_machine - 1) is a number to start from"
            )
            yield self.finding(loader, counts.known[0], message, target, help=advice)


def _can_have_workers(loader: Loader) -> bool:
    """Return whether the data set was seen to be worth workers, and nothing of it to be in their way."""
    payload = loader.payload
    works = bool(payload.datasets) and all(one.works and not one.iterable for one in payload.datasets)
    in_the_way = any(not one.kind.copied for one in payload.kept)
    return works and not (payload.cuda or in_the_way or payload.code.nested)
