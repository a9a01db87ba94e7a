"""Rows of values: literals, comprehensions, unpackings, and the turns of a loop over them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from loaderlint.linking.things.dictionaries import is_complete, keys_of
from loaderlint.linking.things.kinds import (
    ABSENT,
    GIVEN,
    UNSEEN,
    Frame,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Unseen,
)
from loaderlint.linking.things.possibilities import choice, distinct, under, unseen
from loaderlint.linking.things.trees import from_item
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python import Arm, Binding
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Sequence as TreeSequence
from loaderlint.vocabulary.datasets import SPLITS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp

MOST_TURNS = 128
"""A loop over more than this is followed no further."""
_NO_TURN_SEEN = -1
"""What stands in place of a turn's number where what a loop goes over was not seen."""


def displayed(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Possibilities:
    """Return the row that brackets make; a starred part that was not seen leaves all of it unseen."""
    span = frame.facts.span(node)
    rows: list[tuple[list[Possibilities], Assumptions]] = [([], NO_ASSUMPTIONS)]
    for item in node.elts:
        if not isinstance(item, ast.Starred):
            value = evaluator.evaluate(item, frame)
            for items, _ in rows:
                items.append(value)
            continue
        rows = [
            ([*items, *one.thing.items], joint)
            for items, before in rows
            for one in evaluator.evaluate(item.value, frame)
            if isinstance(one.thing, Row) and (joint := together(before, one.assumptions)) is not None
        ]
        if not all(isinstance(one.thing, Row) for one in evaluator.evaluate(item.value, frame)):
            return unseen(span)
    return tuple(Possibility(Row(tuple(items)), span, assumptions=assumptions) for items, assumptions in rows)


def spread(
    evaluator: Evaluator, arguments: Sequence[ast.expr], frame: Frame
) -> tuple[list[tuple[ast.expr, Possibilities | None]], bool]:
    """Return a call's positional arguments and whether all were seen.

    Those of known rows after a star come with what they can be, which is `ABSENT` where a row is too short, the others
    (None) are still to be followed.
    """
    found: list[tuple[ast.expr, Possibilities | None]] = []
    for argument in arguments:
        if not isinstance(argument, ast.Starred):
            found.append((argument, None))
            continue
        whole = evaluator.evaluate(argument.value, frame)
        rows = [(one, one.thing.items) for one in whole if isinstance(one.thing, Row)]
        lengths = {len(items) for _, items in rows}
        if len(rows) < len(whole) or (len(lengths) > 1 and argument is not arguments[-1]):
            return found, False
        for position in range(max(lengths, default=0)):
            missing = (Possibility(ABSENT, frame.facts.span(argument)),)
            ways = ((items[position] if position < len(items) else missing, one) for one, items in rows)
            found.append((argument, tuple(each for values, one in ways for each in under(values, one.assumptions))))
    return found, True


def unpacked(possibilities: Possibilities, index: tuple[int | slice, ...], span: Span) -> Possibilities:
    """Return what stands at a position of a row, one position for each level."""
    for position in index:
        possibilities = tuple(
            one for whole in possibilities for one in under(_part(whole, position, span), whole.assumptions)
        )
    return possibilities


def _part(whole: Possibility, position: int | slice, span: Span) -> Possibilities:
    if isinstance(whole.thing, Made) and whole.thing.callee in SPLITS:
        # What one part does in a worker is what the whole does, and it takes the same along.
        return (replace(whole, thing=replace(whole.thing, part=position if isinstance(position, int) else None)),)
    if not isinstance(whole.thing, Row):
        return unseen(span)
    items = whole.thing.items
    if isinstance(position, slice):
        return (Possibility(Row(items[position]), span),)
    return items[position] if -len(items) <= position < len(items) else unseen(span)


def turned(evaluator: Evaluator, binding: Binding, frame: Frame) -> Possibilities:
    """Return what a loop's name is at each turn, assuming that turn.

    No turn's value is set for itself, so that those of all turns stay as many as they are.
    """
    assert binding.value is not None
    span = frame.facts.span(binding.value)
    found: list[Possibility] = []
    loop = next((arm for arm in reversed(binding.place.arms) if arm.loop), None)
    before = frame.at(loop.place) if loop is not None and loop.place is not None else frame
    for one in evaluator.evaluate(binding.value, before):
        items = items_of(one)
        if items is None:
            # What the user gives comes one by one.
            given_by_user = isinstance(one.thing, CommandLineText) or (
                isinstance(one.thing, Unseen) and one.thing.given
            )
            thing = GIVEN if given_by_user else UNSEEN
            found.extend(under((Possibility(thing, span),), one.assumptions, choice(str(span), _NO_TURN_SEEN)))
            continue
        for turn, item in enumerate(items):
            given = unpacked(item, binding.index, span)
            several = len(items) > 1 and not binding.index
            given = tuple(replace(each, taken_out=True) for each in given) if several else given
            found.extend(under(given, one.assumptions, choice(str(span), turn)))
    return tuple(found)


def items_of(one: Possibility) -> tuple[Possibilities, ...] | None:
    """Return what a loop over a thing comes to, in order; None where that was not seen."""
    if isinstance(one.thing, Row):
        items = one.thing.items
    elif isinstance(one.thing, TreeSequence) and one.thing.tag is None:
        items = tuple((from_item(item),) for item in one.thing.items)
    elif isinstance(one.thing, Items | TreeMapping | Settings) and is_complete(one.thing):
        items = taken_out(keys_of(one.thing), one.span)
    elif isinstance(one.thing, str):
        items = taken_out(one.thing, one.span)
    else:
        return None
    return items if len(items) <= MOST_TURNS else None


def taken_out(
    constants: Iterable[int | str], span: Span, sources: frozenset[Span] = frozenset()
) -> tuple[Possibilities, ...]:
    """Return the elements that something gives which is written without them: a range, or a text."""
    return tuple((Possibility(one, span, sources=sources, taken_out=True),) for one in constants)


def ends(evaluator: Evaluator, arm: Arm, frame: Frame) -> list[Assumptions]:
    """Return the assumptions under which a loop has come to its end after its last turn, or without any turn."""
    if not isinstance(arm.owner, ast.For):
        return [NO_ASSUMPTIONS]
    found: list[Assumptions] = []
    for one in evaluator.evaluate(arm.owner.iter, frame):
        items = items_of(one)
        if items is None:
            # Whatever is left after a turn is not left where there was none.
            found.append(one.assumptions | choice(f"the loop at {frame.facts.span(arm.owner)} turns", arm.truth))
        elif bool(items) is arm.truth:
            last = choice(str(frame.facts.span(arm.owner.iter)), len(items) - 1) if items else NO_ASSUMPTIONS
            joint = together(one.assumptions, last)
            if joint is not None:
                found.append(joint)
    return found


def row(evaluator: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Possibilities:
    """Return the row that a comprehension over known values makes, or one of several as `dictionary` does."""

    def assuming(assumptions: Assumptions) -> Possibility | None:
        turns = _turns(evaluator, node, frame, assumptions)
        if turns is None:
            return None
        every = evaluator.evaluate(node.elt, frame.at(frame.scope.inside[id(node)]))
        items = tuple(of_turn(every, turn) for turn in turns)
        return Possibility(Row(items), frame.facts.span(node), assumptions=assumptions) if all(items) else None

    return _one_of_several(evaluator, node, frame, assuming, Possibility(UNSEEN, frame.facts.span(node)))


def dictionary(evaluator: Evaluator, node: ast.DictComp, frame: Frame) -> Possibilities:
    """Return the dictionary that a comprehension over known keys makes.

    Where it goes over one of several things that have different keys, it makes one of several dictionaries.
    """
    unknown = Possibility(Items({}, complete=False), frame.facts.span(node))

    def assuming(assumptions: Assumptions) -> Possibility | None:
        return _dictionary_assuming(evaluator, node, frame, assumptions)

    return _one_of_several(evaluator, node, frame, assuming, unknown)


def _one_of_several(
    evaluator: Evaluator,
    node: _Comprehension,
    frame: Frame,
    assuming: Callable[[Assumptions], Possibility | None],
    unknown: Possibility,
) -> Possibilities:
    """Return what a comprehension makes ``assuming`` nothing, or else what it makes of each thing it may go over.

    It is ``unknown`` what it makes of a thing that was not seen, and of things that are not told apart.
    """
    whole = assuming(NO_ASSUMPTIONS)
    if whole is not None:
        return (whole,)
    start = frame.scope.inside[id(node)].arms[len(frame.place.arms)].place
    assert start is not None
    ways = [one.assumptions for one in evaluator.evaluate(node.generators[0].iter, frame.at(start))]
    if len({*ways}) < len(ways) or len(ways) == 1:
        return (unknown,)
    return tuple(assuming(way) or replace(unknown, assumptions=way) for way in ways)


def _dictionary_assuming(
    evaluator: Evaluator, node: ast.DictComp, frame: Frame, assumptions: Assumptions
) -> Possibility | None:
    turns = _turns(evaluator, node, frame, assumptions)
    if turns is None:
        return None
    where = frame.at(frame.scope.inside[id(node)])
    keys, values = evaluator.evaluate(node.key, where), evaluator.evaluate(node.value, where)
    entries: dict[str, Possibilities] = {}
    for turn in turns:
        key, given = of_turn(keys, turn), of_turn(values, turn)
        names = {one.thing if isinstance(one.thing, str) else None for one in key}
        name = names.pop() if len(names) == 1 else None
        if name is None or not given:
            return None
        entries[name] = given
    return Possibility(Items(entries), frame.facts.span(node), assumptions=assumptions)


def of_turn(every: Possibilities, turn: Assumptions) -> Possibilities:
    """Return what an expression is at one turn, as a thing that assumes no turn any more."""
    subjects = {one.subject for one in turn}
    return distinct(
        replace(one, assumptions=frozenset(way for way in one.assumptions if way.subject not in subjects))
        for one in under(every, turn)
    )


def _turns(
    evaluator: Evaluator,
    node: _Comprehension,
    frame: Frame,
    assumptions: Assumptions = NO_ASSUMPTIONS,
) -> list[Assumptions] | None:
    """Return the turns of a comprehension in order; None where they, or whether one counts, were not seen."""
    turns: list[Assumptions] = [assumptions]
    inside = frame.scope.inside[id(node)]
    arms = [arm for arm in inside.arms if arm not in frame.place.arms]
    for arm in arms:
        assert arm.place is not None
        where = frame.at(arm.place)
        following: list[Assumptions] = []
        if isinstance(arm.owner, ast.comprehension):
            subject = str(frame.facts.span(arm.owner.iter))
            for turn in turns:
                every = evaluator.evaluate(arm.owner.iter, where)
                itself = [one for one in every if one.assumptions == turn]
                over = itself if turn and len(itself) == 1 else of_turn(every, turn)
                lengths = {None if (items := items_of(one)) is None else len(items) for one in over}
                length = lengths.pop() if len(lengths) == 1 else None
                if length is None:
                    return None
                following.extend(turn | choice(subject, index) for index in range(length))
        else:
            assert arm.test is not None
            for turn in turns:
                answers = {
                    truth
                    for truth, assumptions, _ in evaluator.truth(arm.test, where)
                    if together(assumptions, turn) is not None
                }
                if len(answers) != 1:
                    return None
                following.extend([turn] if answers == {True} else [])
        turns = following
        if len(turns) > MOST_TURNS:
            return None
    return turns
