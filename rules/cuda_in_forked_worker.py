"""LL105."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import StartMethod, Target

_ERROR = (
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
    "'spawn' start method"
)


class CudaInForkedWorker(Rule):
    """Code that runs inside forked workers touches CUDA.

    ## What it does
    Finds `.cuda()`, `.to("cuda")` and the like in a dataset, `collate_fn` or `worker_init_fn` whose workers are
    forked. ROCm counts as CUDA, as it does in torch. Quiet on targets without either.

    ## Why it breaks
    The CUDA runtime does not survive a fork. Once the main process has used CUDA, a forked worker that touches it
    raises.

    ## Example
    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            return self.images[index].cuda()
    ```

    ## Safe equivalent
    ```python
    for images in DataLoader(Images(...), num_workers=4, pin_memory=True):
        images = images.cuda(non_blocking=True)
    ```
    Or start the workers with `multiprocessing_context="spawn"`.

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has: the workers are spawned. Otherwise unsafe. Unsafe, too, where somebody writes into what is sent, whose tensors
    spawned workers share with the program, where that holds a model, or a memory map, of which each gets a copy. A
    `timeout` under 10 seconds becomes 60, as spawned workers may take longer to begin (LL503).

    ## Evidence
    torch, `notes/multiprocessing.rst` ("The CUDA runtime does not support the `fork` start method") and `_lazy_init`
    in `torch/cuda/__init__.py` (2.13), which raises the error quoted. On torch 2.11.0
    (CUDA 13.0), Python 3.12, Linux, an H200, every witness of a dataset, a `collate_fn` and a worker's arm raised it;
    by spawn all batches came. Where the main process had not used CUDA, forked workers could.
    """

    code = "LL105"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place in worker code that touches CUDA."""
        for touch in loader.sent_on(target).cuda if target.cuda is not False else ():
            for workers, start in loader.worker_starts(target, touch):
                if start.method is StartMethod.FORK:
                    message = (
                        f"`{touch.what}` runs in {counted(workers)} started by fork: it raises there once the main "
                        "process has used CUDA"
                    )
                    fix = start_method(loader, StartMethod.SPAWN, start.asked_by, target)
                    sure = Confidence.CERTAIN if loader.program.cuda else Confidence.LIKELY
                    yield self.finding(loader, touch, message, target, confidence=sure, error=_ERROR, fix=fix)
                    break
