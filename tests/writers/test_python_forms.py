from __future__ import annotations

from collections.abc import Sequence

import pytest

from loaderlint.model.edit import Edit, MakeInteger, SetValue, WriteAs
from loaderlint.model.source import Span
from loaderlint.writers import CannotRewrite
from tests.writers.marked import Cases, Edits, rewritten


def remainder(at: Sequence[Span]) -> list[Edit]:
    return [WriteAs(one, "{} % 2**32") for one in at]


def at_most_four(at: Sequence[Span]) -> list[Edit]:
    return [WriteAs(at[0], "min({}, 4)")]


FORMS: Cases = {
    "a product handed over": ("seed(⟦a * 2⟧)\n", at_most_four, "seed(min(a * 2, 4))\n"),
    "a product in parentheses": ("seed((⟦a * 2⟧))\n", at_most_four, "seed((min(a * 2, 4)))\n"),
    "an arm handed over": ("seed(⟦a * 2⟧ if a else None)\n", at_most_four, "seed(min(a * 2, 4) if a else None)\n"),
    "a call": ("seed(⟦torch.initial_seed()⟧)\n", remainder, "seed(torch.initial_seed() % 2**32)\n"),
    "a name": ("seed(⟦s⟧)  # mine\n", remainder, "seed(s % 2**32)  # mine\n"),
    "a sum": ("seed(⟦a + b⟧)\n", remainder, "seed((a + b) % 2**32)\n"),
    "an operand": ("seed(1 + ⟦a⟧)\n", remainder, "seed(1 + (a % 2**32))\n"),
    "in parentheses": ("seed((⟦a + b⟧))\n", remainder, "seed(((a + b) % 2**32))\n"),
    "by keyword": ("seed(seed=⟦a⟧)\n", remainder, "seed(seed=a % 2**32)\n"),
    "twice": ("seed(⟦a⟧, ⟦b⟧)\n", remainder, "seed(a % 2**32, b % 2**32)\n"),
    "the same twice": ("seed(⟦a⟧)\n", lambda at: remainder(at) * 2, "seed(a % 2**32)\n"),
    "a method": ("f(⟦net(x)⟧)\n", lambda at: [WriteAs(at[0], "{}.detach()")], "f(net(x).detach())\n"),
    "something else": ("seed(⟦worker + 1⟧)\n", lambda at: [WriteAs(at[0], "t.seed()")], "seed(t.seed())\n"),
}

REFUSED: dict[str, tuple[str, Edits]] = {
    "two forms": ("seed(⟦a⟧)\n", lambda at: [WriteAs(at[0], "{} + 1"), WriteAs(at[0], "{} + 2")]),
    "a form and a value": ("seed(⟦a⟧)\n", lambda at: [WriteAs(at[0], "{} + 1"), SetValue(at[0], 2)]),
    "a form and an integer": ("seed(⟦a⟧)\n", lambda at: [WriteAs(at[0], "{} + 1"), MakeInteger(at[0])]),
    "a builtin that is none": ("min = 3\nseed(⟦a⟧)\n", at_most_four),
    "a builtin that may be none": ("from pylab import *\nseed(⟦a⟧)\n", at_most_four),
    "a comment that would be lost": ("seed(⟦a +  # why\n  b⟧)\n", lambda at: [WriteAs(at[0], "c")]),
}


@pytest.mark.parametrize(("text", "edits", "expected"), FORMS.values(), ids=list(FORMS))
def test_an_expression_is_written_in_a_form(text: str, edits: Edits, expected: str) -> None:
    assert rewritten(text, edits).text == expected


@pytest.mark.parametrize(("text", "edits"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_written_is_refused(text: str, edits: Edits) -> None:
    with pytest.raises(CannotRewrite):
        rewritten(text, edits)
