"""What questions about a value are answered with where nobody has said how to find out."""

from __future__ import annotations

from loaderlint.model.source import Span


def nowhere() -> bool:
    """Return that nothing more is done with it."""
    return False


def nameless() -> frozenset[str]:
    """Return that it came by no name."""
    return frozenset()


def ungated() -> frozenset[Span]:
    """Return that no worker count decides whether it is given."""
    return frozenset()


def uncounted() -> Span | None:
    """Return that no dictionary says how many workers there are beside it."""
    return None
