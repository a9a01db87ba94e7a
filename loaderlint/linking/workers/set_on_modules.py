"""Attributes that are set on modules: by another name of these, by ``sys.modules``, or through a third module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.workers.top_level import Global, full_name, imported, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.imports import IMPORT_FUNCTIONS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

GIVES_MODULES = frozenset({"modules", *IMPORT_FUNCTIONS})
"""Words by which a module is got at by its name: ``sys.modules``, and the functions that import."""
SETTING = frozenset({"assign", "augment", "loop", "other", "unpack", "with"})
"""Kinds of bindings that give the attribute of a dotted name another value, or take it away."""


def set_on_modules(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Iterator[tuple[Global, Touch]]:
    """Yield the names at the top level of modules, and those of libraries, that a scope sets as attributes."""
    for name, bindings in scope.bindings.items():
        owner, _, attribute = name.rpartition(".")
        for one in bindings if owner else ():
            if one.kind in SETTING and one.node is not None:
                yield from _set(evaluator, facts, _imported_as(scope, owner), attribute, one.node)
    for change in facts.attribute_changes:
        match change.name:
            case ast.Constant(value=str(attribute)) if change.place.scope is scope:
                yield from _set(evaluator, facts, _named(scope, change.owner), attribute, change.owner)


def _set(
    evaluator: Evaluator, facts: PythonFacts, name: str, attribute: str, node: ast.AST
) -> Iterator[tuple[Global, Touch]]:
    if name:
        module = _module(evaluator, facts, name)
        meant = Global(module, attribute) if module else Global("", f"{name}.{attribute}.")
        yield meant, touch_at(facts, node)


def _imported_as(scope: Scope, name: str) -> str:
    """Return the dotted name of the module that a dotted name in a scope stands for, an empty one where it is none."""
    first, dot, rest = name.partition(".")
    if next(imported(scope, first), None) is not None:
        return full_name(scope, name)
    bindings = [one for one in scope.bindings.get(first, ()) if one.kind == "assign"]
    if len(bindings) != 1 or bindings[0].value is None:
        return ""
    value = bindings[0].value
    other = dotted(value)
    if other is None:
        named = _named(scope, value)
    else:
        named = full_name(scope, other) if next(imported(scope, other.partition(".")[0]), None) is not None else ""
    return named + dot + rest if named else ""


def _named(scope: Scope, node: ast.expr) -> str:
    """Return the dotted name of the module that an expression gives, an empty one where that is not seen."""
    match node:
        case ast.NamedExpr(value=value):
            return _named(scope, value)
        case ast.Subscript(ast.Name() | ast.Attribute() as table, ast.Constant(str(name))):
            return name if full_name(scope, dotted(table) or "") == "sys.modules" else ""
        case ast.Call(ast.Name() | ast.Attribute(), [ast.Constant(str(name)), *_]):
            return name if called_name(node) in IMPORT_FUNCTIONS else ""
        case ast.Name() | ast.Attribute():
            return _imported_as(scope, dotted(node) or "")
    return ""


def _module(evaluator: Evaluator, facts: PythonFacts, name: str) -> str | None:
    """Return the path of the module that a dotted name means, also where another module imports that."""
    project, path = evaluator.project, facts.source.path
    found = project.module(name, path)
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1) if found is None else ():
        inner = project.module(".".join(parts[:end]), path)
        for part in parts[end:] if inner is not None else ():
            of = project.python_in_passing(inner) if inner is not None else None
            targets = imported(of.module, part) if of is not None and inner is not None else iter(())
            inner = next((one for target in targets if (one := project.module(target, inner or path))), None)
        if inner is not None:
            return inner
    return found
