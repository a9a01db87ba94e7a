"""LL210."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import single_process
from loaderlint.model.rule import Rule, counted, each_of, place
from loaderlint.model.target import Target


class NestedWorkers(Rule):
    """A worker iterates a loader that has workers of its own.

    ## What it does
    Finds loaders with workers that a dataset, `collate_fn` or `worker_init_fn` iterates where it runs in a worker
    itself. The finding stands at the worker count of the inner loader.

    ## Why it breaks
    Workers are daemonic processes, and Python lets those have no children, however they were started.

    ## Example
    ```python
    class Videos(Dataset):
        def __getitem__(self, index):
            frames = DataLoader(Frames(self.paths[index]), num_workers=2)
            return torch.cat(list(frames))

    videos = DataLoader(Videos(paths), num_workers=4)
    ```

    ## Safe equivalent
    ```python
    class Videos(Dataset):
        def __getitem__(self, index):
            frames = DataLoader(Frames(self.paths[index]), num_workers=0)
            return torch.cat(list(frames))
    ```

    ## Fix safety
    Safe: the program could not run before. The inner loader gets no workers, and loses what needs them. Which of
    several calls made the loader that workers iterate is not told: each is possible.

    ## Evidence
    CPython, `Lib/multiprocessing/process.py`, `start`; pytorch issue 97992. On torch 2.13.0 CPU, Python 3.11, Linux,
    6 of 6 runs raised; an inner loader without workers delivered.
    """

    code = "LL210"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count of a loader that workers iterate."""
        for loop in loader.sent_on(target).code.nested:
            outer = next((count for count, _ in loader.worker_starts(target, loop)), None)
            inner = next((one for one in loader.program.loaders if one.span == loop.loader), None)
            if outer is None or inner is None or inner.span == loader.span:
                continue
            others = {one.span for other in loader.program.loaders for one in other.num_workers.known if other != inner}
            for workers, _ in inner.worker_starts(target, loop):
                if workers.written:
                    message = (
                        f"{each_of(outer)} raises when it iterates `{loop.what}` ({place(loop.span)}), a "
                        f"loader with {counted(workers)} of its own"
                    )
                    shared = replace(workers, shared=workers.shared or workers.span in others)
                    fix = single_process(inner, shared, target)
                    # Which of several counts the iterated loader has is not told: each may be that of another caller.
                    several = len({one.span for one in inner.num_workers.written}) > 1
                    confidence = Confidence.POSSIBLE if several else Confidence.CERTAIN
                    yield self.finding(loader, workers, message, target, error=_ERROR, confidence=confidence, fix=fix)


_ERROR = "AssertionError: daemonic processes are not allowed to have children"
