"""Whether every run ends before it comes to a loader, for it reads a name that nothing defines."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame
from loaderlint.model.source import NOTEBOOK
from loaderlint.readers.python import ANY_GLOBAL, PythonFacts, Scope
from loaderlint.vocabulary.names import GIVEN_FROM_OUTSIDE, OF_EVERY_MODULE, RUN_WITH_NAMES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite

_NOT_ALL = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp, ast.Compare)
"""Expressions of which not every part is evaluated, or not where they stand."""
_NAMESPACES = ("globals(", "locals(", "vars(", "sys.modules")
"""What may bring names to a module that nobody sees."""
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Assert, ast.Raise)


def ends_before(evaluator: Evaluator, site: PythonSite) -> bool:
    """Return whether every run of the scope around a loader ends before that, by a name that nothing defines."""
    frame, body = site.frame, getattr(site.frame.scope.node, "body", None)
    # The cells of a notebook may have been run in any order, and others before them.
    if not isinstance(body, list) or frame.facts.source.path.endswith(NOTEBOOK):
        return False
    read = dict.fromkeys(_read_before(evaluator, body, site.call))

    def is_undefined(name: str) -> bool:
        key = ("is undefined", name, id(frame.scope))
        return evaluator.remembered(key, None, lambda: _is_undefined(evaluator, name, frame))

    return any(map(is_undefined, read))


def _read_before(evaluator: Evaluator, body: list[ast.stmt], node: ast.expr) -> Iterator[str]:
    """Yield the names that are surely read in a block, and in those inside it, before a run comes to a node."""
    for statement in body:
        if node.lineno <= (statement.end_lineno or 0):
            for inner in _blocks(statement):
                if inner[0].lineno <= node.lineno <= (inner[-1].end_lineno or 0):
                    yield from _read_before(evaluator, inner, node)
            return
        if isinstance(statement, _SIMPLE):
            # Each loader of a scope comes after those before it, and what they come after.
            yield from evaluator.remembered(("reads", id(statement)), None, partial(_names_read, statement))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement that branches."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for part in ("body", "orelse", "finalbody"):
        if block := getattr(statement, part, []):
            yield block
    for part in ("handlers", "cases"):
        yield from (one.body for one in getattr(statement, part, []))


def _names_read(statement: ast.stmt) -> tuple[str, ...]:
    # What an assert says is worked out only where it fails.
    node = ast.Expr(statement.test) if isinstance(statement, ast.Assert) else statement
    return tuple(dict.fromkeys(one.id for one in _reads(node)))


def _reads(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that a statement reads whenever it runs."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner
        elif not isinstance(inner, _NOT_ALL):
            yield from _reads(inner)


def _is_undefined(evaluator: Evaluator, name: str, frame: Frame) -> bool:
    """Return whether a name is bound nowhere that a scope sees, nor brought there by what is not seen."""
    if hasattr(builtins, name) or name in OF_EVERY_MODULE or name in GIVEN_FROM_OUTSIDE:
        return False
    around: Scope | None = frame.scope
    while around is not None:
        if name in around.bindings or getattr(around.node, "type_params", None):
            return False
        around = around.parent
    module = frame.facts.module
    if "*" in module.bindings or ANY_GLOBAL in module.bindings:
        return False
    if any(name in one.outer_names or "*" in one.bindings for one in frame.facts.scopes.values()):
        return False
    if name in evaluator.attributes_set or name in evaluator.module_attributes_set:
        return False
    if any(one in frame.facts.source.text for one in _NAMESPACES):
        return False
    files = evaluator.project.all_python
    return not evaluator.once(("names from outside",), True, lambda: any(_hands_names(one) for one in files()))


def _hands_names(facts: PythonFacts) -> bool:
    """Return whether a file may give another, or all of them, names that nobody sees."""
    return any(name in facts.calls for name in RUN_WITH_NAMES) or "builtins" in facts.source.text
