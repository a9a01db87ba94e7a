"""Loaders whose iterators a program asks for what they have with workers alone: ``iterator._workers``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.kinds import Frame, Made
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope
from loaderlint.vocabulary.uses import LOADERS_OF_TORCH, OF_WORKERS_ALONE

_STEPS = 300
"""Expressions followed to find out whose iterator one is."""
_KEPT = "_iterator"
"""The attribute under which a loader keeps the iterator of workers that persist."""


def asked_of_iterators(evaluator: Evaluator) -> Iterator[Span]:
    """Yield the places of the loaders whose iterators are asked so anywhere in a program."""
    project = evaluator.project
    for facts in project.all_python():
        for frame, owner in _asked(facts) if project.mentions(facts.source.path, OF_WORKERS_ALONE) else ():
            with evaluator.steps(_STEPS):
                yield from _loaders_behind(evaluator, owner, frame)


def _asked(facts: PythonFacts) -> Iterator[tuple[Frame, ast.expr]]:
    """Yield what is asked for one of the attributes, by its name or by ``getattr``."""
    for name in sorted(OF_WORKERS_ALONE & facts.attributes.keys()):
        for node, _ in facts.attributes[name]:
            yield Frame(facts, place_in(_scope_around(facts, node), node)), node.value
    for site in facts.calls.get("getattr", ()):
        match site.node.args:
            case [owner, ast.Constant(str(name)), *_] if name in OF_WORKERS_ALONE:
                yield Frame(facts, site.place), owner


def _scope_around(facts: PythonFacts, node: ast.expr) -> Scope:
    """Return the function that a node stands in, the module where it stands in none."""
    around = [
        scope
        for scope in facts.scopes.values()
        if isinstance(scope.node, FunctionNode) and scope.node.lineno <= node.lineno <= (scope.node.end_lineno or 0)
    ]
    # Of functions that stand inside each other the last to begin is the innermost.
    return max(around, key=lambda one: getattr(one.node, "lineno", 0), default=facts.module)


def _loaders_behind(evaluator: Evaluator, iterator: ast.expr, frame: Frame) -> Iterator[Span]:
    """Yield the places of the loaders that an expression may be the iterator of."""
    if isinstance(iterator, ast.Attribute) and iterator.attr == _KEPT:
        yield from _made(evaluator, iterator.value, frame)
        return
    for one in evaluator.evaluate(iterator, frame):
        made = one.thing
        if not isinstance(made, Made):
            continue
        if made.callee == "builtins.iter" and made.call.args:
            yield from _made(evaluator, made.call.args[0], made.frame)
        elif isinstance(made.call.func, ast.Attribute) and last_name(made.call.func) == "__iter__":
            yield from _made(evaluator, made.call.func.value, made.frame)


def _made(evaluator: Evaluator, loader: ast.expr, frame: Frame) -> Iterator[Span]:
    for one in evaluator.evaluate(loader, frame):
        if isinstance(one.thing, Made) and one.thing.callee in LOADERS_OF_TORCH:
            yield one.thing.frame.facts.span(one.thing.call)
