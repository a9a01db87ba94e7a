"""LL307."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Platform, Target

_ERROR = (
    "RuntimeError: Too many open files. Communication with the workers is no longer possible. Please increase the "
    "limit using `ulimit -n` in the shell or change the sharing strategy by calling "
    "`torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code"
)


class WorkerTensorsKept(Rule):
    """Batches that came from workers are kept as they are, each tensor with an open file.

    ## What it does
    Finds `batches.append(batch)` in the loop over a loader with workers, and `list(loader)`, on Linux. Shown with
    `--pedantic` only: how many are kept, and how many files may be open, is not seen.

    ## Why it breaks
    A worker's tensors stay in shared memory, each behind a file descriptor, as long as somebody holds them. A few
    thousand of them reach the usual limit of 1024 open files, and loading dies.

    ## Example
    ```python
    labels = []
    for images, label in DataLoader(dataset, num_workers=4):
        labels.append(label)
    ```

    ## Safe equivalent
    ```python
    labels = []
    for images, label in DataLoader(dataset, num_workers=4):
        labels.append(label.clone())
    ```
    `.item()` and `.tolist()` do, too, as does moving to a GPU; `ulimit -n` raises the limit.

    ## Fix safety
    There is no fix: a batch may be any nesting of tensors and other things.

    ## Evidence
    `torch/utils/data/dataloader.py` and `torch/multiprocessing/reductions.py`; pytorch/pytorch#973, #11201. On torch
    2.13.0 CPU, Python 3.11, Linux, with `ulimit -n 64`, 11 of 11 runs that kept their batches raised the error quoted
    or `received 0 items of ancdata`, and none that kept copies.
    """

    code = "LL307"
    severity = Severity.INFO
    confidence = Confidence.POSSIBLE

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that keeps what workers loaded."""
        if target.platform is not Platform.LINUX:
            return
        for kept in loader.uses.kept:
            for workers in loader.workers_on(target):
                if together(workers.assumptions, kept.assumptions) is not None:
                    message = (
                        f"`{kept.what}` keeps tensors that {counted(workers)} loaded: each holds shared memory and an "
                        "open file until it is let go"
                    )
                    advice = "keep a copy (`.clone()`, `.item()`), or raise the limit of open files (`ulimit -n`)"
                    yield self.finding(loader, kept, message, target, error=_ERROR, help=advice)
                    break
