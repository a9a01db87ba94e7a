"""LL409."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, each_of
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, asks_no_more


class DropLastPerWorker(Rule):
    """`drop_last` drops a batch of every worker.

    ## What it does
    Finds `drop_last=True` beside an IterableDataset and two or more workers. Quiet for batches of one sample, for
    a dataset that never ends, and for one that gives each worker whole batches (Mosaic's `StreamingDataset`, one that
    is made with the batch size and asks which worker it is in).

    ## Why it breaks
    Each worker has an IterableDataset of its own and makes its own batches, so each drops its own incomplete last one.
    With 8 workers up to 8 batches go missing, without a word.

    ## Example
    ```python
    loader = DataLoader(stream, batch_size=32, num_workers=8, drop_last=True)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(stream, batch_size=32, num_workers=8, drop_last=False)
    ```
    Or give every worker a number of samples that makes whole batches.

    ## Fix safety
    No fix: whether the model can take an incomplete batch is not known.

    ## Evidence
    `drop_last` on the `torch.utils.data` page ("drops the last non-full batch of each worker's dataset replica"). On
    torch 2.13.0 CPU, Python 3.11, Linux, 10 samples in batches of 3 gave 9 without workers and 6 with 4.
    """

    code = "LL409"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each `drop_last` that several workers obey."""
        streams = [one for one in loader.payload.datasets if one.iterable and not (one.endless or one.whole_batches)]
        for given, workers in loader.together("drop_last", "num_workers", target) if loader.starts_workers else ():
            several = workers.starts_workers(target) and workers.number(target) != 1
            if not (given.written and given.constant is True and several and _makes_batches(loader, given, target)):
                continue
            for stream in streams:
                if together(given.assumptions, workers.assumptions, stream.assumptions) is None:
                    continue
                of = stream.name or "the stream"
                message = f"{each_of(workers)} drops its own last batch of {of} where that is incomplete"
                sure = asks_no_more(given, workers.assumptions | stream.assumptions)
                sure = sure and asks_no_more(workers, given.assumptions | stream.assumptions)
                yield self.finding(
                    loader,
                    given,
                    message,
                    target,
                    confidence=None if sure else Confidence.POSSIBLE,
                    help="set drop_last=False, or give every worker a number of samples that makes whole batches",
                )
                return


def _makes_batches(loader: Loader, given: Candidate, target: Target) -> bool:
    """Return whether a batch is more than one sample."""
    sizes = loader.beside(given, "batch_size", target)
    return loader.option("batch_size").open or any((size.number(target) or 0) > 1 for size in sizes)
