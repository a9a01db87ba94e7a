"""Saying of a whole conditional expression what edits say of both its arms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst
from msgspec.structs import replace

from loaderlint.model.edit import Edit, SetValue
from loaderlint.writers.python.effect_free import PURE_BUILTINS, PURE_CALLS, PURE_METHODS
from loaderlint.writers.python.expressions import code, says
from loaderlint.writers.python.places import SUSPENDS_OR_BINDS, Places, has_comment, nodes

_ONLY_ANSWERS = PURE_BUILTINS | PURE_CALLS | {"multiprocessing.cpu_count"}
"""Calls that do nothing but answer: it makes no difference where they are no longer asked."""

_TEXTS = {"os.name", "sys.platform"}
"""What is a text, whose methods do nothing but answer, either."""


def of_both_arms(places: Places, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits, one of them in place of two that set both arms of a conditional expression to one constant.

    So does one that sets an arm to what the other says already. What ends in ``and False`` is False, too.

    ``0 if sys.platform == "win32" else (2 if big else 4)`` says once what an edit of each arm would say twice. A test
    that may do something besides answering is asked all the same.
    """
    setting = {places.expressions.get(one.span): one for one in edits if isinstance(one, SetValue)}
    spans = {getattr(one, "span", None) for one in edits}
    for arm, edit in setting.items():
        whole = places.parents.get(arm) if arm is not None else None
        if whole is not None and has_comment(whole):
            # What is said of one arm has no place where there are none.
            continue
        if edit.constant is False and edit.platforms is None and _ends_in(whole, arm):
            widened = replace(edit, span=places.span(places.positions[whole]))
            return of_both_arms(places, [widened if one is edit else one for one in edits])
        if not isinstance(whole, cst.IfExp) or arm is whole.test or not _only_answers(whole.test):
            continue
        widened = replace(edit, span=places.span(places.positions[whole]))
        beside = whole.orelse if arm is whole.body else whole.body
        other = setting.get(beside)
        kept = edit.platforms is None and places.span(places.positions[beside]) not in spans
        if other is not None and widened == replace(other, span=widened.span):
            joined = [one for one in edits if one not in (edit, other)]
            return of_both_arms(places, [*joined, widened])
        if kept and says(beside, edit.constant):
            return of_both_arms(places, [widened if one is edit else one for one in edits])
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
    if any(isinstance(node, SUSPENDS_OR_BINDS) for node in nodes(test)):
        return False
    return all(_answers(node.func) for node in nodes(test) if isinstance(node, cst.Call))


def _answers(called: cst.BaseExpression) -> bool:
    """Return whether a function, or the method of a text or of another's answer, does nothing but answer."""
    if isinstance(called, cst.Attribute) and called.attr.value in PURE_METHODS:
        return code(called) in _ONLY_ANSWERS or isinstance(called.value, cst.Call) or code(called.value) in _TEXTS
    return code(called) in _ONLY_ANSWERS
