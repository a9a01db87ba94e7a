"""Where reading one sample says that the data are at their end, for an index that a sampler gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from loaderlint.linking.things.comparisons import COMPARISONS
from loaderlint.readers.python import dotted

_CATCHES_THE_END = frozenset({"StopIteration", "Exception", "BaseException"})
_BEYOND_THE_END = frozenset({"IndexError", "KeyError", "LookupError"})
"""What a list or dictionary raises for an index that it does not have."""
_ARITHMETIC = frozenset({"int", "min", "max", "divmod", "abs", "round"})
_ANYTHING = frozenset({"Exception", "BaseException"})


def stops(statements: Sequence[ast.stmt], index: Sequence[str], given: Sequence[int] = ()) -> Iterator[ast.Raise]:
    """Yield the statements that raise StopIteration and let it out.

    One that depends on the index, or on a number made of it, is for indexes that no sampler gives: those beyond the
    end. ``given`` are indexes that are known to come to the statements: what is raised for one of them counts.
    """
    known = list(index)
    for statement in statements:
        known.extend(_named_after(statement, known))
        if isinstance(statement, ast.Raise):
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            if isinstance(raised, ast.Name) and raised.id == "StopIteration":
                yield statement
        elif isinstance(statement, ast.If):
            if not _asks(statement.test, known):
                yield from stops([*statement.body, *statement.orelse], known, given)
            for answer, branch in ((True, statement.body), (False, statement.orelse)):
                if taking := [one for one in given if _answer(statement.test, index, one) is answer]:
                    yield from stops(branch, known, taking)
        elif isinstance(statement, ast.Try):
            if not any(_takes(handler, _CATCHES_THE_END) for handler in statement.handlers):
                yield from stops(statement.body, known, given)
            reads = any(_names(one, known) for one in statement.body)
            for handler in statement.handlers:
                if not (_takes(handler, _BEYOND_THE_END) or (reads and _takes(handler, _ANYTHING))):
                    yield from stops(handler.body, known)
            yield from stops([*statement.orelse, *statement.finalbody], known)
        elif isinstance(statement, ast.With):
            if not any(_suppresses(one.context_expr) for one in statement.items):
                yield from stops(statement.body, known, given)
        elif isinstance(statement, ast.For) or (isinstance(statement, ast.While) and not _names(statement.test, known)):
            yield from stops(statement.body, known, given)
            yield from stops(statement.orelse, known, given)
        if _returns_by(statement, known):
            return


def _answer(test: ast.expr, index: Sequence[str], given: int) -> bool | None:
    """Return the answer to a test that compares the index itself with a number, None for any other test."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    numbers = [
        given if isinstance(one, ast.Name) and one.id in index[:1] else _number(one)
        for one in (test.left, test.comparators[0])
    ]
    compare = COMPARISONS.get(type(test.ops[0]))
    left, right = numbers
    asks = _names(test, index[:1])
    return compare(left, right) if asks and compare and left is not None and right is not None else None


def _number(node: ast.expr) -> int | None:
    """Return a whole number that is written out, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _named_after(statement: ast.stmt, known: Sequence[str]) -> Iterator[str]:
    """Yield the names that a statement gives a number made of the index, in a test of its own as well."""
    head = [statement.test] if isinstance(statement, ast.If | ast.While) else []
    simple = [statement] if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) else []
    for node in (one for part in (*head, *simple) for one in ast.walk(part)):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _is_made_of(node.value, known):
                yield from (one.id for to in targets for one in ast.walk(to) if isinstance(one, ast.Name))


def _suppresses(manager: ast.expr) -> bool:
    """Return whether a context manager keeps StopIteration from getting out (`contextlib.suppress`)."""
    if not isinstance(manager, ast.Call) or (dotted(manager.func) or "").rpartition(".")[2] != "suppress":
        return False
    return any(dotted(one) in _CATCHES_THE_END for one in manager.args)


def _takes(handler: ast.ExceptHandler, names: frozenset[str]) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(dotted(kind) in names if kind is not None else "BaseException" in names for kind in kinds)


def _names(node: ast.AST, known: Sequence[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in known for one in ast.walk(node))


def _asks(node: ast.AST, known: Sequence[str]) -> bool:
    """Return whether a test asks about the index; about what is read at it is another question."""
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.Subscript) and not any(isinstance(one, ast.Slice) for one in ast.walk(node.slice)):
        return _asks(node.value, known)
    return any(_asks(one, known) for one in ast.iter_child_nodes(node))


def _is_made_of(node: ast.expr, known: Sequence[str]) -> bool:
    """Return whether an expression is a number made of the index; what is read at the index is none."""
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.BinOp):
        return _is_made_of(node.left, known) or _is_made_of(node.right, known)
    if isinstance(node, ast.Compare):
        return any(_is_made_of(one, known) for one in (node.left, *node.comparators))
    if isinstance(node, ast.UnaryOp):
        return _is_made_of(node.operand, known)
    if isinstance(node, ast.Tuple):
        return any(_is_made_of(one, known) for one in node.elts)
    if isinstance(node, ast.Call) and (dotted(node.func) in _ARITHMETIC or "bisect" in (dotted(node.func) or "")):
        return any(_is_made_of(one, known) for one in node.args)
    return False


def _returns_by(statement: ast.stmt, known: Sequence[str]) -> bool:
    """Return whether a statement returns for some indexes, so that only the others come to what follows it."""
    if isinstance(statement, ast.With | ast.Try):
        return any(_returns_by(one, known) for one in statement.body)
    if not isinstance(statement, ast.If) or not _names(statement.test, known):
        return False
    return any(isinstance(one, ast.Return) for one in ast.walk(statement))
