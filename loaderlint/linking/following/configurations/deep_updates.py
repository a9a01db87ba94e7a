"""A project's own functions that lay one dictionary of dictionaries over another, key by key.

``dict.update`` replaces what is nested whole, so many projects have the few lines that go into it: for every key of
the second dictionary the function calls itself where a dictionary stands there, and sets the value where none does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from loaderlint.linking.following import arguments
from loaderlint.linking.things.dictionaries import entries_of, is_complete
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Absent,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Unseen,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import combined, laid_over, under, unseen
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, dotted, parameters
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MAPPINGS = frozenset({"dict", "Mapping", "MutableMapping"})
"""What a value is asked to be, by the last name, before the function goes into it."""


class _Names(NamedTuple):
    """What such a function calls the dictionary it changes, the other one, and a key and value of that."""

    below: str
    above: str
    key: str
    value: str


def made(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return what a call of such a function gives back; None for any other function."""
    names = _names(function)
    if names is None or not function.scope.returns:
        return None
    given = arguments.bound(evaluator, Caller(frame, node), function, skip_first=False)
    below = given.get(names.below, ())
    return _over_each_other(below, given.get(names.above, ()), frame.facts.span(node)) if below else None


def changed(
    evaluator: Evaluator, one: Possibility, function: Function, parameter: str, node: ast.Call, frame: Frame
) -> Possibilities | None:
    """Return what a dictionary is after such a function got it as the one to change; None for any other function."""
    names = _names(function)
    if names is None or parameter != names.below:
        return None
    given = arguments.bound(evaluator, Caller(frame, node), function, skip_first=False)
    return _over_each_other((one,), given.get(names.above, ()), frame.facts.span(node))


def _over_each_other(below: Possibilities, above: Possibilities, span: Span) -> Possibilities | None:
    """Return what several dictionaries are with others laid over them; None where one is no dictionary at all."""
    if not above or not all(isinstance(one.thing, _DICTIONARIES) for one in below):
        return None
    found: list[Possibility] = []
    for (first, second), assumptions, _ in combined(below, above):
        if not isinstance(second.thing, _DICTIONARIES) and not isinstance(second.thing, Unseen):
            return None
        over = second.thing if isinstance(second.thing, _DICTIONARIES) else Items({}, complete=False)
        assert isinstance(first.thing, _DICTIONARIES)
        found.append(replace(first, thing=_laid_over(first.thing, over, span), assumptions=assumptions))
    return tuple(found) or None


_DICTIONARIES = (Items, TreeMapping)


def _laid_over(below: Items | TreeMapping, above: Items | TreeMapping, span: Span) -> Items:
    """Return a dictionary of dictionaries with another one laid over it."""
    own, over = entries_of(below), entries_of(above)

    def values_of(key: str) -> Possibilities:
        before = own.get(key) or (Possibility(ABSENT if is_complete(below) else UNSEEN, span),)
        given = over.get(key)
        if given is None:
            return before if is_complete(above) else (*before, *unseen(span))
        return tuple(_each_over(given, before, span))

    return Items(Lazily.of(dict.fromkeys((*own, *over)), values_of), complete=is_complete(below) and is_complete(above))


def _each_over(given: Possibilities, before: Possibilities, span: Span) -> Iterable[Possibility]:
    for one in given:
        if isinstance(one.thing, Absent):
            yield from under(before, one.assumptions)
        elif isinstance(one.thing, _DICTIONARIES):
            for old in before:
                inside = _laid_over(old.thing, one.thing, span) if isinstance(old.thing, _DICTIONARIES) else one.thing
                yield from under((replace(one, thing=inside),), old.assumptions)
        else:
            yield from laid_over((one,), partial(tuple, before))


def _names(function: Function) -> _Names | None:
    """Return what such a function calls its parts; None for a function that does anything else as well."""
    node = function.node
    taken = [one.arg for one in parameters(node)]
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or len(taken) != 2 or function.owner is not None:
        return None
    body = [one for one in node.body if not _is_text(one) and not isinstance(one, ast.Import | ast.ImportFrom)]
    match body:
        case [ast.For(target, source, inside, [])]:
            pass
        case [ast.For(target, source, inside, []), ast.Return(ast.Name(given_back))] if given_back == taken[0]:
            pass
        case _:
            return None
    match target, source, inside:
        case (
            ast.Tuple([ast.Name(key), ast.Name(value)]),
            ast.Call(ast.Attribute(ast.Name(above), "items"), [], []),
            [*first, ast.If(test, [goes_in], [sets])],
        ) if above == taken[1]:
            names = _Names(taken[0], above, key, value)
        case _:
            return None
    made = not first or (len(first) == 1 and _makes_room(first[0], names))
    named = made and _asks_for_a_mapping(test, names) and _goes_in(goes_in, node, names) and _sets(sets, names)
    return names if named else None


def _makes_room(statement: ast.stmt, names: _Names) -> bool:
    """Return whether a statement puts an empty dictionary under the key where nothing stood there."""
    match statement:
        case ast.If(ast.Compare(ast.Name(key), [ast.NotIn()], [ast.Name(below)]), [ast.Assign([place], empty)], []):
            is_empty = ast.unparse(empty) in ("{}", "dict()")
            in_it = (key, below) == (names.key, names.below) and isinstance(place, ast.Subscript)
            return is_empty and in_it and _is_before(place, names)
    return False


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _asks_for_a_mapping(test: ast.expr, names: _Names) -> bool:
    """Return whether a test asks if the value is a mapping, and of what stood there before nothing but that as well."""
    asked = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(_is_mapping(one, names, of=names.value) for one in asked) and all(
        _is_mapping(one, names, of=names.value) or _is_mapping(one, names) or _is_in(one, names) for one in asked
    )


def _is_mapping(test: ast.expr, names: _Names, of: str = "") -> bool:
    match test:
        case ast.Call(ast.Name("isinstance"), [asked, kind], []):
            about = dotted(asked) == of if of else _is_before(asked, names)
            return about and last_name(kind) in _MAPPINGS
    return False


def _is_in(test: ast.expr, names: _Names) -> bool:
    """Return whether a test asks if the key was there before."""
    match test:
        case ast.Compare(ast.Name(key), [ast.In()], [ast.Name(below)]):
            return (key, below) == (names.key, names.below)
    return False


def _is_before(node: ast.expr, names: _Names) -> bool:
    """Return whether an expression is what stood under the key before, or an empty dictionary where nothing did."""
    match node:
        case ast.Subscript(ast.Name(below), ast.Name(key)):
            return (below, key) == (names.below, names.key)
        case ast.Call(ast.Attribute(ast.Name(below), "get" | "setdefault"), [ast.Name(key), *default], []):
            empty = all(isinstance(one, ast.Dict) and not one.keys for one in default)
            return (below, key) == (names.below, names.key) and empty
    return False


def _goes_in(statement: ast.stmt, function: FunctionNode, names: _Names) -> bool:
    """Return whether a statement calls the function itself for what stood there and the value, and keeps that."""
    match statement:
        case ast.Assign([place], ast.Call(ast.Name(called), [before, ast.Name(value)], [])):
            kept = isinstance(place, ast.Subscript) and _is_before(place, names)
        case ast.Expr(ast.Call(ast.Name(called), [before, ast.Name(value)], [])):
            # What ``get`` gives where nothing stood there would be lost.
            kept = isinstance(before, ast.Subscript) or (
                isinstance(before, ast.Call) and last_name(before.func) == "setdefault"
            )
        case _:
            return False
    return kept and called == function.name and value == names.value and _is_before(before, names)


def _sets(statement: ast.stmt, names: _Names) -> bool:
    match statement:
        case ast.Assign([ast.Subscript() as place], ast.Name(value)):
            return value == names.value and _is_before(place, names)
    return False
