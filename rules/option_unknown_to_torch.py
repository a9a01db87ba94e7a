"""LL211."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import NO_ASSUMPTIONS
from loaderlint.model.edit import Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import drop
from loaderlint.model.rule import Rule
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, asks_no_more

_IN_ORDER_SINCE = (2, 6)
_NONE_SINCE = (2, 0)
_DEVICE_IGNORED_SINCE = (2, 9)
_UNEXPECTED = "TypeError: DataLoader.__init__() got an unexpected keyword argument 'in_order'"


class OptionUnknownToTorch(Rule):
    """An option is given that the target's torch does not have, or no longer looks at.

    ## What it does
    Finds `in_order` where torch is older than 2.6, `prefetch_factor=None` where it is older than 2.0, and
    `pin_memory_device` where it is 2.9 or newer. Quiet unless the project says which torch it runs on.

    ## Why it breaks
    Older versions raise: the loader has no such option, or takes None for a number. A newer one pins for the
    accelerator that is current and ignores the device it is given.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, in_order=False)  # torch = "2.5"
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=4)
    ```

    ## Fix safety
    Safe: the program could not run, or the option did nothing. No fix where it is handed on under another name.

    ## Evidence
    `torch/utils/data/dataloader.py` of 1.13.1, 2.0.1, 2.5.1, 2.6.0, 2.8.0 and 2.9.1 side by side. On torch 2.13.0 CPU,
    Python 3.11, Linux, `pin_memory_device="cuda"` was ignored with a warning that says so.
    """

    code = "LL211"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each written value of an option that this torch has no use for."""
        torch = target.torch
        if torch is None or not loader.consumer_seen or loader.spelled("num_workers") != "num_workers":
            return
        if torch < _IN_ORDER_SINCE:
            message = f"torch {_shown(torch)} has no in_order, which came with 2.6: it raises when the loader is made"
            yield from self._found(loader, "in_order", message, target, Severity.ERROR, _UNEXPECTED)
        if torch < _NONE_SINCE:
            message = f"torch {_shown(torch)} takes no None as prefetch_factor: it raises when the loader is made"
            yield from self._found(loader, "prefetch_factor", message, target, Severity.ERROR)
        if torch >= _DEVICE_IGNORED_SINCE:
            message = f"torch {_shown(torch)} ignores pin_memory_device: it pins for the current accelerator"
            yield from self._found(loader, "pin_memory_device", message, target, Severity.INFO)

    def _found(
        self, loader: Loader, option: str, message: str, target: Target, severity: Severity, error: str | None = None
    ) -> Iterator[Finding]:
        for given in loader.option(option).on(target).written:
            if option == "in_order" or (given.constant is None if option == "prefetch_factor" else given.constant):
                # What is given under a condition may be given where torch has it.
                sure = asks_no_more(given, NO_ASSUMPTIONS)
                yield self.finding(
                    loader,
                    given,
                    message,
                    target,
                    severity=severity,
                    confidence=None if sure else Confidence.POSSIBLE,
                    error=error,
                    help=f"leave {option} out",
                    fix=_gone(loader, option, given, target),
                )


def _gone(loader: Loader, option: str, given: Candidate, target: Target) -> Remedy:
    """Return the fix that takes the whole option away: only of a prefetch factor a value says the same as none."""
    if given.entry is None and option != "prefetch_factor":
        return Unfixed("where the value is written there is no option to leave out")
    return drop(loader, option, given, target)


def _shown(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
