"""What an expression can be: possibilities put beside each other, under assumptions, in parts and in few."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest

from msgspec.structs import replace

from loaderlint.linking.things.alternatives import gathered, gathered_loosely, simplified
from loaderlint.linking.things.kinds import (
    SOMETHING,
    UNSEEN,
    Absent,
    Made,
    Possibilities,
    Possibility,
    Unseen,
    leaves_out,
)
from loaderlint.model.assumptions import (
    CUDA,
    NO_ASSUMPTIONS,
    PLATFORM,
    REMEMBERED,
    Answer,
    Assumption,
    Assumptions,
    answers_of,
    together,
)
from loaderlint.model.source import Span
from loaderlint.model.target import Platform

MOST_POSSIBILITIES = 64
"""More than this, with the ways in which each comes about, and only some of those ways are followed further."""


POSSIBILITIES_KEPT = 24
"""As many are then kept, and more where there are more things: each in one way at least."""


MOST_THINGS = 256
"""An expression that can be more things than this counts as unseen: nobody reads such a list."""


MOST_OPEN_WAYS = 8
"""Ways in which one of too many things is unseen that are told from each other."""


MOST_WAYS = 64
"""Of a thing that comes about in more ways than this the others count as unseen: without assumptions it is invented."""


MOST_COMBINATIONS = 1024
"""More combinations of operands than this that can meet and the result counts as unseen."""


MOST_MEETINGS = 16 * MOST_COMBINATIONS
"""More combinations than this are not looked through for those that can meet."""


def unseen(span: Span, assumptions: Assumptions = NO_ASSUMPTIONS) -> Possibilities:
    """Return the single possibility of not knowing."""
    return (Possibility(UNSEEN, span, assumptions=assumptions),)


def never_none(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities of an expression that never gives None, whatever else was not seen of it."""
    return tuple(replace(one, thing=SOMETHING) if one.thing == UNSEEN else one for one in possibilities)


def irremovable(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities where the program cannot do without the entry they are written in."""
    return tuple(one if one.entry is None else replace(one, entry=None) for one in possibilities)


def under(possibilities: Iterable[Possibility], *assumptions: Assumptions) -> Possibilities:
    """Return the possibilities that remain under the assumptions."""
    joint = together(*assumptions)
    if not joint:
        return () if joint is None else tuple(possibilities)
    return tuple([kept for one in possibilities if (kept := one.assuming(joint)) is not None])


def choice(subject: str, answer: Answer) -> Assumptions:
    """Return the assumption that one question is answered one way."""
    return frozenset({Assumption(subject, answer)})


def either(first: Assumptions, second: Assumptions) -> Assumptions:
    """Return what is assumed both ways: the platforms of either, and else only what the two have in common."""
    common = frozenset(one for one in first & second if one.subject != PLATFORM)
    platforms = platforms_of(first) | platforms_of(second)
    return common if platforms == platforms_of(common) else common | {Assumption(PLATFORM, platforms)}


EVERY_PLATFORM = frozenset(platform.value for platform in Platform)


WITH_CUDA = frozenset(platform.value for platform in Platform if platform.may_have_cuda)


def platforms_of(assumptions: Assumptions) -> frozenset[str]:
    """Return the platforms on which assumptions hold."""
    found = EVERY_PLATFORM
    for subject, answer in assumptions:
        if subject == PLATFORM and isinstance(answer, frozenset):
            found &= answer
        elif subject == CUDA and answer is True:
            found &= WITH_CUDA
    return found


def one_of(subject: str, ways: Iterable[tuple[int | str, Possibilities]]) -> Possibilities:
    """Return what comes of several ways, each assuming that ``subject`` went its way; one way alone assumes nothing."""
    every = list(ways)
    if len(every) == 1:
        return every[0][1]
    return tuple(one for answer, values in every for one in under(values, choice(subject, answer)))


def settled(changed: Possibilities | None, before: Callable[[], Possibilities]) -> Possibilities:
    """Return what a change left of the values before it: all where nothing changed, some where it may not have run."""
    if changed is None:
        return before()
    found: list[Possibility] = []
    for one in changed:
        found.extend(under(before(), one.assumptions) if isinstance(one.thing, Absent) else (one,))
    return tuple(found)


def laid_over(values: Possibilities | None, before: Callable[[], Possibilities]) -> Possibilities:
    """Return what values leave of those they are laid over, as a merge or a default does (`settled`)."""
    return settled(values and covering(values, before), before)


def covering(values: Possibilities, before: Callable[[], Possibilities]) -> Possibilities:
    """Return values that are laid over others: an entry that is taken away uncovers what is below it.

    The program can do without the entry only where that leaves the option out, too.
    """
    if all(one.entry is None for one in values) or all(leaves_out(one.thing) for one in before()):
        return values
    return irremovable(values)


def combined(*operands: Possibilities) -> list[tuple[tuple[Possibility, ...], Assumptions, frozenset[Span]]]:
    """Return the combinations of operands that can meet, with their joint assumptions and the places they come from."""
    met: list[tuple[tuple[Possibility, ...], Assumptions]] = [((), NO_ASSUMPTIONS)]
    for operand in operands:
        if len(met) * len(operand) > MOST_MEETINGS:
            return []
        met = [
            ((*before, one), joint)
            for before, assumptions in met
            for one in operand
            if (joint := together(assumptions, one.assumptions)) is not None
        ]
        if len(met) > MOST_COMBINATIONS:
            return []
    return [
        (combination, assumptions, frozenset[Span]().union(*(one.places for one in combination)))
        for combination, assumptions in met
    ]


def distinct(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities without repetitions.

    One thing that comes about in several ways is kept under as few assumptions as say so.
    """
    ways: dict[tuple[object, ...], list[Possibility]] = {}
    for one in possibilities:
        unseen_anywhere = isinstance(one.thing, Unseen)
        thing = (Unseen, one.thing) if unseen_anywhere else _identity(one)
        ways.setdefault((thing, None if unseen_anywhere else (one.span, one.entry, one.alike)), []).append(one)
    return tuple(one for same in ways.values() for one in _fewest(same))


def _identity(one: Possibility) -> Hashable:
    """Return what tells a thing from others: what one call made is one thing, in however many ways it was called."""
    if one.constant:
        return type(one.thing), one.thing
    if isinstance(one.thing, Made):
        return one.thing.callee, id(one.thing.call), id(one.thing.frame)
    return id(one.thing)


def in_few(
    possibilities: Possibilities, fewer: Callable[[Iterable[Assumptions]], list[Assumptions]] = gathered
) -> Possibilities:
    """Return possibilities that are too many, the ways in which each comes about said in ``fewer``.

    What is unseen in more ways than a few is unseen whatever it assumes.
    """
    open_ways = [one for one in possibilities if isinstance(one.thing, Unseen)]
    seen: dict[tuple[object, ...], list[Possibility]] = {}
    for one in possibilities:
        if not isinstance(one.thing, Unseen):
            thing = _identity(one)
            seen.setdefault((thing, one.span, one.entry, one.alike), []).append(one)
    ways = fewer(one.assumptions for one in open_ways)
    told = ways if len(ways) <= MOST_OPEN_WAYS else [NO_ASSUMPTIONS]
    found = [Possibility(UNSEEN, open_ways[0].span, assumptions=way) for way in told]
    for same in seen.values():
        sources = frozenset[Span]().union(*(one.sources for one in same))
        for assumptions in fewer(one.assumptions for one in same):
            found.append(replace(same[0], assumptions=assumptions, sources=sources))
    return tuple(found)


def in_part(possibilities: Possibilities, span: Span, most: int) -> Possibilities:
    """Return about ``most`` of the possibilities of an expression: each thing in the ways that assume least.

    The other ways are unseen. What is kept and what is not tell runs from each other, so that neither meets the other;
    no thing is said under fewer assumptions than it comes about under, which would invent it.
    """
    ways: dict[tuple[object, ...], list[Possibility]] = {}
    unseen_ways = [one for one in possibilities if isinstance(one.thing, Unseen)]
    for one in sorted(possibilities, key=lambda one: len(one.assumptions)):
        if not isinstance(one.thing, Unseen):
            thing = _identity(one)
            ways.setdefault((thing, one.span, one.entry, one.alike), []).append(one)
    kept = [one for turn in zip_longest(*ways.values()) for one in turn if one is not None][: max(most, len(ways))]
    if len(kept) + len(unseen_ways) == len(possibilities):
        return possibilities
    subject = f"what is not followed at {span}"
    seen = under(kept, choice(subject, 0))
    return (*seen, *unseen_ways, *unseen(span, choice(subject, 1)))


def _fewest(same: list[Possibility]) -> Iterator[Possibility]:
    if len(same) == 1:
        yield same[0]
        return
    alternatives = _said_in_few(tuple(one.assumptions for one in same))
    if len(alternatives) > MOST_WAYS:
        yield replace(same[0], thing=UNSEEN, assumptions=NO_ASSUMPTIONS)
        alternatives = sorted(alternatives, key=len)[:MOST_WAYS]
    assuming: dict[Assumptions, list[Possibility]] = {}
    for one in same:
        assuming.setdefault(one.assumptions, []).append(one)
    for assumptions in alternatives:
        # What an alternative was made of is no longer known: it may depend on all that any of them does.
        ways = assuming.get(assumptions, same)
        first = ways[0]
        sources = frozenset[Span]().union(*(one.sources for one in ways))
        yield (
            first
            if first.assumptions == assumptions and first.sources == sources
            else replace(first, assumptions=assumptions, sources=sources)
        )


@lru_cache(REMEMBERED)
def _said_in_few(alternatives: tuple[Assumptions, ...]) -> list[Assumptions]:
    """Return alternatives under which the same runs fall, or at least these where they are too many.

    The attributes of one object are read in the same ways, over and over.
    """
    few = simplified(alternatives)
    for fewer in (_on_platforms_joined, gathered, gathered_loosely):
        few = fewer(few) if len(few) > MOST_WAYS else few
    return few


def _on_platforms_joined(alternatives: Iterable[Assumptions]) -> list[Assumptions]:
    """Return alternatives under which the same runs fall, those that differ in their platforms alone said as one.

    Whatever a program asks of the platform has the other two in common, and twice as many ways to come about on them.
    """
    by_rest: dict[Assumptions, frozenset[str]] = {}
    for one in alternatives:
        rest = frozenset(each for each in one if each.subject != PLATFORM)
        told = (answers_of(each.answer) for each in one if each.subject == PLATFORM)
        by_rest[rest] = by_rest.get(rest, frozenset()) | next(told, EVERY_PLATFORM)
    return simplified(
        rest if platforms == EVERY_PLATFORM else rest | {Assumption(PLATFORM, platforms)}
        for rest, platforms in by_rest.items()
    )
