"""Who fetches what stands in a registry: a file that does need name neither that nor anything of loaders.

``@KINDS.register()`` puts a class into a registry, and ``KINDS.get(name)`` fetches it (`registries`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations import registries
from loaderlint.linking.things.kinds import Frame, Instance, Made, end_of
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MOST_FETCHING = 30
"""Where more files than this fetch something of a registry, none of them is read for it."""


def is_registered(evaluator: Evaluator, node: ast.AST, facts: PythonFacts, scope: Scope) -> bool:
    """Return whether a decorator registers a function or class; the files that may fetch it come to matter.

    So do the functions there that hand it on: whoever calls one of them may call what it gives.
    """
    if not registries.is_registered(node) or scope.parent is None:
        return False
    frame = Frame(facts, scope.defined or end_of(scope.parent))
    decorators = node.decorator_list if isinstance(node, FunctionNode | ast.ClassDef) else ()
    for made in map(without_arguments, decorators):
        if isinstance(made, ast.Attribute) and made.attr in registries.REGISTERS:
            paths, names = _fetching(evaluator, made.value, frame)
            evaluator.takers.update(paths)
            evaluator.mentioned.update(names)
    return True


def _fetching(evaluator: Evaluator, registry: ast.expr, frame: Frame) -> tuple[frozenset[str], frozenset[str]]:
    """Return the files that fetch something of a registry, and the names of the functions there that hand it on."""
    nothing: tuple[frozenset[str], frozenset[str]] = frozenset(), frozenset()

    def is_one() -> bool:
        return any(isinstance(one.thing, Instance | Made) for one in evaluator.evaluate(registry, frame))

    # None of these steps are charged to whoever asks.
    if not evaluator.once(("a registry", id(registry)), False, is_one, registries.MOST_STEPS_OF_AN_ENTRY):
        return nothing
    name = last_name(registry)
    return evaluator.once(("fetching", name), nothing, lambda: _fetching_by(evaluator, name))


def _fetching_by(evaluator: Evaluator, registry: str) -> tuple[frozenset[str], frozenset[str]]:
    paths = frozenset(path for path, _ in evaluator.project.python_mentioning(f"{registry}.get("))
    if len(paths) > MOST_FETCHING:
        return frozenset(), frozenset()
    every = (evaluator.project.python_in_passing(path) for path in sorted(paths))
    scopes = (scope for facts in every if facts is not None for scope in facts.scopes.values())
    return paths, frozenset(
        one.name for one in scopes if isinstance(one.node, FunctionNode) and _hands_on(one, registry)
    )


def _hands_on(function: Scope, registry: str) -> bool:
    """Return whether a function returns what it fetches from a registry of this name, not what a call of that gives."""
    called = (value.func for value, _ in function.returns if isinstance(value, ast.Call))
    methods = (one for one in called if isinstance(one, ast.Attribute) and one.attr == "get")
    return any(last_name(one.value) == registry for one in methods)
