"""LL106."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import StartMethod, Target

from ._forks import forks_after


class ForkAfterCuda(Rule):
    """Workers are forked from a process that has touched CUDA.

    ## What it does
    Finds loaders whose workers are forked in a program that touches CUDA (or ROCm). Where nobody asked for fork, the
    finding is only possible. Quiet on targets without either.

    ## Why it breaks
    A forked worker inherits the CUDA state and the locks of its parent, but not the threads that work with them. It is
    fine as long as the worker touches neither; otherwise it raises, or waits for a lock that nobody will release.

    ## Example
    ```python
    model = Model().cuda()
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="fork")
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="spawn")
    ```

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has. Otherwise unsafe. Unsafe, too, where somebody writes into what is sent, whose tensors spawned workers share
    with the program, where that holds a model, or a memory map, of which each gets a copy. Where the program starts
    other processes by the method it sets, the loader alone is told to spawn. A `timeout` under 10 seconds becomes 60,
    as spawned workers may take longer to begin (LL503).

    ## Evidence
    torch, `notes/multiprocessing.rst`; pytorch issues 130610 (a worker inherits a held lock) and 138957;
    pytorch_geometric issue 10810. Reported rates are low: on torch 2.11.0 (CUDA 13.0), Python 3.12, Linux,
    an H200, none of 60 runs hung that forked 8 workers in each of 4 epochs with pinning.
    """

    code = "LL106"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each way the workers are forked."""
        if target.cuda is False:
            return
        for touch, workers, start in forks_after(loader.program.cuda, loader, target):
            process = f"a process that touches CUDA ({place(touch.span)})"
            message = f"forking {counted(workers)} from {process} can hang: they inherit its locks, not its threads"
            confidence = Confidence.LIKELY if start.asked_by else Confidence.POSSIBLE
            fix = start_method(loader, StartMethod.SPAWN, start.asked_by, target)
            yield self.finding(loader, start.asked_by or touch, message, target, confidence=confidence, fix=fix)
