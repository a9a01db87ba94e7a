"""What happens to a thing after it was made: keys and attributes set on it by name, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking import classes, dictionaries, settings
from loaderlint.linking.dictionaries import entries_of, is_complete, overlaid
from loaderlint.linking.names import MUTATIONS, Reaching, reaching_all
from loaderlint.linking.project import Project
from loaderlint.linking.things import (
    ABSENT,
    Class,
    CommandLine,
    Frame,
    Instance,
    Items,
    Possibilities,
    Possibility,
    Settings,
    distinct,
    settled,
    under,
    unseen,
)
from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions
from loaderlint.readers.python import Arm, Binding, FunctionNode, Place, PythonFacts
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


def changed(
    evaluator: Evaluator, found: Sequence[Possibility], name: str, frame: Frame, place: Place | None, since: int
) -> Possibilities:
    """Return what a name stands for after the changes made through it up to a place of its scope (None: its end).

    ``since`` is the place in the scope's order at which the name got its value.
    """
    if not any(isinstance(one.thing, _Changeable) for one in found):
        return tuple(found)
    bindings = [one for one in frame.scope.bindings.get(name, ()) if one.kind in MUTATIONS]
    if not _is_receiver(frame, name):
        bindings.extend(one for one in frame.scope.set_on.get(name, ()) if one.kind not in MUTATIONS)
    if any(isinstance(one.thing, Settings) for one in found):
        deeper = f"{name}."
        bindings = [
            one
            for dotted, own in frame.scope.bindings.items()
            for one in own
            if dotted.startswith(deeper) or (dotted == name and one.kind in MUTATIONS)
        ]
    changes = [one for one in reaching_all(bindings, place) if one.binding.place.order > since]
    if not changes:
        return tuple(found)
    return tuple(
        replace(one, thing=_after_all(evaluator, one.thing, name, changes, frame))
        if isinstance(one.thing, _Changeable)
        else one
        for one in found
    )


_Changeable: TypeAlias = Items | TreeMapping | Settings | CommandLine | Instance


def _is_receiver(frame: Frame, name: str) -> bool:
    """Return whether a name is a method's own object, whose attributes are looked for in all methods anyway."""
    node = frame.scope.node
    first = next(parameters_of(node), None) if isinstance(node, FunctionNode) else None
    return (
        isinstance(node, FunctionNode)
        and first is not None
        and first.arg == name
        and classes.owner_of(frame.facts, frame.scope) is not None
        and classes.is_receiver(node, first)
    )


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
        if isinstance(binding.node, ast.Assign) and not _is_receiver(where, binding.name.rpartition(".")[0]):
            targets = [one for one in binding.node.targets if isinstance(one, ast.Attribute) and one.attr == name]
            things = [way.thing for one in targets for way in evaluator.evaluate(one.value, where)]
            if any(isinstance(one, Instance) and one.of.node is owner.node for one in things):
                found.append((str(facts.span(binding.node)), evaluator.binding(binding, where)))
    return found


def _after_all(
    evaluator: Evaluator, thing: _Changeable, name: str, changes: Sequence[Reaching], frame: Frame
) -> _Changeable:
    """Return a thing after changes, the same one wherever it is read after the same ones."""
    made = tuple((one.binding, one.arms) for one in changes)
    return evaluator.remembered(
        ("changed", thing, made), frame, lambda: _worked_out(evaluator, thing, name, changes, frame)
    )


def _worked_out(
    evaluator: Evaluator, thing: _Changeable, name: str, changes: Sequence[Reaching], frame: Frame
) -> _Changeable:
    if isinstance(thing, Settings):
        here = thing.here
        for change in changes:
            path = change.binding.name[len(name) :].split(".")[1:]
            inside = path if change.binding.kind in MUTATIONS else path[:-1]
            here = _tree_after(evaluator, here, inside, change, frame)
        return settings.replaced(thing, here)
    if isinstance(thing, CommandLine | Instance):
        set_here = [one for one in changes if one.binding.kind not in MUTATIONS]
        return replace(thing, changed=_AttributesSet(evaluator, thing.changed, set_here, frame)) if set_here else thing
    items = thing if isinstance(thing, Items) else Items(entries_of(thing), is_complete(thing))
    for change in changes:
        items = _after(evaluator, items, change, frame)
    return items


class _AttributesSet(Mapping[str, Possibilities]):
    """The attributes set on a thing by name, each followed when somebody reads it; ``before`` were set earlier."""

    def __init__(
        self, evaluator: Evaluator, before: Mapping[str, Possibilities], changes: Iterable[Reaching], frame: Frame
    ) -> None:
        self._evaluator = evaluator
        self._before = before
        self._frame = frame
        self._changes: dict[str, list[Reaching]] = {}
        for one in changes:
            self._changes.setdefault(one.binding.name.rpartition(".")[2], []).append(one)

    def __getitem__(self, name: str) -> Possibilities:
        if name not in self._changes:
            return self._before[name]
        return self._evaluator.remembered(("set", self, name), self._frame, lambda: self._after_changes(name))

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._before), **dict.fromkeys(self._changes)})

    def __len__(self) -> int:
        return len(self._before.keys() | self._changes.keys())

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _after_changes(self, name: str) -> Possibilities:
        items = Items({name: self._before[name]} if name in self._before else {})
        for change in self._changes[name]:
            items = _after(self._evaluator, items, change, self._frame)
        return items.entries[name]


def _tree_after(evaluator: Evaluator, tree: Items, path: Sequence[str], change: Reaching, frame: Frame) -> Items:
    """Return a configuration after one statement that changes what stands under a path of keys."""
    if not path:
        after = _after(evaluator, tree, change, frame)
        return Items({key: settings.trees(values) for key, values in after.entries.items()}, after.complete)
    values = tuple(
        replace(one, thing=_tree_after(evaluator, one.thing, path[1:], change, frame))
        if isinstance(one.thing, Items)
        else one
        for one in tree.entries.get(path[0], ())
    )
    return Items({**tree.entries, path[0]: values}, tree.complete) if values else tree


def _after(evaluator: Evaluator, items: Items, change: Reaching, frame: Frame) -> Items:
    """Return the entries after one statement that changes them, which may run only under conditions."""
    binding = change.binding
    where = frame.at(binding.place)
    given = _given_by(evaluator, binding, where)
    if given is None or not given.complete:
        # A key that was not seen may be any key.
        items = overlaid(items, Items({}, complete=False))
    if given is None:
        return items
    alternatives = evaluator.conditions(change.arms, frame)
    entries = dict(items.entries)
    for key, values in given.entries.items():
        before = entries.get(key, (Possibility(ABSENT, where.facts.span(binding.node)),))
        if binding.kind == "setdefault":
            values = _where_missing(before, values)
        after = [one for way in alternatives for one in under(values, way)]
        if change.arms:
            undone = [one for way in otherwise(evaluator, change.arms, frame) for one in under(before, way)]
            after = [*undone, *after]
        entries[key] = distinct(after)
    return Items(entries, items.complete and given.complete)


def _where_missing(before: Possibilities, values: Possibilities) -> Possibilities:
    return settled(before, lambda: values)


def otherwise(evaluator: Evaluator, arms: tuple[Arm, ...], frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which not all of the arms are taken; for one arm exactly, else roughly."""
    tested = [arm for arm in arms if arm.test is not None]
    if len(arms) != 1 or len(tested) != 1:
        return [NO_ASSUMPTIONS]
    return evaluator.conditions((tested[0].otherwise(),), frame)


def _given_by(evaluator: Evaluator, binding: Binding, frame: Frame) -> Items | None:
    span = frame.facts.span(binding.node)
    if binding.kind not in MUTATIONS:
        return Items({binding.name.rpartition(".")[2]: evaluator.binding(binding, frame)})
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
