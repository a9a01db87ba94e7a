"""LL901."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule
from loaderlint.model.target import Target


class UnusedIgnore(Rule):
    """An ignore comment names a rule that finds nothing there, or that does not exist.

    ## What it does
    Finds the names in `# loaderlint: ignore[...]` and `# loaderlint: ignore-file[...]` that suppress no finding on any
    target, and such comments that name nothing or are misspelt (`# loaderlint: ignroe[...]`).

    ## Why it breaks
    An ignore that outlives its reason hides the next finding of that rule on that line. One with a misspelt name never
    hid anything.

    ## Example
    ```python
    loader = DataLoader(dataset)  # loaderlint: ignore[workers-on-windows]
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset)
    ```

    ## Fix safety
    Safe: only the name goes, and with the last name the comment. None where it names nothing or is misspelt.

    ## Evidence
    loaderlint's own bookkeeping: which findings each comment took away in this run.
    """

    code = "LL901"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield nothing: no loader shows it, so the engine raises it once all findings are known."""
        yield from ()
