"""Names of a module that functions set by ``global``, and which of these settings a function meets that reads one.

All of them run where the module calls the function that comes to them: ``main()`` calls ``setup()``, then ``train()``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from loaderlint.linking.scopes.uses import Run
from loaderlint.readers.python import Place, Scope

_Settings: TypeAlias = frozenset[Place | None]
"""The places that may have set a name last; None for what it was before the run."""
_NONE: _Settings = frozenset()


def met(sets: Sequence[Place], reads: Place, run: Run, outer: Scope) -> _Settings:
    """Return the places that may have set an outer name last when a run of functions comes to the place that reads it.

    It has None where nothing may have set it by then. Where the order of what happens was not seen, any may have.
    """
    order = _Order(sets, reads, outer)
    starts = [one for site in outer.calls if site.place is run.place for one in order.called_by(site.node.func)]
    found = frozenset(one for start in starts for one in order.through(start, frozenset({None}))[1])
    return found or frozenset({None, *sets})


class _Order:
    """What the functions of a module do in which order: places that set a name, and the one that reads it."""

    def __init__(self, sets: Sequence[Place], reads: Place, outer: Scope) -> None:
        self._sets = sets
        self._reads = reads
        self._inner = {scope.name: scope for scope in outer.children}
        self._setting = {one: _leading_to(one, outer) for one in sets}
        self._reading = _leading_to(reads, outer)
        self._begun: set[int] = set()
        self._known: dict[tuple[int, _Settings], tuple[_Settings, _Settings]] = {}

    def called_by(self, callee: object) -> Iterator[Scope]:
        """Yield the function or class of the module that an expression names, if it comes to where the name stands."""
        scope = self._inner.get(getattr(callee, "id", ""))
        if scope is not None and (self._set_in([scope]) or id(scope) in self._reading):
            yield scope

    def _set_in(self, scopes: Iterable[Scope]) -> _Settings:
        """Return the places that set the name which some functions or classes come to."""
        several = {id(one) for one in scopes}
        return frozenset(one for one, leading in self._setting.items() if not leading.isdisjoint(several))

    def through(self, scope: Scope, before: _Settings) -> tuple[_Settings, _Settings]:
        """Return what may have set the name after a function, and when the place that reads it was come to in it."""
        key = id(scope), before
        if id(scope) in self._begun:
            return before | self._set_in([scope]), _NONE
        if key not in self._known:
            self._begun.add(id(scope))
            self._known[key] = self._through(scope, before)
            self._begun.remove(id(scope))
        return self._known[key]

    def _through(self, scope: Scope, before: _Settings) -> tuple[_Settings, _Settings]:
        handed = list(self._handed_on(scope))
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
            now = (now | after if place.arms else after) | at_any_time
        return now, frozenset(read)

    def _set_in_loops_around(self, place: Place, events: Iterable[tuple[Place, Scope | None]]) -> _Settings:
        """Return the places that may have set the name in an earlier turn of a loop around a place."""
        loops = [arm for arm in place.arms if arm.loop]
        beside = [one for one in events if any(arm in one[0].arms for arm in loops)]
        called = self._set_in(scope for _, scope in beside if scope is not None)
        return called | frozenset(one for one, _ in beside if one in self._setting)

    def _handed_on(self, scope: Scope) -> Iterator[Scope]:
        """Yield what a function mentions without a call of its own, which may be called at any time."""
        called = {(getattr(site.node.func, "id", ""), id(site.place)) for site in scope.calls}
        for name in self._inner.keys() & {*scope.reads, *scope.readers}:
            inner, places = self._inner[name], scope.reads.get(name, ())
            if name in scope.readers or inner.is_class or any((name, id(one)) not in called for one in places):
                yield inner

    def _events(self, scope: Scope) -> Iterator[tuple[Place, Scope | None]]:
        """Yield the places of a function that set or read the name, or call what comes to such a place."""
        yield from ((one, None) for one in (*self._sets, self._reads) if one.scope is scope)
        for site in scope.calls:
            yield from ((site.place, called) for called in self.called_by(site.node.func))


def _leading_to(place: Place, outer: Scope) -> set[int]:
    """Return the functions and classes of a module that come to a place: it is in them, or in what they mention."""
    seen: set[int] = set()
    waiting = [one for one in outer.children if place.scope is one or _is_inside(place.scope, one)]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            waiting.extend(outer.readers.get(one.name, ()))
    return seen


def _is_inside(inner: Scope, scope: Scope) -> bool:
    while inner.parent is not None:
        inner = inner.parent
        if inner is scope:
            return True
    return False
