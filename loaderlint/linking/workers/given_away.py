"""Where an object of the top level gets another name, by which somebody may change it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.workers.top_level import (
    Global,
    full_name,
    imported,
    is_object,
    is_of_library,
    meant_by,
    reaches_top,
    touch_at,
)
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import is_setting
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT
from loaderlint.readers.python import CallSite, Place, PythonFacts, Scope, dotted
from loaderlint.vocabulary.running import LOOKS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CHANGING_BUILTINS = frozenset({"delattr", "eval", "exec", "iter", "map", "next", "setattr"})
"""Builtins that change what they are given, or run what may; ``next`` and ``map`` go on in an iterator."""


def given_away(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    """Yield where an object of the top level gets another name, by which it may be changed as well.

    Nothing counts but what happens ``later`` than workers import the file.
    """
    given: list[tuple[ast.AST, ast.expr, Place]] = []
    for bindings in scope.bindings.values():
        given.extend(
            (one.node, one.value, one.place) for one in bindings if one.value is not None and one.node is not None
        )
    for site in scope.calls:
        if not _looks(evaluator, facts, site):
            given.extend((site.node, one, site.place) for one in _arguments(site.node))
    given.extend((value, value, place) for value, place in scope.returns if value is not None)
    for node, value, place in given:
        for part in _parts(value):
            name = dotted(part) or ""
            if not name or not reaches_top(scope, name.partition(".")[0]):
                continue
            meant = [one for one in meant_by(evaluator, facts, scope, name) if is_changeable(evaluator, one)]
            if meant and later(node, place):
                touch = touch_at(facts, node)
                yield from ((one, touch) for one in meant)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (one.value for one in call.keywords)


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression hands on as it is: itself, or what it puts into a collection."""
    match value:
        case ast.Name() | ast.Attribute():
            yield value
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _parts(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _parts(part)
        case ast.Starred(value=inner):
            yield from _parts(inner)


def _looks(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> bool:
    """Return whether a call is known to leave what it is given as it is: a builtin, or a function of a library."""
    name = dotted(site.node.func) or ""
    first, _, rest = name.partition(".")
    scope = site.place.scope
    if any(one.arg in ("out", "inplace") for one in site.node.keywords):
        return False
    if rest and next(imported(scope, first), None) is None:
        return name.rpartition(".")[2] in LOOKS
    full = full_name(scope, name)
    if full in CHANGES_ITS_ARGUMENT or full in _CHANGING_BUILTINS or is_setting(full):
        return False
    if hasattr(builtins, full):
        return not scope.bindings.get(full) and not facts.module.bindings.get(full)
    return is_of_library(evaluator, facts, scope, first)


def is_changeable(evaluator: Evaluator, meant: Global) -> bool:
    """Return whether a name at the top level of a file is that of an object which can be changed."""
    facts = evaluator.project.python(meant.path)
    if facts is None or not is_object(facts, meant.name):
        return False
    return any(one.value is None or not _is_constant(one.value) for one in facts.module.bindings[meant.name])


def _is_constant(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
            return all(_is_constant(one) for one in parts)
        case ast.BinOp(left=left, right=right):
            return _is_constant(left) or _is_constant(right)
        case ast.UnaryOp(operand=inner):
            return _is_constant(inner)
    return False
