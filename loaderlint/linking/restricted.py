"""Declarations that refuse some values."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, PythonFacts, default_of, parameters
from loaderlint.readers.python_calls import keywords

_LEAST = frozenset({"ge", "min"})
"""What pydantic, annotated_types, click and typer call the least number that is taken."""
_CONDITIONS = frozenset({"choices", "gt", "multiple_of", "validate", "validator"})
"""What argparse, pydantic, attrs and marshmallow call another condition that a value has to meet."""
_ANNOTATIONS = frozenset({"Ge", "Gt", "Interval", "Literal", "PositiveInt", "conint"})
"""What pydantic, annotated_types and typing call a type that not every whole number is of."""


def is_restricted(facts: PythonFacts, span: Span) -> bool:
    """Return whether what is declared with the value at a place as its default may refuse a lower number."""
    return any(_restricts(node, facts, span) for node in ast.walk(facts.tree))


def _restricts(node: ast.AST, facts: PythonFacts, span: Span) -> bool:
    if isinstance(node, ast.Call):
        given = keywords(node)
        if not any(facts.span(one) == span for one in (*node.args, *given.values())):
            return False
        kind = given.get("type")
        return _refuses(node) or (isinstance(kind, ast.Call) and (_refuses(kind) or _above_zero(kind.args[:1])))
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return facts.span(node.value).holds(span) and _is_narrow(node.annotation)
    if isinstance(node, FunctionNode):
        return any(
            one.annotation is not None
            and default is not None
            and facts.span(default) == span
            and _is_narrow(one.annotation)
            for one, default in ((one, default_of(node, one.arg)) for one in parameters(node))
        )
    return False


def _is_narrow(annotation: ast.expr) -> bool:
    return any(
        (isinstance(one, ast.Name) and one.id in _ANNOTATIONS)
        or (isinstance(one, ast.Attribute) and one.attr in _ANNOTATIONS)
        or (isinstance(one, ast.Call) and _refuses(one))
        for one in ast.walk(annotation)
    )


def _refuses(call: ast.Call) -> bool:
    """Return whether the call that declares something names a condition that not every lower number meets."""
    given = keywords(call)
    return _above_zero(one for name, one in given.items() if name in _LEAST) or any(
        name in _CONDITIONS and not _has_zero(one) for name, one in given.items()
    )


def _above_zero(least: Iterable[ast.expr]) -> bool:
    """Return whether a least number is above 0: the first that click's ``IntRange(1, 8)`` is given is the least."""
    return any(isinstance(one, ast.Constant) and one.value not in (0, None) for one in least)


def _has_zero(choices: ast.expr) -> bool:
    return any(isinstance(one, ast.Constant) and one.value == 0 for one in ast.walk(choices))
