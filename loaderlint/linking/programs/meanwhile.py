"""What a program runs while it iterates a loader, and from then on: workers are ahead of it, or behind, by then."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import Iterated, Iterations, functions_run_by, may_run
from loaderlint.linking.things.kinds import Frame, Function, Instance
from loaderlint.readers.python import Binding, CallSite, Place, PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Part(NamedTuple):
    """A part of a scope that runs: all of it, the body of a ``loop``, or what comes ``after`` a place in it."""

    facts: PythonFacts
    scope: Scope
    receiver: Instance | None = None
    loop: ast.AST | None = None
    after: Place | None = None

    def frame(self, place: Place) -> Frame:
        """Return the frame of a place there."""
        return Frame(self.facts, place, receiver=self.receiver)

    @property
    def sites(self) -> Iterator[CallSite]:
        """The calls there."""
        return (one for one in self.scope.calls if self._holds(one.place))

    @property
    def bindings(self) -> Iterator[Binding]:
        """What gives a name another value there, or changes what it stands for."""
        return (one for several in self.scope.bindings.values() for one in several if self._holds(one.place))

    def _holds(self, place: Place) -> bool:
        if self.loop is not None:
            return any(arm.owner is self.loop for arm in place.arms if arm.loop)
        return self.after is None or comes_after(place, self.after)


def loops_over(call: ast.Call, runs: Sequence[Iterations]) -> Iterator[tuple[Part, Frame]]:
    """Yield the bodies of the loops over the loader that a call makes, each with the frame of what is iterated."""
    for place in (place for run in runs for place in run.places.get(id(call), ())):
        loop = place.node if isinstance(place.node, ast.For | ast.AsyncFor) else _innermost(place)
        if loop is not None:
            yield Part(place.frame.facts, place.frame.scope, place.frame.receiver, loop), place.frame


def from_then_on(evaluator: Evaluator, call: ast.Call, runs: Sequence[Iterations]) -> Iterator[Part]:
    """Yield what runs in loops over the loader that a call makes, and after them."""
    for run in runs:
        waiting, seen = deque(one.frame for one in run.places.get(id(call), ())), set[int]()
        while waiting:
            frame = waiting.popleft()
            if id(frame.scope.node) not in seen:
                seen.add(id(frame.scope.node))
                yield from with_called(
                    evaluator, Part(frame.facts, frame.scope, frame.receiver, after=frame.place), frame
                )
                waiting.extend(caller for caller, _ in run.called_at.get(id(frame.scope.node), ()))


def comes_after(place: Place, other: Place) -> bool:
    """Return whether a place may be come to after another: further down, or in a later turn of a loop around both."""
    if any(one.excludes(another) for one in place.arms for another in other.arms):
        return False
    loops = {id(arm.owner) for arm in place.arms if arm.loop} & {id(arm.owner) for arm in other.arms if arm.loop}
    return place.order > other.order or bool(loops)


def _innermost(place: Iterated) -> ast.AST | None:
    """Return the loop that takes single batches: ``for step in range(9): batch = next(batches)``."""
    loops = (arm.owner for arm in reversed(place.frame.place.arms) if arm.loop)
    return next(loops, None) if place.takes_one else None


def with_called(evaluator: Evaluator, part: Part, frame: Frame) -> tuple[Part, ...]:
    """Return a part of a scope with the functions of the project that run when it does."""
    called: list[Function] = []
    for site in part.sites:
        if may_run(evaluator, site.node):
            found = evaluator.evaluate(site.node.func, frame.at(site.place))
            called.extend(one.thing for one in found if isinstance(one.thing, Function))
    return (part, *(Part(one.facts, one.scope, one.receiver) for one in functions_run_by(evaluator, called)))
