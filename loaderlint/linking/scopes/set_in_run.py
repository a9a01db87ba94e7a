"""Names of a module that functions set by ``global``, and whether they are set when another function reads them.

Both run where the module calls the function that comes to either: ``main()`` calls ``setup()``, then ``train()``.
"""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.readers.python import Binding, Place, Scope
from loaderlint.readers.python_calls import called_name


def set_before(binding: Binding, place: Place, outer: Scope) -> bool | None:
    """Return whether a run that comes to a place has set an outer name before; None where it may or may not have."""
    assert binding.inner is not None
    asked = _Order(binding.inner, place, outer)
    starts = [scope for scope in outer.children if scope.is_function and asked.reads(scope) and asked.sets(scope)]
    # The outermost function that comes to both is what the module calls.
    first = [one for one in starts if not any(one is not other and asked.comes_to(other, one) for other in starts)]
    return asked.at_read(first[0]) if len(first) == 1 else None


class _Order:
    """What the functions of a module do in which order: the place that sets a name, and the one that reads it."""

    def __init__(self, sets: Place, reads: Place, outer: Scope) -> None:
        self._sets = sets
        self._reads = reads
        self._functions = {scope.name: scope for scope in outer.children if scope.is_function}
        self._asked: set[int] = set()

    def comes_to(self, start: Scope, end: Scope) -> bool:
        """Return whether a function is another one, or one that it mentions comes to that."""
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            one = waiting.pop()
            if one is end:
                return True
            if id(one) not in seen:
                seen.add(id(one))
                named = (self._functions.get(name) for name in one.reads)
                waiting.extend([*one.children, *(each for each in named if each is not None)])
        return False

    def sets(self, scope: Scope) -> bool:
        """Return whether a function comes to the place that sets the name."""
        return self.comes_to(scope, self._sets.scope)

    def reads(self, scope: Scope) -> bool:
        """Return whether a function comes to the place that reads it."""
        return self.comes_to(scope, self._reads.scope)

    def at_read(self, scope: Scope) -> bool | None:
        """Return whether the name is set where a run of a function comes to the place that reads it."""
        if id(scope) in self._asked:
            return None
        self._asked.add(id(scope))
        found: bool | None = False
        events = sorted(self._events(scope), key=lambda one: one[0].order)
        for number, (place, called) in enumerate(events):
            if called is not None and not self.reads(called):
                certain = called is self._sets.scope and not self._sets.arms
                found = True if certain and not place.arms else found or None
            elif called is None and place is self._sets:
                found = True if not place.arms else found or None
            else:
                within = self.at_read(called) if called is not None else False
                looped = any(arm.loop for arm in place.arms)
                again = looped and any(arm in one.arms for one, _ in events[number + 1 :] for arm in place.arms)
                return True if found is True else None if again or within is None else (within or found)
        return None

    def _events(self, scope: Scope) -> Iterator[tuple[Place, Scope | None]]:
        """Yield the places of a function that set or read the name, or call what comes to such a place."""
        yield from ((one, None) for one in (self._sets, self._reads) if one.scope is scope)
        for site in scope.calls:
            called = self._functions.get(called_name(site.node))
            if called is not None and (self.sets(called) or self.reads(called)):
                yield site.place, called
