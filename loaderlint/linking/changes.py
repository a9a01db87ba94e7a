"""What happens to a thing after it was made: keys and attributes set on it by name, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking import classes, dictionaries, doubts, effects, lazily, settings
from loaderlint.linking.dictionaries import entries_of, is_complete, overlaid
from loaderlint.linking.events import CALL, Event, Happened
from loaderlint.linking.lazily import AttributesAfter
from loaderlint.linking.names import MUTATIONS, Reaching, reaching, varies
from loaderlint.linking.project import Project
from loaderlint.linking.things import (
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
    Settings,
    Unseen,
    distinct,
    settled,
    under,
    unseen,
)
from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions
from loaderlint.readers.python import (
    ELEMENT,
    Arm,
    Binding,
    Keys,
    Place,
    PythonFacts,
    dotted,
    key_of,
    owners_set,
)
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


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
    if not can_change(found):
        return tuple(found)
    receiver = is_receiver(frame, name)
    happened = [
        Happened(event, way.arms, way.earlier_turn)
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


def _renewed(bound: Reaching, event: Event) -> bool:
    """Return whether a loop gives a name a new value at every turn, so that earlier turns changed another one."""
    loops = {arm.owner for arm in event.binding.place.arms if arm.loop}
    return not bound.earlier_turn and any(arm.owner in loops for arm in bound.binding.place.arms)


MOST_VARIANTS = 16
"""A thing that so many changes may each have been made to, or not, has more variants than this and is unseen."""
_Changeable: TypeAlias = Items | TreeMapping | Settings | CommandLine | Instance | Row


def can_change(found: Sequence[Possibility]) -> bool:
    """Return whether any of these things can be changed after it was made."""
    return any(isinstance(one.thing, _Changeable) for one in found)


def is_receiver(frame: Frame, name: str) -> bool:
    """Return whether a name is a method's own object, whose attributes are looked for in all methods anyway."""
    return classes.class_around(frame, name) is not None


def attributes_set(project: Project) -> Mapping[str, list[tuple[PythonFacts, Binding]]]:
    """Return the assignments to an attribute of a name in all files read so far, by the attribute."""
    found: dict[str, list[tuple[PythonFacts, Binding]]] = {}
    for facts in project.all_python():
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                if "." in name:
                    found.setdefault(name.rpartition(".")[2], []).extend((facts, one) for one in bindings)
    return found


def set_on_objects(evaluator: Evaluator, owner: Class, name: str) -> list[tuple[str, Possibilities]]:
    """Return what code outside a class sets an attribute of its objects to, by the place where it does."""
    found: list[tuple[str, Possibilities]] = []
    for facts, binding in evaluator.attributes_set.get(name, ()):
        where = Frame(facts, binding.place)
        if binding.kind not in MUTATIONS and not is_receiver(where, binding.name.rpartition(".")[0]):
            things = [way.thing for one in owners_set(binding.node, name) for way in evaluator.evaluate(one, where)]
            if any(isinstance(one, Instance) and one.of.node is owner.node for one in things):
                found.append((str(facts.span(binding.node)), evaluator.binding(binding, where)))
    return found


def set_on_classes(evaluator: Evaluator, owners: Sequence[Class], name: str) -> list[tuple[str, Possibilities]]:
    """Return what statements outside their bodies set an attribute of one of these classes to, by their places."""
    nodes = {id(one.node) for one in owners}
    found: list[tuple[str, Possibilities]] = []
    for facts, binding in evaluator.attributes_set.get(name, ()):
        where = Frame(facts, binding.place)
        if binding.kind in MUTATIONS or not any(
            id(one) in nodes for one in _classes_changed(evaluator, binding, name, where)
        ):
            continue
        found.append((str(facts.span(binding.node)), evaluator.binding(binding, where)))
    return found


def _classes_changed(evaluator: Evaluator, binding: Binding, name: str, frame: Frame) -> Iterator[ast.ClassDef]:
    """Yield the classes of which a statement sets an attribute; for ``cls.name`` that is the class it stands in."""
    root = binding.name.rpartition(".")[0]
    if is_receiver(frame, root):
        owner = classes.class_of_receiver(frame, root)
        if owner is not None:
            yield owner.node
        return
    for target in owners_set(binding.node, name):
        if dotted(target) == root:
            yield from (way.thing.node for way in evaluator.evaluate(target, frame) if isinstance(way.thing, Class))


def after_all(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    """Return a thing after what happened to it, the same one wherever it is read after the same events."""
    if not isinstance(one.thing, _Changeable):
        return (one,)
    made = tuple((event.event, event.arms) for event in happened)
    thing = Possibility(one.thing, one.span)
    after = evaluator.remembered(
        ("changed", one.thing, made), frame, lambda: _worked_out(evaluator, thing, happened, frame)
    )
    return tuple(way for new in after for way in under((replace(one, thing=new.thing),), new.assumptions))


def _worked_out(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    current: Possibilities = (one,)
    plain: list[Happened] = []
    for position, event in enumerate(happened):
        if not event.event.sure or ELEMENT in event.event.path:
            current = tuple(
                doubts.doubted(way, event.event, frame.facts.span(event.event.binding.node)) for way in current
            )
            continue
        if event.sets_attribute:
            plain.append(event)
            if position + 1 < len(happened) and happened[position + 1].sets_attribute:
                continue
        else:
            plain = [event]
        current = tuple(after for way in current for after in made_to(evaluator, way, plain, event.event.path, frame))
        plain = []
        if len(current) > MOST_VARIANTS:
            return unseen(one.span)
    return current


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
    if isinstance(thing, Items | TreeMapping) and isinstance(key, str):
        items = _as_items(thing)
        before = items.entries.get(key) or unseen(one.span)
        below = tuple(after for way in before for after in made_to(evaluator, way, happened, rest, frame))
        return (replace(one, thing=replace(items, entries=lazily.overlaid(items.entries, {key: below}))),)
    if isinstance(thing, Row) and isinstance(key, int):
        if not -len(thing.items) <= key < len(thing.items):
            return (one,)
        below = tuple(after for way in thing.items[key] for after in made_to(evaluator, way, happened, rest, frame))
        return (replace(one, thing=with_item(thing, key, below)),)
    if isinstance(thing, Instance) and isinstance(key, str):
        return (replace(one, thing=replace(thing, changed=_PartChanged(evaluator, thing, happened, path, frame))),)
    return (one,)


def _made_here(evaluator: Evaluator, one: Possibility, happened: Sequence[Happened], frame: Frame) -> Possibilities:
    thing, first = one.thing, happened[0]
    if first.event.binding.kind == CALL:
        return effects.of_call(evaluator, one, first.event, first.arms, frame)
    if isinstance(thing, Unseen) and first.event.key and first.event.path:
        thing = Items({}, complete=False)
    if isinstance(thing, CommandLine) and first.event.binding.kind in _SETS_ITEMS:
        return _items_set(evaluator, one, thing, happened, frame)
    if isinstance(thing, CommandLine | Instance):
        if not first.event.key:
            return (one,)
        return (replace(one, thing=replace(thing, changed=_AttributesSet(evaluator, thing.changed, happened, frame))),)
    if isinstance(thing, Items | TreeMapping):
        items = _as_items(thing)
        for event in happened:
            items = _after(evaluator, items, event, frame)
        return (replace(one, thing=items),)
    if isinstance(thing, Row):
        return _row_after(evaluator, one, thing, first, frame)
    return (one,)


_SETS_ITEMS = ("item", "update")


def _items_set(
    evaluator: Evaluator, one: Possibility, thing: CommandLine, happened: Sequence[Happened], frame: Frame
) -> Possibilities:
    """Return a command line whose attributes were set as items of the dictionary that ``vars`` makes of it."""
    items = Items(thing.changed)
    for event in happened:
        items = _after(evaluator, items, event, frame)
    # Names that were not seen are looked for in `blurred`.
    return (replace(one, thing=replace(thing, changed=items.entries)),)


def with_item(row: Row, place: int, values: Possibilities) -> Row:
    """Return a row with another item at a place."""
    items = list(row.items)
    items[place] = values
    return Row(tuple(items))


def _row_after(evaluator: Evaluator, one: Possibility, row: Row, change: Happened, frame: Frame) -> Possibilities:
    """Return a list after it was changed in place: exactly where one item is set or added for certain."""
    binding = change.event.binding
    where = frame.at(binding.place)
    call = binding.value
    if not change.arms and not change.earlier_turn:
        place = key_of(binding.key) if binding.kind == "item" and binding.key is not None else ELEMENT
        if isinstance(place, int) and -len(row.items) <= place < len(row.items) and call is not None:
            return (replace(one, thing=with_item(row, place, evaluator.evaluate(call, where))),)
        appended = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"
        if binding.kind == "list" and appended and isinstance(call, ast.Call) and len(call.args) == 1:
            # What a call makes is seldom a setting, and may be a whole program to follow.
            added = call.args[0]
            values = unseen(one.span) if isinstance(added, ast.Call) else evaluator.evaluate(added, where)
            return (replace(one, thing=Row((*row.items, values))),)
    return (replace(one, thing=UNSEEN),)


def _as_items(thing: Items | TreeMapping) -> Items:
    return thing if isinstance(thing, Items) else Items(entries_of(thing), is_complete(thing))


def _as_tree(one: Possibility, before: Items) -> Items:
    """Return a dictionary as the tree of a configuration, whatever was put into the one that it was before."""
    assert isinstance(one.thing, Items)
    entries = one.thing.entries
    put_in = {key: settings.trees(values) for key, values in entries.items() if values is not before.entries.get(key)}
    return replace(one.thing, entries=lazily.overlaid(entries, put_in))


class _AttributesSet(AttributesAfter):
    """The attributes of a thing after statements that set some of them by name."""

    def __init__(
        self, evaluator: Evaluator, before: Mapping[str, Possibilities], changes: Iterable[Happened], frame: Frame
    ) -> None:
        super().__init__(evaluator, before, frame)
        self._changes: dict[str, list[Happened]] = {}
        for one in changes:
            self._changes.setdefault(one.event.key, []).append(one)

    def _changed(self) -> Collection[str]:
        return self._changes

    def _follow(self, name: str) -> Possibilities:
        items = Items({name: self._before[name]} if name in self._before else {})
        for change in self._changes[name]:
            items = _after(self._evaluator, items, change, self._frame)
        return items.entries[name]


class _PartChanged(AttributesAfter):
    """The attributes of an object after something happened to, or below, what one of them stands for."""

    def __init__(
        self, evaluator: Evaluator, owner: Instance, happened: Sequence[Happened], path: Keys, frame: Frame
    ) -> None:
        super().__init__(evaluator, owner.changed, frame)
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


def _after(evaluator: Evaluator, items: Items, change: Happened, frame: Frame) -> Items:
    """Return the entries after one statement that changes them, which may run only under conditions."""
    binding = change.event.binding
    where = frame.at(binding.place)
    given = _given_by(evaluator, change.event, items, where)
    if given is not None and change.earlier_turn and varies(binding):
        # What an earlier turn of a loop worked out is worked out again at every turn.
        given = Items({key: unseen(where.facts.span(binding.node)) for key in given.entries}, given.complete)
    if given is None or not given.complete:
        # A key that was not seen may be any key.
        items = overlaid(items, Items({}, complete=False))
    if given is None:
        return items
    alternatives = evaluator.conditions(change.arms, frame)
    entries: dict[str, Possibilities] = {}
    for key, values in given.entries.items():
        missing = ABSENT if items.complete else UNSEEN
        before = items.entries.get(key, (Possibility(missing, where.facts.span(binding.node)),))
        if binding.kind == "setdefault":
            values = _where_missing(before, values)
        after = [one for way in alternatives for one in under(values, way)]
        if change.arms:
            undone = [one for way in otherwise(evaluator, change.arms, frame) for one in under(before, way)]
            after = [*undone, *after]
        entries[key] = distinct(after)
    changed = lazily.overlaid(items.entries, entries)
    return replace(items, entries=changed, complete=items.complete and given.complete)


def _where_missing(before: Possibilities, values: Possibilities) -> Possibilities:
    return settled(before, lambda: values)


def otherwise(evaluator: Evaluator, arms: tuple[Arm, ...], frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which not all of the arms are taken; for one arm exactly, else roughly."""
    tested = [arm for arm in arms if arm.test is not None]
    if len(arms) != 1 or len(tested) != 1:
        return [NO_ASSUMPTIONS]
    return evaluator.conditions((tested[0].otherwise(),), frame)


def _given_by(evaluator: Evaluator, event: Event, before: Items, frame: Frame) -> Items | None:
    binding = event.binding
    span = frame.facts.span(binding.node)
    if event.key:
        return Items({event.key: evaluator.binding(binding, frame)})
    if binding.kind == "clear":
        return Items({key: (Possibility(ABSENT, span),) for key in before.entries})
    if binding.kind == "list":
        return Items({})
    if binding.kind == "update":
        assert isinstance(binding.value, ast.Call)
        return dictionaries.items_of_call(evaluator, binding.value, frame)
    keys = evaluator.evaluate(binding.key, frame) if binding.key is not None else ()
    if len(keys) != 1 or not isinstance(keys[0].thing, str):
        return None
    key = keys[0].thing
    if binding.kind == "pop":
        return Items({key: (Possibility(ABSENT, span),)})
    value = binding.value
    if binding.kind == "setdefault":
        assert isinstance(value, ast.Call)
        if len(value.args) < 2:
            return Items({key: (Possibility(None, span),)})
        value = value.args[1]
    return Items({key: dictionaries.entered(evaluator, value, frame, span) if value is not None else unseen(span)})
