"""LL410."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.worker_code import Exhausted


class StopIterationInDataset(Rule):
    """Reading one sample of a dataset raises `StopIteration`, which ends the epoch in silence.

    ## What it does
    Finds `raise StopIteration` in the `__getitem__` of a map-style dataset that does not catch it. Quiet where it
    depends on the index, as no sampler gives one beyond the end, but for an index below what `__len__` is seen to give.

    ## Why it breaks
    The iterator of the loader lets it out, and whoever iterates takes it for the end of the data. The samples behind
    it are never seen, with workers or without, and nothing says so.

    ## Example
    ```python
    def __getitem__(self, index):
        image = read(self.paths[index])
        if image is None:
            raise StopIteration
        return image
    ```

    ## Safe equivalent
    ```python
    def __getitem__(self, index):
        image = read(self.paths[index])
        if image is None:
            raise ValueError(f"{self.paths[index]} is no image")
        return image
    ```
    Or leave such samples out where the dataset is made.

    ## Fix safety
    There is no fix: whether to fail or to skip the sample is not known.

    ## Evidence
    `_SingleProcessDataLoaderIter._next_data` and `ExceptionWrapper.reraise` in torch 2.13. On torch 2.13.0 CPU, Python
    3.11, Linux, an epoch of four batches ended after the first in 2 of 2 runs, with two workers and with none.
    """

    code = "LL410"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each such statement."""
        for end in loader.payload.code.ends:
            if holds_on(end.assumptions, target):
                message = f"the epoch ends without an error at the first sample that comes to `{end.what}`"
                help = "raise another error, or leave the sample out where the dataset is made"
                yield self.finding(loader, end, message, target, help=help)
        for short in loader.payload.code.exhausted:
            if any(self._ends(loader, short, target)):
                message = (
                    f"the epoch ends without an error where `{short.what}` finds no more: the iterator made at "
                    f"{place(short.made)} has no more than {short.items} for {short.samples} samples"
                )
                help = "give each index its own item, `self.items[index]`"
                yield self.finding(loader, short, message, target, help=help)

    def _ends(self, loader: Loader, end: Exhausted, target: Target) -> Iterator[bool]:
        """Yield for each worker count, with each batch size, whether a process that reads samples comes to the end."""
        for workers, size in loader.together("num_workers", "batch_size", target):
            count = workers.number(target) if loader.starts_workers else 0
            batch = 1 if size.constant is None else size.number(target)
            if isinstance(count, int) and isinstance(batch, int) and batch > 0:
                joint = together(end.assumptions, workers.assumptions, size.assumptions)
                yield joint is not None and holds_on(joint, target) and end.ends_with(count, batch)
