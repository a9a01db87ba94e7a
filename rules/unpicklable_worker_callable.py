"""LL103."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loaderlint.model.edit import Fix, Hoist, Remedy, Unfixed
from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Unpicklable
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target

_UNDER_GUARD = "is defined under the __main__ guard, and a worker imports this file without that"


class UnpicklableWorkerCallable(Rule):
    """A lambda, or a definition in a function or under the guard, travels into workers that can only import it by name.

    ## What it does
    Finds lambdas, and functions and classes defined inside a function or under `if __name__ == "__main__":`, that are
    handed to a loader as `collate_fn`, `worker_init_fn`, dataset or transform, where workers start by spawn or
    forkserver. So it finds what a decorator of the project replaces by a function or class defined inside it, without
    `functools.wraps`.

    ## Why it breaks
    Such a worker gets its work pickled, and a function or class is pickled as the name it has in its module. These
    have none, so starting the first worker raises. What stands under the guard has one, in the main process only: a
    worker imports the program's main file as `__mp_main__`, so it does not find the name, and dies. Samplers and
    generators stay in the main process and may be anything.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4, collate_fn=lambda batch: batch)
    ```

    ## Safe equivalent
    ```python
    def keep(batch):
        return batch

    loader = DataLoader(dataset, num_workers=4, collate_fn=keep)
    ```
    Hand over what a local function captures with `functools.partial(function, captured)`.

    ## Fix safety
    Safe where nothing is captured: the same function stands at the top of its module, or in the class that it is a
    method of (`collate = lambda self, batch: batch`). Unsafe where something is captured, where defaults or class
    attributes were made anew by each call (`cache = {}`), and where the program changes a name of the module that the
    function reads, where a decorator that no library has is applied once, where a class changes itself or has one above
    it that is told of each class made of it, where a class or lambda gets another name in a file that asks for names,
    and where a comment above tells a tool something (`# type:`, `# fmt: off`). None where what is captured cannot be
    handed over, or where another name than that of the function may be the method's.

    ## Evidence
    CPython, `pickle`, "What can be pickled and unpickled?"; `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU,
    Python 3.11, Linux, 10 of 10 runs under spawn and forkserver raised `AttributeError: Can't pickle local object`, or
    `PicklingError` for a lambda that a module binds to a name; fork, bound methods and partials were fine. Under the
    guard, 6 of 6 runs ended with `DataLoader worker exited unexpectedly`, after the worker's `AttributeError: Can't get
    attribute 'start' on <module '__mp_main__'>`. Two decorated functions and a decorated class raised by spawn, and did
    not with `functools.wraps`.
    """

    code = "LL103"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each thing that does not pickle."""
        for one in loader.payload.unpicklable:
            start = next((both for both in loader.worker_starts(target, one) if both[1].method.reimports), None)
            if start is None:
                continue
            workers = counted(start[0])
            what = f"{one.kind} {one.name}" if one.name else one.kind
            why = _UNDER_GUARD if one.guarded else "cannot be pickled"
            if one.decorator:
                why = f"is what `@{one.decorator}` makes of it, which cannot be pickled"
            handed = replace(one, role=loader.spelled(one.role)).handed
            message = f"starting {workers} by {START_METHOD} raises: the {what} {handed} {why}"
            # Without an entry point nothing was seen to iterate it.
            sure = Confidence.LIKELY if loader.program.guarded is None else None
            yield self.finding(loader, one, message, target, confidence=sure, fix=_hoisted(one, what), start=start[1])


def _hoisted(one: Unpicklable, what: str) -> Remedy:
    if one.span.cell is not None:
        return Unfixed("a worker does not find what stands at the top of a cell, either (LL109)")
    if one.decorator:
        return Unfixed(
            f"`@{one.decorator}` would have to give its result the name it decorates, as functools.wraps does"
        )
    # A lambda of a class becomes a method of that.
    title = f"define the {what} " + ("as a named function" if one.kind == "lambda" else "at the top of the module")
    fix = Fix(title, (Hoist(one.span),))
    if one.captures:
        return fix.unsafe(f"{', '.join(one.captures)} must be handed over to it, and pickle, too")
    return fix
