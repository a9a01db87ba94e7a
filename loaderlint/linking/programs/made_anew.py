"""Loops some turn of which may give the name of a loader to another one, whose workers start anew."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.loops_around import loops_around
from loaderlint.linking.following.running import Iterations
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_CALLERS = 50
"""Functions that lead to a place that iterates a loader; those further out are not looked at."""
_SAME = MUTATIONS | {"parameter"}
"""Kinds of binding that leave a loader what it is; what arguments stand for is seen where they are given."""
_UNBOUND = frozenset({"delete", "other"})
"""Kinds of binding that leave a name without the loader."""
_RELOADS = "reload_dataloaders_every"
"""How Lightning's options begin that make the loaders anew after some epochs (``Trainer``, since 1.4 and before)."""


def loops_that_make_anew(evaluator: Evaluator, loader: int, runs: Iterable[Iterations]) -> set[Span]:
    """Return the loops in which what stands for a loader is bound again, or deleted, by the identity of its call."""
    found: set[Span] = set()
    for run in runs:
        for frame, names in _named(evaluator, run, loader):
            for binding, where in _bindings(evaluator, frame, names):
                if binding.kind not in _SAME and not _holds(evaluator, binding, where, loader):
                    found.update(loop.span for loop in loops_around(evaluator, run, where))
    return found


def lightning_makes_anew(evaluator: Evaluator) -> bool:
    """Return whether some file tells Lightning to make the loaders anew."""
    return any(_RELOADS in one.text for one in evaluator.project.sources.values())


def _named(evaluator: Evaluator, run: Iterations, loader: int) -> Iterator[tuple[Frame, set[str]]]:
    """Yield where a loader is iterated, and the calls that lead there, each with the names that stand for it."""
    waiting = [(one.frame, [one.expression]) for one in run.places.get(loader, ())]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_CALLERS:
        frame, expressions = waiting.pop(0)
        nodes = [node for one in expressions for node in ast.walk(one) if isinstance(node, ast.Name | ast.Attribute)]
        yield frame, {dotted(node) or "" for node in nodes if _stands_for(evaluator, node, frame, loader)}
        if id(frame.scope.node) not in seen:
            seen.add(id(frame.scope.node))
            for caller, call in run.called_at.get(id(frame.scope.node), ()):
                waiting.append((caller, [*call.args, *(one.value for one in call.keywords)]))


def _bindings(evaluator: Evaluator, frame: Frame, names: Iterable[str]) -> Iterator[tuple[Binding, Frame]]:
    for name in sorted(filter(None, names)):
        if "." in name:
            for facts, binding in evaluator.attributes_set.get(name.rpartition(".")[2], ()):
                yield binding, Frame(facts, binding.place)
        else:
            for scope in (frame.scope, frame.facts.module):
                for binding in scope.bindings.get(name, ()):
                    yield binding, Frame(frame.facts, binding.place)


def _holds(evaluator: Evaluator, binding: Binding, frame: Frame, loader: int) -> bool:
    """Return whether what is bound is the same loader under another name, or what goes over it."""
    if binding.value is None:
        return binding.kind not in _UNBOUND
    inside = (node for node in ast.walk(binding.value) if isinstance(node, ast.Name | ast.Attribute))
    return any(_stands_for(evaluator, node, frame, loader) for node in inside)


def _stands_for(evaluator: Evaluator, node: ast.expr, frame: Frame, loader: int) -> bool:
    return any(one.call == loader for one in loaders_in(evaluator, node, frame))
