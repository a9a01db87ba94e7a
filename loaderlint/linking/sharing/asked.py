"""What the tests of a program read, but for those that only say which worker options a loader gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

from loaderlint.linking.files.shown import Shows
from loaderlint.linking.following.read_names import KEEPS, MAKES
from loaderlint.linking.following.reads import Read
from loaderlint.model.source import Span
from loaderlint.readers.python import Asks, PythonFacts
from loaderlint.readers.python_calls import called_name

_CHANGES = frozenset({"update", "setdefault"})
"""Methods that put what they are given into a dictionary."""
_MAKES = MAKES | {"get_context", "cpu_count", "partial"}
"""Calls whose result an option can be and that do nothing else: it makes no difference whether they run."""


class Ways(Protocol):
    """The places that worker options pass on their ways to loaders."""

    def pass_in(self, span: Span) -> bool:
        """Return whether a worker option passes inside a place, or is written there."""
        ...


def asked(facts: PythonFacts, ways: Ways, shows: Shows) -> Iterator[Read]:
    """Yield what a file's tests read: a run can depend on the answers.

    Left out are tests that only say which worker options a loader gets, or what is shown, and whether something is
    None, which no number is.
    """
    shown = (node for site in shows.sites(facts) for node in ast.walk(site.node))
    # Which part of something else is shown is no showing of the value.
    left_out = {id(node) for node in shown if not isinstance(node, ast.Subscript)}
    for node, place in facts.tests:
        if id(node) in left_out:
            continue
        if _only_for_workers(node, facts, ways, shows):
            # What asks inside it asks for the same.
            inside = [node] if isinstance(node, ast.BoolOp) else _tests(node)
            left_out.update(id(one) for test in inside for one in ast.walk(test))
        else:
            yield from (Read(facts, place, operand) for test in _tests(node) for operand in _operands(test))


def _tests(node: Asks) -> list[ast.expr]:
    """Return the expressions on which it depends how a program goes on; the last operand of ``and`` is no test."""
    if isinstance(node, ast.BoolOp):
        return node.values[:-1]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Compare):
        return [node]
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Match):
        return [node.subject]
    if isinstance(node, ast.match_case):
        return [node.guard] if node.guard is not None else []
    return node.ifs if isinstance(node, ast.comprehension) else [node.test]


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what a test reads; what it computes with, and gives to calls that do something, is read there."""
    parts: list[ast.expr | None] = []
    if isinstance(test, ast.Name | ast.Attribute | ast.Subscript):
        yield test
    elif isinstance(test, ast.BoolOp):
        parts = [*test.values]
    elif isinstance(test, ast.UnaryOp):
        parts = [test.operand]
    elif isinstance(test, ast.NamedExpr):
        parts = [test.value]
    elif isinstance(test, ast.Tuple | ast.List):
        parts = [*test.elts]
    elif isinstance(test, ast.Slice):
        parts = [test.lower, test.upper, test.step]
    elif isinstance(test, ast.Compare):
        compared = [test.left, *test.comparators]
        parts = [] if any(isinstance(one, ast.Constant) and one.value is None for one in compared) else [*compared]
    elif isinstance(test, ast.Call) and called_name(test) in KEEPS:
        yield test
        parts = [*test.args]
    for part in parts:
        if part is not None:
            yield from _operands(part)


def _only_for_workers(node: Asks, facts: PythonFacts, ways: Ways, shows: Shows) -> bool:
    """Return whether no more than the worker options of loaders, or what is shown, depends on the answer to a test."""
    if isinstance(node, ast.IfExp):
        return _gives(node, facts, ways)
    if isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp):
        return _gives_alone(node, facts, ways)
    statements: list[ast.stmt] = []
    if isinstance(node, ast.If):
        statements = [*node.body, *node.orelse]
    elif isinstance(node, ast.Match):
        statements = [one for case in node.cases for one in case.body]
    return bool(statements) and all(_fills(one, facts, ways, shows) for one in statements)


def _fills(statement: ast.stmt, facts: PythonFacts, ways: Ways, shows: Shows) -> bool:
    if isinstance(statement, ast.If | ast.Match):
        return _only_for_workers(statement, facts, ways, shows)
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and statement.value is not None:
        return _binds_one(statement) and _gives(statement.value, facts, ways)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        return _gives(call, facts, ways) if called_name(call) in _CHANGES else shows(call, facts)
    return isinstance(statement, ast.Pass)


def _binds_one(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
    """Return whether each part of what a statement assigns goes to one place: a second may be no option's."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    target, value = targets[0], statement.value
    unpacked = isinstance(target, ast.Tuple | ast.List)
    return len(targets) == 1 and (not unpacked or isinstance(value, ast.Tuple | ast.IfExp))


def _gives(value: ast.expr, facts: PythonFacts, ways: Ways) -> bool:
    """Return whether an expression is a worker option on its way to a loader, or holds several and nothing else."""
    if isinstance(value, ast.IfExp):
        # No run may be seen to come to an arm that leaves the option out.
        arms = [one for one in _arms(value) if not _is_neutral(one) or _gives_alone(one, facts, ways)]
        return bool(arms) and all(_gives(one, facts, ways) for one in arms)
    parts = _parts(value)
    return all(_gives(one, facts, ways) for one in parts) if parts else _gives_alone(value, facts, ways)


def _arms(value: ast.IfExp) -> list[ast.expr]:
    """Return what conditional expressions inside each other choose from; a chain of them may be of any length."""
    found: list[ast.expr] = []
    waiting: list[ast.expr] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.IfExp):
            waiting += [one.orelse, one.body]
        else:
            found.append(one)
    return found


def _parts(value: ast.expr) -> list[ast.expr]:
    """Return what stands in a dictionary or tuple, or is put into one."""
    if isinstance(value, ast.Dict):
        return value.values
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Call) and called_name(value) in {"dict", *_CHANGES}:
        # What a method of a dictionary is given before a value is its key.
        given = value.args[1:] if called_name(value) == "setdefault" else value.args
        return [*given, *(one.value for one in value.keywords)]
    return []


def _is_neutral(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Dict) and not value.values)


def _gives_alone(value: ast.expr, facts: PythonFacts, ways: Ways) -> bool:
    calls = (one for one in ast.walk(value) if isinstance(one, ast.Call))
    return ways.pass_in(facts.span(value)) and all(called_name(one) in _MAKES for one in calls)
