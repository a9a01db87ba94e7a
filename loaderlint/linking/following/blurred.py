"""Attributes set otherwise than by ``x.name = value``: under names that are worked out, or where no name stands for x.

What such a change gives was not seen, so an attribute that it may have set can be anything besides what it was.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from loaderlint.linking.things.classes import class_of_receiver, lineage, owner_of, setters
from loaderlint.linking.things.kinds import Class, CommandLine, Frame, Instance, Module, Possibilities, Row
from loaderlint.readers.python import Arm, AttributeChange, Place, PythonFacts, dotted
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_STEPS = 120
_SETS_BY_NAME = re.compile(rb"setattr|__dict__|\bvars\b|patch\.object")
"""How a file may set attributes whose names it does not hold."""

_Key: TypeAlias = tuple[str, int]
_Thing: TypeAlias = Instance | Class | Module | CommandLine


class _Change(Struct, frozen=True, eq=False):
    """A change of attributes: of what and where, and how the names that it may set begin and end."""

    facts: PythonFacts
    at: AttributeChange
    start: str
    end: str

    def may_set(self, name: str, until: Place | None) -> bool:
        return name.startswith(self.start) and name.endswith(self.end) and not self._is_undone(name, until)

    def _is_undone(self, name: str, until: Place | None) -> bool:
        """Return whether the same function goes on to set the attribute itself, whatever happens."""
        place = self.at.place
        last = until.order if until is not None and until.scope is place.scope else None
        later = place.scope.bindings.get(f"{dotted(self.at.owner)}.{name}", ())
        return any(
            one.kind == "assign"
            and not one.place.arms
            and one.place.order > place.order
            and (last is None or one.place.order < last)
            for one in later
        )


class Blurred:
    """The objects, classes, modules and command lines of a project whose attributes are set in such ways."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def may_set(self, thing: _Thing, name: str, until: Place | None = None) -> bool:
        """Return whether an attribute of a thing may be set by such a change, where it is read at a place."""
        return any(True for _ in self._setting(thing, name, until))

    def fills(self, thing: _Thing, name: str) -> bool:
        """Return whether such a change, which names the attribute of a thing, sets it anew where it counts as false."""
        return any(one.at.fills and self._names(one, name) for one in self._setting(thing, name, None))

    def changes_of(self, thing: Instance, name: str) -> list[AttributeChange]:
        """Return the changes that may set an attribute of an object."""
        return [one.at for one in self._setting(thing, name, None)]

    def is_set_below(self, owner: Class, heir: Class, name: str) -> bool:
        """Return whether an attribute of an heir's objects may be set by changes of which a class knows nothing."""
        own = self.changes_of(Instance(owner), name)
        return any(one not in own for one in self.changes_of(Instance(heir), name))

    def _setting(self, thing: _Thing, name: str, until: Place | None) -> Iterator[_Change]:
        named, others = self._changes
        changes = [one for one in (*named.get(name, ()), *others) if one.may_set(name, until)]
        keys = self._keys_of(thing) if changes else set()
        for one in changes:
            if not keys.isdisjoint(self._changed_by(one)) and self._names(one, name) is not False:
                yield one

    def _names(self, change: _Change, name: str) -> bool | None:
        """Return whether a name is one of those under which a change is come to; None where these were not seen.

        It stands in a loop over some, or where it is asked if its name is one of them.
        """
        named: bool | None = None
        for arm in change.at.place.arms:
            some = self._some(change, arm)
            if some is not None and (name in some) is not arm.truth:
                return False
            named = named or (True if some is not None and arm.truth else None)
        return named

    def _some(self, change: _Change, arm: Arm) -> frozenset[str] | None:
        """Return the names that the name of a change is one of, or none of, in an arm."""
        match arm.owner if arm.loop else arm.test:
            case ast.For(target=asked, iter=names) | ast.Compare(asked, [ast.In()], [names]):
                if not _is_same(asked, change.at.name):
                    return None
                with self._evaluator.steps(_STEPS):
                    return _texts(self._evaluator.evaluate(names, Frame(change.facts, arm.place or change.at.place)))
        return None

    def may_set_any(self, owners: Possibilities, name: str, until: Place) -> bool:
        """Return whether an attribute of one of several things may be set by such a change."""
        things = (one.thing for one in owners if isinstance(one.thing, Instance | Class | Module | CommandLine))
        return any(self.may_set(one, name, until) for one in things)

    def has_setter(self, owner: Class, name: str) -> bool:
        """Return whether an assignment to an attribute of a class's objects runs a setter."""
        defining = self._setters.get(name)
        return defining is not None and any(id(one.node) in defining for one in lineage(self._evaluator, owner))

    def runs_setter(self, owners: Possibilities, name: str) -> bool:
        """Return whether an assignment to an attribute of one of several things runs a setter."""
        things = [one.thing for one in owners] if name in self._setters else []
        return any(isinstance(one, Instance) and self.has_setter(one.of, name) for one in things)

    @cached_property
    def _setters(self) -> Mapping[str, Set[int]]:
        return setters(self._evaluator.project)

    @cached_property
    def _changes(self) -> tuple[Mapping[str, list[_Change]], list[_Change]]:
        """The changes by the names they set, and those whose names are worked out."""
        named: dict[str, list[_Change]] = {}
        others: list[_Change] = []
        project = self._evaluator.project
        for facts in dict.fromkeys((*project.all_python(), *project.python_files_with(_SETS_BY_NAME))):
            for at in facts.attribute_changes:
                if isinstance(at.name, ast.Constant):
                    named.setdefault(str(at.name.value), []).append(_Change(facts, at, "", ""))
                else:
                    others.append(_Change(facts, at, *_ends(at.name)))
        return named, others

    def _keys_of(self, thing: _Thing) -> Set[_Key]:
        if isinstance(thing, CommandLine):
            return _declared(thing)
        if isinstance(thing, Module):
            return {_key(thing)}
        owner = thing.of if isinstance(thing, Instance) else thing
        family = lineage(self._evaluator, owner)
        keys = {_key(one) for one in family}
        if isinstance(thing, Class):
            return keys
        keys |= {_key(Instance(one)) for one in family} | {("one object", id(one)) for one in thing.copied}
        if _is_made_in_sight(thing):
            return keys | {("one object", id(thing.call))}
        return keys | {("some object", id(one.node)) for one in family}

    def _changed_by(self, change: _Change) -> Set[_Key]:
        """Return what a change is made to; to whom asks while that is found out, nothing."""
        key = ("changed by name", id(change.at))
        return self._evaluator.once(key, frozenset[_Key](), lambda: frozenset(self._found(change)))

    def _found(self, change: _Change) -> Iterator[_Key]:
        where = Frame(change.facts, change.at.place)
        if isinstance(change.at.owner, ast.Call) and dotted(change.at.owner.func) == "super":
            above = owner_of(change.facts, change.at.place.scope)
            if above is not None:
                yield _key(Instance(above))
            return
        typed = _object_of_type(change.at.owner)
        with self._evaluator.steps(_STEPS):
            owners = self._evaluator.evaluate(typed or change.at.owner, where)
            all_known = all(one.constant or isinstance(one.thing, Instance) for one in owners)
            for one in owners:
                thing = one.thing.of if typed is not None and isinstance(one.thing, Instance) else one.thing
                if isinstance(thing, Instance) and all_known:
                    yield from _object_changed(thing)
                elif isinstance(thing, CommandLine):
                    yield from _declared(thing)
                elif isinstance(thing, Instance | Class | Module):
                    yield _key(thing)
        own = class_of_receiver(where, dotted(change.at.owner) or "")
        if own is not None:
            # Where the class has heirs, it is not known which of them it is.
            yield _key(own)


def _is_same(name: ast.expr, other: ast.expr | None) -> bool:
    return isinstance(name, ast.Name) and isinstance(other, ast.Name) and name.id == other.id


def _texts(found: Possibilities) -> frozenset[str] | None:
    """Return the texts that a list has, None where it may have others."""
    row = found[0].thing if len(found) == 1 else None
    items = [one.thing for item in row.items for one in item] if isinstance(row, Row) else [None]
    texts = frozenset(one for one in items if isinstance(one, str))
    return texts if len(texts) == len(frozenset(items)) else None


def _declared(thing: CommandLine) -> Set[_Key]:
    """Return what changes of a command line are kept under: what was said to its parser tells it from others."""
    return {("command line", id(one.call)) for one in thing.declarations} or {("command line", 0)}


def _key(thing: Instance | Class | Module) -> _Key:
    """Return what a change is kept under: what is set on an object is not set on its class."""
    if isinstance(thing, Instance):
        return "object", id(thing.of.node)
    if isinstance(thing, Class):
        return "class", id(thing.node)
    return "module", id(thing.facts)


def _object_changed(thing: Instance) -> Iterator[_Key]:
    """Yield what the change of an object is kept under: that of a copy, or of what one call made, is of that alone.

    An object of which only the class is known may be that one.
    """
    made = [thing.call] if _is_made_in_sight(thing) else []
    calls = thing.copied or made
    if not calls:
        yield _key(thing)
        return
    yield "some object", id(thing.of.node)
    yield from (("one object", id(one)) for one in calls)


def _is_made_in_sight(thing: Instance) -> bool:
    """Return whether it is known which call that somebody wrote made an object."""
    if thing.call is None or thing.frame is None:
        return False
    sites = thing.frame.facts.calls.get(called_name(thing.call), ())
    return any(one.node is thing.call for one in sites)


def _object_of_type(node: ast.expr) -> ast.expr | None:
    """Return ``x`` where an expression is ``type(x)``, None for any other."""
    is_type = isinstance(node, ast.Call) and dotted(node.func) == "type" and len(node.args) == 1
    return node.args[0] if is_type and isinstance(node, ast.Call) else None


def _ends(node: ast.expr | None) -> tuple[str, str]:
    """Return how a name that an expression works out begins and ends."""
    if not isinstance(node, ast.JoinedStr):
        return "", ""
    first, last = node.values[0], node.values[-1]
    start = first.value if isinstance(first, ast.Constant) else ""
    end = last.value if isinstance(last, ast.Constant) else ""
    return str(start), str(end)
