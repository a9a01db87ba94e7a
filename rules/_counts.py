"""What the rules make of code that asks about its worker count."""

from __future__ import annotations

import keyword
import re

from loaderlint.model.value import Candidate, Question

_NAME = re.compile(r"[^\W\d]\w*(?!\w|\s*\.\s*[^\W\d])")
"""A name or, of a dotted name, its last part."""
_NO_NAMES = frozenset({*keyword.kwlist, "default"})
"""Words of a step that name nothing of the program."""


def asks_for_workers(given: Candidate, workers: Candidate | None = None) -> bool:
    """Return whether code that gives an option asked something about workers first that was not asked for their count.

    ``if count_workers(args) > 0: options["persistent_workers"] = True`` may exclude the count that was seen, and so
    may ``if usable(opt.n_cpu)`` where the count came by the name ``n_cpu``.
    """
    questions = {subject for subject, answer in given.assumptions if isinstance(answer, bool)}
    others = questions - {subject for subject, _ in (workers.assumptions if workers is not None else ())}
    tests = [one.test for one in others if isinstance(one, Question)]
    names = {
        name for step in (workers.trail if workers is not None else ()) for name in _NAME.findall(step.note)
    } - _NO_NAMES
    return any("worker" in one.lower() or not names.isdisjoint(_NAME.findall(one)) for one in tests)
