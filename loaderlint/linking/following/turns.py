"""What a loop does to the elements of what it goes through: every turn the same statement to another element.

After ``for phase, part in datasets.items(): part["phase"] = phase`` each part holds the name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from loaderlint.linking.scopes.events import Happened, Turns
from loaderlint.linking.things import loops
from loaderlint.linking.things.kinds import CommandLine, Frame, Instance, Items, Possibilities, Possibility, Row, Thing
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import choice, distinct, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import ELEMENT, Binding

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Elements: TypeAlias = Mapping[str | int, Possibilities]


def at_every_turn(happened: Happened) -> bool:
    """Return whether a statement ran at every turn of the loop that gave it its element, and the loop is over."""
    event, loop = happened.event, happened.event.loop
    if loop is None or happened.earlier_turn or event.path.count(ELEMENT) != 1 or len(happened.arms) != 2:
        return False
    binding, (turned, over) = event.binding, happened.arms
    sets_one = bool(event.key) or (binding.kind == "item" and isinstance(binding.key, ast.Constant))
    return (
        sets_one
        and list(map(id, binding.place.arms)) == list(map(id, loop.place.arms))
        and turned is loop.place.arms[-1]
        and over.owner is turned.owner
        and over.ended
        and over.truth
    )


def elements_of(thing: Thing) -> dict[str | int, Possibilities]:
    """Return the elements of a collection that was seen in full, none of any other."""
    if isinstance(thing, Items) and thing.complete:
        return dict(thing.entries.items())
    return dict(enumerate(thing.items)) if isinstance(thing, Row) else {}


def with_elements(thing: Thing, elements: _Elements) -> Thing:
    """Return a collection with other elements."""
    if isinstance(thing, Items):
        return replace(thing, entries={str(key): values for key, values in elements.items()})
    return Row(tuple(elements.values()))


def of_elements(
    evaluator: Evaluator, happened: Happened, elements: _Elements, frame: Frame
) -> Mapping[str | int, Turns] | None:
    """Return the turns at which a loop comes to each of these elements, None where that was not seen."""
    loop = happened.event.loop
    things = [id(way.thing) for values in elements.values() for way in values]
    if loop is None or loop.value is None or not elements or len(set(things)) != len(things):
        # What stands at two places gets what the last of their turns gives it.
        return None
    subject = str(frame.facts.span(loop.value))
    start = loop.place.arms[-1].place
    found: dict[str | int, Turns] = dict.fromkeys(elements, ())
    for way in evaluator.evaluate(loop.value, frame.at(start) if start is not None else frame):
        items = loops.items_of(way)
        names = _names(loop, items, elements) if items is not None else []
        if items is None or len(names) != len(items):
            found = {key: (*turns, (way.assumptions, None)) for key, turns in found.items()}
            continue
        for turn, name in enumerate(names):
            if name in found:
                found[name] = (*found[name], (way.assumptions, choice(subject, turn)))
    return found if all(found.values()) else None


def _names(loop: Binding, items: tuple[Possibilities, ...], elements: _Elements) -> list[str | int]:
    """Return which element each turn comes to: the one of its key in pairs, else the one of its place."""
    method = (
        loop.value.func.attr if isinstance(loop.value, ast.Call) and isinstance(loop.value.func, ast.Attribute) else ""
    )
    return [key for item in items for key in _keys(item)] if method == "items" else list(elements)


def _keys(pairs: Possibilities) -> list[str | int]:
    """Return the key of a pair."""
    pair = pairs[0].thing if len(pairs) == 1 else None
    keys = pair.items[0] if isinstance(pair, Row) and pair.items else ()
    return [one.thing for one in keys if isinstance(one.thing, str)]


def at_turns(values: Possibilities, turns: Turns, span: Span) -> Possibilities:
    """Return what an expression in a loop is at some of its turns, as things that assume no turn any more."""
    return distinct(
        way
        for besides, turn in turns
        for way in (unseen(span, besides) if turn is None else under(loops.of_turn(values, turn), besides))
    )


def not_settled(evaluator: Evaluator, once: Possibility, twice: Sequence[Possibility]) -> Possibility:
    """Return a thing after the turns of a loop, given what the first makes of it and what the second makes of that.

    What the second makes another value is worked out of the one before: how often that was done is not seen.
    """
    values = _values_of(once.thing)
    states = [_values_of(one.thing) for one in twice]

    def at_last(name: str) -> Possibilities:
        first = values[name]
        known = {(type(one.thing), one.thing) for one in first if one.constant}
        later = (one for state in states for one in state.get(name, ()) if one.constant)
        return (
            (*first, *unseen(once.span)) if any((type(one.thing), one.thing) not in known for one in later) else first
        )

    after = Lazily.followed(evaluator, values, at_last)
    if isinstance(once.thing, Items):
        return replace(once, thing=replace(once.thing, entries=after))
    return replace(once, thing=replace(once.thing, changed=after)) if isinstance(once.thing, _Named) else once


_Named: TypeAlias = Instance | CommandLine


def _values_of(thing: Thing) -> Mapping[str, Possibilities]:
    if isinstance(thing, Items):
        return thing.entries
    return thing.changed if isinstance(thing, _Named) else {}
