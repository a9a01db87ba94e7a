"""The known word that somebody meant who wrote another."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_DIGITS = str.maketrans("oil", "011")
"""The letters that are taken for digits in the code of a rule."""


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that is nearest to ``word`` in any case, or None when none is near.

    The one that merely looks alike, with ``O`` for 0 and ``I`` or ``l`` for 1, is nearer than any other.
    """
    by_look: dict[str, str] = {}
    by_lower_case: dict[str, str] = {}
    for one in known:
        by_look.setdefault(one.lower().translate(_DIGITS), one)
        by_lower_case.setdefault(one.lower(), one)
    alike = by_look.get(word.lower().translate(_DIGITS))
    if alike is not None:
        return alike
    close = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=cutoff)
    return by_lower_case[close[0]] if close else None
