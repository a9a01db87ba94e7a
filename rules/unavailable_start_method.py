"""LL104."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on
from loaderlint.model.edit import Fix, SetValue, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import default_context, unless_shared
from loaderlint.model.rule import Rule
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.value import Candidate

from ._counts import asks_for_workers

_ERROR = (
    "ValueError: multiprocessing_context option should specify a valid start method in {}, but got "
    "multiprocessing_context={!r}"
)


class UnavailableStartMethod(Rule):
    """A start method is asked for that does not exist there.

    ## What it does
    Finds `fork` and `forkserver` on Windows, and misspelt names anywhere, in a loader's `multiprocessing_context` and
    in `set_start_method`.

    ## Why it breaks
    Windows can only spawn. torch and Python check the name before anything starts, and raise.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="fork")
    ```

    ## Safe equivalent
    ```python
    context = None if sys.platform == "win32" else "fork"
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context=context)
    ```

    ## Fix safety
    Safe: the program could not run there. Other platforms keep the value; what makes a context in a line of its own is
    told None there, which stands for the default. A misspelt `set_start_method` gets no fix:
    what was meant is not known.

    ## Evidence
    CPython, `multiprocessing/context.py`; `DataLoader.multiprocessing_context` in `torch/utils/data/dataloader.py`.
    Misspelt names were tried on torch 2.13.0 CPU, Python 3.11, Linux; Windows was not, its part rests on CPython's
    source.
    """

    code = "LL104"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that asks for such a method."""
        known = [target.default_start_method.value]
        known += [one.value for one in target.start_methods if one.value not in known]
        contexts = loader.multiprocessing_context.on(target).written
        for asked in contexts if loader.asked_for_on(target) or loader.num_workers.open else ():
            if isinstance(asked.constant, str) and asked.constant not in known:
                message = f"multiprocessing_context is {_wrong(asked, target)}: torch raises"
                error = _ERROR.format(known, asked.constant)
                fix = default_context(loader, asked, target)
                sure = None if loader.asked_for_on(target) and not asks_for_workers(asked) else Confidence.POSSIBLE
                yield self.finding(loader, asked, message, target, confidence=sure, error=error, fix=fix)
        for asked in loader.program.start_methods:
            if holds_on(asked.assumptions, target) and asked.constant not in known:
                spawn = Fix("set the start method to spawn", (SetValue(asked.span, "spawn"),))
                message = f"set_start_method gets {_wrong(asked, target)}: Python raises"
                error = f"ValueError: cannot find context for {asked.constant!r}"
                fixed = unless_shared(spawn, asked) if _exists(asked) else Unfixed("what was meant is not known")
                yield self.finding(loader, asked, message, target, error=error, fix=fixed)


def _exists(asked: Candidate) -> bool:
    return any(asked.constant == one.value for one in StartMethod)


def _wrong(asked: Candidate, target: Target) -> str:
    absent = f"which {target.platform.display} does not have" if _exists(asked) else "which is no start method"
    return f"{asked.constant!r}, {absent}"
