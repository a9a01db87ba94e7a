"""What the rules about the process that forks its workers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loaderlint.model.loader import Loader, Start
from loaderlint.model.payload import Touch
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.value import Candidate


def forks_after(touches: Iterable[Touch], loader: Loader, target: Target) -> Iterator[tuple[Touch, Candidate, Start]]:
    """Yield each way the loader's workers are forked on the target, with the first of ``touches`` that comes before."""
    forked = {start for _, start in loader.worker_starts(target) if start.method is StartMethod.FORK}
    seen: set[Start] = set()
    for touch in touches if forked else ():
        for workers, start in loader.worker_starts(target, touch):
            if start.method is StartMethod.FORK and start not in seen:
                seen.add(start)
                yield touch, workers, start
        if seen == forked:
            return
