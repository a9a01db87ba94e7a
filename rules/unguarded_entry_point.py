"""LL102."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loaderlint.model.edit import Fix, GuardEntryPoint, Remedy, Unfixed
from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.remedy import begun_with, not_run_if_guarded
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import StartMethod, Target

_ERROR = (
    "RuntimeError: An attempt has been made to start a new process before the current process has finished its "
    "bootstrapping phase."
)
_ENDED = "RuntimeError: DataLoader worker (pid(s) ...) exited unexpectedly"


class UnguardedEntryPoint(Rule):
    """A loader with workers is iterated whenever the file is imported, and its workers import the file.

    ## What it does
    Finds a statement that iterates a loader outside `if __name__ == "__main__":` where workers start by spawn or
    forkserver: Windows, macOS, Linux from Python 3.14, or where the program says so. Making a loader there is fine.
    The `__main__.py` of a package or folder is shown with `--pedantic`: run by their names (`python -m package`), no
    worker imports it, and one that imports from its package (`from .train import main`) runs in no other way.
    Quiet in `conftest.py`, and in `test_*.py` and `*_test.py` that hold tests: workers import pytest's main file then.
    Finds `if __name__ != "__main__": raise ...` at the top of such a program, too: it ends the workers, which import
    the file under another name.

    ## Why it breaks
    A worker begins by importing the program's main file. Without the guard that import iterates the loader again,
    which Python refuses in a process that is still starting: the worker dies, and the program with it. Where workers
    are spawned on Linux or macOS by a CPython before 3.13.8, and what they get pickles to more than a pipe holds
    (64 KiB), the program hangs instead, still writing to the dead worker.

    ## Example
    ```python
    for batch in DataLoader(dataset, num_workers=4):
        train(batch)
    ```

    ## Safe equivalent
    ```python
    if __name__ == "__main__":
        for batch in DataLoader(dataset, num_workers=4):
            train(batch)
    ```

    ## Fix safety
    Safe: what runs goes under the guard in its order, what workers or other files need stays outside. Unsafe where
    such a name cannot be made without effects, such as a parsed command line; where what goes inside sets up, or may
    set up, what workers read in their own process (`cfg.merge(args)`, `library.install()`); where what stays outside
    would come before what may prepare an import or make its files; where a module that only functions import adds to
    what workers read (a registry); where the file sets what it read of the environment further up, which workers begin
    with; and where another file imports the module, whose work would be turned off there. So may pytest, where tests
    have a guard, and what imports by a name that only a run shows (`import_module("experiments." + name)`): then
    the finding is no more than likely, too.
    None where the file ends whatever imports it: what it is to refuse besides workers is for you to say.
    Of a library that is not known the names of functions say what they set up, and of a function that runs the loaders
    only what it begins with counts.

    ## Evidence
    CPython, `multiprocessing`, "Safe importing of main module"; torch's Windows notes; pytorch issue 70344; CPython
    issue 118981. On torch 2.13.0 CPU, Python 3.11, Linux, 26 of 26 runs died (spawn, forkserver), none hung; with a
    dataset that pickles to 70 kB or more 4 of 4 hung by spawn, and 2 of 2 died by forkserver. By spawn `python -m tool`
    and `python tool` ran, `python tool/__main__.py` died (CPython, `multiprocessing/spawn.py`).
    """

    code = "LL102"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each file that iterates the loader at import, at the first place that does."""
        reported: set[str] = set()
        touches = sorted(loader.unguarded, key=lambda one: one.span)
        for touch in touches:
            file = touch.span.path
            fix = _guard(loader, [one for one in touches if one.span.path == file])
            for workers, start in loader.worker_starts(target, touch):
                if start.method.reimports and file not in reported and touch.meets(workers):
                    reported.add(file)
                    there = f"ends at `{touch.what}`" if touch.ends else f"so reaches `{touch.what}` again"
                    message = (
                        f"starting {counted(workers)} by {START_METHOD} raises: each new process imports this "
                        f"file and {there}"
                    )
                    error = _ERROR if start.method is StartMethod.SPAWN and not touch.caught else None
                    error = _ENDED if touch.ends else error
                    confidence = None
                    if touch.caught:
                        # A worker that swallows the error goes on: seen 4 times of 4 (torch 2.13, Linux).
                        message = message.replace(" raises: ", " runs the program again in each: ")
                        confidence = Confidence.LIKELY
                    if touch.brought_in is not None:
                        message += ", where it is the program's main file"
                        confidence = Confidence.LIKELY
                    if file.rpartition("/")[2] == "__main__.py":
                        message += ", where it is run by its path"
                        confidence = Confidence.POSSIBLE
                    yield self.finding(
                        loader, touch, message, target, confidence=confidence, error=error, fix=fix, start=start
                    )


def _guard(loader: Loader, touches: Sequence[Touch]) -> Remedy:
    """Return the fix that puts all of a file's touches under its guard, if workers can then import the file."""
    for one in touches:
        if one.ends:
            return Unfixed(f"`{one.what}` ends each process that imports the file, whatever stands under a guard")
    fix = Fix('put what runs under if __name__ == "__main__":', tuple(GuardEntryPoint(one.span) for one in touches))
    for one in touches:
        if one.brought_in is not None:
            return fix.unsafe(not_run_if_guarded(one.brought_in))
    late = loader.payload.code.imported_late()
    if late is not None:
        return fix.unsafe(
            f"`{late.what}` ({late.span.place}) changes what workers read, in a module that they then do not import"
        )
    if (change := loader.payload.code.set_after_read()) is not None:
        return fix.unsafe(begun_with(change))
    return fix
