from __future__ import annotations

from collections.abc import Sequence

import pytest

from loaderlint.model.edit import BeginTurns, Edit
from loaderlint.model.source import Span
from loaderlint.writers import CannotRewrite
from tests.writers.marked import Cases, Edits, rewritten


def tell(at: Sequence[Span]) -> list[Edit]:
    return [BeginTurns(one, "s.set_epoch(e)") for one in at]


def tell_two(at: Sequence[Span]) -> list[Edit]:
    return [*tell(at), BeginTurns(at[0], "t.set_epoch(e)")]


TURNS: Cases = {
    "a body": ("for e in ⟦range(3)⟧:\n  f(e)\n", tell, "for e in range(3):\n  s.set_epoch(e)\n  f(e)\n"),
    "a comment stays with its statement": (
        "for e in ⟦range(3)⟧:  # all\n    # once\n    f(e)\n",
        tell,
        "for e in range(3):  # all\n    s.set_epoch(e)\n    # once\n    f(e)\n",
    ),
    "a blank line stays above": (
        "for e in ⟦range(3)⟧:\n\n    f(e)\n",
        tell,
        "for e in range(3):\n\n    s.set_epoch(e)\n    f(e)\n",
    ),
    "two": ("for e in ⟦r⟧:\n    f(e)\n", tell_two, "for e in r:\n    s.set_epoch(e)\n    t.set_epoch(e)\n    f(e)\n"),
    "an inner loop": (
        "for k in folds:\n\tfor e in ⟦r⟧:\n\t\tf(e)\nelse:\n\tg()\n",
        tell,
        "for k in folds:\n\tfor e in r:\n\t\ts.set_epoch(e)\n\t\tf(e)\nelse:\n\tg()\n",
    ),
}

REFUSED = {
    "a loop on one line": "for e in ⟦range(3)⟧: f(e)\n",
    "a comprehension": "x = [f(e) for e in ⟦range(3)⟧]\n",
    "no loop": "f(⟦range(3)⟧)\n",
}


@pytest.mark.parametrize(("text", "edits", "expected"), TURNS.values(), ids=list(TURNS))
def test_turns_begin_with_a_statement(text: str, edits: Edits, expected: str) -> None:
    assert rewritten(text, edits).text == expected


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
def test_what_is_no_loop_of_lines_is_refused(text: str) -> None:
    with pytest.raises(CannotRewrite):
        rewritten(text, tell)
