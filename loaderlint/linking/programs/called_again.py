"""Functions that one process was seen to call a second time, whatever the answers are to what it asks."""

from __future__ import annotations

import ast
from itertools import combinations

from loaderlint.linking.following.running import Iterations
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import Place, is_main_test

_DEEPEST = 5
"""Functions that call each other on the way to a place; a longer way is not followed."""
_ENDS = frozenset({"exit", "_exit", "quit", "abort", "execv", "execve", "execvp"})
"""What ends a process, or its program, by the last name."""


def called_again(run: Iterations, place: Place, error: str) -> Span | None:
    """Return the call with which a process comes to a place of a function a second time, None where none is seen.

    Both calls stand in one scope and under no condition, nothing takes the error of the second, and none of the
    functions on the way asks anything before it comes to the place.
    """
    for _ in range(_DEEPEST):
        scope = place.scope
        if not scope.is_function or not _comes_to(place):
            return None
        calls = [
            (frame, call)
            for frame, call in run.called_at.get(id(scope.node), ())
            if last_name(call.func) == scope.name and not is_caught(frame.facts, call, error)
        ]
        if len({id(call) for _, call in calls}) == 1:
            place = calls[0][0].place
            continue
        return next((_span(two) for one, two in combinations(calls, 2) if _follows(one[0], two[0])), None)
    return None


def _comes_to(place: Place) -> bool:
    """Return whether each call of a place's function comes to it, and goes on to its own end afterwards."""
    scope, node = place.scope, place.scope.node
    returned = any(way.arms and way.order < place.order for _, way in scope.returns)
    plain = isinstance(node, ast.FunctionDef) and not node.decorator_list and not scope.yields
    ends = any(last_name(site.node.func) in _ENDS for site in scope.calls)
    return plain and not place.arms and not returned and not ends


def _follows(first: Frame, second: Frame) -> bool:
    """Return whether a call comes after another of the same scope, neither under a condition but a guard's."""
    one, other = first.place, second.place
    arms = (*one.arms, *other.arms)
    plain = all(arm.test is not None and arm.truth and is_main_test(arm.test) for arm in arms)
    return one.scope is other.scope and one.order < other.order and plain


def _span(called: tuple[Frame, ast.Call]) -> Span:
    frame, call = called
    return frame.facts.span(call)
