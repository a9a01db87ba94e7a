"""What a user may replace of a configuration on the command line: the values that are shipped, and those he gives.

Each value may be replaced without the others, so that any two can meet: where one that is shipped leads to a loader
only because another one was replaced, its assumptions say that some were and some were not.
"""

from __future__ import annotations

from collections.abc import Mapping

from loaderlint.model.assumptions import Answer, Assumption, Assumptions
from loaderlint.model.source import Span

_NOTHING, _SOME, _ALL = 1, 2, 3
"""How much of a configuration a user replaces. They are numbers, as no report has to say them."""

_OF_SHIPPED = frozenset({_NOTHING, _SOME})
_OF_REPLACED = frozenset({_SOME, _ALL})

OPPOSITES: Mapping[Answer, Answer] = {_OF_SHIPPED: _OF_REPLACED, _OF_REPLACED: _OF_SHIPPED}
"""The answers that together are those of all runs."""


def shipped(where: Span) -> Assumptions:
    """Return what is assumed of a value that is left as it is shipped by what the user gives at a place."""
    return frozenset({Assumption(_subject(where), _OF_SHIPPED)})


def replaced(where: Span) -> Assumptions:
    """Return what is assumed of a value that a user gives at a place instead of the one that is shipped."""
    return frozenset({Assumption(_subject(where), _OF_REPLACED)})


def in_part(assumptions: Assumptions) -> bool:
    """Return whether of one configuration one value is assumed to be as it is shipped and another to be replaced."""
    return any(one.answer == _OF_SHIPPED & _OF_REPLACED and one.subject.endswith(_WHAT) for one in assumptions)


_WHAT = ", what the user replaces"


def _subject(where: Span) -> str:
    # It begins with the place, by which the program is told that asks for it.
    return f"{where}{_WHAT}"
