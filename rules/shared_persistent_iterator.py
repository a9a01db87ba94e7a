"""LL406."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target


class SharedPersistentIterator(Rule):
    """Two iterators over one loader with persistent workers are one iterator, and it starts over.

    ## What it does
    Finds a loader with `persistent_workers` that is gone through twice at the same time: `zip(loader, loader)`, a loop
    over it inside a loop over it (or in a function called there), two results of `iter(loader)` that are both used, one
    that is used inside a loop over the loader.

    ## Why it breaks
    While workers persist, the loader has one iterator: `iter(loader)` resets it and hands it out again. Whoever used it
    before goes on with what is left by the other: `zip` pairs each batch with the next one and ends at half, an outer
    loop ends after its first turn. Nothing is raised.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, persistent_workers=True)
    for first, second in zip(loader, loader):
        compare(first, second)
    ```

    ## Safe equivalent
    ```python
    firsts = DataLoader(dataset, num_workers=4, persistent_workers=True)
    seconds = DataLoader(dataset, num_workers=4, persistent_workers=True)
    for first, second in zip(firsts, seconds):
        compare(first, second)
    ```
    Or leave `persistent_workers` out: then each iterator has workers of its own.

    ## Fix safety
    None: whether to make a second loader or to start workers each time is a matter of memory and time.

    ## Evidence
    `DataLoader.__iter__` in `torch/utils/data/dataloader.py` (2.13): the kept iterator is reset and returned. On torch
    2.13.0 CPU, Python 3.11, Linux, `zip` over 8 batches gave 4 pairs and nested loops over 8 batches made one outer
    turn; without persistence 8 pairs and 64 turns.
    """

    code = "LL406"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each second iterator of a loader with persistent workers."""
        for second in loader.uses.together:
            for workers, persistent in loader.together("num_workers", "persistent_workers", target):
                met = together(workers.assumptions, persistent.assumptions, second.assumptions)
                if not (workers.starts_workers(target) and persistent.constant) or met is None:
                    continue
                if holds_on(met, target):
                    message = (
                        "this resets the iterator that is in use already: a loader whose workers persist has only one"
                        + (f", taken at {place(second.other)}" if second.other is not None else "")
                    )
                    help = "make a second loader, or leave persistent_workers out"
                    yield self.finding(loader, second, message, target, help=help)
                    break
