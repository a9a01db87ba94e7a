"""What a scope does to the thing a name stands for: sets its attributes and keys, at any depth, or hands it on.

``config.data = data = ConfigDict()`` and ``data = config.data`` make ``data`` another name for a part of ``config``, so
that what is done to the one is done to the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from loaderlint.linking.names import MUTATIONS
from loaderlint.readers.python import Arm, Binding, CallSite, Place, Scope, dotted

CALL = "call"
"""Kind of an event that hands the thing, or the part of it at the path, to a call: as argument or as receiver."""


@dataclass(frozen=True, eq=False)
class Event:
    """One statement that changes what a name stands for.

    ``path`` leads from the name to the container that is changed; ``key`` is the attribute set on it, empty where
    the binding itself says what is changed.
    """

    path: tuple[str, ...]
    key: str
    binding: Binding

    @property
    def order(self) -> int:
        """The place of the statement in the order of its scope."""
        return self.binding.place.order


@dataclass(frozen=True, eq=False)
class Happened:
    """An event, and the arms that must be taken for it to happen before a place.

    ``earlier_turn`` says that it happened in an earlier turn of a loop.
    """

    event: Event
    arms: tuple[Arm, ...]
    earlier_turn: bool = False

    @property
    def sets_attribute(self) -> bool:
        """Whether it sets an attribute of the thing itself."""
        return bool(self.event.key) and not self.event.path


class Events:
    """The events of each scope and name, collected once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Event, ...]] = {}
        self._handed: dict[int, dict[str, list[tuple[str, CallSite]]]] = {}

    def of(self, scope: Scope, name: str) -> tuple[Event, ...]:
        """Return what a scope does to the thing a (dotted) name stands for, in source order."""
        key = (id(scope), name)
        if key not in self._known:
            found = [*self._through(scope, name, (), -1, None, frozenset({name}))]
            self._known[key] = tuple(sorted(found, key=lambda one: one.order))
        return self._known[key]

    def handed_over(self, scope: Scope) -> dict[str, list[tuple[str, CallSite]]]:
        """Return the calls of a scope that get a name, or a part of what it stands for, by the root of the name."""
        if id(scope) not in self._handed:
            found: dict[str, list[tuple[str, CallSite]]] = {}
            for site in scope.calls:
                for name in dict.fromkeys(_names_in(site.node)):
                    found.setdefault(name.partition(".")[0], []).append((name, site))
            self._handed[id(scope)] = found
        return self._handed[id(scope)]

    def _through(
        self, scope: Scope, name: str, path: tuple[str, ...], since: int, until: int | None, seen: frozenset[str]
    ) -> Iterator[Event]:
        """Yield the events that come about through one name for the part at ``path``, and through its other names."""
        for event in self._named(scope, name, path):
            if event.order > since and (until is None or event.order <= until):
                yield event
        for alias, place, part in self._aliases(scope, name):
            if alias not in seen and (until is None or place.order <= until) and place.order >= since:
                ends = _rebound(scope, alias, place.order)
                limit = ends if until is None else until if ends is None else min(ends, until)
                yield from self._through(scope, alias, (*path, *part), place.order, limit, seen | {alias})

    def _named(self, scope: Scope, name: str, path: tuple[str, ...]) -> Iterator[Event]:
        for written, bindings in scope.bindings.items():
            if written != name and not written.startswith(f"{name}."):
                continue
            inner = _parts(written, name)
            for binding in bindings:
                if binding.kind in MUTATIONS:
                    yield Event((*path, *inner), "", binding)
                elif inner:
                    yield Event((*path, *inner[:-1]), inner[-1], binding)
        for written, site in self.handed_over(scope).get(name.partition(".")[0], ()):
            if written == name or written.startswith(f"{name}."):
                call = Binding(written, CALL, site.node, site.place, value=site.node)
                yield Event((*path, *_parts(written, name)), "", call)

    def _aliases(self, scope: Scope, name: str) -> Iterator[tuple[str, Place, tuple[str, ...]]]:
        """Yield the other names a scope gives to what a name stands for, or to a part of it."""
        for alias, bindings in scope.bindings.items():
            if "." in alias or alias == name:
                continue
            for binding in bindings:
                if binding.kind != "assign" or binding.value is None:
                    continue
                for written in _same_thing(binding):
                    if written == name or written.startswith(f"{name}."):
                        yield alias, binding.place, _parts(written, name)


def _same_thing(binding: Binding) -> Iterator[str]:
    """Yield the dotted names that stand for the thing that a binding gives its own name."""
    written = dotted(binding.value) if binding.value is not None else None
    if written is not None:
        yield written
    if isinstance(binding.node, ast.Assign) and len(binding.node.targets) > 1:
        others = (dotted(target) for target in binding.node.targets)
        yield from (one for one in others if one is not None and one != binding.name)


def _rebound(scope: Scope, name: str, since: int) -> int | None:
    orders = [one.place.order for one in scope.bindings[name] if one.kind not in MUTATIONS and one.place.order > since]
    return min(orders, default=None)


def _parts(written: str, name: str) -> tuple[str, ...]:
    return tuple(written[len(name) + 1 :].split(".")) if written != name else ()


def _names_in(call: ast.Call) -> Iterator[str]:
    """Yield the dotted names that a call is handed, its receiver first."""
    if isinstance(call.func, ast.Attribute):
        receiver = dotted(call.func.value)
        if receiver is not None:
            yield receiver
    for argument in (*call.args, *(one.value for one in call.keywords if one.arg is not None)):
        written = dotted(argument)
        if written is not None:
            yield written
