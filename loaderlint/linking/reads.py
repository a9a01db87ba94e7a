"""Where a program does something with the values it reads: what it computes with, hands to calls, and goes through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from loaderlint.linking.project import Project
from loaderlint.linking.shown import Shows
from loaderlint.readers.python import CallSite, Place, PythonFacts, parameters

KEEPS = frozenset(
    {
        *("dict", "update", "setdefault", "partial", "getattr", "setattr", "vars", "Namespace", "SimpleNamespace"),
        *("EasyDict", "int", "bool", "min", "max", "isinstance", "field", "Field", "Option", "option", "set_defaults"),
        *("replace", "deepcopy", "copy", "cast", "tuple", "list", "get", "pop", "items", "keys", "values", "hasattr"),
    }
)
"""Calls that hand a value on, or make another of it, and do nothing with it themselves."""
MOST_NAMES = 12
"""Names that one value goes by; under more it is not looked for."""


@dataclass(frozen=True)
class Read:
    """An expression that something is done with. ``call`` is the call it is given to, None where it is computed with.

    ``whole`` says that it is a dictionary of which every value is used.
    """

    facts: PythonFacts
    place: Place
    node: ast.expr
    call: ast.Call | None = None
    whole: bool = False


class Reads:
    """What all Python files of a project do with the values they read, by the last name of what is read."""

    def __init__(self, project: Project, shows: Shows) -> None:
        self._project = project
        self._shows = shows

    @cached_property
    def by_name(self) -> Mapping[str, list[Read]]:
        """The expressions that read a name, an attribute or a key, where something is done with it."""
        found: dict[str, list[Read]] = {}
        for facts in self._project.all_python():
            for read in (*_given(facts, self._shows), *_computed(facts)):
                name = last_read(read.node)
                if name is not None:
                    found.setdefault(name, []).append(read)
        return found

    @cached_property
    def wholes(self) -> tuple[Read, ...]:
        """The dictionaries that are splatted into calls, formatted, or gone through by loops that use the values."""
        return tuple(
            read
            for facts in self._project.all_python()
            for read in (*_splatted(facts, self._shows), *_gone_through(facts, self._shows))
        )

    def names(self, names: Set[str]) -> Set[str]:
        """Return the names together with those that what they stand for is also given."""
        found = set(names)
        waiting = sorted(names)
        while waiting and len(found) <= MOST_NAMES:
            new = self._handed_on.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(sorted(new))
        return found

    @cached_property
    def _handed_on(self) -> Mapping[str, set[str]]:
        """For what is read, the names that assignments and the parameters of the project's functions give it."""
        found: dict[str, set[str]] = {}
        every = list(self._project.all_python())
        functions: dict[str, list[list[str]]] = {}
        for facts in every:
            for scope in facts.scopes.values():
                if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
                    functions.setdefault(scope.name, []).append([one.arg for one in parameters(scope.node)])
                for bindings in scope.bindings.values():
                    for one in bindings:
                        for name in _read_by(one.value) if one.kind == "assign" and one.value is not None else ():
                            found.setdefault(name, set()).add(one.name.rpartition(".")[2])
        for facts in every:
            for called in functions.keys() & facts.calls.keys():
                for site in facts.calls[called]:
                    for name, parameter in _parameters_of_call(site.node, functions[called]):
                        found.setdefault(name, set()).add(parameter)
        return found


def _parameters_of_call(call: ast.Call, functions: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield what a call reads with the parameter that takes it; a method's first may be its object."""
    for keyword in call.keywords:
        name = last_read(keyword.value)
        if name is not None and keyword.arg is not None:
            yield name, keyword.arg
    for position, argument in enumerate(call.args):
        name = last_read(argument)
        for declared in functions if name is not None else ():
            assert name is not None
            yield from ((name, one) for one in declared[position : position + 2])


def _read_by(value: ast.expr) -> Iterator[str]:
    """Yield what a value reads, or what it asks about: it says as much of that."""
    name = last_read(value)
    if name is not None:
        yield name
    parts: list[ast.expr] = []
    if isinstance(value, ast.Compare):
        parts = [value.left, *value.comparators]
    elif isinstance(value, ast.BoolOp):
        parts = value.values
    elif isinstance(value, ast.UnaryOp):
        parts = [value.operand]
    for part in parts:
        yield from _read_by(part)


def last_read(node: ast.expr) -> str | None:
    """Return the name, attribute or key that an expression reads, None when it is none of these."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _word(node.slice)
    if isinstance(node, ast.Call) and node.args:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            return _word(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id in ("int", "float", "bool"):
            return last_read(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            return _word(node.args[1])
    return None


def _word(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _given(facts: PythonFacts, shows: Shows) -> Iterator[Read]:
    """Yield what calls are given, and what their methods are called on."""
    for site in _doing(facts, shows):
        for argument in (*site.node.args, *(one.value for one in site.node.keywords if one.arg is not None)):
            yield Read(facts, site.place, argument, site.node)
        if isinstance(site.node.func, ast.Attribute):
            yield Read(facts, site.place, site.node.func.value)


def _doing(facts: PythonFacts, shows: Shows) -> Iterator[CallSite]:
    shown = {id(one) for one in shows.sites(facts)}
    for called, sites in facts.calls.items():
        if called not in KEEPS:
            yield from (one for one in sites if id(one) not in shown)


def _computed(facts: PythonFacts) -> Iterator[Read]:
    for node, place in facts.operations:
        for operand in (node.left, node.right) if not _shows(node) else ():
            yield Read(facts, place, operand)


def _shows(node: ast.BinOp) -> bool:
    """Return whether an operation is ``"..." % value``."""
    return isinstance(node.op, ast.Mod) and _word(node.left) is not None


def _splatted(facts: PythonFacts, shows: Shows) -> Iterator[Read]:
    for site in _doing(facts, shows):
        for keyword in site.node.keywords:
            if keyword.arg is None:
                yield Read(facts, site.place, keyword.value, site.node, whole=True)
    for node, place in facts.operations:
        if _shows(node) and _FORMATTED_KEY.search(_word(node.left) or ""):
            yield Read(facts, place, node.right, whole=True)


_FORMATTED_KEY = re.compile(r"%\(\w+\)[^a-z%]*[a-qt-z]")
"""A key in ``%`` formatting that has to be a number: ``%(n)d``, not ``%(n)s``."""


def _gone_through(facts: PythonFacts, shows: Shows) -> Iterator[Read]:
    """Yield the dictionaries whose values a loop or comprehension computes with, or gives to calls."""
    used: set[int] | None = None
    for scope in facts.scopes.values():
        for iterable, node, place in scope.iterations:
            called = iterable.func if isinstance(iterable, ast.Call) and not iterable.args else None
            if not isinstance(called, ast.Attribute) or called.attr not in ("items", "values"):
                continue
            if used is None:
                used = {id(read.node) for read in (*_given(facts, shows), *_computed(facts))}
            names = {one.id for target in _targets(node) for one in ast.walk(target) if isinstance(one, ast.Name)}
            inside = (one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in names)
            if any(id(one) in used for one in inside):
                yield Read(facts, place, called.value, whole=True)


def _targets(node: ast.AST) -> Iterable[ast.expr]:
    """Return what the turns of a loop or comprehension bind values to: of a key and a value, the value."""
    loops = [node] if isinstance(node, ast.For | ast.AsyncFor) else getattr(node, "generators", [])
    return [
        one.target.elts[-1] if isinstance(one.target, ast.Tuple) and one.target.elts else one.target for one in loops
    ]
