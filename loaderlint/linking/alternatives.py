"""Alternative sets of assumptions, said in as few as possible."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loaderlint.model.value import Assumption, Assumptions

_OPPOSITES: dict[bool | int | str | frozenset[str], bool | str] = {
    True: False,
    False: True,
    "default": "given",
    "given": "default",
    "set": "unset",
    "unset": "set",
}
"""The other answer of a question that has two."""


def simplified(alternatives: Iterable[Assumptions]) -> list[Assumptions]:
    """Return alternatives under which the same runs fall.

    Two that differ in one answer alone, where there is no third answer, become one without the question; one that
    assumes all that another does and more is left out.
    """
    kept = dict.fromkeys(alternatives)
    waiting = list(kept) if len(kept) > 1 else []
    while waiting:
        one = waiting.pop()
        joined = _joined(one, kept) if one in kept else None
        if joined is not None:
            common, partner = joined
            del kept[one], kept[partner]
            if common not in kept:
                kept[common] = None
                waiting.append(common)
    return [one for one in kept if not any(other < one for other in kept)]


def _joined(one: Assumptions, among: Collection[Assumptions]) -> tuple[Assumptions, Assumptions] | None:
    """Return what two alternatives have in common and the second of them, None when none of them is the opposite."""
    for assumption in one:
        opposite = _OPPOSITES.get(assumption.answer) if not _is_number(assumption.answer) else None
        if opposite is None:
            continue
        common = one - {assumption}
        partner = common | {Assumption(assumption.subject, opposite)}
        if partner in among:
            return common, partner
    return None


def _is_number(answer: object) -> bool:
    """Return whether an answer is a number: 0 and 1 would be found as False and True."""
    return isinstance(answer, int) and not isinstance(answer, bool)
