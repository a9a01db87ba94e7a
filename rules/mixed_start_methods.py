"""LL111."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader, Start
from loaderlint.model.payload import Touch
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import StartMethod, Target


class MixedStartMethods(Rule):
    """The loaders of one program start their workers in different ways.

    ## What it does
    Finds a loader whose workers are forked, by default or on request, while another loader of the program asks for
    spawn or forkserver with `multiprocessing_context`.

    ## Why it breaks
    Whoever asked for spawn in one loader had a reason, such as CUDA, threads or locks that do not survive a fork. It
    holds for the other loader as well: its workers are forked from the same process, often in the middle of training.

    ## Example
    ```python
    train = DataLoader(train_set, num_workers=4, multiprocessing_context="spawn")
    validation = DataLoader(validation_set, num_workers=4)
    ```

    ## Safe equivalent
    ```python
    validation = DataLoader(validation_set, num_workers=4, multiprocessing_context="spawn")
    ```

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has, otherwise unsafe. Unsafe, too, where somebody writes into what is sent, whose tensors spawned workers share
    with the program, where that holds a model, or a memory map, of which each gets a copy. None towards fork, which not
    every platform has. A `timeout` under 10 seconds becomes 60, as spawned workers may take longer to begin (LL503).

    ## Evidence
    `_MultiProcessingDataLoaderIter.__init__` in `torch/utils/data/dataloader.py` (the context belongs to one loader);
    pytorch issue 130610 (validation workers forked beside a running loader hang). On torch 2.11.0 (CUDA
    13.0), Python 3.12, Linux, an H200, none of 8 runs hung that trained with spawned workers and validated with forked.
    """

    code = "LL111"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield a finding when this loader's workers are forked while another loader asks for fresh interpreters."""
        mine = [start for _, start in loader.worker_starts(target) if start.method is StartMethod.FORK]
        for start in mine[:1]:
            for other in loader.program.loaders:
                for _, theirs in other.worker_starts(target) if other.span != loader.span else ():
                    if together(start.assumptions, theirs.assumptions) is None:
                        continue
                    if _asks_itself(other, theirs) and theirs.method.reimports:
                        method = theirs.method
                        message = (
                            f"these workers can hang or raise: they start by {start.method.value}, while something "
                            f"made {method.value} necessary for those of the loader at {place(other.span)}"
                        )
                        fix = start_method(loader, method, start.asked_by, target)
                        own = start.asked_by if _asks_itself(loader, start) else None
                        at = own or Touch(loader.span, loader.callee)
                        yield self.finding(loader, at, message, target, fix=fix)
                        return


def _asks_itself(loader: Loader, start: Start) -> bool:
    return start.asked_by is not None and start.asked_by in loader.multiprocessing_context.known
