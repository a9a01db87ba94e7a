"""Expressions that are put together."""

from __future__ import annotations

import libcst as cst
import pytest

from loaderlint.writers.python.expressions import choice, code

CHOICES = {
    "yes and no": ("a == b", "True", "False", "a == b"),
    "no and yes": ("a == b", "False", "True", "a != b"),
    "no and the same question": ("a == b", "False", "a == b", "False"),
    "yes and the opposite question": ("a == b", "True", "a != b", "True if a == b else a != b"),
    "something else and the same question": ("not n", "None", "n", "None if not n else n"),
    "two values": ("a == b", "0", "4", "0 if a == b else 4"),
    "what may be no truth value": ("a", "True", "False", "True if a else False"),
}


@pytest.mark.parametrize(("test", "body", "orelse", "said"), CHOICES.values(), ids=CHOICES)
def test_a_choice_says_no_more_than_it_has_to(test: str, body: str, orelse: str, said: str) -> None:
    assert code(choice(*map(cst.parse_expression, (test, body, orelse)))) == said
