"""Dictionaries and objects of which a program asks about every value, by keys or names that vary."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from loaderlint.linking.following.reads import Read, turns, whole_of
from loaderlint.readers.python import PythonFacts, Scope, dotted

_KINDS = ("isinstance", "issubclass", "hasattr", "callable", "type")
"""Functions whose answer is the same for all numbers."""


def wholes_asked(asked: Iterable[Read]) -> Iterator[Read]:
    """Yield the dictionaries and objects each value of which is read by one of these tests.

    That is what a loop over the items or values of a dictionary asks about, and what is looked up by what a loop goes
    over: ``cfg[key]`` of ``for key in cfg``, ``getattr(self, one.name)``.
    """
    known: dict[int, _Turns] = {}
    for read in asked:
        if id(read.facts) not in known:
            known[id(read.facts)] = _Turns(read.facts)
        whole = known[id(read.facts)].whole(read.node)
        if whole is not None:
            yield Read(read.facts, read.place, whole, whole=True)


class _Turns:
    """What the loops of a file give names to, each inside that loop alone."""

    def __init__(self, facts: PythonFacts) -> None:
        loops = [one for scope in facts.scopes.values() for one in scope.iterations]
        self._values: Mapping[int, ast.expr] = {
            id(name): whole
            for iterable, node, _ in loops
            if (whole := whole_of(iterable)) is not None
            for name in turns(node, -1)
        }
        self._keys = {
            id(name)
            for iterable, node, place in loops
            if _goes_over_keys(iterable, (place.scope, facts.module))
            for name in turns(node, 0)
        }
        self._each = {
            id(name): text
            for iterable, node, _ in loops
            if (text := dotted(iterable)) is not None
            for name in turns(node, 0)
        }
        given = [one for name in _KINDS for site in facts.calls.get(name, ()) for one in site.node.args]
        told_apart = [one for node, _ in facts.tests for one in _compared_with_texts(node)]
        self._of_kinds = {id(one) for argument in (*given, *told_apart) for one in ast.walk(argument)}

    def whole(self, node: ast.expr) -> ast.expr | None:
        """Return what all values are asked of by an expression that stands in a test, None where that is none."""
        if id(node) in self._of_kinds:
            return None
        match node:
            case ast.Name():
                return self._values.get(id(node))
            case ast.Call(func=ast.Name(id="getattr"), args=[whole, key, *_]) if not isinstance(key, ast.Constant):
                return whole
            case (
                ast.Subscript(value=whole, slice=ast.Name() as key)
                | ast.Call(func=ast.Attribute(value=whole, attr="get"), args=[ast.Name() as key, *_])
            ):
                return whole if self._is_key(key, whole) else None
        return None

    def _is_key(self, key: ast.Name, whole: ast.expr) -> bool:
        """Return whether a name goes over keys, and not over places in a list: those of what is asked, or texts."""
        return id(key) in self._keys or (dotted(whole) is not None and self._each.get(id(key)) == dotted(whole))


def _compared_with_texts(node: ast.AST) -> list[ast.expr]:
    """Return what a comparison asks whether it is a text, which no number is."""
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            both = [left, right]
            return both if any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in both) else []
    return []


def _goes_over_keys(iterable: ast.expr, scopes: Iterable[Scope]) -> bool:
    """Return whether a loop goes over the keys of a dictionary, or over texts that are written out."""
    match iterable:
        case ast.Call(func=ast.Attribute(attr="items" | "keys")):
            return True
        case ast.Tuple(elts=texts) | ast.List(elts=texts) | ast.Set(elts=texts) | ast.Dict(keys=texts):
            return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in texts)
        case ast.Name(id=name):
            values = (one.value for scope in scopes for one in scope.bindings.get(name, ()))
            return any(not isinstance(one, ast.Name) and _goes_over_keys(one, ()) for one in values if one is not None)
    return False
