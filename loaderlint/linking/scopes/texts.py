"""What a text can be, going by how it is put together: the pieces that are written there, and what is not seen."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from loaderlint.linking.files.parametrized import named_values, parametrized
from loaderlint.readers.python import Scope
from loaderlint.readers.python_calls import called_name

UNSEEN = "\0"
"""Stands in a text for any piece of it that is not written there."""
_DEEPEST = 6
"""Expressions inside each other that a text is put together of; deeper ones are not looked into."""
_MOST = 20
"""Texts that an expression can give; of more, all is left open."""
_KEEP_IT = frozenset(
    {"abspath", "compile", "dedent", "expanduser", "fspath", "open", "Path", "PurePath", "realpath", "str"}
)
"""Functions that give the path or text they are handed, what stands in that file, or that as code."""
_KEEP_THEIRS = frozenset({"absolute", "as_posix", "decode", "open", "read", "read_text", "resolve", "strip"})
"""Methods that do the same for what they are called on."""
_HOLE = re.compile(r"%\(?\w*\)?[#0 +.\d-]*[a-zA-Z]|\{[^{}]*\}")


def texts_of(node: ast.expr, scope: Scope, depth: int = 0) -> list[str]:
    """Return what the text that an expression gives can be, or the path of the file that the text is read from."""
    if depth > _DEEPEST:
        return [UNSEEN]
    found = list(dict.fromkeys(islice(_texts(node, scope, depth + 1), _MOST + 1)))
    return found if len(found) <= _MOST else [UNSEEN]


def _texts(node: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=pieces):
            yield from _joined(pieces, "", scope, depth)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            yield from texts_of(value, scope, depth)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _joined([left, right], "", scope, depth)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            yield from _joined([left, right], "/", scope, depth)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            yield _HOLE.sub(UNSEEN, text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            yield _HOLE.sub(UNSEEN, text)
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr="join"), args=pieces):
            yield from _joined(pieces, "/", scope, depth)
        case ast.Call(args=[given, *_]) if called_name(node) in _KEEP_IT and not _opens_itself(node, scope):
            yield from texts_of(given, scope, depth)
        case ast.Call(func=ast.Attribute(value=given, attr=name)) if name in _KEEP_THEIRS:
            yield from texts_of(given, scope, depth)
        case ast.IfExp(body=one, orelse=other):
            yield from (*texts_of(one, scope, depth), *texts_of(other, scope, depth))
        case ast.Name(id=name):
            yield from _bound(name, scope, depth)
        case _:
            yield UNSEEN


def _opens_itself(call: ast.Call, scope: Scope) -> bool:
    """Return whether a call opens the path it is called on: ``path.open("r")``, which ``io.open(path)`` does not."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr="open"):
            around = scope_of(name, scope)
            return around is not None and all(one.kind != "import" for one in around.bindings[name])
        case ast.Attribute(attr="open"):
            return True
    return False


def scope_of(name: str, scope: Scope) -> Scope | None:
    """Return the scope around, or this one, that binds a name; that of a class only what stands in it sees."""
    around: Scope | None = scope
    while around is not None and (name not in around.bindings or (around.is_class and around is not scope)):
        around = around.parent
    return around


def _joined(pieces: Sequence[ast.expr], between: str, scope: Scope, depth: int) -> Iterator[str]:
    """Yield the texts that some pieces make together; one of several that are handed over at once is not seen."""
    yield from map(between.join, product(*(texts_of(one, scope, depth) for one in pieces)))


def _bound(name: str, scope: Scope, depth: int) -> Iterator[str]:
    """Yield what a name can stand for, going by the assignments of the scope that binds it."""
    around = scope_of(name, scope)
    if around is None:
        yield UNSEEN
        return
    for one in around.bindings[name]:
        given = list(_of_test(around, one.name)) if one.kind == "parameter" else []
        rows = one.value.elts if isinstance(one.value, ast.List | ast.Tuple) and one.kind == "loop" else ()
        if one.kind in ("assign", "with") and one.value is not None:
            yield from texts_of(one.value, around, depth)
        elif rows:
            yield from (text for row in rows for text in texts_of(row, around, depth))
        elif given:
            yield from (text for value in given for text in texts_of(value, around.parent or around, depth))
        else:
            yield UNSEEN


def _of_test(scope: Scope, name: str) -> Iterator[ast.expr]:
    """Yield what pytest gives the parameter of a test, all of which is written for it; nothing where that is not so."""
    if isinstance(scope.node, ast.FunctionDef) and scope.node.name.startswith("test"):
        for given in parametrized(scope.node):
            if name in given.names and isinstance(given.values, ast.List | ast.Tuple):
                cells = [value for named, value in named_values(given) if named == name]
                yield from cells if len(cells) == len(given.values.elts) else ()
