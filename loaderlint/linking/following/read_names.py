"""Which name an expression reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from loaderlint.linking.following.commandlines import flags
from loaderlint.readers.python_calls import called_name

MAKES = frozenset(
    {
        *("dict", "getattr", "vars", "Namespace", "SimpleNamespace", "EasyDict", "int", "bool", "min", "max"),
        *("isinstance", "hasattr", "replace", "deepcopy", "copy", "cast", "tuple", "list", "get", "items", "keys"),
        *("values", "field", "Field", "Option", "option"),
    }
)
"""Calls that hand a value on, or make another of it, and do nothing else: neither with it nor with anything besides."""


KEEPS = MAKES | {"update", "setdefault", "setattr", "pop", "set_defaults", "add_argument"}
"""Those, and calls that keep a value for later, or take it from where it is kept."""


Named: TypeAlias = tuple[ast.expr, str]
"""A value, and a name under which it can be read where it was given that."""


def flag_read(call: ast.Call) -> str | None:
    """Return what the flag that a call declares is called where it is read, None where it declares none."""
    return flags.name_of(call) if any(one.startswith("-") for one in flags.strings(call)) else None


def under_keys(value: ast.expr) -> Iterator[Named]:
    """Yield what the dictionaries that are written in a value hold, with the keys."""
    for part in parts(value):
        if isinstance(part, ast.Dict):
            for key, held in zip(part.keys, part.values, strict=True):
                name = word_of(key) if key is not None else None
                if name is not None:
                    yield held, name


def read_by(value: ast.expr) -> Iterator[str]:
    """Yield what a value reads, or what it asks about: it says as much of that."""
    for part in parts(value):
        name = read_name(part)
        if name is not None:
            yield name
        if isinstance(part, ast.Compare):
            for compared in (part.left, *part.comparators):
                yield from read_by(compared)


def parts(value: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and all that it is chosen from, holds, or is made of by calls that keep what they get."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        yield one
        match one:
            case ast.IfExp(body=body, orelse=orelse):
                waiting += [body, orelse]
            case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values) | ast.Dict(values=values):
                waiting += values
            case ast.NamedExpr(value=held) | ast.Starred(value=held) | ast.UnaryOp(operand=held):
                waiting.append(held)
            case ast.Call() if called_name(one) in KEEPS:
                waiting += [*one.args, *(keyword.value for keyword in one.keywords)]


def read_name(node: ast.expr) -> str | None:
    """Return the last name that an expression reads, or of the function whose result it is; None where it has none.

    What is taken out of a list by its position goes by the name of the list.
    """
    while last_read(node) is None:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("pop", "get"):
            node = node.func.value
        else:
            return (called_name(node) or None) if isinstance(node, ast.Call) else None
    return last_read(node)


def last_read(node: ast.expr) -> str | None:
    """Return the name, attribute or key that an expression reads, None when it is none of these."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return word_of(node.slice)
    if isinstance(node, ast.Call) and node.args:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            return word_of(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "select" and len(node.args) > 1:
            return (word_of(node.args[1]) or "").rpartition(".")[2] or None
        if isinstance(node.func, ast.Name) and node.func.id in ("int", "float", "bool"):
            return last_read(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            return word_of(node.args[1])
    return None


def word_of(node: ast.expr) -> str | None:
    """Return the text that an expression is, None where it is none."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def is_dictionary(value: ast.expr) -> bool:
    """Return whether a dictionary is made on the spot: such as a record of settings."""
    return isinstance(value, ast.Dict) or (isinstance(value, ast.Call) and called_name(value) == "dict")
