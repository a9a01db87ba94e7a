"""LL205."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule
from loaderlint.model.source import Span
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate

from ._integers import made_integer
from ._refusals import Refusal, how_sure, refusal


class InvalidWorkerCount(Rule):
    """`num_workers` is no count: text, a fraction, nothing, or below 0.

    ## What it does
    Finds a negative worker count, text (quoted YAML, a command-line flag without `type=int`), a float such as
    `os.cpu_count() / 2`, and `None`. A bare `os.cpu_count()` and a bool are fine, and so is `0.0`.

    ## Why it breaks
    torch compares the count with 0 when the loader is made, where text and `None` raise, and counts with it at the
    first batch, where a float raises. -1 means "all CPUs" in other libraries, but not here.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=os.cpu_count() / 2)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=os.cpu_count() // 2)
    ```

    ## Fix safety
    Safe where the number meant is plain: it becomes an integer, and the program could not run before. A flag whose
    default is such a text is declared `type=int` as well. Unsafe where a test decides what becomes of a flag's text:
    `--workers auto` would be refused. There is no fix for -1, `None` or text that is no number.

    ## Evidence
    `DataLoader.__init__` and `_MultiProcessingDataLoaderIter.__init__` in `torch/utils/data/dataloader.py`. Every form
    was tried on torch 2.13.0 CPU, Python 3.11, Linux.
    """

    code = "LL205"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each written count that is none."""
        counts = loader.num_workers.on(target).written
        refused: dict[Span, tuple[Candidate, Refusal]] = {}
        for one in counts:
            if (wrong := refusal("num_workers", one, target)) is not None:
                # Without a default `os.getenv("WORKERS")` is text or None: one finding says it.
                refused.setdefault(one.span, (one, wrong))
        for place, (workers, wrong) in refused.items():
            # The default inside `os.environ.get("WORKERS", "4")` is mended with the call around it.
            if not any(other != place and other.holds(place) for other in refused):
                message = f"{loader.spelled('num_workers')} is {workers.shown}, {wrong.why}"
                fix = made_integer(loader.num_workers, workers, target, "worker count")
                sure = Confidence.POSSIBLE if wrong.is_handled(loader) else how_sure(workers)
                yield self.finding(loader, workers, message, target, confidence=sure, error=wrong.error, fix=fix)
