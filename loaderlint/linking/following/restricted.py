"""Declarations that refuse some values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from loaderlint.linking.following.reads import Read
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope, default_of, parameters
from loaderlint.readers.python_calls import called_name, keywords
from loaderlint.vocabulary import ranges

_CONDITIONS = ranges.LEAST | ranges.BELOW | ranges.STEPS | ranges.CHOICES | ranges.CHECKS | ranges.KINDS


class Restricted(Struct, frozen=True):
    """A declaration that may refuse a lower number: where it stands, and what it reads, a default among that."""

    span: Span
    reads: tuple[Read, ...]


def restricted(facts: PythonFacts) -> Iterator[Restricted]:
    """Yield the calls, parameters and members of a file that declare what may refuse a number lower than theirs."""
    for sites in facts.calls.values():
        for site in sites:
            call = site.node
            if refuses(call):
                given = (*call.args, *(one for name, one in keywords(call).items() if name not in _CONDITIONS))
                yield Restricted(facts.span(call), tuple(Read(facts, site.place, one) for one in given))
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode) and scope.defined is not None:
            yield from _parameters(facts, scope.node, scope.defined)
        bases = scope.node.bases if isinstance(scope.node, ast.ClassDef) else ()
        if any(last_name(one) in ranges.ENUMERATIONS for one in bases):
            yield from _members(facts, scope)


def _members(facts: PythonFacts, enumeration: Scope) -> Iterator[Restricted]:
    """Yield the members of an enumeration: a value that another has makes no member, and what is looked up by it."""
    for one in (one for bindings in enumeration.bindings.values() for one in bindings):
        if one.value is not None:
            yield Restricted(facts.span(one.value), (Read(facts, one.place, one.value),))


def _parameters(facts: PythonFacts, node: FunctionNode, defined: Place) -> Iterator[Restricted]:
    for one in parameters(node):
        if one.annotation is not None and is_narrow(one.annotation):
            default = default_of(node, one.arg)
            yield Restricted(facts.span(one), (Read(facts, defined, default),) if default is not None else ())


def is_narrow(annotation: ast.expr) -> bool:
    """Return whether not every lower number is of a type."""
    return any(refuses(one) for one in ast.walk(annotation) if isinstance(one, ast.expr))


def refuses(node: ast.expr) -> bool:
    """Return whether a type, a condition, or a call that declares something may refuse a lower number."""
    if isinstance(node, ast.Name | ast.Attribute):
        return last_name(node) in ranges.POSITIVE
    if isinstance(node, ast.Subscript):
        return last_name(node.value) in ranges.ONE_OF and not _has_zero(node.slice)
    if not isinstance(node, ast.Call):
        return False
    given, called, first = keywords(node), called_name(node), node.args[0] if node.args else None
    least = first if called in ranges.RANGES | ranges.AT_LEAST else None
    below = first if called in ranges.ABOVE else None
    choices = first if called in ranges.ONE_OF else None
    excluded = any(_is(given.get(name), answer) for name, answer in ranges.WITHOUT_LEAST.items())
    for name, one in given.items():
        least = one if name in ranges.LEAST else least
        below = one if name in ranges.BELOW else below
        choices = one if name in ranges.CHOICES else choices
    return (
        (least is not None and not _is_at_most(0, least))
        or (below is not None and not _is_at_most(-1, below))
        or (excluded and not (least is not None and _is_at_most(-1, least)))
        or (choices is not None and not _has_zero(choices))
        or not ranges.STEPS.isdisjoint(given)
        or any(refuses(one) for name, one in given.items() if name in ranges.KINDS)
        or any(_fails(one) for name, one in given.items() if name in ranges.CHECKS)
    )


def _fails(check: ast.expr) -> bool:
    """Return whether a lower number may fail a check, which is one that is known not to mind, or else may ask all."""
    if isinstance(check, ast.List | ast.Tuple):
        return any(map(_fails, check.elts))
    if not isinstance(check, ast.Call):
        return not (isinstance(check, ast.Constant) and check.value is None)
    called = called_name(check)
    if called in ranges.ALL_OF:
        return any(map(_fails, check.args))
    known = called in ranges.AT_LEAST | ranges.ABOVE | ranges.ONE_OF | ranges.RANGES
    return refuses(check) if known else called not in ranges.TAKES_LESS


def _is_at_most(most: int, node: ast.expr) -> bool:
    """Return whether an expression is known to be no more than this, as None is: without a least, all are taken."""
    try:
        number = ast.literal_eval(node)
    except ValueError:
        return False
    return number is None or (isinstance(number, int | float) and number <= most)


def _has_zero(choices: ast.expr) -> bool:
    """Return whether 0 is known to be one of the choices that are written out, or counted from 0."""
    if isinstance(choices, ast.Call) and called_name(choices) in ("list", "tuple", "set"):
        return any(map(_has_zero, choices.args))
    if isinstance(choices, ast.Call):
        least = choices.args[0] if len(choices.args) > 1 else None
        return called_name(choices) == "range" and (least is None or _is(least, 0))
    elements = getattr(choices, "elts", [choices])
    return any(_is(one, 0) or _is(one, "0") for one in elements)


def _is(node: ast.expr | None, constant: object) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is type(constant) and node.value == constant
