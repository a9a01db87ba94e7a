"""LL116."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, each_of
from loaderlint.model.target import Target


class TorchGeneratorInWorker(Rule):
    """A dataset takes a `torch.Generator` along into workers that die of it.

    ## What it does
    Finds a `torch.Generator` that a dataset, `collate_fn` or transform keeps, where workers start by spawn or
    forkserver. The `generator` of the loader and of a sampler stays in the main process and may be anything.

    ## Why it breaks
    The generator pickles, but a worker cannot unpickle it: its state is a tensor in shared memory whose size cannot be
    set. Every worker dies while it starts, and the main process only says that one exited.

    ## Example
    ```python
    class Noisy(Dataset):
        def __init__(self):
            self.generator = torch.Generator().manual_seed(0)
    ```

    ## Safe equivalent
    ```python
    class Noisy(Dataset):
        def __init__(self):
            self.generator = None

        def __getitem__(self, index):
            if self.generator is None:
                self.generator = torch.Generator().manual_seed(torch.initial_seed())
            return torch.rand(3, generator=self.generator)
    ```
    Each worker has a seed of its own there, too, which a generator made before lacks (LL402).

    ## Fix safety
    None: which seed each worker should have is for somebody who knows the dataset to say.

    ## Evidence
    On torch 2.13.0 CPU, Python 3.11, Linux, 12 of 12 runs under spawn and forkserver ended with the error quoted in the
    worker and `DataLoader worker (pid(s) ...) exited unexpectedly` in the main process; under fork none did.
    """

    code = "LL116"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each thing that is kept and cannot be unpickled."""
        for kept in loader.sent_on(target).kept:
            if not (kept.travels and kept.kind.unpickling):
                continue
            for workers, start in loader.worker_starts(target, kept):
                if start.method.reimports:
                    how = f"{each_of(workers)} started by {START_METHOD}"
                    message = f"{how} dies: it cannot unpickle {kept.described}"
                    help = "make it in the worker, when it is first used, from `torch.initial_seed()`"
                    yield self.finding(
                        loader, kept, message, target, error=kept.kind.unpickling, help=help, start=start
                    )
                    break
