"""Which loaders one run of a program iterates: not those of ``train()`` and ``test()`` where it calls one of both."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS, Iterations
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.source import Span
from loaderlint.readers.python import Arm
from loaderlint.vocabulary.persistence import HOOKED

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite

_AFTER_FITTING = frozenset({"test_dataloader", "predict_dataloader"})
"""Lightning's hooks that no trainer asks while it fits. When it has, it ends the workers of all it fitted with.

``FitLoop.teardown`` (``loops/fit_loop.py``) and ``CombinedLoader.reset`` (``utilities/combined_loader.py``, 2.6).
"""
_MOST_WAYS = 30
"""Ways to one place that are told apart; a place with more of them is met by those alone."""


class _Way(NamedTuple):
    """One way that calls lead to a place: the arms on it, and what is assumed of a run that takes it."""

    arms: tuple[Arm, ...]
    assumptions: tuple[Assumptions, ...]


def in_one_run(
    evaluator: Evaluator, site: PythonSite, others: Iterable[PythonSite], runs: Sequence[Iterations]
) -> Iterator[Span]:
    """Yield the loaders that a run which makes and iterates one loader may make and iterate as well.

    Loaders that nobody was seen to iterate are those of one run where one function, or class, makes both, unless a
    trainer asks for the one only when it is done with the other.
    """
    for other in others:
        if any(_meet(evaluator, run, site, other) for run in runs):
            yield other.span


def _meet(evaluator: Evaluator, run: Iterations, site: PythonSite, other: PythonSite) -> bool:
    first, second = (run.places.get(id(one.call), ()) for one in (site, other))
    if bool(first) is not bool(second):
        return False
    frames = site.frame, other.frame
    if not first and not (_made_together(*frames) and _wanted_together(evaluator, *frames)):
        return False
    if not _can_both(_ways_to(evaluator, run, [site.frame]), _ways_to(evaluator, run, [other.frame])):
        return False
    return not first or _can_both(
        _ways_to(evaluator, run, [one.frame for one in first]), _ways_to(evaluator, run, [one.frame for one in second])
    )


def _made_together(one: Frame, other: Frame) -> bool:
    return one.scope is other.scope or (one.scope.parent is other.scope.parent is not one.facts.module)


def _wanted_together(evaluator: Evaluator, one: Frame, other: Frame) -> bool:
    hooks = [_hook(evaluator, frame) for frame in (one, other)]
    return hooks[0] == hooks[1] or _AFTER_FITTING.isdisjoint(hooks)


def _hook(evaluator: Evaluator, frame: Frame) -> str:
    """Return the name of the function that a place stands in where a class of Lightning's has it, else none."""
    owner = classes.owner_of(frame.facts, frame.scope)
    return frame.scope.name if owner is not None and classes.inherits(evaluator, owner, HOOKED) else ""


def _can_both(one: Sequence[_Way], other: Sequence[_Way]) -> bool:
    return any(
        not any(_exclude(arm, another) for arm in first.arms for another in second.arms)
        and any(together(a, b) is not None for a in first.assumptions for b in second.assumptions)
        for first in one
        for second in other
    )


def _exclude(one: Arm, other: Arm) -> bool:
    """Return whether no run takes both arms: those of one ``if``, or of two that ask for different constants."""
    if one.excludes(other):
        return True
    first, second = (_asked(arm) for arm in (one, other))
    return first is not None and second is not None and first[0] == second[0] and first[1] != second[1]


def _asked(arm: Arm) -> tuple[str, object] | None:
    """Return what an arm such as that of ``if args.mode == "train":`` compares, and with which constant."""
    test = arm.test
    if not (arm.truth and isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    constant = test.comparators[0]
    return (ast.dump(test.left), constant.value) if isinstance(constant, ast.Constant) else None


def _ways_to(evaluator: Evaluator, run: Iterations, frames: Iterable[Frame]) -> list[_Way]:
    return list(islice((way for frame in frames for way in _ways(evaluator, run, frame, frozenset())), _MOST_WAYS))


def _ways(evaluator: Evaluator, run: Iterations, frame: Frame, passed: frozenset[int]) -> Iterator[_Way]:
    key, arms = id(frame.scope.node), frame.place.arms
    with evaluator.steps(STEPS):
        here = tuple(evaluator.conditions(arms, frame))
    callers = run.called_at.get(key, ()) if key not in passed else ()
    if not callers:
        yield _Way(arms, here)
    for caller, _ in callers:
        for outer in _ways(evaluator, run, caller, passed | {key}):
            joint = (together(one, other) for one in here for other in outer.assumptions)
            yield _Way((*arms, *outer.arms), tuple(one for one in joint if one is not None)[:_MOST_WAYS])
