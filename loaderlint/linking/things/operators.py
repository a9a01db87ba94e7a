"""Operators in expressions: every combination of operands that can meet, with what each assumes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things import guards, locations, platforms, templates, torch_versions
from loaderlint.linking.things.dictionaries import is_complete, limited, updated
from loaderlint.linking.things.kinds import (
    FALSY,
    TRUTHY,
    UNSEEN,
    Absent,
    Frame,
    Interpolation,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Thing,
    Unseen,
)
from loaderlint.linking.things.operations import (
    arithmetic,
    comparison,
    computed,
    is_class,
    is_object,
    is_something,
    number,
    same_class,
    truth_of,
)
from loaderlint.linking.things.possibilities import combined, distinct, never_none, under, unseen
from loaderlint.linking.things.trees import MISSING
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.running import ALL_START_METHODS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def bool_op(evaluator: Evaluator, node: ast.BoolOp, frame: Frame) -> Possibilities:
    """Return what ``and`` or ``or`` gives."""
    stops_at = isinstance(node.op, ast.Or)
    span = frame.facts.span(node)
    current: list[Possibility] = [Possibility(not stops_at, span)]
    for position, operand in enumerate(node.values):
        is_last = position == len(node.values) - 1
        following: list[Possibility] = []
        for one in current:
            if position and truth_of(one.thing) is stops_at:
                # What ``n and 2`` gives where n is 0 is no setting of n's.
                passed = one if stops_at else replace(one, span=span, entry=None, sources=one.places)
                following.append(passed)
                continue
            if position and truth_of(one.thing) is None:
                before = node.values[position - 1]
                for asked in evaluator.question(before, frame, stops_at):
                    following.extend(under((_stopping(one, stops_at),), asked))
                goes_on = [
                    way for asked in evaluator.question(before, frame, not stops_at) for way in under((one,), asked)
                ]
            else:
                goes_on = [one]
            for way in goes_on:
                places = way.places if position else frozenset[Span]()
                values = evaluator.evaluate(operand, frame) if is_last else evaluator.answered(operand, frame)
                reached = under(values, way.assumptions)
                following.extend(replace(other, sources=other.sources | places) for other in reached)
        current = list(limited(distinct(following), span))
    return tuple(current)


def unary(evaluator: Evaluator, node: ast.UnaryOp, frame: Frame) -> Possibilities:
    """Return what ``not``, a minus or a plus gives."""
    span = frame.facts.span(node)
    if isinstance(node.op, ast.Not):
        return distinct(
            Possibility(not truth, span, assumptions=assumptions, sources=places)
            for truth, assumptions, places in evaluator.truth(node.operand, frame)
        )
    if isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        signed = compute(
            evaluator, (evaluator.evaluate(node.operand, frame),), node, frame, lambda values: sign * number(values[0])
        )
        return never_none(replace(one, sources=frozenset()) for one in signed)
    return unseen(span)


_OF_NUMBERS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Operators that give no None: libraries give the others meanings of their own."""


def binary(evaluator: Evaluator, node: ast.BinOp, frame: Frame) -> Possibilities:
    """Return what an operator gives for two operands."""
    span = frame.facts.span(node)
    if isinstance(node.op, ast.Div) and _holds_path(evaluator, node, frame):
        return (Possibility(locations.joined(node.left, node.right, frame), span),)
    text = templates.summed(node)
    if text is not None:
        return templates.written(text, frame)
    if any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right)):
        return never_none(unseen(span))
    operands = (evaluator.evaluate(node.left, frame), evaluator.evaluate(node.right, frame))
    if isinstance(node.op, ast.BitOr):
        return merged_items(evaluator, operands, span)
    if isinstance(node.op, ast.Add | ast.Mult) and any(isinstance(one.thing, Row) for each in operands for one in each):
        return _made_of_rows(node.op, operands, span)
    return operated(evaluator, operands, node, frame)


def operated(
    evaluator: Evaluator, operands: tuple[Possibilities, ...], node: ast.BinOp | ast.AugAssign, frame: Frame
) -> Possibilities:
    """Return what the operator of an expression or assignment gives for its operands."""
    found = compute(evaluator, operands, node, frame, lambda values: arithmetic(node.op, values))
    return never_none(found) if isinstance(node.op, _OF_NUMBERS) else found


def _holds_path(evaluator: Evaluator, node: ast.BinOp, frame: Frame) -> bool:
    sides = (one for side in (node.left, node.right) for one in evaluator.evaluate(side, frame))
    return any(isinstance(one.thing, Made) and locations.is_path(one.thing) for one in sides)


LONGEST_ROW = 128
"""A row that is put together to more items than this is followed no further."""


def _made_of_rows(kind: ast.operator, operands: tuple[Possibilities, Possibilities], span: Span) -> Possibilities:
    """Return the row that two make one after the other, or one again and again: ``[4, 4] + [0]``, ``[4] * 3``."""
    found: list[Possibility] = []
    for (left, right), assumptions, places in combined(*operands):
        match kind, left.thing, right.thing:
            case ast.Add(), Row(first, None), Row(second, None) if len(first) + len(second) <= LONGEST_ROW:
                thing: Thing = Row((*first, *second))
            case (ast.Mult(), Row(items, None), int(times)) | (ast.Mult(), int(times), Row(items, None)) if (
                len(items) * times <= LONGEST_ROW
            ):
                thing = Row(items * times)
            case _:
                thing = UNSEEN
        found.append(Possibility(thing, span, assumptions=assumptions, sources=places))
    return never_none(distinct(found) or unseen(span))


def merged_items(evaluator: Evaluator, operands: tuple[Possibilities, Possibilities], span: Span) -> Possibilities:
    """Return the dictionary that ``|`` makes of two."""
    found: list[Possibility] = []
    for (left, right), assumptions, _ in combined(*operands):
        if isinstance(left.thing, Items) and isinstance(right.thing, Items):
            found.append(Possibility(updated(left.thing, right.thing), span, assumptions=assumptions))
        else:
            found.extend(unseen(span, assumptions))
    return tuple(found) or unseen(span)


def compare(evaluator: Evaluator, node: ast.Compare, frame: Frame) -> Possibilities:
    """Return what a comparison of two values gives."""
    span = frame.facts.span(node)
    if len(node.ops) != 1:
        return evaluator.evaluate(evaluator.remembered(("chained", node), frame, lambda: _chained(node)), frame)
    kind = node.ops[0]
    if isinstance(kind, ast.In | ast.NotIn) and (answers := guards.in_notebook(evaluator, node, frame)) is not None:
        return answers
    if (of_torch := torch_versions.asked(evaluator, node, frame)) is not None:
        return of_torch
    operands = (evaluator.evaluate(node.left, frame), evaluator.evaluate(node.comparators[0], frame))
    same = isinstance(kind, ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
    if same and any(_is_container(one) for operand in operands for one in operand):
        return _equality(operands, node, frame)
    if isinstance(kind, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) and any(
        is_class(one.thing) for operand in operands for one in operand
    ):
        return _identity(operands, node, frame)
    if isinstance(kind, ast.Is | ast.IsNot) and any(is_something(one.thing) for operand in operands for one in operand):
        return _identity(operands, node, frame)
    if isinstance(kind, ast.In | ast.NotIn):
        filled = evaluator.may_hold_more(node.comparators[0], frame)
        return _membership(evaluator, operands, span, negated=isinstance(kind, ast.NotIn), filled=filled)
    return compute(evaluator, operands, node, frame, lambda values: comparison(kind, values))


def _equality(operands: tuple[Possibilities, Possibilities], node: ast.Compare, frame: Frame) -> Possibilities:
    """Return whether two things are equal or one, or are not: a dictionary or list is never a constant such as None."""
    kind, span = node.ops[0], frame.facts.span(node)
    found: list[Possibility] = []
    for (left, right), assumptions, places in combined(*operands):
        thing = _compared(left.thing, right.thing, node, frame)
        if (_is_container(left) and right.constant) or (_is_container(right) and left.constant):
            thing = isinstance(kind, ast.NotEq | ast.IsNot)
        found.append(Possibility(thing, span, assumptions=assumptions, sources=places))
    return distinct(found) or unseen(span)


def _identity(operands: tuple[Possibilities, Possibilities], node: ast.Compare, frame: Frame) -> Possibilities:
    """Return whether two things are one, or are not: an object is never a constant such as None, nor another class."""
    kind, span = node.ops[0], frame.facts.span(node)
    found: list[Possibility] = []
    for (left, right), assumptions, places in combined(*operands):
        thing = _compared(left.thing, right.thing, node, frame)
        if (is_object(left.thing) and right.constant) or (is_object(right.thing) and left.constant):
            thing = isinstance(kind, ast.IsNot | ast.NotEq)
        elif (same := same_class(left.thing, right.thing)) is not None:
            thing = same is isinstance(kind, ast.Is | ast.Eq)
        found.append(Possibility(thing, span, assumptions=assumptions, sources=places))
    return distinct(found) or unseen(span)


def _compared(left: Thing, right: Thing, node: ast.Compare, frame: Frame) -> Thing:
    """Return what a comparison gives for two things: one that is surely something is not None, whatever it is."""
    kind = node.ops[0]
    pairs = ((left, right), (right, left))
    if isinstance(kind, ast.Is | ast.IsNot) and any(one is None and is_something(other) for one, other in pairs):
        return isinstance(kind, ast.IsNot)
    return computed([left, right], lambda values: comparison(kind, values), frame.facts.text(node))


def _is_container(one: Possibility) -> bool:
    return isinstance(one.thing, Items | Row | TreeMapping | Settings)


def _chained(node: ast.Compare) -> ast.expr:
    """Return ``a < b and b < c`` for ``a < b < c``."""
    pairs = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
    links: list[ast.expr] = [ast.copy_location(ast.Compare(left, [kind], [right]), node) for left, kind, right in pairs]
    return ast.copy_location(ast.BoolOp(ast.And(), links), node)


def _membership(
    evaluator: Evaluator, operands: tuple[Possibilities, Possibilities], span: Span, *, negated: bool, filled: bool
) -> Possibilities:
    """Return whether something holds a value; what may be ``filled`` out of sight may hold other keys as well."""
    found: list[Possibility] = []
    for (item, container), assumptions, places in combined(*operands):
        if isinstance(container.thing, Made) and container.thing.callee in ALL_START_METHODS and item.constant:
            for there in platforms.has_start_method(item, span):
                answer = replace(there, thing=there.thing is not negated, sources=places)
                found.extend(under((answer,), assumptions))
            continue
        if isinstance(container.thing, Items | TreeMapping | Settings) and isinstance(item.thing, str):
            for held, ways in holding(container.thing, item.thing):
                thing: Thing = UNSEEN if held is None or (filled and not held) else held is not negated
                found.extend(under((Possibility(thing, span, assumptions=assumptions, sources=places),), ways))
            continue
        values: list[object] | str | None = None
        if isinstance(container.thing, str):
            values = container.thing
        elif isinstance(container.thing, Row) and all(
            each and all(one.constant for one in each) for each in container.thing.items
        ):
            values = [one.thing for each in container.thing.items for one in each]
        if isinstance(values, list) and _is_container(item):
            found.append(Possibility(negated, span, assumptions=assumptions, sources=places))
            continue
        if values is None or not item.constant or (isinstance(values, str) and not isinstance(item.thing, str)):
            found.extend(unseen(span, assumptions))
            continue
        inside = item.thing in values
        if inside and isinstance(container.thing, Row) and not _surely_in(container.thing, item.thing):
            found.extend(unseen(span, assumptions))
            continue
        found.append(Possibility(inside is not negated, span, assumptions=assumptions, sources=places))
    return distinct(found) or unseen(span)


def _surely_in(row: Row, thing: Thing) -> bool:
    """Return whether one of the items of a row is a constant, whichever of the things it can be it is."""
    return any(all(one.thing == thing for one in each) for each in row.items)


def holding(items: Items | TreeMapping | Settings, key: str) -> list[tuple[bool | None, Assumptions]]:
    """Return whether a dictionary has a key, None where that was not seen, each time with what it assumes."""
    if isinstance(items, Settings):
        items = items.here
        # OmegaConf refuses to say so of a key whose value is missing or stands for one that is.
        if any(one.thing == MISSING or isinstance(one.thing, Interpolation) for one in items.entries.get(key, ())):
            return [(None, NO_ASSUMPTIONS)]
    if isinstance(items, TreeMapping) or key not in items.entries:
        held = isinstance(items, TreeMapping) and key in items.merged
        seen = held or (is_complete(items) and not (isinstance(items, Items) and items.new_allowed))
        return [(held if seen else None, NO_ASSUMPTIONS)]
    values = items.entries[key]
    if not any(isinstance(one.thing, Absent | Unseen) for one in values):
        return [(True, NO_ASSUMPTIONS)]
    return [
        (None if isinstance(one.thing, Unseen) else not isinstance(one.thing, Absent), one.assumptions)
        for one in values
    ]


def compute(
    evaluator: Evaluator,
    operands: tuple[Possibilities, ...],
    node: ast.expr | ast.stmt,
    frame: Frame,
    apply: Callable[[list[object]], object],
) -> Possibilities:
    """Return what an operation gives for every combination of operands that can meet."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for values, assumptions, places in combined(*operands):
        thing = computed([one.thing for one in values], apply, frame.facts.text(node))
        steps = () if isinstance(thing, Unseen) else (step for one in values for step in one.trail)
        trail = tuple(dict.fromkeys(steps))
        found.append(Possibility(thing, span, trail=trail, assumptions=assumptions, sources=places))
    return distinct(found) or unseen(span)


def _stopping(one: Possibility, truth: bool) -> Possibility:
    """Return what ``and`` or ``or`` stops at when the answer of an operand was not seen: something with this answer."""
    if truth and not isinstance(one.thing, Unseen):
        return one
    return replace(one, thing=TRUTHY if truth else FALSY)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
