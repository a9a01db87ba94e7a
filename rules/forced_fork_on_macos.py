"""LL114."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Platform, StartMethod, Target
from loaderlint.model.value import Candidate


class ForcedForkOnMacos(Rule):
    """Workers are forked on macOS because the program asks for it.

    ## What it does
    Finds `multiprocessing_context="fork"` and `set_start_method("fork")` on a macOS target, for loaders with workers.

    ## Why it breaks
    Apple's system libraries start threads of their own, and a fork copies their locks without the threads that would
    open them. A forked worker may crash, or hang once it uses the GPU. Python has spawned on macOS since 3.8 for that
    reason.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="fork")
    ```

    ## Safe equivalent
    ```python
    context = "spawn" if sys.platform == "darwin" else "fork"
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context=context)
    ```

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has: the workers are spawned on macOS, other platforms keep their fork. Otherwise unsafe. Unsafe, too, where
    somebody writes into what is sent, whose tensors spawned workers share with the program, where that holds a model,
    or a memory map, of which each gets a copy. A `timeout` under 10 seconds becomes 60, as spawned workers may take
    longer to begin (LL503).

    ## Evidence
    CPython, `multiprocessing`, "Contexts and start methods": on macOS fork "should be considered unsafe as it can lead
    to crashes of the subprocess". pytorch issue 178037 (MPS in a forked child). Not measured: no Mac was at hand.
    """

    code = "LL114"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that asks for fork."""
        if target.platform is not Platform.MACOS:
            return
        asking: set[Candidate] = set()
        for workers, start in loader.worker_starts(target):
            asked = start.asked_by
            if asked is not None and start.method is StartMethod.FORK and asked not in asking:
                asking.add(asked)
                message = f"forking {counted(workers)} on macOS can crash them, or hang them once they use the GPU"
                fix = start_method(loader, StartMethod.SPAWN, asked, target)
                yield self.finding(loader, asked, message, target, fix=fix)
