"""LL113."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import StartMethod, Target


class ThreadsInForkedWorker(Rule):
    """Code that runs inside forked workers has torch compute with several threads.

    ## What it does
    Finds `torch.set_num_threads` with more than 1 in a dataset, `collate_fn` or `worker_init_fn` whose workers are
    forked.

    ## Why it breaks
    torch gives every worker one thread, because the threads of GNU OpenMP do not survive a fork: once the main process
    has computed anything in parallel, a worker that wants more threads waits for some that are not there.

    ## Example
    ```python
    def start(worker_id):
        torch.set_num_threads(4)

    loader = DataLoader(images, num_workers=4, worker_init_fn=start)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(images, num_workers=4)
    ```
    Or start the workers with `multiprocessing_context="spawn"`.

    ## Fix safety
    There is no fix: more workers, or spawned ones, may be what is wanted instead.

    ## Evidence
    `_worker_loop` in `torch/utils/data/_utils/worker.py` sets one thread; pytorch issues 17199 and 45198. On torch
    2.13.0 CPU, Python 3.11, Linux, the first parallel operation in a worker hung in 10 of 10 runs; without the call,
    without one in the main process before, and under spawn none did.
    """

    code = "LL113"
    severity = Severity.ERROR
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each call."""
        for touch in loader.payload.code.threads:
            for workers, start in loader.worker_starts(target, touch):
                if start.method is StartMethod.FORK:
                    message = (
                        f"{counted(workers)} started by fork can wait for ever: `{touch.what}` asks for threads that a "
                        "fork does not bring along"
                    )
                    help = "leave it out: torch gives each worker one thread"
                    yield self.finding(loader, touch, message, target, help=help)
                    break
