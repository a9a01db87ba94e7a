"""LL602."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Fix, OnlyWithCuda, Remedy, SetValue
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import unless_asked, unless_shared
from loaderlint.model.rule import Rule
from loaderlint.model.source import Language
from loaderlint.model.target import Accelerator, Target
from loaderlint.model.value import Candidate

_PINS_FOR_NOBODY = {Accelerator.CPU: "there is no accelerator", Accelerator.MPS: "MPS takes no pinned memory"}


class PinMemoryWithoutEffect(Rule):
    """Memory is pinned for a device that has no use for it.

    ## What it does
    Finds `pin_memory=True` where the project runs on the CPU or on MPS. Off by default: `--extend-select LL602`. Quiet
    where the project does not say its accelerator.

    ## Why it breaks
    Nothing breaks: torch pins nothing there, and newer versions warn at every epoch.

    ## Example
    ```python
    loader = DataLoader(dataset, pin_memory=True)  # accelerator = "cpu"
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, pin_memory=torch.cuda.is_available())
    ```
    It says it for every machine, and is true for ROCm, too. Where nothing can be asked, as in YAML, `False` is right.

    ## Fix safety
    Safe: no memory was pinned. A Python file that imports anything of torch asks for CUDA, all others get `False`.
    Unsafe where the value also serves something else.

    ## Evidence
    `_BaseDataLoaderIter.__init__` in `torch/utils/data/dataloader.py`: a warning from 2.7 on, silence before. On torch
    2.13.0 CPU, Python 3.11, Linux, it warned and pinned nothing. MPS rests on the source alone.
    """

    code = "LL602"
    severity = Severity.INFO
    confidence = Confidence.CERTAIN
    enabled_by_default = False

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each written `pin_memory` that pins nothing there."""
        why = _PINS_FOR_NOBODY.get(target.accelerator) if target.accelerator is not None else None
        for given in loader.option("pin_memory").on(target).written if why is not None else ():
            if given.constant is True:
                name = loader.spelled("pin_memory")
                message = f"nothing is pinned: {name} is True but {why}"
                help = "torch.cuda.is_available() says it for every machine"
                fix = unless_asked(_fix(name, given), loader, "pin_memory")
                yield self.finding(loader, given, message, target, help=help, fix=fix)


def _fix(name: str, given: Candidate) -> Remedy:
    if Language.of(given.span.path) is Language.PYTHON:
        return unless_shared(Fix("pin no memory where there is no CUDA", (OnlyWithCuda(given.span),)), given)
    return unless_shared(Fix(f"set {name} to False", (SetValue(given.span, False),)), given)
