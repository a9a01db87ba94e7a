"""What the tests of a program read, but for those that only say which options a loader gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

from loaderlint.linking.reads import KEEPS, SHOWS, Read
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.model.source import Span
from loaderlint.readers.python import Asks, PythonFacts, key_of
from loaderlint.readers.python_calls import called_name

_SHOWS = SHOWS | {"warn"}
_CHANGES = frozenset({"update", "setdefault", "pop"})
_MAKES = KEEPS | {"get_context"}
"""Calls that make an option out of something, and nothing that is done with it."""


class Ways(Protocol):
    """The places that values pass on their ways to loaders."""

    def pass_in(self, span: Span) -> bool:
        """Return whether some value passes inside a place."""
        ...


def asked(facts: PythonFacts, ways: Ways) -> Iterator[Read]:
    """Yield what a file's tests read: a run can depend on the answers.

    Left out are tests that only say which options a loader gets, or what is shown, and whether something is None, which
    no number is.
    """
    left_out = {id(node) for called in _SHOWS for site in facts.calls.get(called, ()) for node in ast.walk(site.node)}
    for node, place in facts.tests:
        if id(node) in left_out:
            continue
        test = node if isinstance(node, ast.Compare) else node.test
        left_out.update(id(one) for one in ast.walk(test) if isinstance(one, ast.Compare))
        if not _only_for_loaders(node, facts, ways):
            yield from (Read(facts, place, operand) for operand in _operands(test))


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what a test reads; what it computes with, and gives to calls that do something, is read there."""
    parts: list[ast.expr] = []
    if isinstance(test, ast.Name | ast.Attribute | ast.Subscript):
        yield test
    elif isinstance(test, ast.BoolOp):
        parts = test.values
    elif isinstance(test, ast.UnaryOp):
        parts = [test.operand]
    elif isinstance(test, ast.NamedExpr):
        parts = [test.value]
    elif isinstance(test, ast.Compare):
        compared = [test.left, *test.comparators]
        parts = [] if any(isinstance(one, ast.Constant) and one.value is None for one in compared) else compared
    elif isinstance(test, ast.Call) and called_name(test) in KEEPS:
        yield test
        parts = test.args
    for part in parts:
        yield from _operands(part)


def _only_for_loaders(node: Asks, facts: PythonFacts, ways: Ways) -> bool:
    """Return whether no more than the options of loaders, or what is shown, depends on the answer to a test."""
    if isinstance(node, ast.Compare):
        return ways.pass_in(facts.span(node))
    if isinstance(node, ast.IfExp):
        return any(_gives_option(one, facts, ways) for one in (node.body, node.orelse))
    return isinstance(node, ast.If) and all(_fills(one, facts, ways) for one in (*node.body, *node.orelse))


def _fills(statement: ast.stmt, facts: PythonFacts, ways: Ways) -> bool:
    if isinstance(statement, ast.If):
        return _only_for_loaders(statement, facts, ways)
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and statement.value is not None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        is_option = all(_last_word(one) in TORCH_DEFAULTS for one in targets)
        return is_option or _gives_option(statement.value, facts, ways)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if called_name(call) in _CHANGES:
            return _gives_option(call, facts, ways) or all(one.arg in TORCH_DEFAULTS for one in call.keywords)
        return called_name(call) in _SHOWS
    return isinstance(statement, ast.Pass)


def _gives_option(value: ast.expr, facts: PythonFacts, ways: Ways) -> bool:
    """Return whether an expression is an option on its way to a loader; one that makes the loader is more."""
    calls = (one for one in ast.walk(value) if isinstance(one, ast.Call))
    return ways.pass_in(facts.span(value)) and all(called_name(one) in _MAKES | _CHANGES for one in calls)


def _last_word(target: ast.expr) -> str | None:
    if isinstance(target, ast.Subscript):
        key = key_of(target.slice)
        return key if isinstance(key, str) else None
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
