"""Which names of a project can stand for something that makes a loader, judged by the names alone.

Following every callee of a project to what it is would take minutes. A loader's class comes to a call under its own
name, an alias or a subclass's name, so only calls of those are followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set

from loaderlint.linking.files.project import Project
from loaderlint.readers.python import Binding, CallSite, FunctionNode, PythonFacts, Scope, default_of, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_NAMES

_ALWAYS = frozenset({"__init__", "partial", "instantiate"})
"""Names whose calls can be about a loader's class without being called as one."""


def loader_names(project: Project, wrappers: Iterable[str]) -> frozenset[str]:
    """Return the last parts of all names a loader callable or one of the wrappers can be called by in the project."""
    return names_of(project, {*LOADER_NAMES, *_ALWAYS, *(name.rpartition(".")[2] for name in wrappers)})


def names_of(project: Project, names: Iterable[str]) -> frozenset[str]:
    """Return the last parts of all names that something with one of these names can be called by in the project."""
    every = list(project.all_python())
    others: dict[str, set[str]] = {}
    for facts in every:
        for scope in facts.scopes.values():
            for bound, meant in _aliases(scope):
                for one in meant:
                    others.setdefault(one, set()).add(bound)
    for parameters, given in _handed(every):
        for one in given:
            others.setdefault(one, set()).update(parameters)
    known, waiting = set(names), list(names)
    while waiting:
        further = others.get(waiting.pop(), set()) - known
        known |= further
        waiting.extend(further)
    return frozenset(known)


def possible_calls(calls: dict[str, list[CallSite]], names: frozenset[str]) -> Iterator[CallSite]:
    """Yield the calls whose callee's name leaves open that they make a loader."""
    for name in sorted(calls):
        if name == "partial":
            yield from (site for site in calls[name] if any(_may_name_loader(one, names) for one in site.node.args[:1]))
        elif name in names or "oader" in name:
            yield from calls[name]
    for site in calls.get("", ()):
        function = site.node.func
        if isinstance(function, ast.Call) and _result(function) in names:
            yield site
            continue
        kept_in = dotted(function.value) if isinstance(function, ast.Subscript) else None
        if kept_in is not None and kept_in.rpartition(".")[2] in names:
            yield site


def _may_name_loader(node: ast.expr, names: frozenset[str]) -> bool:
    name = (dotted(node) or "oader").rpartition(".")[2]
    return name in names or "oader" in name


def _result(call: ast.Call) -> str:
    """Return the name that what a call gives goes by: ``choose()``."""
    return f"{called_name(call)}()"


def _handed(every: Sequence[PythonFacts]) -> Iterator[tuple[Set[str], Set[str]]]:
    """Yield the parameters of functions and constructors, with the last parts of the names that a call can give them.

    Whether the first of them is the object, which the call need not give, is not asked.
    """
    taking: dict[str, list[set[str]]] = {}
    for facts in every:
        for scope in facts.scopes.values():
            if isinstance(scope.node, FunctionNode):
                makes = scope.name == "__init__" and scope.parent is not None and scope.parent.is_class
                name = scope.parent.name if makes and scope.parent is not None else scope.name
                places = taking.setdefault(name, [])
                for place, one in enumerate((*scope.node.args.posonlyargs, *scope.node.args.args)):
                    for at in {max(place - 1, 0), place}:
                        places.extend(set() for _ in range(len(places), at + 1))
                        places[at].add(one.arg)
    for facts in every:
        for name in facts.calls.keys() & taking.keys():
            for site in facts.calls[name]:
                for argument, parameters in zip(site.node.args, taking[name], strict=False):
                    yield parameters, {last for arm in _arms(argument) for last in _named(arm)}
                for keyword in site.node.keywords:
                    if keyword.arg is not None:
                        yield {keyword.arg}, {last for arm in _arms(keyword.value) for last in _named(arm)}


def _aliases(scope: Scope) -> Iterator[tuple[str, set[str]]]:
    """Yield the names bound in a scope, each with the last parts of the names it can be another name for.

    So is what its calls give, for a function that returns something with a name.
    """
    given = {name for value, _ in scope.returns if value is not None for arm in _arms(value) for name in _named(arm)}
    if given:
        yield f"{scope.name}()", given
    for name, bindings in scope.bindings.items():
        meant = {last for binding in bindings for last in _meant(binding, scope)}
        if meant:
            yield name.rpartition(".")[2], meant


def _meant(binding: Binding, scope: Scope) -> Iterator[str]:
    if binding.kind == "parameter" and isinstance(scope.node, FunctionNode):
        default = default_of(scope.node, binding.name)
        if default is not None:
            yield from _named(default)
    elif binding.kind == "import":
        yield binding.target.rpartition(".")[2]
    elif binding.kind == "class" and isinstance(binding.node, ast.ClassDef):
        for base in binding.node.bases:
            yield (dotted(base) or "").rpartition(".")[2]
    elif binding.kind in ("assign", "item") and binding.value is not None:
        for value in _arms(binding.value):
            yield from _named(value)


def _named(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Call):
        yield _result(value)
    elif isinstance(value, ast.Subscript):
        yield (dotted(value.value) or "").rpartition(".")[2]
    else:
        yield (dotted(value) or "").rpartition(".")[2]


def _arms(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _arms(value.body)
        yield from _arms(value.orelse)
    elif isinstance(value, ast.Call) and value.args and (dotted(value.func) or "").endswith("partial"):
        yield from _arms(value.args[0])
    elif isinstance(value, ast.Dict):
        for one in value.values:
            yield from _arms(one)
    else:
        yield value
