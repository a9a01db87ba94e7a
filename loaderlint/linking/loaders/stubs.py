"""Tests that put something of their own in a loader's place: what they hand over makes no loader of torch's.

``monkeypatch.setattr(module, "DataLoader", Stub)`` and ``setattr("package.module.DataLoader", Stub)`` of pytest ("How
to monkeypatch"), ``mock.patch("package.module.DataLoader")`` and ``mock.patch.object(module, "DataLoader")`` of
``unittest.mock``, as a decorator, a context or a call. What is replaced is a name of the module that makes the loader,
or the library's own where that module asks the library for it whenever it makes one.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.loaders.loader_classes import library_base
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things.kinds import Class, External, Frame, Module
from loaderlint.linking.things.made_calls import in_tests
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Value
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name, keywords, without_arguments
from loaderlint.vocabulary.callables import LOADER_CALLABLES, LOADER_NAMES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Stub(Struct, frozen=True):
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
                yield from (Stub(*target, around) for around in _around(evaluator, facts, site))


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


def _around(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> Iterator[Span]:
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
    if _fixture_decorator(function.node) is not None:
        for one in _given_fixtures_of(evaluator, facts):
            yield from _asking(one, facts, function, function.node)


def _given_fixtures_of(evaluator: Evaluator, facts: PythonFacts) -> Iterator[PythonFacts]:
    """Yield the files whose tests can ask for a fixture of a file: itself, those below the folder of a ``conftest.py``.

    "conftest.py: sharing fixtures across multiple files" (pytest, "Fixtures reference").
    """
    folder, name = posixpath.split(facts.source.path)
    yield facts
    if name == "conftest.py":
        below = f"{folder}/" if folder else ""
        every = (one for one in evaluator.project.all_python() if one is not facts)
        yield from (one for one in every if one.source.path.startswith(below) and in_tests(one.source.path))


def _asking(facts: PythonFacts, of: PythonFacts, fixture: Scope, node: FunctionNode) -> Iterator[Span]:
    """Yield the functions of a file that get a fixture, by its name or since each test does that can ask for it.

    One that the file has itself takes the place of one of the same name in a ``conftest.py``.
    """
    if facts is not of and fixture.name in facts.module.bindings:
        return
    for_all = _is_on(_options_of(node).get("autouse"))
    names = _leading_to(fixture.name, (facts, of))
    marked = any(_uses(one.value, names) for one in facts.module.bindings.get("pytestmark", ()))
    around = fixture.parent if fixture.parent is not None and fixture.parent.is_class else facts.module
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode) and (
            ((for_all or marked) and around in _scopes_around(scope)) or _asks_for(scope, names)
        ):
            yield facts.span(scope.node)


def _leading_to(name: str, files: Iterable[PythonFacts]) -> frozenset[str]:
    """Return the name of a fixture with those of the fixtures that ask for it."""
    asked = {
        scope.name: {one.arg for one in parameters(scope.node)}
        for facts in files
        for scope in facts.scopes.values()
        if isinstance(scope.node, FunctionNode) and _fixture_decorator(scope.node) is not None
    }
    names = {name}
    while further := {one for one, wanted in asked.items() if one not in names and wanted & names}:
        names |= further
    return frozenset(names)


def _asks_for(scope: Scope, names: Set[str]) -> bool:
    """Return whether a function names a fixture: as a parameter, or in a mark above it or its classes."""
    if isinstance(scope.node, FunctionNode) and any(one.arg in names for one in parameters(scope.node)):
        return True
    return any(
        _uses(mark, names)
        for one in _scopes_around(scope)
        if isinstance(one.node, FunctionNode | ast.ClassDef)
        for mark in one.node.decorator_list
    )


def _scopes_around(scope: Scope) -> Iterator[Scope]:
    around: Scope | None = scope
    while around is not None:
        yield around
        around = around.parent


def _uses(mark: ast.expr | None, names: Set[str]) -> bool:
    """Return whether ``pytest.mark.usefixtures("name")`` stands in an expression."""
    calls = [one for one in nodes_of(mark) if isinstance(one, ast.Call)] if mark is not None else []
    asked = (one for call in calls if called_name(call) == "usefixtures" for one in call.args)
    return any(isinstance(one, ast.Constant) and one.value in names for one in asked)


def _fixture_decorator(function: FunctionNode) -> ast.expr | None:
    named = ((one, dotted(without_arguments(one)) or "") for one in function.decorator_list)
    return next((one for one, name in named if name.rpartition(".")[2] == "fixture"), None)


def _options_of(fixture: FunctionNode) -> Mapping[str, ast.expr]:
    decorator = _fixture_decorator(fixture)
    return keywords(decorator) if isinstance(decorator, ast.Call) else {}


def _is_on(option: ast.expr | None) -> bool:
    return isinstance(option, ast.Constant) and option.value is True
