"""LL110."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on
from loaderlint.model.edit import Fix, GuardEntryPoint, Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import not_run_if_guarded
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import Target
from loaderlint.model.uses import StartMethodCall

_ERROR = "RuntimeError: context has already been set"


class StartMethodSetAtImport(Rule):
    """`set_start_method` runs a second time: in every worker, which imports the main module, or in one process.

    ## What it does
    Finds `set_start_method` at the top of the main module, or of what it imports, where no `__main__` guard keeps it
    from running in the workers and these start by spawn or forkserver. Finds a second call in one process, too. Quiet
    with `force=True`, in a `try` that takes the error, where `get_start_method` is asked first, and in notebooks.

    ## Why it breaks
    The start method of a process is set once; a spawned worker has got its own before it imports the main module. The
    call raises there, the worker dies, and the main process with it.

    ## Example
    ```python
    torch.multiprocessing.set_start_method("spawn")

    if __name__ == "__main__":
        train(DataLoader(dataset, num_workers=4))
    ```

    ## Safe equivalent
    ```python
    if __name__ == "__main__":
        torch.multiprocessing.set_start_method("spawn")
        train(DataLoader(dataset, num_workers=4))
    ```
    Or give `multiprocessing_context="spawn"` to the loader and set nothing.

    ## Fix safety
    Safe: the call moves under the guard of the main module. Unsafe where that module imports files of the project, or
    makes processes, locks and the like, after the call: they would get the platform's own start method, and the call
    would raise; and where a launcher may import the module by a name that only a run shows. A call in another module,
    or a second one, is left to you.

    ## Evidence
    CPython, `multiprocessing/context.py` (`set_start_method`) and `multiprocessing/spawn.py` (`prepare` sets the
    method, then imports the main module). On torch 2.13.0 CPU, Python 3.11, Linux, 7 of 7 workers died of it under
    spawn, 5 of 5 second calls raised, and all was well under the guard or with `force=True`.
    """

    code = "LL110"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each call that raises."""
        for call in loader.program.start_method_calls:
            if call.after is not None or call.again is not None:
                message = f"`{call.what}` raises{_when(call)}"
                advice = "set it once, or give `multiprocessing_context` to the loaders"
                if holds_on(call.assumptions, target):
                    fix: Remedy = Unfixed("which of the two is meant is not known")
                    yield self.finding(loader, call, message, target, error=_ERROR, help=advice, fix=fix)
                continue
            for workers, start in loader.worker_starts(target, call):
                if start.method.reimports:
                    message = (
                        f"each of {counted(workers)} started by {start.method.value} imports the main module and runs "
                        f"`{call.what}` again, which raises there: the loader at {place(loader.span)} dies"
                    )
                    advice = "call it under the `__main__` guard of the main module"
                    sure = Confidence.CERTAIN if call.brought_in is None else Confidence.LIKELY
                    fix = _guarded(call)
                    yield self.finding(
                        loader, call, message, target, confidence=sure, error=_ERROR, help=advice, fix=fix
                    )
                    break


def _when(call: StartMethodCall) -> str:
    if call.again is not None:
        return f" where {place(call.again)} has it run a second time in the same process"
    assert call.after is not None
    return f": the start method was set at {place(call.after)} before"


def _guarded(call: StartMethodCall) -> Remedy:
    if not call.can_be_guarded:
        return Unfixed("it does not stand at the top of the main module")
    fix = Fix("set the start method under the guard", (GuardEntryPoint(call.span),))
    if call.brought_in is not None:
        return fix.unsafe(not_run_if_guarded(call.brought_in))
    if call.something_follows:
        return fix.unsafe("what the module imports or calls after it may need the start method")
    return fix
