"""What happens to a thing after it was made: keys and attributes set on it by name, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from loaderlint.linking.following import doubts, effects, entries_after, methods, named_attributes, turns
from loaderlint.linking.following.replacing import MAKING
from loaderlint.linking.scopes.events import CALL, Event, Happened
from loaderlint.linking.scopes.names import MUTATIONS, Reaching, reaching
from loaderlint.linking.things import classes, lazily, merging, settings
from loaderlint.linking.things.kinds import (
    UNSEEN,
    CommandLine,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Thing,
    Unseen,
)
from loaderlint.linking.things.lazily import AttributesAfter
from loaderlint.linking.things.possibilities import settled, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import ELEMENT, Binding, FunctionNode, Keys, Place, dotted, key_of
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def changed(
    evaluator: Evaluator,
    found: Sequence[Possibility],
    name: str,
    frame: Frame,
    place: Place | None,
    since: int,
    bound: Reaching | None = None,
) -> Possibilities:
    """Return what a name stands for after the changes made through it up to a place of its scope (None: its end).

    ``since`` is the place in the scope's order at which the name got its value, ``bound`` how that came to be current.
    """
    found = merging.seen_as_objects(found, name, frame)
    if not can_change(found):
        return tuple(found)
    receiver = classes.names_receiver(frame, name)
    happened = [
        Happened(event, way.arms, way.earlier_turn, again=_comes_again(event, bound))
        for event in evaluator.effects.changing(frame, name)
        if event.order > since and not (receiver and (event.path or event.binding.kind not in MUTATIONS))
        for way in reaching([event.binding], place)
        if not (way.earlier_turn and bound is not None and _renewed(bound, event))
    ]
    after = tuple(found)
    if happened:
        after = tuple(way for one in found for way in after_all(evaluator, one, happened, frame))
    # When the functions inside a function run was not seen.
    for event in evaluator.events.inside(frame.scope, name) if frame.scope.is_function else ():
        after = tuple(doubts.doubted(one, event, frame.facts.span(event.binding.node)) for one in after)
    return after


def after_own_calls(evaluator: Evaluator, given: Possibilities, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what an attribute of a method's own object is after the methods that the method has called by then."""
    owner, _, attribute = name.rpartition(".")
    scope, kind = frame.scope, classes.class_around(frame, owner)
    if kind is None or scope.name in MAKING or not isinstance(scope.node, FunctionNode):
        return given
    setting = evaluator.effects.setting
    if not any(methods.is_method_call(one.node, owner, scope, setting) for one in scope.calls):
        return given
    method = Function(frame.facts, scope.node, scope, owner=kind)
    if attribute not in evaluator.effects.reached_by_calls(kind, method, owner).attributes:
        return given
    return through_owner(evaluator, given, name, frame, frame.place, None, span)


def through_owner(
    evaluator: Evaluator,
    given: Possibilities,
    name: str,
    frame: Frame,
    place: Place | None,
    bound: Reaching | None,
    span: Span,
) -> Possibilities:
    """Return what an attribute set by its dotted name is after what was done to its object since, by other means.

    What sets it by that name again is a way of its own. One that the scope does not set has no such ``bound``.
    """
    owner, _, attribute = name.rpartition(".")
    since = bound.binding.place.order if bound is not None else -1
    happened = [
        Happened(event, way.arms, way.earlier_turn, again=_comes_again(event, bound))
        for event in evaluator.effects.changing(frame, owner)
        if event.order > since
        and ((event.binding.kind == CALL and not event.path) or (event.sets(attribute) and event.binding.name != name))
        for way in reaching([event.binding], place)
        if not (way.earlier_turn and bound is not None and _renewed(bound, event))
    ]
    if not happened:
        return given
    kind = classes.class_around(frame, owner)
    thing: Instance | Items = Items({attribute: given}, complete=False)
    if kind is not None:
        thing = replace(frame.receiver or evaluator.any_object(kind), changed={attribute: given})
    return tuple(
        one
        for after in after_all(evaluator, Possibility(thing, span), happened, frame)
        for one in under(_named(after.thing, attribute) or unseen(span), after.assumptions)
    )


def _named(thing: Thing, name: str) -> Possibilities:
    if isinstance(thing, Instance):
        return thing.changed.get(name, ())
    return thing.entries.get(name, ()) if isinstance(thing, Items) else ()


def _renewed(bound: Reaching, event: Event) -> bool:
    """Return whether a loop gives a name a new value at every turn, so that earlier turns changed another one."""
    loops = {arm.owner for arm in event.binding.place.arms if arm.loop}
    return not bound.earlier_turn and any(arm.owner in loops for arm in bound.binding.place.arms)


def _comes_again(event: Event, bound: Reaching | None) -> bool:
    """Return whether a loop may come to an event several times while a name stands for the same thing."""
    renewing = {arm.owner for arm in bound.binding.place.arms} if bound is not None else set()
    return any(arm.loop and arm.owner not in renewing for arm in event.binding.place.arms)


MOST_VARIANTS = 16
"""A thing that so many changes may each have been made to, or not, has more variants than this and is unseen."""
_Changeable: TypeAlias = Items | TreeMapping | Settings | CommandLine | Instance | Row


def can_change(found: Sequence[Possibility]) -> bool:
    """Return whether any of these things can be changed after it was made."""
    return any(isinstance(one.thing, _Changeable) for one in found)


def after_all(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    """Return a thing after what happened to it, the same one wherever it is read after the same events."""
    if not isinstance(one.thing, _Changeable):
        return (one,)
    made = tuple((event.event, event.arms, event.again) for event in happened)
    thing = Possibility(one.thing, one.span)
    after = evaluator.remembered(
        ("changed", one.thing, made), frame, lambda: _worked_out(evaluator, thing, happened, frame)
    )
    return tuple(way for new in after for way in under((replace(one, thing=new.thing),), new.assumptions))


def _worked_out(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    current: Possibilities = (one,)
    plain: list[Happened] = []
    idle: Event | None = None
    for position, event in enumerate(happened):
        if event.event is idle:
            continue
        if not event.event.sure or ELEMENT in event.event.path:
            current = tuple(after for way in current for after in _in_doubt(evaluator, way, event, frame))
            continue
        if event.sets_attribute:
            plain.append(event)
            following = happened[position + 1] if position + 1 < len(happened) else None
            if following is not None and following.sets_attribute and following.event.sure:
                continue
        else:
            plain = [event]
        before = current
        current = tuple(after for way in before for after in made_to(evaluator, way, plain, event.event.path, frame))
        plain = []
        # A call that does nothing does so on whichever way it was come to, of which hundreds may follow each other.
        unchanged = event.event.binding.kind == CALL and list(map(id, current)) == list(map(id, before))
        idle = event.event if unchanged else None
        if len(current) > MOST_VARIANTS:
            return unseen(one.span)
    return current


def _in_doubt(evaluator: Evaluator, one: Possibility, happened: Happened, frame: Frame) -> Possibilities:
    """Return a thing after something that may have happened to it, or that a loop did to each of its elements."""
    if turns.at_every_turn(happened):
        return made_to(evaluator, one, [happened], happened.event.path, frame)
    return (doubts.doubted(one, happened.event, frame.facts.span(happened.event.binding.node)),)


def made_to(
    evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], path: Keys, frame: Frame
) -> Possibilities:
    """Return what a thing is after something happened at a path below it."""
    thing = one.thing
    if isinstance(thing, Settings) and happened[0].event.binding.kind != CALL:
        (tree,) = made_to(evaluator, replace(one, thing=thing.here), happened, path, frame)
        return (replace(one, thing=settings.replaced(thing, _as_tree(tree, thing.here))),)
    if not path:
        return _made_here(evaluator, one, happened, frame)
    if isinstance(thing, Settings) and isinstance(path[0], str):
        values = tuple(
            after
            for below in settings.parts(thing, path[0])
            for after in made_to(evaluator, below, happened, path[1:], frame)
        )
        here = replace(thing.here, entries={**thing.here.entries, path[0]: settings.trees(values)})
        return (replace(one, thing=settings.replaced(thing, here)),) if values else (one,)
    if isinstance(thing, Unseen) and len(path) < len(happened[0].event.path):
        thing = Items({}, complete=False)
    key, rest = path[0], path[1:]
    if key is ELEMENT:
        return _at_turns(evaluator, one, happened[0], path, frame)
    if isinstance(thing, Items | TreeMapping) and isinstance(key, str):
        items = entries_after.items_of(thing)
        before = items.entries.get(key) or merging.not_seen_below(items, one.span)
        below = tuple(after for way in before for after in made_to(evaluator, way, happened, rest, frame))
        return (replace(one, thing=replace(items, entries=lazily.overlaid(items.entries, {key: below}))),)
    if isinstance(thing, Row) and isinstance(key, int):
        if not -len(thing.items) <= key < len(thing.items):
            return (one,)
        below = tuple(after for way in thing.items[key] for after in made_to(evaluator, way, happened, rest, frame))
        return (replace(one, thing=with_item(thing, key, below)),)
    if isinstance(thing, Instance) and isinstance(key, str):
        changed = _PartChanged(evaluator, thing, happened, path, frame, one.span)
        return (replace(one, thing=replace(thing, changed=changed)),)
    return (one,)


def _at_turns(evaluator: Evaluator, one: Possibility, happened: Happened, path: Keys, frame: Frame) -> Possibilities:
    """Return a collection after a loop did something to each of its elements, or to what is below them."""
    thing = entries_after.items_of(one.thing) if isinstance(one.thing, TreeMapping) else one.thing
    elements = turns.elements_of(thing)
    which = turns.of_elements(evaluator, happened, elements, frame)
    if which is None:
        return (doubts.doubted(one, replace(happened.event, path=path), one.span),)
    after = {
        key: tuple(
            after
            for way in values
            for after in made_to(evaluator, way, [replace(happened, arms=(), turns=which[key])], path[1:], frame)
        )
        for key, values in elements.items()
    }
    return (replace(one, thing=turns.with_elements(thing, after)),)


def _made_here(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    thing, first = one.thing, happened[0]
    if first.event.binding.kind == CALL:
        after, again = effects.of_call(evaluator, one, first.event, first.arms, frame), first.again
        if not again or (len(after) == 1 and after[0] is one):
            return after
        twice = [two for way in after for two in effects.of_call(evaluator, way, first.event, first.arms, frame)]
        return tuple(turns.not_settled(evaluator, way, twice) for way in after)
    if isinstance(thing, Unseen) and first.event.key and first.event.path:
        thing = Items({}, complete=False)
    if isinstance(thing, CommandLine | Instance) and _sets_items(thing, first.event):
        return _items_set(evaluator, one, thing, happened, frame)
    if isinstance(thing, CommandLine | Instance):
        if not first.event.key:
            return (one,)
        changed = _AttributesSet(evaluator, thing.changed, happened, frame, one.span)
        return (replace(one, thing=replace(thing, changed=changed)),)
    if isinstance(thing, Items | TreeMapping):
        items = entries_after.items_of(thing)
        for event in happened:
            items = entries_after.after(evaluator, items, event, frame)
        return (replace(one, thing=items),)
    if isinstance(thing, Row):
        return _row_after(evaluator, one, thing, first, frame)
    return (one,)


def _sets_items(thing: CommandLine | Instance, event: Event) -> bool:
    if isinstance(thing, CommandLine):
        return event.binding.kind in ("item", "update")
    return not event.key and named_attributes.sets_attributes(event.binding)


def _items_set(
    evaluator: Evaluator, one: Possibility, thing: CommandLine | Instance, happened: Sequence[Happened], frame: Frame
) -> Possibilities:
    """Return what has attributes, which were set as items of the dictionary that ``vars`` makes of it."""
    items = Items({name: values for name, values in thing.changed.items() if values})
    for event in happened:
        items = entries_after.after(evaluator, items, event, frame)
    # Names that were not seen are looked for in `blurred`.
    return (replace(one, thing=replace(thing, changed=items.entries)),)


def with_item(row: Row, place: int, values: Possibilities) -> Row:
    """Return a row with another item at a place."""
    items = list(row.items)
    items[place] = values
    return Row(tuple(items))


def _row_after(evaluator: Evaluator, one: Possibility, row: Row, change: Happened, frame: Frame) -> Possibilities:
    """Return a list after it was changed in place: exactly where one item is set or added, if that is come to."""
    binding = change.event.binding
    repeated = change.earlier_turn or any(arm.loop for arm in change.arms)
    changed = _changed_once(evaluator, row, binding, frame.at(binding.place)) if not repeated else None
    if changed is None:
        return (replace(one, thing=UNSEEN),)
    after = replace(one, thing=changed)
    if not change.arms:
        return (after,)
    taken = (way for ways in evaluator.conditions(change.arms, frame) for way in under((after,), ways))
    left = (way for ways in entries_after.otherwise(evaluator, change.arms, frame) for way in under((one,), ways))
    return (*taken, *left)


def _changed_once(evaluator: Evaluator, row: Row, binding: Binding, where: Frame) -> Row | None:
    """Return a list after a statement that sets or adds one item, None after any other."""
    call = binding.value
    place = key_of(binding.key) if binding.kind == "item" and binding.key is not None else ELEMENT
    if isinstance(place, int) and -len(row.items) <= place < len(row.items) and call is not None:
        return with_item(row, place, evaluator.evaluate(call, where))
    appended = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    if binding.kind != "list" or not appended or not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    added = call.args[0]
    # What the project's own code makes is seldom a setting, and may be a whole program to follow.
    own = isinstance(added, ast.Call) and not _is_of_library(evaluator, added, where)
    values = unseen(where.facts.span(added)) if own else evaluator.evaluate(added, where)
    return Row((*row.items, values))


def _is_of_library(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    callees = evaluator.evaluate(call.func, frame) if dotted(call.func) is not None else ()
    return bool(callees) and all(isinstance(one.thing, External) for one in callees)


def _as_tree(one: Possibility, before: Items) -> Items:
    """Return a dictionary as the tree of a configuration, whatever was put into the one that it was before."""
    assert isinstance(one.thing, Items)
    entries = one.thing.entries
    put_in = {key: settings.trees(values) for key, values in entries.items() if values is not before.entries.get(key)}
    return replace(one.thing, entries=lazily.overlaid(entries, put_in))


class _AttributesSet(AttributesAfter):
    """The attributes of a thing after statements that set some of them by name."""

    def __init__(
        self,
        evaluator: Evaluator,
        before: Mapping[str, Possibilities],
        changes: Iterable[Happened],
        frame: Frame,
        span: Span,
    ) -> None:
        super().__init__(evaluator, before, frame, span)
        self._changes: dict[str, list[Happened]] = {}
        for one in changes:
            self._changes.setdefault(one.event.key, []).append(one)

    def _changed(self) -> Collection[str]:
        return self._changes

    def _follow(self, name: str) -> Possibilities:
        items = Items({name: self._before[name]} if name in self._before else {})
        for change in self._changes[name]:
            items = entries_after.after(self._evaluator, items, change, self._frame)
        return items.entries[name]


class _PartChanged(AttributesAfter):
    """The attributes of an object after something happened to, or below, what one of them stands for."""

    def __init__(
        self, evaluator: Evaluator, owner: Instance, happened: Sequence[Happened], path: Keys, frame: Frame, span: Span
    ) -> None:
        super().__init__(evaluator, owner.changed, frame, span)
        self._owner = owner
        self._happened = happened
        self._path = path

    def _changed(self) -> Collection[str]:
        return [one for one in self._path[:1] if isinstance(one, str)]

    def _follow(self, name: str) -> Possibilities:
        before = settled(self._before.get(name), lambda: self._evaluator.attribute_of(self._owner, name))
        if not any(isinstance(way.thing, _Changeable) for way in before):
            return before
        rest = self._path[1:]
        return tuple(
            after for way in before for after in made_to(self._evaluator, way, self._happened, rest, self._frame)
        )
