"""What a scope does to the thing a name stands for: sets its attributes and keys, at any depth, or hands it on.

``config.data = data = ConfigDict()``, ``data = config["data"]`` and ``config = {"data": data}`` make ``data`` another
name for a part of ``config``, so that what is done to the one is done to the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.scopes.aliases import Alias, aliases_in, matches, receiver_in
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.model.assumptions import Assumptions
from loaderlint.readers.python import ELEMENT, Arm, Binding, CallSite, Key, Keys, Part, Scope, part_of
from loaderlint.readers.python_calls import is_super

CALL = "call"
"""Kind of an event that hands the thing, or the part of it at the path, to a call: as argument or as receiver."""

DEEPEST_ALIAS = 5
"""Names that are looked through for each other."""


class Event(Struct, frozen=True, eq=False):
    """One statement that changes what a name stands for.

    ``path`` leads from the name to the container that is changed; ``key`` is the attribute set on it, empty where
    the binding itself says what is changed. ``sure`` is False where it may be something else that is changed. ``loop``
    is the loop that does it to each element in turn, at the place in the path that stands for any of them.
    """

    path: Keys
    key: str
    binding: Binding
    sure: bool = True
    loop: Binding | None = None

    @property
    def order(self) -> int:
        """The place of the statement in the order of its scope."""
        return self.binding.place.order

    def sets(self, attribute: str) -> bool:
        """Return whether it sets an attribute of the thing itself."""
        return self.key == attribute and not self.path


Turns: TypeAlias = tuple[tuple[Assumptions, Assumptions | None], ...]
"""Turns of a loop: what is assumed besides the turn, and that it is this one (None where nobody saw which)."""


class Happened(Struct, frozen=True, eq=False):
    """An event, and the arms that must be taken for it to happen before a place.

    ``earlier_turn`` says that it happened in an earlier turn of a loop, ``again`` that it may have happened to the same
    thing in several; ``turns`` are those at which a loop came to the thing, where they are known.
    """

    event: Event
    arms: tuple[Arm, ...]
    earlier_turn: bool = False
    turns: Turns = ()
    again: bool = False

    @property
    def sets_attribute(self) -> bool:
        """Whether it sets an attribute of the thing itself."""
        return bool(self.event.key) and not self.event.path


class Events:
    """The events of each scope and name, collected once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Event, ...]] = {}
        self._handed: dict[int, dict[str, list[tuple[str, CallSite]]]] = {}
        self._written: dict[int, Mapping[str, list[Event]]] = {}
        self._aliases: dict[int, Mapping[str, list[Alias]]] = {}
        self._by_first_key: dict[int, Mapping[tuple[str, Key], list[Event]]] = {}
        self._aliases_by_first_key: dict[int, Mapping[tuple[str, Key], list[Alias]]] = {}

    def of(self, scope: Scope, name: str) -> tuple[Event, ...]:
        """Return what a scope does to the thing a (dotted) name stands for, in source order."""
        key = (id(scope), name)
        if key not in self._known:
            root, *attributes = name.split(".")
            found = self._through(scope, root, tuple(attributes), -1, None, ())
            once = {(id(one.binding), one.path, one.key): one for one in sorted(found, key=lambda one: one.sure)}
            self._known[key] = tuple(sorted(once.values(), key=lambda one: one.order))
        return self._known[key]

    def inside(self, scope: Scope, name: str) -> tuple[Event, ...]:
        """Return what functions inside a scope do to the thing that a name of the scope stands for."""
        key = (id(scope), f"{name}()")
        if key not in self._known:
            root = name.partition(".")[0]
            found: list[Event] = []
            waiting = list(scope.children)
            while waiting:
                inner = waiting.pop()
                if any(one.kind not in MUTATIONS for one in inner.bindings.get(root, ())):
                    continue
                waiting.extend(inner.children)
                found.extend(one for one in self.of(inner, name) if one.binding.kind != CALL)
            self._known[key] = tuple(found)
        return self._known[key]

    def handed_over(self, scope: Scope) -> dict[str, list[tuple[str, CallSite]]]:
        """Return the calls of a scope that get a name, or a part of what it stands for, by the root of the name."""
        if id(scope) not in self._handed:
            found: dict[str, list[tuple[str, CallSite]]] = {}
            for site in scope.calls:
                for part in dict.fromkeys(_parts_handed(site)):
                    found.setdefault(part.path[0], []).append((part.text, site))
            self._handed[id(scope)] = found
        return self._handed[id(scope)]

    def aliases(self, scope: Scope) -> Mapping[str, list[Alias]]:
        """Return the other names that parts of what a name stands for have in a scope, by the name's root."""
        if id(scope) not in self._aliases:
            found: dict[str, list[Alias]] = {}
            for one in aliases_in(scope):
                found.setdefault(one.root, []).append(one)
            self._aliases[id(scope)] = found
        return self._aliases[id(scope)]

    def _through(
        self, scope: Scope, root: str, path: Keys, since: int, until: int | None, seen: tuple[tuple[str, Keys], ...]
    ) -> Iterator[Event]:
        """Yield the events that come about through one name for the part at ``path``, and through its other names."""
        if (root, path) in seen or len(seen) == DEEPEST_ALIAS:
            return
        seen = (*seen, (root, path))
        for event in self._events_at(scope, root, path):
            if event.order > since and (until is None or event.order <= until) and matches(event.path, path):
                yield replace(event, path=event.path[len(path) :])
        own = not path and root == receiver_in(scope)
        for alias in self._aliases_at(scope, root, path):
            if own and alias.path:
                # What is done to an attribute of a method's own object is looked for where the attribute is read.
                continue
            if (until is not None and alias.order > until) or alias.order < since:
                continue
            ends = [one for one in (alias.until, until) if one is not None]
            if matches(alias.path, path):
                # A part of it has another name.
                ahead, further = alias.path[len(path) :], alias.other_path
            elif matches(path, alias.path):
                # It is a part of what has another name.
                ahead, further = (), (*alias.other_path, *path[len(alias.path) :])
            else:
                continue
            if alias.order == since and len(further) > len(path):
                # ``part = part[key]``: what has that name now is no part of itself once more.
                continue
            through = self._through(scope, alias.other, further, alias.order, min(ends, default=None), seen)
            for event in through:
                still = alias.doubtful is None or event.order <= alias.doubtful
                # A name that was given under a condition stands for the thing where the condition was met.
                met = all(arm in event.binding.place.arms for arm in alias.arms)
                sure = still and event.sure and alias.sure and met
                loop = alias.loop if event.sure and ELEMENT in ahead else (event.loop if alias.sure else None)
                yield replace(event, path=(*ahead, *event.path), sure=sure, loop=loop if still else None)

    def _events_at(self, scope: Scope, root: str, path: Keys) -> Iterable[Event]:
        """Return the events of a name's parts that begin as a path does."""
        if id(scope) not in self._by_first_key:
            by_key: dict[tuple[str, Key], list[Event]] = {}
            for name, events in self._written_in(scope).items():
                for event in events:
                    if event.path:
                        by_key.setdefault((name, event.path[0]), []).append(event)
            self._by_first_key[id(scope)] = by_key
        if not path or path[0] is ELEMENT:
            return self._written_in(scope).get(root, ())
        beginning = self._by_first_key[id(scope)]
        return (*beginning.get((root, path[0]), ()), *beginning.get((root, ELEMENT), ()))

    def _aliases_at(self, scope: Scope, root: str, path: Keys) -> Iterable[Alias]:
        """Return the aliases of a name's parts that begin as a path does, and of the name itself."""
        every = self.aliases(scope).get(root, ())
        if not path or path[0] is ELEMENT or not every:
            return every
        if id(scope) not in self._aliases_by_first_key:
            by_key: dict[tuple[str, Key], list[Alias]] = {}
            for name, aliases in self.aliases(scope).items():
                for alias in aliases:
                    by_key.setdefault((name, alias.path[0] if alias.path else ""), []).append(alias)
            self._aliases_by_first_key[id(scope)] = by_key
        beginning = self._aliases_by_first_key[id(scope)]
        return [one for key in (path[0], ELEMENT, "") for one in beginning.get((root, key), ())]

    def _written_in(self, scope: Scope) -> Mapping[str, list[Event]]:
        """Return what a scope does to what each of its names stands for, under that name alone."""
        if id(scope) not in self._written:
            found: dict[str, list[Event]] = {}
            for written, bindings in scope.bindings.items():
                root, *attributes = written.split(".")
                for binding in bindings:
                    if binding.kind in MUTATIONS:
                        found.setdefault(root, []).append(Event((*attributes, *binding.keys), "", binding))
                    elif attributes:
                        found.setdefault(root, []).append(Event(tuple(attributes[:-1]), attributes[-1], binding))
            for site in scope.calls:
                for part in dict.fromkeys(_parts_handed(site)):
                    call = Binding(part.text, CALL, site.node, site.place, value=site.node)
                    found.setdefault(part.path[0], []).append(Event(part.path[1], "", call))
            self._written[id(scope)] = found
        return self._written[id(scope)]


def _parts_handed(site: CallSite) -> Iterator[Part]:
    """Yield what a call is handed, its receiver first: for ``super().setup()`` the method's own object."""
    call = site.node
    if isinstance(call.func, ast.Attribute):
        own = receiver_in(site.place.scope) if is_super(call.func.value) else None
        receiver = part_of(call.func.value) if own is None else Part(own)
        if receiver is not None:
            yield receiver
    for argument in (*call.args, *(one.value for one in call.keywords if one.arg is not None)):
        part = part_of(argument)
        if part is not None:
            yield part
