"""What the rules make of code that asks about its worker count."""

from __future__ import annotations

from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions, Candidate


def asks_for_workers(given: Candidate, asked_too: Assumptions = NO_ASSUMPTIONS) -> bool:
    """Return whether code that gives an option asked something about workers first, besides what was ``asked_too``.

    ``if count_workers(args) > 0: options["persistent_workers"] = True`` may exclude the count that was seen.
    """
    questions = {subject for subject, answer in given.assumptions if isinstance(answer, bool)}
    others = questions - {subject for subject, _ in asked_too}
    return any("worker" in one.rpartition("/")[2].lower() for one in others)
