"""What a test asks of a worker count: whether it is above 0, in whatever words. It is never below, or torch raises."""

from __future__ import annotations

import ast

_ABOVE: dict[tuple[type[ast.cmpop], int], bool] = {
    (ast.Gt, 0): True,
    (ast.GtE, 1): True,
    (ast.NotEq, 0): True,
    (ast.Eq, 0): False,
    (ast.Lt, 1): False,
    (ast.LtE, 0): False,
}
"""Comparisons with a number on their right, and whether the count is above 0 where they hold."""
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def above_zero(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return what a test asks for, and whether that is above 0 where the test holds: ``n``, True of ``n >= 1``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            count, answer = above_zero(operand)
            return count, not answer
        case ast.Compare(left=ast.Constant(int(limit)), ops=[operator], comparators=[count]):
            answers = _ABOVE.get((_TURNED.get(type(operator), type(operator)), limit))
        case ast.Compare(left=count, ops=[operator], comparators=[ast.Constant(int(limit))]):
            answers = _ABOVE.get((type(operator), limit))
        case ast.Call(func=ast.Name("bool"), args=[count], keywords=[]):
            answers = True
        case _:
            return test, True
    return (test, True) if answers is None else (count, answers)


def answer_with_workers(test: ast.expr, workers: ast.expr) -> bool | None:
    """Return the answer that a test gives only where a worker count is above 0, None where neither says so."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer = answer_with_workers(operand, workers)
            return None if answer is None else not answer
        case ast.BoolOp(op=operator, values=values):
            # One part of ``and`` is enough to say that there are some, one of ``or`` that there are none.
            telling = isinstance(operator, ast.And)
            return telling if any(answer_with_workers(one, workers) is telling for one in values) else None
    count, answer = above_zero(test)
    return answer if ast.dump(count) == ast.dump(workers) else None
