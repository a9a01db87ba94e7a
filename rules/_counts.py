"""What the rules make of code that asks about its worker count."""

from __future__ import annotations

from loaderlint.model.assumptions import Question
from loaderlint.model.value import Candidate


def asks_for_workers(given: Candidate, workers: Candidate | None = None) -> bool:
    """Return whether code that gives an option asked something about workers first that was not asked for their count.

    ``if count_workers(args) > 0: options["persistent_workers"] = True`` may exclude the count that was seen, and so
    may ``if usable(opt.n_cpu)`` where the count came by the name ``n_cpu``.
    """
    questions = {subject for subject, answer in given.assumptions if isinstance(answer, bool)}
    others = questions - {subject for subject, _ in (workers.assumptions if workers is not None else ())}
    read = {name for one in others if isinstance(one, Question) for name in one.names}
    if any("worker" in name.lower() for name in read):
        return True
    return bool(read) and workers is not None and not read.isdisjoint(workers.known_as())
