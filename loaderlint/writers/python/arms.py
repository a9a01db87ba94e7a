"""Saying of a whole conditional expression what edits say of both its arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst
from libcst import matchers as m

from loaderlint.model.edit import Edit, SetValue
from loaderlint.writers.python.places import Places

_LASTS = m.NamedExpr() | m.Await() | m.Yield()
"""What a test does besides answering: it has to be asked all the same."""


def of_both_arms(places: Places, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits, one of them in place of two that set both arms of a conditional expression to one constant.

    ``0 if sys.platform == "win32" else (2 if big else 4)`` says once what an edit of each arm would say twice.
    """
    setting = {places.expressions.get(one.span): one for one in edits if isinstance(one, SetValue)}
    for arm, edit in setting.items():
        whole = places.parents.get(arm) if arm is not None else None
        if not isinstance(whole, cst.IfExp) or arm is not whole.body or m.findall(whole.test, _LASTS):
            continue
        span = places.span(places.positions[whole])
        other = setting.get(whole.orelse)
        if other is not None and replace(edit, span=span) == replace(other, span=span):
            joined = [one for one in edits if one not in (edit, other)]
            return of_both_arms(places, [*joined, replace(edit, span=span)])
    return list(edits)
