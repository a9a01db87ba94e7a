"""Saying of a whole conditional expression what edits say of both its arms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst
from libcst import matchers as m
from msgspec.structs import replace

from loaderlint.model.edit import Edit, SetValue
from loaderlint.writers.python.effect_free import PURE_BUILTINS, PURE_CALLS
from loaderlint.writers.python.expressions import code
from loaderlint.writers.python.places import Places, nodes

_ONLY_ANSWERS = PURE_BUILTINS | PURE_CALLS | {"multiprocessing.cpu_count"}
"""Calls that do nothing but answer: it makes no difference where they are no longer asked."""


def of_both_arms(places: Places, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits, one of them in place of two that set both arms of a conditional expression to one constant.

    What ends in ``and False`` is False, too.

    ``0 if sys.platform == "win32" else (2 if big else 4)`` says once what an edit of each arm would say twice. A test
    that may do something besides answering is asked all the same.
    """
    setting = {places.expressions.get(one.span): one for one in edits if isinstance(one, SetValue)}
    for arm, edit in setting.items():
        whole = places.parents.get(arm) if arm is not None else None
        if edit.constant is False and edit.platforms is None and _ends_in(whole, arm):
            widened = replace(edit, span=places.span(places.positions[whole]))
            return of_both_arms(places, [widened if one is edit else one for one in edits])
        if not isinstance(whole, cst.IfExp) or arm is not whole.body or not _only_answers(whole.test):
            continue
        span = places.span(places.positions[whole])
        other = setting.get(whole.orelse)
        if other is not None and replace(edit, span=span) == replace(other, span=span):
            joined = [one for one in edits if one not in (edit, other)]
            return of_both_arms(places, [*joined, replace(edit, span=span)])
    return list(edits)


def _ends_in(whole: cst.CSTNode | None, last: cst.BaseExpression | None) -> TypeGuard[cst.BooleanOperation]:
    """Return whether an expression is ``... and last``, and does nothing but answer before that."""
    return (
        isinstance(whole, cst.BooleanOperation)
        and isinstance(whole.operator, cst.And)
        and whole.right is last
        and _only_answers(whole.left)
    )


def _only_answers(test: cst.BaseExpression) -> bool:
    if m.findall(test, m.NamedExpr() | m.Await() | m.Yield()):
        return False
    calls = [node for node in nodes(test) if isinstance(node, cst.Call)]
    return all(code(call.func) in _ONLY_ANSWERS for call in calls)
