"""Text that a program puts together line by line: ``"".join(line.split("//")[0] for line in file)``, or in a loop."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from msgspec import Struct

from loaderlint.readers.python import Binding, Place

JOINED = "the lines of a file"
"""The callee of a call that stands for such a text: what gives the lines, and the sign from which on each is cut off.

The sign is None where the lines are as they were, and empty where only blanks may have come or gone.
"""


class _Part(Struct, frozen=True):
    """What is kept of a line: what stands before a comment's ``sign``, where there is one; ``whole`` is all of it."""

    sign: str = ""
    whole: bool = False


def joined(call: ast.Call) -> ast.Call | None:
    """Return the text that a call of ``join`` makes of lines; None where what is kept of each was not seen."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.func, ast.Attribute):
        return None
    given, blank = call.args[0], call.func.value
    if not _is_blank(blank):
        return None
    part: _Part | None = _Part(whole=True)
    if isinstance(given, ast.GeneratorExp | ast.ListComp):
        (one, *others), element = given.generators, given.elt
        if others or one.ifs or not isinstance(one.target, ast.Name):
            return None
        part, given = _part(element, {one.target.id: _Part(whole=True)}), one.iter
    if part is not None and isinstance(blank, ast.Constant) and blank.value:
        part = _Part(part.sign)
    return _text(given, part, call)


def sign_cut(call: ast.Call) -> str | None:
    """Return from which sign on a call of ``re.sub`` cuts off each line of a text, ``re.sub("//.*", "", text)``.

    None stands for any other call.
    """
    match call:
        case ast.Call(_, [ast.Constant(str(pattern)), ast.Constant(str(blank)), _], []) if not blank.strip():
            sign = pattern.removeprefix(r"\s*").removesuffix(".*")
            return sign if pattern.endswith(".*") and sign.strip() and not set(sign) & set("\\.^$*+?{}[]|()") else None
    return None


def summed(bindings: Sequence[Binding], place: Place | None) -> ast.Call | None:
    """Return the text that a loop has made by a place, adding what it keeps of each line to an empty one.

    None stands for anything else that gives a name its value.
    """
    if len(bindings) != 2:
        return None
    start, added = sorted(bindings, key=lambda one: one.place.order)
    loop = added.place.arms[-1].owner if added.place.arms else None
    if not isinstance(loop, ast.For) or loop.orelse or added.place.arms[:-1] != start.place.arms:
        return None
    ended = place is None or (place.order > added.place.order and all(arm.owner is not loop for arm in place.arms))
    if not ended or start.kind != "assign" or not _is_blank(start.value) or not isinstance(loop.target, ast.Name):
        return None
    kept = {loop.target.id: _Part(whole=True)}
    *before, last = loop.body
    for one in before:
        match one:
            case ast.Assign([ast.Name(name)], value) if name != start.name and (part := _part(value, kept)) is not None:
                kept[name] = part
            case _:
                return None
    match last:
        case ast.AugAssign(ast.Name(), ast.Add(), value) if last is added.node:
            return _text(loop.iter, _part(value, kept), last)
    return None


def _text(lines: ast.expr, part: _Part | None, node: ast.Call | ast.stmt) -> ast.Call | None:
    """Return the call of `JOINED` for the text that keeps a part of each line; None where that was not seen."""
    if part is None:
        return None
    sign = ast.Constant(None if part.whole else part.sign)
    call = ast.copy_location(ast.Call(ast.Name(JOINED), [lines, sign], []), node)
    return ast.fix_missing_locations(call)


def _part(node: ast.expr, lines: Mapping[str, _Part]) -> _Part | None:
    """Return what an expression keeps of the line that a name stands for; None where that was not seen."""
    match node:
        case ast.Name(name):
            return lines.get(name)
        case ast.BinOp(left, ast.Add(), right) if _is_blank(right):
            part = _part(left, lines)
            return _Part(part.sign) if part is not None else None
        case ast.Call(ast.Attribute(line, "strip" | "rstrip" | "lstrip"), [], []):
            part = _part(line, lines)
            return _Part(part.sign) if part is not None else None
        case ast.Subscript(
            ast.Call(
                ast.Attribute(line, "split" | "partition"),
                [ast.Constant(str(sign))] | [ast.Constant(str(sign)), ast.Constant(1)],
                [],
            ),
            ast.Constant(0),
        ) if sign.strip():
            part = _part(line, lines)
            return _Part(sign) if part is not None and not part.sign else None
    return None


def _is_blank(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.strip()
