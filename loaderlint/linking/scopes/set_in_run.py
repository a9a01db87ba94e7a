"""Names of a module that functions set by ``global``, and which of these settings a function meets that reads one.

All of them run where the module calls the function that comes to them: ``main()`` calls ``setup()``, then ``train()``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Protocol, TypeAlias

from loaderlint.linking.scopes.uses import Run
from loaderlint.readers.python import Place, Scope, Suite

Settings: TypeAlias = frozenset[Place | None]
"""The places that may have set a name last; None for what it was before the run."""
_NONE: Settings = frozenset()


class Calls(Protocol):
    """Which functions and classes call each other."""

    def leading_to(self, place: Place) -> Set[int]:
        """Return the scopes from which a run may come to a place, by their identities."""

    def made_in(self, scope: Scope) -> Iterable[tuple[Place, Scope]]:
        """Return the calls in a scope, and what they call."""

    def handed_on(self, scope: Scope) -> Iterable[Scope]:
        """Return what a scope mentions without a call of its own, which may be called at any time."""

    def may_be_passed_by(self, place: Place) -> bool:
        """Return whether a run of a place's scope may not come to the place."""


def met(sets: Sequence[Place], reads: Place, run: Run, outer: Scope) -> Settings:
    """Return the places that may have set an outer name last when a run of functions comes to the place that reads it.

    It has None where nothing may have set it by then. Where the order of what happens was not seen, any may have.
    """
    calls = _InOneFile(outer)
    order = Order(sets, reads, calls)
    starts = [one for place, one in calls.made_in(outer) if place is run.place and order.matters(one)]
    found = frozenset(one for start in starts for one in order.through(start, frozenset({None}))[1])
    return found or frozenset({None, *sets})


class Order:
    """What functions do in which order: places that set a name, and the one that reads it."""

    def __init__(self, sets: Sequence[Place], reads: Place, calls: Calls) -> None:
        self._sets = sets
        self._reads = reads
        self._calls = calls
        self._setting = {one: calls.leading_to(one) for one in sets}
        self._reading = calls.leading_to(reads)
        self._begun: set[int] = set()
        self._known: dict[tuple[int, Settings], tuple[Settings, Settings]] = {}

    def matters(self, scope: Scope) -> bool:
        """Return whether a function or class comes to where the name stands."""
        return id(scope) in self._reading or bool(self._set_in([scope]))

    def _set_in(self, scopes: Iterable[Scope]) -> Settings:
        """Return the places that set the name which some functions or classes come to."""
        several = {id(one) for one in scopes}
        return frozenset(one for one, leading in self._setting.items() if not leading.isdisjoint(several))

    def through(self, scope: Scope, before: Settings) -> tuple[Settings, Settings]:
        """Return what may have set the name after a function, and when the place that reads it was come to in it."""
        key = id(scope), before
        if id(scope) in self._begun:
            return before | self._set_in([scope]), _NONE
        if key not in self._known:
            self._begun.add(id(scope))
            self._known[key] = self._through(scope, before)
            self._begun.remove(id(scope))
        return self._known[key]

    def _through(self, scope: Scope, before: Settings) -> tuple[Settings, Settings]:
        handed = list(self._calls.handed_on(scope))
        at_any_time = self._set_in(handed) | frozenset(one for one in self._sets if _is_inside(one.scope, scope))
        now = before | at_any_time
        read = {None, *self._sets} if any(id(one) in self._reading for one in handed) else set[Place | None]()
        events = sorted(self._events(scope), key=lambda one: one[0].order)
        for place, called in events:
            now |= self._set_in_loops_around(place, events)
            if called is not None:
                after, within = self.through(called, now)
                read |= within
            else:
                after = frozenset({place}) if place in self._setting else now
                read |= now if place is self._reads else _NONE
            passed_by = self._calls.may_be_passed_by(place) or self._may_be_left_before(place, events)
            now = (now | after if passed_by else after) | at_any_time
        return now, frozenset(read)

    def _may_be_left_before(self, place: Place, events: Iterable[tuple[Place, Scope | None]]) -> bool:
        """Return whether an error may keep a run from a place, and a ``try`` take it that does not hold the reading."""
        reading = [
            at.order for at, one in events if at is self._reads or (one is not None and id(one) in self._reading)
        ]
        return any(
            any(order <= place.order for order in body.raising)
            and not any(place.order < order <= body.last for order in reading)
            for body in _guarded_around(place)
        )

    def _set_in_loops_around(self, place: Place, events: Iterable[tuple[Place, Scope | None]]) -> Settings:
        """Return the places that may have set the name in an earlier turn of a loop around a place."""
        loops = [arm for arm in place.arms if arm.loop]
        beside = [one for one in events if any(arm in one[0].arms for arm in loops)]
        called = self._set_in(scope for _, scope in beside if scope is not None)
        return called | frozenset(one for one, _ in beside if one in self._setting)

    def _events(self, scope: Scope) -> Iterator[tuple[Place, Scope | None]]:
        """Yield the places of a function that set or read the name, or call what comes to such a place."""
        yield from ((one, None) for one in (*self._sets, self._reads) if one.scope is scope)
        yield from (one for one in self._calls.made_in(scope) if self.matters(one[1]))


class _InOneFile:
    """The calls of what a module defines by its functions and classes, by name."""

    def __init__(self, outer: Scope) -> None:
        self._outer = outer
        self._inner = {scope.name: scope for scope in outer.children}

    def leading_to(self, place: Place) -> Set[int]:
        """Return the functions and classes that come to a place: it is in them, or in what they mention."""
        seen: set[int] = set()
        waiting = [one for one in self._outer.children if place.scope is one or _is_inside(place.scope, one)]
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen.add(id(one))
                waiting.extend(self._outer.readers.get(one.name, ()))
        return seen

    def made_in(self, scope: Scope) -> Iterator[tuple[Place, Scope]]:
        """Yield the calls in a scope of what the module defines."""
        for site in scope.calls:
            called = self._inner.get(getattr(site.node.func, "id", ""))
            if called is not None:
                yield site.place, called

    def handed_on(self, scope: Scope) -> Iterator[Scope]:
        """Yield what a function mentions without a call of its own, which may be called at any time."""
        called = {(getattr(site.node.func, "id", ""), id(site.place)) for site in scope.calls}
        for name in self._inner.keys() & {*scope.reads, *scope.readers}:
            inner, places = self._inner[name], scope.reads.get(name, ())
            if name in scope.readers or inner.is_class or any((name, id(one)) not in called for one in places):
                yield inner

    def may_be_passed_by(self, place: Place) -> bool:
        """Return whether a place stands in a branch."""
        return bool(place.arms)


def _guarded_around(place: Place) -> Iterator[Suite]:
    """Yield the bodies around a place whose errors a handler may take."""
    waiting = [place.scope.flow]
    for suite in waiting:
        for fork in suite.forks:
            if not fork.order <= place.order <= fork.last:
                continue
            waiting.extend(block for _, block in fork.branches)
            if isinstance(fork.node, ast.Try) and fork.node.handlers:
                body = fork.branches[0][1]
                if body.first <= place.order <= body.last:
                    yield body


def _is_inside(inner: Scope, scope: Scope) -> bool:
    while inner.parent is not None:
        inner = inner.parent
        if inner is scope:
            return True
    return False
