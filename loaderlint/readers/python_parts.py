"""Parts of what a name stands for, as they are written: ``cfg.data``, ``cfg["loader"]``, ``cfg.get("loader")``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from loaderlint.readers.python_attributes import dictionary_of
from loaderlint.readers.python_scopes import dotted


class Any(Enum):
    """A key that is not written: each element of a loop, what a variable names."""

    ELEMENT = "any"


ELEMENT = Any.ELEMENT
Key: TypeAlias = str | int | Any
Keys: TypeAlias = tuple[Key, ...]


class Part(NamedTuple):
    """The part at some keys of what a (dotted) name stands for."""

    name: str
    keys: Keys = ()

    @property
    def path(self) -> tuple[str, Keys]:
        """The first name, and all attributes and keys that lead on from it."""
        root, *attributes = self.name.split(".")
        return root, (*attributes, *self.keys)

    @property
    def text(self) -> str:
        """The part in words, the same however it is written."""
        return "".join((self.name, *(f"[{key!r}]" for key in self.keys)))


_GETTERS = frozenset({"get", "setdefault"})


def part_of(node: ast.expr) -> Part | None:
    """Return what part of a name's thing an expression gives, None for any other expression."""
    name = dotted(node)
    if name is not None:
        return Part(name)
    if isinstance(node, ast.Subscript):
        return _below(node.value, key_of(node.slice))
    if isinstance(node, ast.Attribute):
        return _below(node.value, node.attr)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GETTERS and node.args:
        return _below(node.func.value, key_of(node.args[0]))
    return None


def written(node: ast.expr) -> str | None:
    """Return a part of what a name stands for in words, None for any other expression."""
    part = part_of(node)
    return part.text if part is not None else None


def _below(node: ast.expr, key: Key) -> Part | None:
    above = part_of(node)
    return Part(above.name, (*above.keys, key)) if above is not None else None


def key_of(node: ast.expr) -> Key:
    """Return a key that is written, else that it may be any."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else ELEMENT
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int) and not isinstance(node.value, bool):
        return node.value
    return ELEMENT


def elements_of(node: ast.expr) -> Part | None:
    """Return the elements that a loop over an expression comes to; those of pairs are their last."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "values"):
        return _below(node.func.value, ELEMENT)
    if isinstance(node, ast.Call) and dotted(node.func) == "enumerate" and node.args:
        return _below(node.args[0], ELEMENT)
    return _below(node, ELEMENT)


def copied_part(node: ast.expr) -> Part | None:
    """Return what an expression makes a shallow copy of, None for any other expression."""
    if isinstance(node, ast.Dict):
        spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        return part_of(spread[0]) if len(spread) == 1 else None
    if not isinstance(node, ast.Call):
        return None
    if dotted(node.func) in ("copy.copy", "copy", "dict", "list") and len(node.args) == 1:
        return part_of(node.args[0])
    is_method = isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args
    return part_of(node.func.value) if is_method and isinstance(node.func, ast.Attribute) else None


def parts_in(node: ast.expr) -> Iterator[tuple[Keys, Part, bool]]:
    """Yield the parts that an expression brings along: where in its value each is, and whether it surely is.

    They are the value itself, one of the arms of a condition, or elements of a display. A dictionary of attributes
    stands for the object that has them, whose attributes change with it: ``vars(args)``, ``args.__dict__``.
    """
    part = part_of(dictionary_of(node) or node)
    if part is not None:
        yield (), part, ELEMENT not in part.keys
    elif isinstance(node, ast.IfExp | ast.BoolOp):
        for arm in (node.body, node.orelse) if isinstance(node, ast.IfExp) else node.values:
            yield from ((keys, one, False) for keys, one, _ in parts_in(arm))
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield from _inside(key_of(key), value)
    elif isinstance(node, ast.List | ast.Tuple):
        for place, value in enumerate(node.elts):
            yield from _inside(place, value)
    elif isinstance(node, ast.Call) and dotted(node.func) == "dict":
        for keyword in node.keywords:
            if keyword.arg is not None:
                yield from _inside(keyword.arg, keyword.value)


def _inside(key: Key, value: ast.expr) -> Iterator[tuple[Keys, Part, bool]]:
    for keys, part, sure in parts_in(value):
        yield (key, *keys), part, sure and key is not ELEMENT
