"""Whether every run ends before it comes to a loader, for it reads a name that nothing defines."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Iterator, Set
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.following.modules import star_may_bind
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
    frame, line = site.frame, site.call.lineno
    body = getattr(frame.scope.node, "body", None)
    # The cells of a notebook may have been run in any order, and others before them.
    if not isinstance(body, list) or frame.facts.source.path.endswith(NOTEBOOK):
        return False
    while body:
        # Each loader of a scope comes after those before it, and what they come after.
        key = ("reads what is undefined", id(body), id(frame.scope))
        first = evaluator.remembered(key, None, partial(_first_undefined, evaluator, body, frame))
        reached = bisect_left(body, line, key=_last_line)
        if first is not None and first < reached:
            return True
        inside = _blocks(body[reached]) if reached < len(body) else ()
        body = next((one for one in inside if one[0].lineno <= line <= _last_line(one[-1])), None)
    return False


def _first_undefined(evaluator: Evaluator, body: list[ast.stmt], frame: Frame) -> int | None:
    """Return which statement of a block is the first that surely reads a name that nothing defines."""

    def is_undefined(name: str) -> bool:
        key = ("is undefined", name, id(frame.scope))
        return evaluator.remembered(key, None, lambda: _is_undefined(evaluator, name, frame))

    return next(
        (
            turn
            for turn, statement in enumerate(body)
            if isinstance(statement, _SIMPLE) and any(map(is_undefined, _names_read(statement)))
        ),
        None,
    )


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or 0


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
    if ANY_GLOBAL in module.bindings or ("*" in module.bindings and star_may_bind(evaluator, name, frame.facts)):
        return False
    key = ("outer names", frame.facts.source.path)
    outer = evaluator.remembered(key, None, partial(_bound_from_inside, frame.facts))
    if outer is None or name in outer:
        return False
    if name in evaluator.attributes_set or name in evaluator.module_attributes_set:
        return False
    files = evaluator.project.all_python
    return not evaluator.once(("names from outside",), True, lambda: any(_hands_names(one) for one in files()))


def _bound_from_inside(facts: PythonFacts) -> Set[str] | None:
    """Return the names of a file's top level that its functions bind, None where these may be any."""
    scopes = facts.scopes.values()
    inner = (one for one in scopes if one is not facts.module)
    if any(one in facts.source.text for one in _NAMESPACES) or any("*" in one.bindings for one in inner):
        return None
    return {name for one in scopes for name in one.outer_names}


def _hands_names(facts: PythonFacts) -> bool:
    """Return whether a file may give another, or all of them, names that nobody sees."""
    return any(name in facts.calls for name in RUN_WITH_NAMES) or "builtins" in facts.source.text
