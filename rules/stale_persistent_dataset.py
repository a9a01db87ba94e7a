"""LL405."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.edit import Fix
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import switched_off
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target


class StalePersistentDataset(Rule):
    """The training loop changes a dataset of which persistent workers keep the first copy.

    ## What it does
    Finds an attribute of the dataset, `collate_fn` or a transform that code in the workers reads and that the loop over
    epochs (or Lightning's hook for one) sets, itself or by a method such as `set_epoch`, or a list or dictionary of its
    constructor's that the loop changes, where `persistent_workers` is on. Quiet where a tensor or value in shared
    memory is written to, and about samplers, which stay in the main process.

    ## Why it breaks
    Each worker gets a copy of the dataset when it starts. Workers that persist start once, so what the main process
    sets afterwards never reaches them: every epoch sees the curriculum, the augmentation or the seed of the first.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, persistent_workers=True)
    for epoch in range(90):
        dataset.set_epoch(epoch)
        for batch in loader:
            train(batch)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, persistent_workers=False)
    for epoch in range(90):
        dataset.set_epoch(epoch)
        for batch in loader:
            train(batch)
    ```
    Or keep the epoch in `torch.zeros((), dtype=torch.long).share_memory_()` and write into it with `fill_`.

    ## Fix safety
    Safe: the workers start again each epoch, which takes longer, and each gets what the loop set. Where another loader,
    whose data set stays as it is, gets the same value, this loader's own call is changed; unsafe where that names no
    `persistent_workers`, and where a sample depends on what its worker kept of those before.

    ## Evidence
    `DataLoader.__iter__` in `torch/utils/data/dataloader.py` (2.13) goes on with the iterator, and the workers, it has;
    `persistent_workers` on the `torch.utils.data` page. On torch 2.13.0 CPU, Python 3.11, Linux, three epochs saw epoch
    0 each time, under fork and spawn; without persistence they saw 0, 1 and 2.
    """

    code = "LL405"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that changes what persistent workers keep."""
        for change in loader.uses.changes:
            for workers, persistent in loader.together("num_workers", "persistent_workers", target):
                met = together(workers.assumptions, persistent.assumptions, change.assumptions)
                if not (workers.starts_workers(target) and persistent.constant) or met is None:
                    continue
                if holds_on(met, target):
                    read = f", read at {place(change.read)}" if change.read is not None else ""
                    message = (
                        f"the workers persist and never see this: each goes on with its first copy of "
                        f"`{change.holder}.{change.attribute}`{read}"
                    )
                    beside = (one for one in loader.program.loaders if one.span != loader.span)
                    lasting = [one for one in beside if not one.uses.changes]
                    fix = switched_off(loader, "persistent_workers", persistent, lasting)
                    if loader.payload.code.remembers and isinstance(fix, Fix):
                        fix = fix.unsafe("what a worker keeps of the samples before is gone with every epoch then")
                    confidence = Confidence.POSSIBLE if change.picked else Confidence.CERTAIN
                    yield self.finding(loader, change, message, target, confidence=confidence, fix=fix)
                    break
