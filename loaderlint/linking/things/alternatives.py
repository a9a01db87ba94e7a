"""Alternative sets of assumptions, said in as few as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from loaderlint.linking.things import overridden
from loaderlint.model.assumptions import (
    NO_ASSUMPTIONS,
    PLATFORM,
    REMEMBERED,
    START_METHOD,
    Answer,
    Assumption,
    Assumptions,
    answers_of,
    together,
)

_OPPOSITES: dict[Answer, Answer] = {
    True: False,
    False: True,
    "default": "given",
    "given": "default",
    "set": "unset",
    "unset": "set",
    # What nobody had to ask for is the answer in all other runs.
    frozenset({True}): False,
    frozenset({False}): True,
    **overridden.OPPOSITES,
}
"""The other answer of a question that has two."""


def simplified(alternatives: Iterable[Assumptions]) -> list[Assumptions]:
    """Return alternatives under which the same runs fall.

    Two that differ in one answer alone, where there is no third answer, become one without the question; one that
    assumes all that another does and more is left out.
    """
    kept = tuple(dict.fromkeys(alternatives))
    return list(kept if len(kept) < 2 else _simplified(kept))


@lru_cache(REMEMBERED)
def _simplified(alternatives: tuple[Assumptions, ...]) -> tuple[Assumptions, ...]:
    kept = dict.fromkeys(alternatives)
    answers = frozenset[Assumption]().union(*kept)
    # Which two are joined first can matter: it is the same in every run.
    several_sided = [one for one in answers if _opposite(one) in answers]
    two_sided = {one: _opposite(one) for one in sorted(several_sided, key=_in_order)}
    waiting = list(kept) if two_sided else []
    while waiting:
        one = waiting.pop()
        joined = _joined(one, kept, two_sided) if one in kept else None
        if joined is not None:
            common, partner = joined
            del kept[one], kept[partner]
            if common not in kept:
                kept[common] = None
                waiting.append(common)
    return _least(kept)


def _least(alternatives: Collection[Assumptions]) -> tuple[Assumptions, ...]:
    """Return the alternatives none of which assumes all that another does and more."""
    if len({len(one) for one in alternatives}) == 1:
        return tuple(alternatives)
    if NO_ASSUMPTIONS in alternatives:
        return (NO_ASSUMPTIONS,)
    # What another assumes is among one's own assumptions, the rarest of the other's as well.
    how_often = Counter(assumption for one in alternatives for assumption in one)
    by_rarest: dict[Assumption, list[Assumptions]] = {}
    for one in alternatives:
        by_rarest.setdefault(min(one, key=how_often.__getitem__), []).append(one)
    return tuple(
        one
        for one in alternatives
        if not any(any(map(one.__gt__, by_rarest[assumption])) for assumption in one if assumption in by_rarest)
    )


def gathered(alternatives: Iterable[Assumptions], *, words: bool = False) -> list[Assumptions]:
    """Return alternatives under which the same runs fall, those that differ in one number alone said as one.

    Numbers tell the callers of a function from each other: the same value often comes from several of them. ``words``,
    where those count as well, tell the files from each other that a user chooses from.
    """
    return list(_gathered(tuple(alternatives), words))


@lru_cache(REMEMBERED)
def _gathered(alternatives: tuple[Assumptions, ...], words: bool = False) -> list[Assumptions]:
    kept = simplified(alternatives)
    told: dict[str, dict[Assumption, frozenset[int | str]]] = {}
    for one in frozenset[Assumption]().union(*kept) if len(kept) > 1 else ():
        if several := _numbers(one.answer) or (_words(one.subject, one.answer) if words else frozenset()):
            told.setdefault(one.subject, {})[one] = several
    for subject, told_by in sorted(told.items()):
        others: list[Assumptions] = []
        by_rest: dict[Assumptions, frozenset[int | str]] = {}
        for each in kept:
            given = each.intersection(told_by)
            if not given:
                others.append(each)
            else:
                rest = each - given
                by_rest[rest] = by_rest.get(rest, frozenset()).union(*(told_by[one] for one in given))
        kept = others
        for rest, every in by_rest.items():
            kept.append(rest | {Assumption(subject, every if len(every) > 1 else next(iter(every)))})
    return kept


def gathered_loosely(alternatives: Iterable[Assumptions]) -> list[Assumptions]:
    """Return alternatives under which at least the same runs fall, those that differ in numbers alone said as one.

    Of each number by which some of them are told apart all answers are kept, but no longer which of them come together.
    """
    ways = _gathered(tuple(alternatives))
    numbers_in = {one: numbers for one in frozenset[Assumption]().union(*ways) if (numbers := _numbers(one.answer))}
    numbered: dict[Assumptions, dict[str, frozenset[int]]] = {}
    for each in ways:
        mine = {one.subject: numbers_in[one] for one in each if one in numbers_in}
        rest = each.difference(numbers_in)
        before = numbered.setdefault(rest, mine)
        numbered[rest] = {subject: before[subject] | mine[subject] for subject in before.keys() & mine.keys()}
    return simplified(
        rest | {Assumption(subject, answers if len(answers) > 1 else next(iter(answers))) for subject, answers in every}
        for rest, every in ((rest, mine.items()) for rest, mine in numbered.items())
    )


def _numbers(answer: Answer) -> frozenset[int]:
    """Return the numbers that an answer is, none where it is something else."""
    if isinstance(answer, frozenset):
        return frozenset(each for each in answer if isinstance(each, int) and not isinstance(each, bool))
    return frozenset({answer} if isinstance(answer, int) and not isinstance(answer, bool) else ())


def _words(subject: str, answer: Answer) -> frozenset[str]:
    """Return the words that answer a question which the target does not settle, none where the answer is another."""
    if subject in (PLATFORM, START_METHOD):
        return frozenset()
    answers = answers_of(answer)
    return answers if all(isinstance(each, str) for each in answers) else frozenset()


def _joined(
    one: Assumptions, among: Collection[Assumptions], two_sided: Mapping[Assumption, Assumption | None]
) -> tuple[Assumptions, Assumptions] | None:
    """Return what two alternatives have in common and the second of them, None when none of them is the opposite."""
    for assumption, opposite in two_sided.items():
        if opposite is None or assumption not in one:
            continue
        common = one - {assumption}
        partner = common | {opposite}
        if partner in among:
            return common, partner
    return None


def _in_order(one: Assumption) -> tuple[str, str]:
    return str(one.subject), str(one.answer)


def _opposite(one: Assumption) -> Assumption | None:
    """Return the other answer to a question that has two; 0 and 1 are numbers, not False and True."""
    if isinstance(one.answer, int) and not isinstance(one.answer, bool):
        return None
    answer = _OPPOSITES.get(one.answer)
    return None if answer is None else Assumption(one.subject, answer)


MOST_ALTERNATIVES = 8
"""More ways than this to meet a condition are said in fewer."""
MOST_GATHERED = 24
"""Where even those are more than this, questions are forgotten one after the other until they are not."""


def joined(alternatives: Iterable[Assumptions], ways: Iterable[Assumptions]) -> list[Assumptions]:
    """Return the alternatives each of which assumes one of the ``ways`` as well, where that can be."""
    return list(_meeting(tuple(alternatives), tuple(ways)))


@lru_cache(REMEMBERED)
def _meeting(alternatives: tuple[Assumptions, ...], ways: tuple[Assumptions, ...]) -> list[Assumptions]:
    met = simplified(joint for one in alternatives for way in ways if (joint := together(one, way)) is not None)
    if len(met) > MOST_ALTERNATIVES:
        met = gathered(met)
    return met if len(met) <= MOST_GATHERED else at_most(MOST_GATHERED, met)


def at_most(most: int, alternatives: Iterable[Assumptions]) -> list[Assumptions]:
    """Return so many alternatives at most, under which the same runs fall, or at least these."""
    few = gathered(alternatives, words=True)
    return few if len(few) <= most else _forgetting(few, most)


def _forgetting(alternatives: list[Assumptions], most: int) -> list[Assumptions]:
    """Return few enough alternatives under which at least the same runs fall, without some of the questions.

    Those of yes or no go first, of these the ones that keep the most alternatives apart: who calls a function and which
    file is read are what the values of different options are tied together by.
    """
    answers = frozenset[Assumption]().union(*alternatives) - frozenset.intersection(*alternatives)
    asked: dict[str, set[Assumption]] = {}
    for one in answers:
        asked.setdefault(one.subject, set()).add(one)

    def last_to_go(subject: str) -> tuple[bool, int, str]:
        ties = not all(isinstance(each, bool) for one in asked[subject] for each in answers_of(one.answer))
        return ties, len({one - asked[subject] for one in alternatives}), subject

    left = alternatives
    for subject in sorted(asked, key=last_to_go):
        left = gathered((one - asked[subject] for one in left), words=True)
        if len(left) <= most:
            break
    return left
