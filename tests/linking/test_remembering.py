from __future__ import annotations

import pytest

from loaderlint.linking.following.remembering import LEAST_STEPS, Remembering
from loaderlint.model.source import Span

SPAN = Span("main.py", 1, 1, 1, 2)


def steps_taken(effort: float, most: int) -> int:
    """The expressions that are followed for a question that may take so many."""
    remembering = Remembering(effort)
    with remembering.steps(most):
        taken = 0
        while not remembering.step(SPAN):
            taken += 1
    return taken


@pytest.mark.parametrize(
    ("effort", "most", "taken"), [(1, 120, 120), (0.1, 120, LEAST_STEPS), (0.1, 10, 10), (0.1, 3000, 300)]
)
def test_a_small_question_is_asked_whole_however_little_effort_is_made(effort: float, most: int, taken: int) -> None:
    assert steps_taken(effort, most) == taken
