"""What users give."""

from __future__ import annotations

from loaderlint.linking.things import ABSENT, Possibilities, Possibility, choice, under, unseen
from loaderlint.model.source import Span


def left_or_given(subject: str, name: str, span: Span) -> Possibilities:
    """Return what a user gives for a name: nothing, or something nobody sees."""
    key = f"{subject}:{name}"
    return (
        *under((Possibility(ABSENT, span),), choice(key, "default")),
        *unseen(span, choice(key, "given")),
    )
