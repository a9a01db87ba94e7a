"""LL902."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target


class ShadowedOption(Rule):
    """A loader option stands twice in one mapping, and the last one wins.

    ## What it does
    Finds a key that is written twice with different values in a dictionary or a configuration mapping, where the second
    value reaches a loader.

    ## Why it breaks
    Whoever edits the first one changes nothing. Python, JSON and most YAML readers take the last and say nothing;
    some YAML readers, OmegaConf's among them, refuse the file.

    ## Example
    ```python
    options = {"num_workers": 8, "batch_size": 32, "num_workers": 0}
    loader = DataLoader(dataset, **options)
    ```

    ## Safe equivalent
    ```python
    options = {"num_workers": 0, "batch_size": 32}
    loader = DataLoader(dataset, **options)
    ```

    ## Fix safety
    No fix: which of the two was meant is not known.

    ## Evidence
    The Python reference, "Dictionary displays"; the `json` module, "Repeated Names Within an Object"; YAML 1.2, 3.2.1.3
    (keys are unique). On Python 3.11, Linux, a dictionary, `json.load` and `yaml.safe_load` each kept the last value.
    """

    code = "LL902"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each value that another of the same mapping takes the place of."""
        for lost in loader.shadowed:
            name = loader.spelled(lost.option)
            message = f"{name} is written twice: this {lost.what} is lost, {lost.kept} wins ({place(lost.kept_span)})"
            yield self.finding(loader, lost, message, target, help="keep the one that is meant")
