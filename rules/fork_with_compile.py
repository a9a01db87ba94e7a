"""LL107."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import StartMethod, Target

from ._forks import forks_after

_COMPILER_STOPPED_FORKING = (2, 4)


class ForkWithCompile(Rule):
    """Workers are forked from a process that compiles a model.

    ## What it does
    Finds loaders whose workers are forked in a program that calls `torch.compile`. Likely where fork is asked for, or
    is the default on torch before 2.4; otherwise only possible.

    ## Why it breaks
    It need not. Before 2.4 the compiler forked helpers of its own from a process with threads. Since then it keeps
    threads in the main process, and a fork of a process with threads can inherit a lock held at that moment.

    ## Example
    ```python
    model = torch.compile(model)
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="fork")
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="spawn")
    ```

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has. Otherwise unsafe. Unsafe, too, where somebody writes into what is sent, whose tensors spawned workers share
    with the program, where that holds a model, or a memory map, of which each gets a copy. A `timeout` under 10
    seconds becomes 60, as spawned workers may take longer to begin (LL503).

    ## Evidence
    `torch/_inductor/async_compile.py` and `config.py` (2.2 to 2.15); pytorch issues 108586, 124682. On torch 2.13.0
    CPU, Python 3.11, Linux none of 19 runs hung. A report of a GPU run that stopped at its first batch blames fork
    with compile; changing both did not cure that run. On torch 2.11.0 (CUDA 13.0), Python
    3.12, an H200, none of 16 runs hung that compiled their model and forked 8 workers in each of 3 epochs.
    """

    code = "LL107"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each way the workers are forked."""
        forks_itself = target.torch is not None and target.torch < _COMPILER_STOPPED_FORKING
        why = "its threads may hold locks that they inherit (on CPU with torch 2.13 none of our runs hung)"
        if forks_itself:
            why = "before torch 2.4 the compiler itself forks it while it has threads"
        for touch, workers, start in forks_after(loader.program.compiled, loader, target):
            where = place(touch.span)
            message = f"forking {counted(workers)} from a process that compiles a model ({where}) can hang: {why}"
            confidence = Confidence.LIKELY if start.asked_by or forks_itself else Confidence.POSSIBLE
            fix = start_method(loader, StartMethod.SPAWN, start.asked_by, target)
            yield self.finding(loader, start.asked_by or touch, message, target, confidence=confidence, fix=fix)
