"""Whether a call may change the object it is handed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from loaderlint.writers.python.effect_free import ITERATING_BUILTINS, PURE_BUILTINS, PURE_METHODS

Function = ast.FunctionDef | ast.AsyncFunctionDef
Asked = dict[tuple[str, int | str], bool]
"""Whether functions may change what they are handed at a place, as far as that was asked."""

_ONLY_READS = frozenset(
    {"critical", "debug", "dump", "dumps", "error", "exception", "format", "info", "init", "log", "pprint", "print"}
    | {"save", "savez", "show", "warn", "warning", "write"}
)
"""Last names of calls that print, log or save what they are handed."""


def only_reads(callee: str) -> bool:
    """Return whether a call leaves what it is handed as it is: it prints, saves or asks, or makes an object of it."""
    last = callee.rpartition(".")[2]
    return last[:1].isupper() or last in _ONLY_READS | PURE_METHODS | PURE_BUILTINS | ITERATING_BUILTINS


def handed_over(call: ast.Call, callee: str, functions: Mapping[str, Function]) -> Iterator[str]:
    """Yield the names a call is handed, bare, and may change; ``functions`` are those whose bodies are known."""
    if only_reads(callee):
        return
    asked: Asked = {}
    for position, given in enumerate(call.args):
        value = given.value if isinstance(given, ast.Starred) else given
        if isinstance(value, ast.Name) and _may_change(functions, callee, position, asked):
            yield value.id
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Name) and _may_change(functions, callee, keyword.arg or 0, asked):
            yield keyword.value.id


def _may_change(functions: Mapping[str, Function], name: str, place: int | str, asked: Asked) -> bool:
    """Return whether a function may change the object handed to it at a position or by a keyword.

    ``asked`` holds what was found out before. A function that hands it on until it gets it again may.
    """
    if (name, place) not in asked:
        asked[name, place] = True
        asked[name, place] = _hands_to_a_change(functions, name, place, asked)
    return asked[name, place]


def _hands_to_a_change(functions: Mapping[str, Function], name: str, place: int | str, asked: Asked) -> bool:
    function = functions.get(name)
    if function is None:
        return True
    arguments = function.args
    positional = [one.arg for one in [*arguments.posonlyargs, *arguments.args]]
    if isinstance(place, int):
        if place >= len(positional):
            return True
        place = positional[place]
    elif place not in positional + [one.arg for one in arguments.kwonlyargs]:
        return True
    return any(_changes(node, place, functions, asked) for node in ast.walk(function))


def _changes(node: ast.AST, name: str, functions: Mapping[str, Function], asked: Asked) -> bool:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _root(node) == name
        case ast.AugAssign(target=ast.Name(id=target)):
            return target == name
        case ast.Assign(value=ast.Name(id=source)):
            return source == name
        case ast.Call(func=function, args=given, keywords=keywords):
            callee = ast.unparse(function)
            if isinstance(function, ast.Attribute) and _root(function) == name and not only_reads(callee):
                return True
            places: list[tuple[int | str, ast.expr]] = list(enumerate(given))
            places += [(one.arg or 0, one.value) for one in keywords]
            handed = [place for place, one in places if isinstance(one, ast.Name) and one.id == name]
            return not only_reads(callee) and any(_may_change(functions, callee, place, asked) for place in handed)
    return False


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
