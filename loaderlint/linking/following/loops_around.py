"""The loops around a place of a program: those of its own function, and those around the calls that lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.running import STEPS, Iterations, shortened
from loaderlint.linking.things.kinds import Frame, Made
from loaderlint.model.uses import Loop
from loaderlint.readers.python import Arm
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import COUNTERS, PROGRESS_BARS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_CALLERS = 50
"""Functions that lead to each other; what lies further out is not looked at."""


def loops_around(evaluator: Evaluator, run: Iterations, frame: Frame, loader: int | None = None) -> tuple[Loop, ...]:
    """Return the loops around a place in one run of a program, innermost first, each once.

    Where calls hand over the loader that is iterated there (the identity of the call that makes it), only these count:
    one function may go over the batches of many loaders.
    """
    found: dict[object, Loop] = {}
    for arm, where in _arms_around(evaluator, run, frame, loader):
        loop = replace(loop_of(evaluator, arm, where), asked=_is_asked(arm, where))
        found.setdefault(loop.span, loop)
    return tuple(found.values())


def heads_around(evaluator: Evaluator, run: Iterations, frame: Frame, loader: int) -> Iterator[tuple[ast.expr, Frame]]:
    """Yield what the ``for`` loops around a place go over, each with the place of its loop."""
    for arm, where in _arms_around(evaluator, run, frame, loader):
        if isinstance(arm.owner, ast.For | ast.AsyncFor) and arm.place is not None:
            yield arm.owner.iter, where.at(arm.place)


def _arms_around(
    evaluator: Evaluator, run: Iterations, frame: Frame, loader: int | None
) -> Iterator[tuple[Arm, Frame]]:
    waiting, seen = [frame], set[int]()
    while waiting and len(seen) < _MOST_CALLERS:
        where = waiting.pop(0)
        for arm in reversed(where.place.arms):
            if arm.loop and arm.place is not None:
                yield arm, where
        if id(where.scope.node) not in seen:
            seen.add(id(where.scope.node))
            callers = run.called_at.get(id(where.scope.node), ())
            handing = [one for one in callers if loader is not None and _hands_over(evaluator, *one, loader)]
            waiting.extend(caller for caller, _ in handing or callers)


def _hands_over(evaluator: Evaluator, frame: Frame, call: ast.Call, loader: int) -> bool:
    given = [*call.args, *(one.value for one in call.keywords)]
    return any(
        any(behind.call == loader for behind in loaders_in(evaluator, one, frame))
        for one in given
        if not isinstance(one, ast.Starred)
    )


def _is_asked(loop: Arm, frame: Frame) -> bool:
    """Return whether a place inside a loop is reached only after a test of what the loop counts: ``if epoch == 0:``."""
    target = getattr(loop.owner, "target", None)
    names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)} if target is not None else set()
    if isinstance(loop.owner, ast.While):
        names = {node.id for node in ast.walk(loop.owner.test) if isinstance(node, ast.Name)}
    tests = [arm.test for arm in frame.place.arms if arm.test is not None and arm.owner is not loop.owner]
    return any(isinstance(node, ast.Name) and node.id in names for test in tests for node in ast.walk(test))


def loop_of(evaluator: Evaluator, arm: Arm, frame: Frame) -> Loop:
    """Return the loop whose body an arm is."""
    facts = frame.facts
    if isinstance(arm.owner, ast.While):
        span = facts.span(arm.owner.test)
        return Loop(span, shortened(f"while {facts.text(arm.owner.test)}"), counts=True, once=_ends_at_once(arm.owner))
    assert isinstance(arm.owner, ast.For | ast.AsyncFor | ast.comprehension) and arm.place is not None
    span = facts.span(arm.owner.iter)
    what = shortened(f"for {facts.text(arm.owner.target)} in {facts.text(arm.owner.iter)}")
    where = frame.at(arm.place)
    counter = _counter(evaluator, arm.owner.iter, where)
    count = _count(arm.owner)
    target = count or arm.owner.target
    name = target.id if isinstance(target, ast.Name) else ""
    # A loop over loaders comes to each of them once, whatever it calls its turns.
    named = "epoch" in name.lower() and (count is None or not loaders_in(evaluator, arm.owner.iter, where))
    once = _ends_at_once(arm.owner) or (counter is not None and _turns(evaluator, *counter) <= {0, 1})
    numbered = counter is not None or (named and count is not None)
    return Loop(span, what, counter is not None or named, once, counter=name if numbered and name.strip("_") else "")


def _count(loop: ast.For | ast.AsyncFor | ast.comprehension) -> ast.expr | None:
    """Return what numbers the turns of a loop: ``epoch`` in ``for epoch, seed in enumerate(seeds)``."""
    over, target = loop.iter, loop.target
    numbers = isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate"
    return target.elts[0] if numbers and isinstance(target, ast.Tuple | ast.List) else None


def _ends_at_once(loop: ast.AST) -> bool:
    """Return whether the body of a loop ends by leaving it."""
    return isinstance(loop, ast.While | ast.For | ast.AsyncFor) and isinstance(loop.body[-1], ast.Break | ast.Return)


def _counter(evaluator: Evaluator, node: ast.expr, frame: Frame) -> tuple[ast.Call, Frame] | None:
    """Return the call that counts the turns of a loop: that of ``range`` in ``tqdm(range(10))``."""
    if isinstance(node, ast.Call):
        name = called_name(node)
        if name in COUNTERS:
            return node, frame
        return _counter(evaluator, node.args[0], frame) if name in PROGRESS_BARS and node.args else None
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    with evaluator.steps(STEPS):
        ways = evaluator.evaluate(node, frame)
    for one in ways:
        if isinstance(one.thing, Made):
            return _counter(evaluator, one.thing.call, one.thing.frame)
    return None


def _turns(evaluator: Evaluator, call: ast.Call, frame: Frame) -> set[int | None]:
    """Return how often a loop over ``range`` can turn; None among them for what was not seen."""
    if len(call.args) not in (1, 2) or any(isinstance(one, ast.Starred) for one in call.args):
        return {None}
    with evaluator.steps(STEPS):
        bounds = [set(_numbers(evaluator, argument, frame)) for argument in call.args]
    first = bounds[0] if len(bounds) == 2 else {0}
    return {None if one is None or last is None else max(0, last - one) for one in first for last in bounds[-1]}


def _numbers(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Iterator[int | None]:
    for one in evaluator.evaluate(node, frame):
        yield one.thing if isinstance(one.thing, int) and not isinstance(one.thing, bool) else None
