"""LL208."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import OBJECT_OPTIONS, Loader
from loaderlint.model.payload import DatasetKind, Samples
from loaderlint.model.remedy import dropped_at_the_call
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, asks_no_more, gives_way


class IterableWithSampler(Rule):
    """An IterableDataset is given `shuffle` or a sampler.

    ## What it does
    Finds a truthy `shuffle`, a `sampler` or a `batch_sampler` beside an IterableDataset, such as a WebDataset or a
    dataset that Hugging Face streams. Datapipes take `shuffle`.

    ## Why it breaks
    Such a dataset gives its samples in an order of its own and none by index, so there is nothing to sample from, and
    torch refuses.

    ## Example
    ```python
    stream = load_dataset("imdb", split="train", streaming=True)
    loader = DataLoader(stream, batch_size=8, shuffle=True)
    ```

    ## Safe equivalent
    ```python
    stream = load_dataset("imdb", split="train", streaming=True).shuffle(buffer_size=10_000)
    loader = DataLoader(stream, batch_size=8)
    ```

    ## Fix safety
    Unsafe: the option is dropped and the program runs, but in the order of the stream, which is not what was meant.

    ## Evidence
    `DataLoader.__init__` in `torch/utils/data/dataloader.py`, NOTE [ Custom Samplers and IterableDataset ]. Tried on
    torch 2.13.0 CPU, Python 3.11, Linux: `shuffle=None` and `shuffle=False` are accepted.
    """

    code = "LL208"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each option that an IterableDataset has no use for."""
        for option in ("shuffle", *OBJECT_OPTIONS):
            for given in loader.option(option).on(target).written:
                dataset = next((one for one in loader.payload.datasets if _refused(option, given, one)), None)
                if dataset is None:
                    continue
                what = f"shuffle is {given.shown}" if option == "shuffle" else f"a {option} is given"
                got = f", but got shuffle={given.constant}" if option == "shuffle" else ""
                sure = asks_no_more(given, dataset.assumptions) and not loader.may_be_guarded
                sure = sure and not given.may_be_changed
                sure = sure and not gives_way(given, loader.option(option).on(target).known, dataset.assumptions)
                yield self.finding(
                    loader,
                    given,
                    f"{what} but the dataset is an iterable one ({dataset.name}, {place(dataset.span)}): torch raises "
                    "when the loader is made",
                    target,
                    confidence=None if sure else Confidence.POSSIBLE,
                    error=f"ValueError: DataLoader with IterableDataset: expected unspecified {option} option{got}",
                    help="shuffle inside the dataset, over a buffer" if option == "shuffle" else None,
                    fix=dropped_at_the_call(loader, option, given, target).unsafe(
                        "the samples come in the stream's own order"
                    ),
                )


def _refused(option: str, given: Candidate, dataset: Samples) -> bool:
    if not dataset.iterable or together(given.assumptions, dataset.assumptions) is None:
        return False
    if option == "shuffle":
        return given.constant not in (False, None) and dataset.kind is not DatasetKind.DATAPIPE
    return given.constant is not None
