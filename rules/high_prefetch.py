"""LL301."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import isfinite

from msgspec.structs import replace

from loaderlint.model.edit import Fix, Remedy, SetValue, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import unless_asked, unless_shared
from loaderlint.model.rule import Rule
from loaderlint.model.source import Span
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, Value


class HighPrefetch(Rule):
    """A loader holds more batches in flight than the project allows.

    ## What it does
    Finds a `prefetch_factor` above `max-prefetch-factor` (4), or one that, times the worker count, is above
    `max-batches-in-flight` (32). A loader that leaves the factor to torch (2) is never reported. Where only a worker
    count of 0 is written beside the factor, and the program may give another, it is shown with `--pedantic` alone,
    unless the one who gives it is the user of the program.

    ## Why it breaks
    Every worker keeps that many batches ready in shared memory. Once the model never waits, more of them only cost.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=6, prefetch_factor=16)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=6, prefetch_factor=4)
    ```

    ## Fix safety
    Safe: the batches and their order stay. The factor becomes the largest one within both limits, and at least 1. One
    that is worked out from what the user of the program gives is held below that, `min(args.depth * 4, 4)`, so that
    what he gives still arrives.
    Unsafe where the program asks the loader for its factor, or the number also serves something else.

    ## Evidence
    `prefetch_factor` on the `torch.utils.data` page. On torch 2.13.0 CPU, Python 3.11, Linux, shared memory held
    workers x factor batches before the first was used, and one more after. The limits are defaults of loaderlint, not
    of torch.
    """

    code = "LL301"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each factor that is above a limit with the most workers it meets."""
        for given in loader.prefetch_factor.on(target).written if loader.starts_workers else ():
            met = loader.beside(given, "num_workers", target)
            counts = [
                int(number)
                for workers in met
                if workers.starts_workers(target) and isfinite(number := workers.number(target) or 0)
            ]
            if isinstance(given.constant, int) and (counts or loader.num_workers.open):
                # Whoever wrote that there are no workers wrote this beside it; only a user is known to give others.
                unsure = not counts and any(workers.written for workers in met) and not loader.num_workers.by_user
                for one in self._judge(loader, given, given.constant, counts, target):
                    yield replace(one, confidence=Confidence.POSSIBLE) if unsure else one

    def _judge(
        self, loader: Loader, given: Candidate, factor: int, counts: Collection[int], target: Target
    ) -> Iterator[Finding]:
        each, all_together = self.limits.max_prefetch_factor, self.limits.max_batches_in_flight
        count = max(counts, default=0)
        allowed = min(each, all_together // count) if count else each
        if factor <= allowed:
            return
        name, best = loader.spelled("prefetch_factor"), max(allowed, 1)
        message = f"each worker keeps {factor} batches in memory: {name} is above max-prefetch-factor ({each})"
        if count * factor > all_together:
            varies = loader.num_workers.open or len(set(counts)) > 1
            workers = f"{'up to ' if varies else ''}{count} worker{'' if count == 1 else 's'}"
            message = (
                f"{count * factor} batches are held in memory, above max-batches-in-flight ({all_together}): {name} is "
                f"{factor} with {workers}"
            )
        if best == factor:
            fix: Remedy = Unfixed("any factor is above the limit with so many workers")
            yield self.finding(loader, given, message, target, help="use fewer workers", fix=fix)
        else:
            # What a user gives may be less, and arrives as before where the factor is worked out from it.
            less = bool(given.sources) and loader.prefetch_factor.open
            title = f"let {name} be at most {best}" if less else f"set {name} to {best}"
            edit = SetValue(given.span, best, at_most=less)
            fix = Fix(title, (edit,), follows=_places(loader.num_workers))
            fix = unless_asked(unless_shared(fix, given), loader, "prefetch_factor")
            yield self.finding(loader, given, message, target, fix=fix)


def _places(counts: Value) -> frozenset[Span]:
    """Return where a worker count is mended: the factor that is allowed with another one is another."""
    written = (span for one in counts.written for span in (one.span, *one.sources))
    return frozenset(written) | ({counts.argument} if counts.argument is not None else set())
