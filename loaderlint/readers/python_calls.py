"""What a call or a decorator is made of, as it is written there."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from loaderlint.nodes import last_name


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """Return the keyword arguments that a call writes out, by name."""
    return {one.arg: one.value for one in call.keywords if one.arg is not None}


def arguments(call: ast.Call, names: Iterable[str]) -> dict[str, ast.expr]:
    """Return the arguments of a call by name; the positional ones go by the names of their places."""
    return {**dict(zip(names, call.args, strict=False)), **keywords(call)}


def called_name(call: ast.Call) -> str:
    """Return the last name of what is called: ``load`` in ``yaml.load(...)`` and ``open(path).load(...)``."""
    return last_name(call.func)


GIVE_THE_SAME = ("list", "reversed", "sorted", "tuple")
"""Builtins that give what they are given, in an order of their own."""


def in_any_order(given: ast.expr) -> ast.expr:
    """Return what one of them is given, ``cfg`` for ``sorted(list(cfg))``; any other expression itself."""
    match given:
        case ast.Call(ast.Name(name), [inside]) if name in GIVE_THE_SAME:
            return in_any_order(inside)
    return given


def is_super(node: ast.expr) -> bool:
    """Return whether an expression is ``super()``, with or without arguments."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def without_arguments(decorator: ast.expr) -> ast.expr:
    """Return a decorator itself, without the arguments it may be called with: ``@register`` and ``@register()``."""
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def element(row: ast.Tuple | ast.List, place: int) -> ast.expr | None:
    """Return the element at a place of a written row, from its end where that is negative.

    It is None where there is none, and where a starred element hides which it is.
    """
    if not -len(row.elts) <= place < len(row.elts):
        return None
    counted = row.elts[place:] if place < 0 else row.elts[: place + 1]
    return None if any(isinstance(one, ast.Starred) for one in counted) else row.elts[place]


def called_remotely(call: ast.Call) -> ast.expr | None:
    """Return what a call has another process call, None for a call that is none of these.

    It is the ``Class`` of ``Class.remote(...)``, ``Class.options(...).remote(...)``, ``ray.remote(Class).remote(...)``
    and ``ray.remote(num_gpus=1)(Class).remote(...)``.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "remote":
        return None
    callee = call.func.value
    if isinstance(callee, ast.Call) and isinstance(callee.func, ast.Attribute) and callee.func.attr == "options":
        callee = callee.func.value
    if isinstance(callee, ast.Call):
        return callee.args[0] if makes_remote(callee) and callee.args else None
    return callee


def makes_remote(call: ast.Call) -> bool:
    """Return whether a call goes by the name of what makes its argument callable from other processes."""
    return last_name(without_arguments(call.func)) == "remote"
