"""Functions that somebody calls by a name written where nobody follows it: users, installed commands, pytest."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Function, Module, Thing
from loaderlint.linking.things.made_calls import in_tests
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import ANY_GLOBAL, CallSite, PythonFacts
from loaderlint.readers.python_bindings import is_own_module
from loaderlint.readers.python_calls import keywords
from loaderlint.vocabulary.commandlines import CALLED_BY_THE_USER, RUNS_MODULES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES_HERE = frozenset({"globals", "locals", "vars"})
"""Builtins that give, without an argument, the names of where they are called."""
_TEST = "test_"
"""What pytest calls begins with this (its documentation, "Conventions for Python test discovery")."""


def may_be_called(evaluator: Evaluator, function: Function) -> bool:
    """Return whether something that is no call by the name of a function may call it.

    pytest calls the functions that are named for it, an installed command that of its entry point; what a file looks up
    among its own names by one that is not written there may be any function of the file.
    """
    path, name = function.facts.source.path, function.scope.name
    if in_tests(path) and name.startswith(_TEST):
        return True
    if (path, name) in evaluator.project.entry_points:
        return True
    return path in evaluator.once(("looked into",), frozenset[str](), lambda: frozenset(_looked_into(evaluator)))


def that_may_give(
    evaluator: Evaluator, calls: Iterable[tuple[PythonFacts, CallSite]], name: str
) -> Iterator[tuple[PythonFacts, CallSite]]:
    """Yield those of some calls of what ``getattr`` finds that may find something of the project by a name.

    By which name they ask need not be followed for the others, which may take longer than all else.
    """
    for facts, site in calls:
        frame = Frame(facts, site.place)
        with evaluator.steps(MOST_STEPS_OF_A_HOLDER):
            holders = [
                one.thing for holder in _asked(site.node.func, frame) for one in evaluator.evaluate(holder, frame)
            ]
        if not holders or any(_may_hold(one, name) for one in holders):
            yield facts, site


MOST_STEPS_OF_A_HOLDER = 60
"""Expressions followed to find out what ``getattr`` looks into."""


def _asked(callee: ast.expr, frame: Frame) -> Iterator[ast.expr]:
    """Yield what ``getattr`` looks into for a callee, all of it or nothing."""
    named = frame.scope.bindings.get(callee.id, ()) if isinstance(callee, ast.Name) else ()
    found: list[ast.expr] = []
    for one in [binding.value for binding in named] or [callee]:
        match one:
            case ast.Call(ast.Name("getattr"), [holder, _, *_]):
                found.append(holder)
            case _:
                return
    yield from found


def _may_hold(thing: Thing, name: str) -> bool:
    """Return whether something may have a function or class of the project of this name."""
    if isinstance(thing, Module):
        text = thing.facts.source.text
        return not {name, ANY_GLOBAL}.isdisjoint(_held(thing.facts)) or "import *" in text or "__getattr__" in text
    return not isinstance(thing, External)


@lru_cache(maxsize=1 << 10)
def _held(facts: PythonFacts) -> frozenset[str]:
    """Return the names that a module binds, and those of what it binds them to: ``from nets import make as build``."""
    every = [one for named in facts.module.bindings.values() for one in named]
    values = (node for one in every if one.value is not None for node in nodes_of(one.value))
    written = {node.id if isinstance(node, ast.Name) else node.attr for node in values if isinstance(node, _NAMES)}
    return frozenset({*facts.module.bindings, *(one.target.rpartition(".")[2] for one in every), *written})


_NAMES = (ast.Name, ast.Attribute)


def _looked_into(evaluator: Evaluator) -> Iterator[str]:
    """Yield the paths of the files whose functions are called by names that are not written there."""
    for last in RUNS_MODULES:
        for facts, site in evaluator.callers.sites(last):
            if not site.node.args and "component" not in keywords(site.node):
                found = evaluator.evaluate(site.node.func, Frame(facts, site.place))
                if any(isinstance(one.thing, External) and one.thing.name in CALLED_BY_THE_USER[last] for one in found):
                    yield facts.source.path
    for facts in evaluator.project.all_python():
        callees = [site.node.func for site in facts.calls.get("", ())]
        if any(map(_is_evaluated, callees)) or any(map(_looks_up, (*callees, *_bound_to_callees(facts)))):
            yield facts.source.path


def _bound_to_callees(facts: PythonFacts) -> Iterator[ast.expr]:
    """Yield what is bound to the names that a file calls."""
    for scope in facts.scopes.values():
        for name in scope.bindings.keys() & facts.calls.keys():
            yield from (one.value for one in scope.bindings[name] if one.value is not None)


def _is_evaluated(callee: ast.expr) -> bool:
    """Return whether a callee is what a text stands for that is not written there."""
    match callee:
        case ast.Call(ast.Name("eval"), [text, *_]):
            return not isinstance(text, ast.Constant)
    return False


def _looks_up(callee: ast.expr) -> bool:
    """Return whether an expression takes something out of its own file by a name that is not written there."""
    match callee:
        case (
            ast.Call(ast.Name("getattr"), [holder, asked, *_])
            | ast.Call(ast.Attribute(holder, "get"), [asked, *_])
            | ast.Subscript(holder, asked)
        ):
            return _is_here(holder) and not isinstance(asked, ast.Constant)
    return False


def _is_here(holder: ast.expr) -> bool:
    """Return whether an expression holds the names of its own file: ``globals()``, ``sys.modules[__name__]``."""
    match holder:
        case ast.Call(ast.Name(name), []):
            return name in _NAMES_HERE
    return is_own_module(holder)
