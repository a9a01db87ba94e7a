"""Things that something may have happened to: code that may not have run, or may have changed another thing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.scopes.events import CALL, Event
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes, lazily, merging
from loaderlint.linking.things.dictionaries import entries_of, is_complete
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Class,
    CommandLine,
    Frame,
    Instance,
    Items,
    Possibilities,
    Possibility,
    Row,
)
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import ELEMENT, Binding, Keys, dotted, key_of
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def changed_elsewhere(
    evaluator: Evaluator, owners: Sequence[Class], name: str, values: Possibilities, *, in_methods: bool
) -> Possibilities:
    """Return what an attribute of some classes, or of their objects, holds where other code changes that in place.

    ``in_methods`` says that what their own methods do counts, too.
    """
    if not any(isinstance(one.thing, Items | TreeMapping | Row) for one in values):
        return values
    nodes = {id(one.node) for one in owners}
    for facts, binding in evaluator.attributes_set.get(name, ()):
        if binding.kind in MUTATIONS and _is_of(evaluator, nodes, binding, Frame(facts, binding.place), in_methods):
            span = facts.span(binding.node)
            values = tuple(doubted(one, Event(binding.keys, "", binding), span) for one in values)
    return values


def _is_of(evaluator: Evaluator, nodes: set[int], binding: Binding, frame: Frame, in_methods: bool) -> bool:
    """Return whether a statement changes what an attribute of one of some classes, or of their objects, holds."""
    root = binding.name.rpartition(".")[0]
    own = classes.class_around(frame, root)
    if own is not None:
        return in_methods and any(id(one.node) in nodes for one in classes.lineage(evaluator, own))
    written = (one for one in ast.walk(binding.node) if isinstance(one, ast.Attribute))
    held = next((one.value for one in written if dotted(one) == binding.name), None)
    things = [one.thing for one in evaluator.evaluate(held, frame)] if held is not None else []
    kinds = [one.of if isinstance(one, Instance) else one for one in things if isinstance(one, Instance | Class)]
    return any(id(one.node) in nodes for kind in kinds for one in classes.lineage(evaluator, kind))


def doubted(one: Possibility, event: Event, span: Span) -> Possibility:
    """Return a thing where something may have happened to it."""
    binding = event.binding
    key = event.key or (key_of(binding.key) if binding.key is not None else ELEMENT)
    return _unsure(one, (*event.path, key), span, grows=binding.kind != CALL)


def _unsure(one: Possibility, path: Keys, span: Span, *, grows: bool) -> Possibility:
    """Return a thing where what is at a path may be something unseen; ``grows`` says that keys may be added."""
    if not path:
        return replace(one, thing=UNSEEN)
    thing, key = one.thing, path[0]

    def below(before: Possibilities) -> Possibilities:
        if not path[1:]:
            return (*before, *unseen(span))
        return tuple(_unsure(way, path[1:], span, grows=grows) for way in before)

    if isinstance(thing, TreeMapping):
        thing = Items(entries_of(thing), is_complete(thing))
    if isinstance(thing, Items):
        if key is ELEMENT:
            if not path[1:]:
                return replace(one, thing=replace(_uncertain(thing, span), complete=thing.complete and not grows))
            every = lazily.Lazily.of(thing.entries, lambda name: below(thing.entries[name]))
            return replace(one, thing=replace(thing, entries=every))
        if isinstance(key, str):
            if path[1:] and key not in thing.entries:
                return one
            missing = Possibility(ABSENT if thing.complete else UNSEEN, span)
            after = below(thing.entries.get(key, (missing,)))
            return replace(one, thing=replace(thing, entries=lazily.overlaid(thing.entries, {key: after})))
    elif isinstance(thing, Row):
        if not path[1:]:
            return replace(one, thing=UNSEEN)
        items = tuple(
            below(way) if key in (place, place - len(thing.items), ELEMENT) else way
            for place, way in enumerate(thing.items)
        )
        return replace(one, thing=Row(items))
    elif isinstance(thing, CommandLine | Instance) and not path[1:] and isinstance(key, str):
        before = thing.changed.get(key, (Possibility(ABSENT, span),))
        return replace(one, thing=replace(thing, changed={**thing.changed, key: (*before, *unseen(span))}))
    return one


def _uncertain(items: Items, span: Span) -> Items:
    unsure = merging.uncertain(items, span)
    assert isinstance(unsure, Items)
    return unsure
