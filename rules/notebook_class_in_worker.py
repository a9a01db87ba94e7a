"""LL109."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Unfixed
from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import single_process
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target


class NotebookClassInWorker(Rule):
    """A class or function that a notebook defines has to travel into workers that cannot import the notebook.

    ## What it does
    Finds datasets, `collate_fn`, `worker_init_fn` and transforms that are defined in a cell of a notebook, where
    workers start by spawn or forkserver: on Windows and macOS, and on Linux from Python 3.14.

    ## Why it breaks
    Such a worker is a fresh interpreter that gets its work pickled, and a class or function is pickled as the name it
    has in its module. A notebook's module is `__main__`, and that of a worker is empty: a notebook is no file it could
    import. The worker dies with `AttributeError: Can't get attribute 'Images' on <module '__main__' (built-in)>`, and
    the loader raises. A `__main__` guard does not help.

    ## Example
    ```python
    class Images(Dataset):  # in a cell
        ...

    loader = DataLoader(Images(), num_workers=4)
    ```

    ## Safe equivalent
    ```python
    from images import Images  # a file beside the notebook

    loader = DataLoader(Images(), num_workers=4)
    ```
    Or load in the notebook's own process, with `num_workers=0`.

    ## Fix safety
    Safe: the worker count becomes 0, and the options that need workers go with it. The program could not run before.
    Unsafe where a `worker_init_fn` would no longer run, and for an IterableDataset.

    ## Evidence
    CPython, `multiprocessing`, "Programming guidelines" (the `__main__` module must be importable by the children);
    pytorch issues 59451 and 51344 (reports of a freeze on Windows). Seen on torch 2.13.0 CPU, Python 3.11, Linux: a
    program without a file (`python -c`, as a notebook's kernel runs) died under spawn after 1.5 s, under forkserver
    after 5 s.
    """

    code = "LL109"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each class or function of a notebook that a worker would have to import."""
        for one in loader.payload.in_notebook:
            start = next((both for both in loader.worker_starts(target, one) if both[1].method.reimports), None)
            if start is None:
                continue
            workers = start[0]
            message = (
                f"starting {counted(workers)} by {START_METHOD} raises: the {one.kind} {one.name} {one.handed} is "
                "defined in this notebook, which a worker cannot import"
            )
            error = f"AttributeError: Can't get attribute '{one.name}' on <module '__main__' (built-in)>"
            fix = (
                single_process(loader, workers, target) if workers.written else Unfixed("nobody wrote the worker count")
            )
            yield self.finding(loader, one, message, target, error=error, fix=fix, start=start[1])
