"""Tests that put something of their own in a loader's place: what they hand over makes no loader of torch's.

``monkeypatch.setattr(module, "DataLoader", Stub)`` and ``setattr("package.module.DataLoader", Stub)`` of pytest ("How
to monkeypatch"), ``mock.patch("package.module.DataLoader")`` and ``mock.patch.object(module, "DataLoader")`` of
``unittest.mock``, as a decorator, a context or a call. What is replaced is a name of the module that makes the loader,
or the library's own where that module asks the library for it whenever it makes one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loaderlint.linking.loaders.loader_classes import library_base
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things.kinds import Class, External, Frame, Module
from loaderlint.linking.things.made_calls import in_tests
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, dotted, parameters
from loaderlint.readers.python_calls import called_name, keywords, without_arguments
from loaderlint.vocabulary.callables import LOADER_CALLABLES, LOADER_NAMES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


@dataclass(frozen=True)
class Stub:
    """A name that a test replaces, and where that holds.

    ``module`` is the path of a module of the project, or the dotted name of a library's.
    """

    module: str
    name: str
    holds: Span


def without_stubbed(evaluator: Evaluator, site: PythonSite, value: Value) -> Value:
    """Return the value of an option without what comes from tests in which the call makes no loader."""
    called = dotted(site.call.func) or ""
    names = {called.partition(".")[0], called.rpartition(".")[2]}
    within = [one.holds for name in sorted(names) for one in _stubs_of(evaluator, name) if _replaces(one, site)]
    if not within:
        return value
    return replace(value, candidates=tuple(one for one in value.candidates if not _comes_from(one, within)))


def _comes_from(candidate: Candidate, within: list[Span]) -> bool:
    return any(around.holds(place) for around in within for place in candidate.places)


def _replaces(stub: Stub, site: PythonSite) -> bool:
    """Return whether what a call calls is replaced: the first of its names in its own module, or the library's last."""
    called = dotted(site.call.func) or ""
    if stub.module == site.frame.facts.source.path:
        return called.partition(".")[0] == stub.name
    return "." in called and f"{stub.module}.{stub.name}" == site.callee


def _stubs_of(evaluator: Evaluator, name: str) -> tuple[Stub, ...]:
    """Return where tests replace a name, whichever module's it is."""
    return evaluator.once(("stubs", name), tuple[Stub, ...](), lambda: tuple(_stubs(evaluator, name)))


def _stubs(evaluator: Evaluator, wanted: str) -> Iterator[Stub]:
    for facts in evaluator.project.all_python():
        if not in_tests(facts.source.path):
            continue
        for site in (one for called in ("setattr", "patch", "object") for one in facts.calls.get(called, ())):
            texts = (one.value for one in site.node.args[:2] if isinstance(one, ast.Constant))
            if not any(isinstance(text, str) and text.rpartition(".")[2] == wanted for text in texts):
                continue
            target = _target(evaluator, Frame(facts, site.place), site.node)
            if target is not None:
                yield from (Stub(*target, around) for around in _around(facts, site))


def _target(evaluator: Evaluator, frame: Frame, call: ast.Call) -> tuple[str, str] | None:
    """Return the module and the name that a call replaces by what makes no loader; None where it does neither."""
    of_object = called_name(call) == "object"
    if of_object and not (dotted(call.func) or "").endswith("patch.object"):
        return None
    match call.args:
        case [ast.Constant(str(path)), *given] if not of_object:
            module, _, name = path.rpartition(".")
            found = evaluator.project.module(module, frame.facts.source.path) or module
        case [owner, ast.Constant(str(name)), *given]:
            found = _module(evaluator, owner, frame)
        case _:
            return None
    new = given[0] if given else keywords(call).get("new", keywords(call).get("side_effect"))
    spies = "wraps" in keywords(call) or (new is not None and _may_make_loaders(evaluator, new, frame))
    return None if spies or not found else (found, name)


def _module(evaluator: Evaluator, owner: ast.expr, frame: Frame) -> str:
    """Return the path of the project's module that an expression is, the dotted name of a library's, else nothing."""
    for one in evaluator.evaluate(owner, frame):
        if isinstance(one.thing, Module):
            return one.thing.facts.source.path
        if isinstance(one.thing, External):
            return one.thing.name
    return ""


def _may_make_loaders(evaluator: Evaluator, new: ast.expr, frame: Frame) -> bool:
    """Return whether what takes a loader's place may be one, or make one of what it is handed."""
    things = [one.thing for one in evaluator.evaluate(new, frame)]
    classes = [one for one in things if isinstance(one, Class)]
    if any(library_base(evaluator, one) is not None for one in classes):
        return True
    if any(isinstance(one, External) and one.name in LOADER_CALLABLES for one in things):
        return True
    made = [getattr(one, "node", None) for one in things if not isinstance(one, Class)]
    return any(_hands_on(node) for node in (new, *made) if isinstance(node, ast.AST))


def _hands_on(node: ast.AST) -> bool:
    """Return whether code may hand on what it is given, ``real(*args, **kwargs)``, or makes a loader itself."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    by_position = any(isinstance(argument, ast.Starred) for call in calls for argument in call.args)
    by_name = any(one.arg is None and called_name(call) != "update" for call in calls for one in call.keywords)
    return by_position or by_name or any(called_name(call) in LOADER_NAMES for call in calls)


def _around(facts: PythonFacts, site: CallSite) -> Iterator[Span]:
    """Yield where a replacement holds: in what it decorates, its block or test, or the tests that ask for a fixture."""
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode | ast.ClassDef) and site.node in scope.node.decorator_list:
            yield facts.span(scope.node)
            return
    for block in facts.blocks:
        if isinstance(block, ast.With) and any(one.context_expr is site.node for one in block.items):
            yield facts.span(block)
            return
    function = site.place.scope
    if not isinstance(function.node, FunctionNode):
        yield facts.span(facts.tree) if function is facts.module else facts.span(function.node)
        return
    yield facts.span(function.node)
    named = [without_arguments(one) for one in function.node.decorator_list]
    if any((dotted(one) or "").rpartition(".")[2] == "fixture" for one in named):
        yield from _asking(facts, function.node)


def _asking(facts: PythonFacts, fixture: FunctionNode) -> Iterator[Span]:
    """Yield the functions of a file that ask for a fixture of it by its name; all of them where each test gets it."""
    options = (keywords(one) for one in fixture.decorator_list if isinstance(one, ast.Call))
    for_all = any(isinstance(one := given.get("autouse"), ast.Constant) and one.value is True for given in options)
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode) and (
            for_all or any(one.arg == fixture.name for one in parameters(scope.node))
        ):
            yield facts.span(scope.node)
