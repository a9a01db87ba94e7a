"""LL108."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target


class UnpicklableHandle(Rule):
    """A dataset keeps an open file, a lock or a generator that cannot travel into a worker.

    ## What it does
    Finds what a dataset, `collate_fn` or transform opens or makes in its constructor and still keeps when workers start
    by spawn or forkserver: files and archives, `h5py.File` and what is read lazily from it, LMDB environments, SQLite
    connections, video readers, locks, queues, executors, generators.

    ## Why it breaks
    Such a worker gets the dataset pickled, and a handle has no meaning in another process, so starting the first worker
    raises. A class with its own `__getstate__` or `__reduce__` decides itself what travels, and is not reported.

    ## Example
    ```python
    class Pictures(Dataset):
        def __init__(self, path):
            self.file = h5py.File(path)
            self.images = self.file["images"]
    ```

    ## Safe equivalent
    ```python
    class Pictures(Dataset):
        def __init__(self, path):
            self.path, self.file = path, None
            with h5py.File(path) as file:
                self.length = len(file["images"])

        def __getitem__(self, index):
            if self.file is None:
                self.file = h5py.File(self.path)
            return self.file["images"][index]
    ```

    ## Fix safety
    None: where a handle is first needed is for somebody who knows the dataset to say.

    ## Evidence
    CPython, `pickle`, "What can be pickled and unpickled?"; h5py, `h5py/_hl/base.py`; pytorch/vision issue 689 (LSUN on
    Windows). On torch 2.13.0 CPU, Python 3.11, Linux, every run under spawn and forkserver raised the error quoted;
    under fork none did.
    """

    code = "LL108"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each thing that is kept and does not pickle."""
        for kept in loader.sent_on(target).kept:
            if not (kept.travels and kept.kind.pickling):
                continue
            for workers, start in loader.worker_starts(target, kept):
                if start.method.reimports:
                    how = f"starting {counted(workers)} by {START_METHOD}"
                    message = f"{how} raises: {kept.described} cannot be pickled"
                    help = "make it in the worker, when it is first used, or leave it out in `__getstate__`"
                    yield self.finding(loader, kept, message, target, error=kept.kind.pickling, help=help, start=start)
                    break
