"""Which values pytest calls a test with: ``@pytest.mark.parametrize("count", [4, pytest.param(8, id="many")])``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from loaderlint.readers.python import FunctionNode, dotted
from loaderlint.readers.python_calls import arguments, called_name


class Parametrized(NamedTuple):
    """A decorator that gives a test its arguments: their names, and a row of all that they get in one call each."""

    decorator: ast.Call
    names: tuple[str, ...]
    values: ast.expr


def parametrized(node: FunctionNode | ast.ClassDef) -> Iterator[Parametrized]:
    """Yield what decorators give a test; what they hand to its fixtures is theirs (``indirect=``)."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or called_name(decorator) != "parametrize":
            continue
        given = arguments(decorator, ("argnames", "argvalues", "indirect"))
        if "indirect" not in given and (dotted(decorator.func) or "").endswith("mark.parametrize"):
            names = _names(given.get("argnames"))
            if names and "argvalues" in given:
                yield Parametrized(decorator, names, given["argvalues"])


def _names(node: ast.expr | None) -> tuple[str, ...]:
    """Return the names that a text with commas between, or a row of texts, gives."""
    match node:
        case ast.Constant(str(text)):
            return tuple(one.strip() for one in text.split(",") if one.strip())
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(str(one.value) for one in parts if isinstance(one, ast.Constant))
    return ()


def named_values(given: Parametrized) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names with each value that is written for them in the decorator itself."""
    for row in given.values.elts if isinstance(given.values, ast.List | ast.Tuple) else ():
        cells = [row] if len(given.names) == 1 else row.elts if isinstance(row, ast.List | ast.Tuple) else []
        if isinstance(row, ast.Call) and called_name(row) == "param":
            cells = row.args
        yield from zip(given.names, cells, strict=False)
