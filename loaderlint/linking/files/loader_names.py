"""Which names of a project can stand for something that makes a loader, judged by the names alone.

Following every callee of a project to what it is would take minutes. A loader's class comes to a call under its own
name, an alias or a subclass's name, so only calls of those are followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple, TypeAlias

from loaderlint.linking.files.project import Project
from loaderlint.nodes import without_types
from loaderlint.readers.python import (
    Binding,
    CallSite,
    FunctionNode,
    PythonFacts,
    Scope,
    default_of,
    dotted,
    parameters,
)
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_NAMES

_ALWAYS = frozenset({"__init__", "partial", "instantiate"})
"""Names whose calls can be about a loader's class without being called as one."""


def loader_names(project: Project, wrappers: Iterable[str]) -> frozenset[str]:
    """Return the last parts of all names a loader callable or one of the wrappers can be called by in the project."""
    return names_of(project, {*LOADER_NAMES, *_ALWAYS, *(name.rpartition(".")[2] for name in wrappers)})


class _Local(NamedTuple):
    """A name that one function has for itself, by the identity of that function's scope."""

    scope: int
    name: str


_Known: TypeAlias = str | _Local
"""What something is known by: a local name, or the last part of a name that other scopes and files see as well."""


def names_of(project: Project, names: Iterable[str]) -> frozenset[str]:
    """Return the last parts of all names that something with one of these names can be called by in the project."""
    every = list(project.all_python())
    others: dict[_Known, set[_Known]] = {}
    for facts in every:
        for scope in facts.scopes.values():
            for bound, meant in _aliases(scope):
                for one in meant:
                    others.setdefault(one, set()).add(bound)
    for taking, given in _handed(every):
        for one in given:
            others.setdefault(one, set()).update(taking)
    known: set[_Known] = set(names)
    waiting: list[_Known] = list(known)
    while waiting:
        further = others.get(waiting.pop(), set()) - known
        known |= further
        waiting.extend(further)
    return frozenset(one.name if isinstance(one, _Local) else one for one in known)


def possible_calls(calls: dict[str, list[CallSite]], names: frozenset[str]) -> Iterator[CallSite]:
    """Yield the calls whose callee's name leaves open that they make a loader."""
    for name in sorted(calls):
        if name == "partial":
            yield from (site for site in calls[name] if any(_may_name_loader(one, names) for one in site.node.args[:1]))
        elif name == "__init__":
            yield from (site for site in calls[name] if _may_be_of_loader(site.node.func, names))
        elif name in names or "oader" in name:
            yield from calls[name]
    for site in calls.get("", ()):
        function = site.node.func
        if isinstance(function, ast.Call) and not names.isdisjoint(_meant_by(function)):
            yield site
            continue
        kept_in = dotted(function.value) if isinstance(function, ast.Subscript) else None
        if kept_in is not None and kept_in.rpartition(".")[2] in names:
            yield site


def may_be_one_of(callee: ast.expr, names: Set[str]) -> bool:
    """Return whether what a call calls can be something that has one of these names (`names_of`)."""
    if isinstance(callee, ast.Call):
        return _result(callee) in names
    name = dotted(callee.value if isinstance(callee, ast.Subscript) else callee)
    return name is None or name.rpartition(".")[2] in names


def _may_be_of_loader(callee: ast.expr, names: frozenset[str]) -> bool:
    """Return whether a constructor called by its name can be a loader's: ``DataLoader.__init__(self, data)``."""
    return not isinstance(callee, ast.Attribute) or _may_name_loader(callee.value, names)


def _may_name_loader(node: ast.expr, names: frozenset[str]) -> bool:
    """Return whether one of what an expression chooses from can be a loader's class, by the names alone."""
    spelled = ((dotted(one) or "oader").rpartition(".")[2] for one in _arms(node))
    return any(name in names or "oader" in name for name in spelled)


def _result(call: ast.Call) -> str:
    """Return the name that what a call gives goes by: ``choose()``."""
    return f"{called_name(call)}()"


def _meant_by(call: ast.Call) -> tuple[str, str, str]:
    """Return the names that what a call gives may go by: its result's, the text's or that of the thing it is given."""
    given = dotted(call.args[0]) if call.args else None
    return _result(call), _written_out(call), (given or "").rpartition(".")[2]


def _written_out(call: ast.Call) -> str:
    """Return the last part of the name that a call is given as text: ``get_class("torch.utils.data.DataLoader")``."""
    named = call.args[0] if call.args else None
    return named.value.rpartition(".")[2] if isinstance(named, ast.Constant) and isinstance(named.value, str) else ""


def _handed(every: Sequence[PythonFacts]) -> Iterator[tuple[Set[_Known], Set[_Known]]]:
    """Yield the parameters of functions and constructors, with what a call can give them is known by.

    A method may be called on its object or on its class; either way the object itself is no loader's class.
    """
    by_place: dict[str, list[set[_Known]]] = {}
    by_name: dict[str, set[_Known]] = {}
    for facts in every:
        for scope in facts.scopes.values():
            if isinstance(scope.node, FunctionNode):
                makes = scope.name == "__init__" and scope.parent is not None and scope.parent.is_class
                name = scope.parent.name if makes and scope.parent is not None else scope.name
                places = by_place.setdefault(name, [])
                on_object = _takes_object(scope)
                for place, one in enumerate((*scope.node.args.posonlyargs, *scope.node.args.args)):
                    for at in (place - 1, place) if on_object else (place,):
                        places.extend(set() for _ in range(len(places), at + 1))
                        if at >= 0 and (place or not on_object):
                            places[at].add(_Local(id(scope), one.arg))
                for one in parameters(scope.node):
                    by_name.setdefault(one.arg, set()).add(_Local(id(scope), one.arg))
    for facts in every:
        for name, sites in facts.calls.items():
            for site in sites:
                for argument, places_of in zip(site.node.args, by_place.get(name, ()), strict=False):
                    yield places_of, set(_known_in(argument, site.place.scope))
                for keyword in site.node.keywords:
                    if keyword.arg is not None:
                        # What is called may be anything that takes an argument of this name, or a dictionary.
                        taking = by_name.get(keyword.arg, set())
                        yield {keyword.arg, *taking}, set(_known_in(keyword.value, site.place.scope))


def _takes_object(scope: Scope) -> bool:
    """Return whether the first parameter of a function is the object, or the class, that it is called on."""
    in_class = scope.parent is not None and scope.parent.is_class
    decorators = scope.node.decorator_list if isinstance(scope.node, FunctionNode) else ()
    return in_class and not any(dotted(one) == "staticmethod" for one in decorators)


def _aliases(scope: Scope) -> Iterator[tuple[_Known, set[_Known]]]:
    """Yield what is bound in a scope, each with what the things it can be another name for are known by.

    So is what its calls give, for a function that returns something with a name.
    """
    given = {one for value, _ in scope.returns if value is not None for one in _known_in(value, scope)}
    if given:
        yield f"{scope.name}()", given
    for name, bindings in scope.bindings.items():
        meant = {one for binding in bindings for one in _meant(binding, scope)}
        if meant:
            yield _known_as(name, scope), meant


def _meant(binding: Binding, scope: Scope) -> Iterator[_Known]:
    if binding.kind == "parameter" and isinstance(scope.node, FunctionNode):
        default = default_of(scope.node, binding.name)
        if default is not None:
            yield _named(default, scope.parent or scope)
    elif binding.kind == "import":
        yield binding.target.rpartition(".")[2]
    elif binding.kind == "class" and isinstance(binding.node, ast.ClassDef):
        for base in map(without_types, binding.node.bases):
            yield _known_as(dotted(base) or "", scope)
    elif binding.kind in ("assign", "item") and binding.value is not None:
        yield from _known_in(binding.value, scope)


def _known_in(value: ast.expr, scope: Scope) -> Iterator[_Known]:
    return (_named(_owner_of_constructor(arm, scope), scope) for arm in _arms(value))


def _owner_of_constructor(value: ast.expr, scope: Scope) -> ast.expr:
    """Return the class whose constructor is named, as far as its own name tells which class it is; else what it was.

    That of the object which a method runs on, and of its class, is whichever the heirs are.
    """
    if not (isinstance(value, ast.Attribute) and value.attr == "__init__"):
        return value
    own = isinstance(value.value, ast.Name) and _takes_object(scope)
    return value if own or dotted(value.value) is None else value.value


def _named(value: ast.expr, scope: Scope) -> _Known:
    if isinstance(value, ast.Call):
        return _result(value)
    return _known_as(dotted(value.value if isinstance(value, ast.Subscript) else value) or "", scope)


def _known_as(name: str, scope: Scope) -> _Known:
    """Return what a dotted name in a scope is known by: the name alone where a function has it for itself."""
    if "." in name:
        return name.rpartition(".")[2]
    around: Scope | None = scope
    while around is not None and around.parent is not None:
        seen = around is scope or not around.is_class
        if seen and name in around.bindings and name not in around.outer_names:
            return name if around.is_class else _Local(id(around), name)
        around = around.parent
    return name


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
