"""Where a test is asked: one that gives the same answer all over a module is one question there."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from loaderlint.linking.following import environment, modules
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_TESTS_REMEMBERED = 4096
"""The same tests are asked about over and over, those of one function at a time."""


def asked_in(evaluator: Evaluator, test: ast.expr, frame: Frame) -> str:
    """Return where a test is asked, in words that are the same wherever it gives the same answer.

    Of a name alone it is asked in the module that binds it, whoever imports it from there.
    """
    facts = frame.facts
    if not _is_same_everywhere(evaluator, test, frame):
        return f"{facts.source.path}:{frame.scope.qualified()}"
    if isinstance(test, ast.Name):
        facts = _home(evaluator, test.id, facts)
    return f"{facts.source.path}:"


def _home(evaluator: Evaluator, name: str, facts: PythonFacts) -> PythonFacts:
    """Return the module that binds a name, once, which another module has by one or several imports."""
    asked: list[PythonFacts] = []
    while facts not in asked:
        asked.append(facts)
        bound = facts.module.bindings[name][0]
        base, _, last = bound.target.rpartition(".")
        if bound.kind != "import" or last != name or not base:
            break
        read = modules.holder(evaluator.project, base, name, facts.source.path)
        if read is None or not _is_bound_once(evaluator, name, read):
            break
        facts = read
    return facts


def _is_same_everywhere(evaluator: Evaluator, test: ast.expr, frame: Frame) -> bool:
    """Return whether a test reads nothing but names that its module binds once, and the environment.

    Nothing changes what the names stand for, and the project sets none of the environment's variables that are read.
    """
    read = _read(test)
    if read is None:
        return False
    names, variables = read
    if not all(_is_the_modules(name, frame.scope) and _is_bound_once(evaluator, name, frame.facts) for name in names):
        return False
    return not any(environment.is_set_somewhere(evaluator, one) for one in variables)


@lru_cache(_TESTS_REMEMBERED)
def _read(test: ast.expr) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the names and the environment's variables that a test reads; None where it reads anything else."""
    every = list(nodes_of(test))
    if not all(map(_is_plain, every)):
        return None
    names = frozenset(one.id for one in every if isinstance(one, ast.Name))
    if not any(isinstance(one, ast.Attribute) for one in every):
        return names, frozenset()
    return names, frozenset(one.value for one in every if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _is_plain(node: ast.AST) -> bool:
    """Return whether what a node gives comes of what is below it alone, or out of the environment."""
    if isinstance(node, ast.Attribute):
        return dotted(node) in ("os.environ", *_READS)
    if isinstance(node, ast.Call):
        return dotted(node.func) in _READS
    if isinstance(node, ast.Subscript):
        return dotted(node.value) == "os.environ"
    return isinstance(node, _PLAIN)


_READS = ("os.environ.get", "os.getenv")
_PLAIN = (
    *(ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp),
    *(ast.cmpop, ast.boolop, ast.unaryop),
)


def _is_the_modules(name: str, scope: Scope) -> bool:
    """Return whether a name that a scope reads is none of its own, or of one between it and the module."""
    while scope.parent is not None:
        if name in scope.bindings:
            return False
        scope = scope.parent
    return True


def _is_bound_once(evaluator: Evaluator, name: str, facts: PythonFacts) -> bool:
    """Return whether a module gives a name one value, which neither it nor another file changes in place."""
    bound = facts.module.bindings.get(name, ())
    if len(bound) != 1 or bound[0].kind not in ("assign", "import") or evaluator.module_attributes_set.get(name):
        return False
    once = bound[0].inner is None and not any(arm.loop for arm in bound[0].place.arms)
    every = (one for scope in facts.scopes.values() for one in scope.bindings.get(name, ()))
    return once and not any(one.kind in MUTATIONS for one in every)
