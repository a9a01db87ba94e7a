"""The definitions and objects of its own that a module's names stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from loaderlint.writers.python.arguments import Function
from loaderlint.writers.python.bindings import dotted


def functions_of(tree: ast.Module) -> dict[str, list[Function]]:
    """Return the functions that a module defines in any scope under a name, lambdas too, but no methods."""
    methods = {id(one) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    found: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if id(node) not in methods:
                found.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments, body=body)):
                named = ast.FunctionDef(name, arguments, [ast.Return(body)], [])
                found.setdefault(name, []).append(named)
    return found


def classes_of(tree: ast.Module) -> dict[str, ast.ClassDef]:
    """Return the classes that a module defines in any scope; under a name that is defined again, what all have."""
    found: dict[str, ast.ClassDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            other = found.get(node.name)
            bases, body = ([*other.bases, *node.bases], [*other.body, *node.body]) if other else (node.bases, node.body)
            found[node.name] = ast.ClassDef(node.name, bases, node.keywords, body, node.decorator_list)
    return found


def used_as_values(tree: ast.Module, names: Iterable[str]) -> frozenset[str]:
    """Return which of the names are kept, in a list or under another name, or handed to what is no class."""
    kept: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values) | ast.Dict(values=values):
                kept.update(_named(values))
            case ast.Assign(value=value):
                kept.update(_named([value]))
            case ast.Call():
                kept.update(_named(handed_to_be_called(node)))
    return frozenset(kept.intersection(names))


def handed_to_be_called(call: ast.Call) -> list[ast.expr]:
    """Return what a call is handed; a dataset, loader or transform has its workers call what it is handed."""
    last = (dotted(call.func) or "").rpartition(".")[2]
    by_workers = last[:1].isupper() and last not in _CALLING_CLASSES
    return [] if by_workers else [*call.args, *(one.value for one in call.keywords)]


_CALLING_CLASSES = ("Fire", "Thread", "Timer")


def _named(values: Iterable[ast.expr]) -> Iterator[str]:
    return (one.id for one in values if isinstance(one, ast.Name))


def made_of(tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the names, of attributes too, that a module gives to objects of its classes, with the class."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Call(func=ast.Name(id=made))):
                pass
            case (
                ast.AnnAssign(target=target, value=ast.Call(func=ast.Name(id=made)))
                | ast.withitem(context_expr=ast.Call(func=ast.Name(id=made)), optional_vars=ast.Name() as target)
            ):
                targets = [target]
            case _:
                continue
        if made in classes:
            yield from (((dotted(one) or "").rpartition(".")[2], made) for one in targets)


def made_by_calls(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module gives to what calls return, with the dotted name of what is called."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)) if path := dotted(function):
                yield name, path


def first_methods(definitions: Iterable[ast.ClassDef], name: str) -> list[Function]:
    """Return the methods of a name that the first class to have one defines: the setter of a property, too."""
    return next((found for one in definitions if (found := methods_of(one, name))), [])


def method_of(definition: ast.ClassDef | None, name: str) -> Function | None:
    """Return the method that the body of a class defines."""
    methods = methods_of(definition, name) if definition is not None else []
    return methods[-1] if methods else None


def methods_of(definition: ast.ClassDef, name: str) -> list[Function]:
    """Return all methods of a name that stand in the body of a class."""
    return [one for one in definition.body if isinstance(one, Function) and one.name == name]
