"""LL115."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import StartMethod, Target


class CompiledCallInWorker(Rule):
    """Code that runs inside forked workers calls a compiled function.

    ## What it does
    Finds calls of what `torch.compile` gave in a dataset, `collate_fn` or `worker_init_fn` whose workers are forked,
    where the main process compiles something, too.

    ## Why it breaks
    Once it has compiled, the main process keeps threads that compile for it. A forked worker believes that it has them
    and waits for them at its own first compilation. What is found in the cache on disk is not compiled again, so it
    comes and goes.

    ## Example
    ```python
    normalize = torch.compile(normalize)

    class Images(Dataset):
        def __getitem__(self, index):
            return normalize(self.images[index])
    ```

    ## Safe equivalent
    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            return self.images[index] - self.mean
    ```
    Call the function as it was before it was compiled.

    ## Fix safety
    There is no fix: which function to call instead is not known.

    ## Evidence
    `torch/_inductor/async_compile.py` (2.13); pytorch issue 97992. On torch 2.13.0 CPU, Python 3.11, Linux, the worker
    hung in 10 of 10 runs without a cache and 2 of 2 with an empty one; not with a filled one, nor under spawn, nor
    where the main process had compiled nothing (6 of 6).
    """

    code = "LL115"
    severity = Severity.ERROR
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each call."""
        forks = any(start.method is StartMethod.FORK for _, start in loader.worker_starts(target))
        for call in loader.payload.code.compiled if forks else ():
            others = any(touch.span != call.compiled for touch in loader.program.compiled)
            for workers, start in loader.worker_starts(target, call):
                if start.method is StartMethod.FORK:
                    message = (
                        f"{counted(workers)} started by fork can wait for ever: `{call.what}` is compiled, and the "
                        "threads that compile stay in the main process"
                    )
                    sure = Confidence.LIKELY if others or call.called_outside else Confidence.POSSIBLE
                    help = "call the function that is not compiled"
                    yield self.finding(loader, call, message, target, confidence=sure, help=help)
                    break
