"""LL205."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Fix, MakeInteger, Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import unless_shared
from loaderlint.model.rule import Rule
from loaderlint.model.source import Span
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText, Value, asks_no_more

from ._refusals import Refusal, arriving, how_sure, refusal


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
                fix = _fix(loader, workers, target)
                sure = Confidence.POSSIBLE if wrong.is_handled(loader) else how_sure(workers)
                yield self.finding(loader, workers, message, target, confidence=sure, error=wrong.error, fix=fix)


def _fix(loader: Loader, workers: Candidate, target: Target) -> Remedy:
    number = arriving(workers, target)
    if isinstance(workers.constant, str):
        plain = workers.constant.strip().isdecimal()
    else:
        plain = isinstance(number, str) or (isinstance(number, float) and number >= 1)
    fix = Fix("make the worker count an integer", (MakeInteger(workers.span),))
    if not plain:
        return Unfixed("what number was meant is not known")
    given = frozenset(one for one in workers.assumptions if one.answer == "given")
    asked = isinstance(workers.constant, CommandLineText) and not asks_no_more(workers, given)
    if workers.taken_out:
        return unless_shared(fix, workers)
    if asked or (isinstance(workers.constant, str) and _is_asked(loader.num_workers, workers)):
        return fix.unsafe("the program asks what it was given, which may be a word")
    return unless_shared(fix, workers)


def _is_asked(value: Value, default: Candidate) -> bool:
    """Return whether a test decides what becomes of the text that a user gives in place of a default."""
    instead = {(subject, "given") for subject, answer in default.assumptions if answer == "default"}
    subjects = {subject for subject, _ in default.assumptions}
    ways = (*value.unseen, *(one.assumptions for one in value.candidates))
    given = (way for way in ways if not instead.isdisjoint((subject, answer) for subject, answer in way))
    return any(isinstance(answer, bool) and subject not in subjects for way in given for subject, answer in way)
