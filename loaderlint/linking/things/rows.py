"""What the built-in functions and dictionary methods that make rows of values give, and what they count."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.things import operators
from loaderlint.linking.things.dictionaries import entries_of, is_complete
from loaderlint.linking.things.kinds import Absent, Frame, Items, Possibilities, Possibility, Row, Settings
from loaderlint.linking.things.loops import MOST_TURNS, items_of, taken_out
from loaderlint.linking.things.operations import number
from loaderlint.linking.things.possibilities import combined, irremovable, never_none, under, unseen
from loaderlint.model.source import Span
from loaderlint.model.value import CpuCount
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Made: TypeAlias = Callable[[Sequence[tuple[Possibilities, ...]], Span], tuple[Possibilities, ...]]


def _pairs(rows: Sequence[tuple[Possibilities, ...]], span: Span) -> tuple[Possibilities, ...]:
    return tuple((Possibility(Row(tuple(turn)), span),) for turn in zip(*rows, strict=False))


def _side_by_side(rows: Sequence[tuple[Possibilities, ...] | None], span: Span) -> list[tuple[Possibilities, ...]]:
    """Return rows that are gone through together; one that was not seen is as long as the shortest that was."""
    length = min((len(one) for one in rows if one is not None), default=None)
    return [] if length is None else [(unseen(span),) * length if one is None else one for one in rows]


def _numbered(rows: Sequence[tuple[Possibilities, ...]], span: Span) -> tuple[Possibilities, ...]:
    return _pairs([taken_out(range(len(rows[0])), span), rows[0]], span)


def _combined(rows: Sequence[tuple[Possibilities, ...]], span: Span) -> tuple[Possibilities, ...]:
    return tuple((Possibility(Row(turn), span),) for turn in product(*rows))


_ROWS: dict[str, _Made] = {
    "itertools.product": _combined,
    "builtins.zip": _pairs,
    "builtins.enumerate": _numbered,
    "builtins.list": lambda rows, span: rows[0],
    "builtins.tuple": lambda rows, span: rows[0],
    "builtins.iter": lambda rows, span: rows[0],
    "builtins.reversed": lambda rows, span: rows[0][::-1],
}

_NUMBERS = frozenset({"builtins.len", "builtins.sum"})
"""Functions that make a number of a row."""
_FEW_CPUS = 2
"""A range up to the number of CPUs is followed as on a machine with so many; a larger one has other numbers as well."""


def called(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities | None:
    """Return what Python's own functions make of known rows; None for any other, or where one was not seen."""
    if not node.args or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    if name == "builtins.range":
        return _range(evaluator, node, frame, span)
    if name not in _ROWS and name not in _NUMBERS:
        return None
    if name in ("builtins.enumerate", "builtins.sum") and len(node.args) > 1:
        return None
    found: list[Possibility] = []
    unknown: list[Possibility] = []
    for values, assumptions, places in combined(*(evaluator.evaluate(one, frame) for one in node.args)):
        followed = [items_of(one) for one in values]
        rows = _side_by_side(followed, span) if name == "builtins.zip" else [one for one in followed if one is not None]
        made: Possibilities
        if name in _NUMBERS and not rows:
            unknown.extend(never_none(unseen(span, assumptions)))
            continue
        if len(rows) < len(values) or (name == "itertools.product" and prod(map(len, rows)) > MOST_TURNS):
            return None
        if name == "builtins.len":
            made = (Possibility(len(rows[0]), span, sources=places),)
        elif name == "builtins.sum":
            made = operators.compute(evaluator, rows[0], node, frame, lambda values: sum(map(number, values)))
        else:
            made = (Possibility(Row(_ROWS[name](rows, span)), span),)
        found.extend(under(made, assumptions))
    if unknown and not found:
        return None
    return (*found, *unknown) or unseen(span)


def _range(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    found: list[Possibility] = []
    operands = [evaluator.evaluate(one, frame) for one in node.args]
    every = [one.thing for operand in operands for one in operand]
    if not all(isinstance(one, int | CpuCount) for one in every):
        return unseen(span)
    if any(isinstance(one, CpuCount) for one in every):
        # A larger machine has more turns, or others.
        found.extend(unseen(span))
    for values, assumptions, _ in combined(*operands):
        numbers = [one.thing.compute(_FEW_CPUS) if isinstance(one.thing, CpuCount) else one.thing for one in values]
        limits = [one for one in numbers if isinstance(one, int)]
        turns = range(*limits) if len(limits) == len(values) <= 3 and 0 not in limits[2:] else None
        # A row that is longer than any machine counts has no `len`.
        if turns is None or turns[MOST_TURNS:]:
            found.extend(unseen(span, assumptions))
        else:
            found.append(Possibility(Row(taken_out(turns, span)), span, assumptions=assumptions))
    return tuple(found) or unseen(span)


def of_dictionary(thing: Items | TreeMapping | Settings, method: str, span: Span) -> Possibilities | None:
    """Return what ``keys()``, ``values()`` or ``items()`` gives for a dictionary whose every key was seen."""
    if method not in ("keys", "values", "items") or not is_complete(thing):
        return None
    entries = entries_of(thing)
    if any(isinstance(one.thing, Absent) for values in entries.values() for one in values):
        return None
    keys = taken_out(entries, span)
    values = tuple(irremovable(given) for given in entries.values())
    rows = {"keys": keys, "values": values, "items": _pairs([keys, values], span)}
    return (Possibility(Row(rows[method]), span),)


def dictionary_of(row: Row) -> Items | None:
    """Return the dictionary that ``dict`` makes of pairs; None where one of them or its key was not seen."""
    entries: dict[str, Possibilities] = {}
    for pairs in row.items:
        pair = pairs[0].thing if len(pairs) == 1 else None
        key = pair.items[0] if isinstance(pair, Row) and len(pair.items) == 2 else ()
        if not isinstance(pair, Row) or len(key) != 1 or not isinstance(key[0].thing, str):
            return None
        entries[key[0].thing] = pair.items[1]
    return Items(entries)
