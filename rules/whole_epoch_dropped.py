"""LL411."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import OBJECT_OPTIONS, Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.value import asks_no_more


class WholeEpochDropped(Rule):
    """`drop_last` drops the only batch there is.

    ## What it does
    Finds `drop_last=True` where the dataset is seen to have fewer samples than one batch takes: a list, a range,
    tensors whose size stands in the code, a class whose `__len__` gives a number, parts of these by `random_split`,
    several of them in a `ConcatDataset`.

    ## Why it breaks
    The one batch is incomplete, so it is dropped. The loop over the loader never runs, nothing is trained, and nothing
    is raised.

    ## Example
    ```python
    loader = DataLoader(TensorDataset(torch.randn(10, 3)), batch_size=32, drop_last=True)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(TensorDataset(torch.randn(10, 3)), batch_size=10, drop_last=True)
    ```

    ## Fix safety
    No fix: whether the batch, the dataset or `drop_last` is wrong is not known.

    ## Evidence
    `BatchSampler.__iter__` in `torch/utils/data/sampler.py`. On torch 2.13.0 CPU, Python 3.11, Linux, such loaders gave
    no batch and no warning.
    """

    code = "LL411"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each `drop_last` that leaves nothing."""
        for option in OBJECT_OPTIONS:
            sampler = loader.option(option).on(target)
            if sampler.open or any(one.constant is not None for one in sampler.known):
                # How many samples it gives is its own business.
                return
        found = set()
        for given, size in loader.written_together("drop_last", "batch_size", target):
            takes = size.number(target)
            for dataset in loader.payload.datasets if given.written and given.constant is True else ():
                has, met = dataset.length, together(given.assumptions, size.assumptions, dataset.assumptions)
                if has and takes is not None and has < takes and met is not None and given not in found:
                    found.add(given)
                    sure = asks_no_more(given, size.assumptions | dataset.assumptions)
                    sure = sure and asks_no_more(size, given.assumptions | dataset.assumptions)
                    counted = "1 sample" if has == 1 else f"{has} samples"
                    yield self.finding(
                        loader,
                        given,
                        f"drop_last leaves no batch at all: the dataset has {counted} ({place(dataset.span)}) and a "
                        f"batch takes {takes}",
                        target,
                        confidence=None if sure else Confidence.POSSIBLE,
                        help=f"set drop_last=False, or a batch_size of at most {has}",
                    )
