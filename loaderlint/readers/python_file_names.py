"""Statements that make a file or folder whose name tells the time with colons, which not every platform takes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from loaderlint.readers.python_calls import keywords
from loaderlint.vocabulary.platforms import COLON, MAKES_FOLDERS, SPELLS_TIME, TELLS_TIME

_MAKING = frozenset("wax")
"""Letters in the mode of a file that is made where there is none."""
_SECONDS = "%T"
"""Stands for ``%H:%M:%S`` in formats of the time."""


def named_after_time(statement: ast.stmt, name_of: Callable[[ast.expr], str]) -> ast.Call | None:
    """Return the call by which a statement makes what it names after the time, with two colons or more; else None.

    ``name_of`` tells the dotted name that an expression stands for.
    """
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call: ast.expr = statement.value
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
    if not isinstance(call, ast.Call) or not call.args or not _makes(call, name_of):
        return None
    colons = sum(_colons(part, name_of) for part in _parts(call.args[0], name_of))
    return call if colons > 1 else None


def _makes(call: ast.Call, name_of: Callable[[ast.expr], str]) -> bool:
    if name_of(call.func) in MAKES_FOLDERS:
        return True
    mode = keywords(call).get("mode", call.args[1] if len(call.args) > 1 else None)
    opens = isinstance(call.func, ast.Name) and call.func.id == "open"
    return opens and isinstance(mode, ast.Constant) and not _MAKING.isdisjoint(str(mode.value))


def _parts(node: ast.expr, name_of: Callable[[ast.expr], str]) -> Iterator[ast.expr]:
    """Yield what a name is put together of, each part as it stands in it."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            yield from (one for side in (left, right) for one in _parts(side, name_of))
        case ast.JoinedStr(values):
            yield from values
        case ast.Call(function, several) if name_of(function) == "os.path.join":
            yield from (one for part in several for one in _parts(part, name_of))
        case _:
            yield node


def _colons(node: ast.expr, name_of: Callable[[ast.expr], str]) -> int:
    """Return how many colons the time has in a part of a name, 0 for what is not seen to tell it."""
    match node:
        case ast.FormattedValue(ast.Call(told), -1, None) | ast.Call(ast.Name("str"), [ast.Call(told)]) if (
            name_of(told) in TELLS_TIME
        ):
            return 2
        case ast.FormattedValue(value, -1, None):
            return _colons(value, name_of)
        case ast.Call(ast.Attribute(ast.Call(told), "strftime"), [ast.Constant(str(spelled))]):
            return _spelled(spelled) if name_of(told) in TELLS_TIME else 0
        case ast.Call(function, [ast.Constant(str(spelled)), *_]) if name_of(function) in SPELLS_TIME:
            return _spelled(spelled)
    return 0


def _spelled(form: str) -> int:
    return form.replace(_SECONDS, COLON + COLON).count(COLON)
