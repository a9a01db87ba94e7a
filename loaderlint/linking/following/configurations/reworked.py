"""Arguments that a project's own ``instantiate`` gives otherwise than its configuration says.

``config["params"]["num_workers"] = 0`` before the call, or ``{**config["params"], **kwargs}`` in it: what such code
sets was not followed, so an argument of that name can be anything besides what was written for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.readers.python import FunctionNode, PythonFacts
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.keys import CONSUMERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ARGUMENTS = frozenset(filter(None, CONSUMERS.values()))
_CHANGES = frozenset({"update", "pop", "setdefault"})


def keys(evaluator: Evaluator) -> frozenset[str]:
    """Return the names of the arguments that some code sets on, or takes from, those that a configuration holds."""
    nothing: frozenset[str] = frozenset()
    return evaluator.once(("reworked",), nothing, lambda: frozenset(_keys(evaluator)))


def _keys(evaluator: Evaluator) -> Iterator[str]:
    for facts in evaluator.project.all_python():
        if any(one in facts.source.text for one in _ARGUMENTS):
            yield from _changed(facts.tree, anywhere=False)
            for function in _making(facts):
                yield from _changed(function, anywhere=True)
                if function.args.kwarg is not None and _joins(function, function.args.kwarg.arg):
                    for _, site in evaluator.callers.sites(function.name):
                        yield from (one.arg for one in site.node.keywords if one.arg is not None)


def _making(facts: PythonFacts) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions that read under a configuration's key what they call."""
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode) and any(_read(node) in CONSUMERS for node in ast.walk(scope.node)):
            yield scope.node


def _read(node: ast.AST) -> str:
    """Return the key that an expression reads of something, empty for any other expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and called_name(node) in ("get", "pop") and node.args:
        key = node.args[0]
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _changed(tree: ast.AST, *, anywhere: bool) -> Iterator[str]:
    """Yield the keys that are set or taken away below the key of the arguments, or (``anywhere``) of any name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if _is_of_arguments(node.value, anywhere):
                yield _read(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            if not _is_of_arguments(node.func.value, anywhere):
                continue
            yield from (one.arg for one in node.keywords if one.arg is not None)
            given = node.args[0] if node.args else None
            for key in given.keys if isinstance(given, ast.Dict) else (given,):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value


def _is_of_arguments(owner: ast.expr, anywhere: bool) -> bool:
    return _read(owner) in _ARGUMENTS or (anywhere and isinstance(owner, ast.Name))


def _joins(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Return whether a function lays its own keyword arguments over others; a call refuses what is given twice."""
    for node in ast.walk(function):
        values: list[ast.expr] = []
        if isinstance(node, ast.Dict):
            values = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        elif isinstance(node, ast.Call) and called_name(node) in ("update", "merge"):
            values = node.args
        if any(isinstance(one, ast.Name) and one.id == name for one in values):
            return True
    return False
