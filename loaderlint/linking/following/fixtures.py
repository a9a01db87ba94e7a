"""What pytest's fixtures give the parameters of tests and of other fixtures (its "Fixtures reference").

A name is looked for from the test: in its classes and their bases, its file, then the ``conftest.py`` of its folder and
of those above. A fixture that asks for another by name gets what the test would get; for its own name it gets the one
that it replaces. All that ask for one in a test get the same object, and any of them may change it.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.files.parametrized import Parametrized
from loaderlint.linking.files.search_path import upwards
from loaderlint.linking.following import functions, hierarchy
from loaderlint.linking.following import parametrized as parameters_given
from loaderlint.linking.things.classes import class_of, is_receiver, lineage, owner_of
from loaderlint.linking.things.kinds import (
    External,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Row,
    Settings,
    end_of,
)
from loaderlint.linking.things.made_calls import in_tests
from loaderlint.linking.things.possibilities import one_of, unseen
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, default_of, parameters
from loaderlint.readers.python_calls import called_name, keywords, without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_FIXTURE = "pytest.fixture"
_ASKS_BY_NAME = "getfixturevalue"
"""The method of ``request`` that gives a test or fixture what it names in a call."""
_ANY_NAME = "*"
_COPIES_ALL = ("deepcopy", "copy")
"""Names of what copies a thing with all that is in it, the second of them only what OmegaConf makes."""
_DEEPEST = 8
"""Fixtures that ask for each other; what is further away is unseen."""


class _Fixture(NamedTuple):
    """A function that gives what stands for its name; ``options`` are those that its decorator is given."""

    facts: PythonFacts
    scope: Scope
    node: FunctionNode
    decorator: ast.expr
    options: Mapping[str, ast.expr]


class _Asking(NamedTuple):
    """A test, or a fixture of which the test is not known, and where the fixtures that it asks for are looked for."""

    facts: PythonFacts
    scope: Scope
    holders: tuple[tuple[PythonFacts, Scope], ...]

    @property
    def frame(self) -> Frame:
        """Where its body is read."""
        return Frame(self.facts, end_of(self.scope))


def given_to(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities | None:
    """Return what a fixture gives a parameter of a test or of a fixture, None where no fixture is seen to."""
    scope, function = frame.scope, frame.scope.node
    if not in_tests(frame.facts.source.path) or not isinstance(function, FunctionNode):
        return None
    if default_of(function, node.arg) is not None or node in (function.args.vararg, function.args.kwarg):
        return None
    own = _fixture(evaluator, frame.facts, scope)
    if own is None and not _is_test(scope):
        return None
    holders = tuple(_holders(evaluator, frame.facts, scope.parent))
    asking = _Asking(frame.facts, scope, holders)
    given = _asked_for(evaluator, node.arg, asking, own, 0)
    if given is None:
        return None
    if own is not None and node.arg != "request" and _is_given_otherwise(evaluator, node.arg, frame.facts.source.path):
        others = unseen(frame.facts.span(node))
        given = (*given, *others) if _is_ever_given(evaluator, node.arg, own, holders) else others
    return tuple(one.step(frame.facts.span(node), f"{scope.name}({node.arg}=…)") for one in given)


def _is_test(scope: Scope) -> bool:
    inside = scope.parent is not None and (scope.parent.parent is None or scope.parent.name.startswith("Test"))
    return inside and scope.name.startswith("test")


def _holders(evaluator: Evaluator, facts: PythonFacts, around: Scope | None) -> Iterator[tuple[PythonFacts, Scope]]:
    """Yield the scopes whose fixtures can be asked for right inside a class or file, the nearest first."""
    while around is not None:
        owner = class_of(facts, around)
        yield from ((one.facts, one.scope) for one in lineage(evaluator, owner)) if owner else ((facts, around),)
        around = around.parent
    for folder in upwards(posixpath.dirname(facts.source.path)):
        path = posixpath.join(folder, "conftest.py")
        above = evaluator.project.python(path) if path != facts.source.path else None
        if above is not None:
            yield above, above.module


def _asked_for(
    evaluator: Evaluator, name: str, asking: _Asking, by: _Fixture | None, depth: int
) -> Possibilities | None:
    """Return what a test, or a fixture for it, gets for the name of a fixture; None where there is no such fixture."""
    if by is not None and name == "request":
        return _request(evaluator, by)
    parameter = ast.arg(name)
    if by is None or depth:
        given = parameters_given.given_to(evaluator, parameter, asking.frame)
        if given is not None:
            return given
        if _may_be_parametrized(name, asking):
            return unseen(asking.facts.span(asking.scope.node))
    several = _found(evaluator, name, asking.holders, by)
    if not several or depth > _DEEPEST:
        return None
    fixture, here = several[-1], asking.facts.span(asking.scope.node)
    if len(several) > 1 or _is_conditional(fixture) or _is_another_for_heirs(evaluator, name, fixture, asking, by):
        return unseen(here)
    key = ("fixture", id(fixture.node), id(asking.scope.node), depth)
    given = evaluator.remembered(key, None, partial(_given_by, evaluator, fixture, asking, depth))
    shared = not all(one.constant for one in given)
    # What OmegaConf makes is copied with all that is in it (``omegaconf/dictconfig.py``, ``DictConfig.__copy__``).
    whole = _COPIES_ALL if all(isinstance(one.thing, Settings) for one in given) else _COPIES_ALL[:1]
    return unseen(here) if shared and _may_be_changed(evaluator, name, fixture, asking, by, whole) else given


def _is_conditional(fixture: _Fixture) -> bool:
    """Return whether a fixture is defined under a condition, or in a ``try``."""
    return fixture.scope.defined is not None and bool(fixture.scope.defined.arms)


def _is_another_for_heirs(
    evaluator: Evaluator, name: str, fixture: _Fixture, asking: _Asking, by: _Fixture | None
) -> bool:
    """Return whether a test is run in a class that inherits it, too, and gets another fixture there."""
    owner = owner_of(asking.facts, asking.scope)
    heirs = hierarchy.family(evaluator, owner)[1:] if owner is not None else ()
    return any(
        [one.node for one in _found(evaluator, name, tuple(_holders(evaluator, heir.facts, heir.scope)), by)]
        != [fixture.node]
        for heir in heirs
    )


def _may_be_changed(
    evaluator: Evaluator, name: str, fixture: _Fixture, asking: _Asking, by: _Fixture | None, copies: Sequence[str]
) -> bool:
    """Return whether something else gets the object that a fixture gives, before: other tests, or other fixtures.

    ``copies`` are the names of what makes another object of it, of which nothing is the same.
    """
    in_play = list(_in_play(evaluator, asking))
    files = (*(facts for facts, _ in asking.holders), *(one.facts for one in in_play))
    # By a name that only a run shows, anybody there may get it.
    if any(_ASKS_BY_NAME in facts.source.text for facts in files):
        return True
    if _serves_several_tests(fixture):
        return not _is_only_copied(evaluator, name, fixture, copies)
    return any(
        one.node not in (fixture.node, by.node if by is not None else None)
        and any(each.arg == name for each in parameters(one.node))
        for one in in_play
    )


def _serves_several_tests(fixture: _Fixture) -> bool:
    scope = fixture.options.get("scope")
    return scope is not None and not (isinstance(scope, ast.Constant) and scope.value == "function")


def _is_only_copied(evaluator: Evaluator, name: str, fixture: _Fixture, copies: Sequence[str]) -> bool:
    """Return whether all tests and fixtures that may get what a fixture of a ``conftest.py`` gives only copy it."""
    folder, last = posixpath.split(fixture.facts.source.path)
    if last != "conftest.py":
        # Whoever imports it can be asked for it, too.
        return False
    below = (evaluator.project.python_in_passing(path) for path in _below(evaluator, folder))
    scopes = (scope.node for facts in below if facts is not None for scope in facts.scopes.values())
    takers = (
        one for one in scopes if isinstance(one, FunctionNode) and any(each.arg == name for each in parameters(one))
    )
    return all(_only_copies(one, name, copies) for one in takers)


def _only_copies(function: FunctionNode, name: str, copies: Sequence[str]) -> bool:
    """Return whether a function does nothing with a parameter but copy it: ``config.copy()``, ``deepcopy(config)``."""
    copied = {
        id(one)
        for call in nodes_of(function)
        if isinstance(call, ast.Call) and called_name(call) in copies
        for one in (call.func.value if isinstance(call.func, ast.Attribute) else None, *call.args)
    }
    return all(id(one) in copied for one in nodes_of(function) if isinstance(one, ast.Name) and one.id == name)


def _in_play(evaluator: Evaluator, asking: _Asking) -> Iterator[_Fixture]:
    """Yield the fixtures that run for a test, as far as they are known by their names; for a fixture's tests, any."""
    visible: dict[str, list[_Fixture]] = {}
    for facts, holder in asking.holders:
        for name, several in _defined(evaluator, facts, holder).items():
            visible.setdefault(name, []).extend(several)
    named = any("usefixtures" in facts.source.text for facts, _ in asking.holders)
    if named or not _is_test(asking.scope) or not isinstance(asking.scope.node, FunctionNode):
        waiting = list(visible)
    else:
        waiting = [one.arg for one in parameters(asking.scope.node)]
        waiting += [name for name, several in visible.items() if any("autouse" in one.options for one in several)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        for one in visible.get(name, ()) if name not in seen else ():
            yield one
            waiting.extend(each.arg for each in parameters(one.node))
        seen.add(name)


def _request(evaluator: Evaluator, fixture: _Fixture) -> Possibilities:
    """Return the object that tells a fixture which of its parameters a test runs with."""
    here, where = fixture.facts.span(fixture.decorator), _around(fixture)
    values = fixture.options.get("params")
    entries: dict[str, Possibilities] = {}
    if values is not None and isinstance(fixture.decorator, ast.Call):
        rows = Parametrized(fixture.decorator, ("param",), values)
        entries["param"] = parameters_given.in_each_call(evaluator, rows, 0, where)
    return (Possibility(Items(entries, complete=False), here),)


def _given_by(evaluator: Evaluator, fixture: _Fixture, asking: _Asking, depth: int) -> Possibilities:
    """Return what a fixture returns, or yields, for one test."""
    arguments: dict[str, Possibilities] = {}
    in_class = owner_of(fixture.facts, fixture.scope) is not None
    for one in parameters(fixture.node):
        if default_of(fixture.node, one.arg) is None and not (in_class and is_receiver(fixture.node, one)):
            given = _asked_for(evaluator, one.arg, asking, fixture, depth + 1)
            arguments[one.arg] = given or unseen(fixture.facts.span(one))
    frame = Frame(fixture.facts, end_of(fixture.scope), arguments, depth=1)
    here = fixture.facts.span(fixture.node)
    if isinstance(fixture.node, ast.AsyncFunctionDef) or len(fixture.node.decorator_list) > 1:
        return unseen(here)
    if not fixture.scope.yielded:
        return functions.returned_by(evaluator, Function(fixture.facts, fixture.node, fixture.scope), frame)
    ways = [
        (number, evaluator.evaluate(one.value, frame.at(place)) if one.value is not None else unseen(here))
        for number, (one, place) in enumerate(fixture.scope.yielded)
        if isinstance(one, ast.Yield)
    ]
    return one_of(f"what is yielded by {here}", ways) or unseen(here)


def _found(
    evaluator: Evaluator, name: str, holders: Sequence[tuple[PythonFacts, Scope]], by: _Fixture | None
) -> Sequence[_Fixture]:
    """Return the nearest fixtures of a name, of which one is meant; to one that asks for its own, those it replaces."""
    every = (_defined(evaluator, facts, holder).get(name) for facts, holder in holders)
    found = [one for one in every if one is not None]
    own = [
        place for place, several in enumerate(found) if by is not None and any(one.node is by.node for one in several)
    ]
    return next(iter(found[own[0] + 1 :] if own else found), ())


def _defined(evaluator: Evaluator, facts: PythonFacts, holder: Scope) -> Mapping[str, Sequence[_Fixture]]:
    """Return the fixtures that a class or file defines or imports, by their names."""
    nothing: Mapping[str, Sequence[_Fixture]] = {}

    def defined() -> Mapping[str, Sequence[_Fixture]]:
        found: dict[str, list[_Fixture]] = {}
        for name, fixture in _named_in(evaluator, facts, holder):
            found.setdefault(name, []).append(fixture)
        return found

    return evaluator.once(("fixtures in", id(holder)), nothing, defined)


def _named_in(evaluator: Evaluator, facts: PythonFacts, holder: Scope) -> Iterator[tuple[str, _Fixture]]:
    for name, bindings in holder.bindings.items():
        if any(one.kind == "import" for one in bindings) and holder is facts.module:
            where = Frame(facts, end_of(holder))
            for one in evaluator.bound(name, where, None, facts.span(bindings[0].node)):
                if isinstance(one.thing, Function):
                    yield from _named_as(evaluator, one.thing.facts, one.thing.scope)
    for scope in holder.children:
        yield from _named_as(evaluator, facts, scope)


def _named_as(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Iterator[tuple[str, _Fixture]]:
    """Yield a scope that is a fixture, with the name that others ask for it by."""
    fixture = _fixture(evaluator, facts, scope)
    called = fixture.options.get("name") if fixture is not None else None
    if fixture is not None and (called is None or isinstance(called, ast.Constant)):
        yield scope.name if called is None else str(called.value), fixture


def _fixture(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> _Fixture | None:
    if not isinstance(scope.node, FunctionNode) or scope.parent is None:
        return None
    for decorator in scope.node.decorator_list:
        options = keywords(decorator) if isinstance(decorator, ast.Call) else {}
        where = Frame(facts, scope.defined or end_of(scope.parent))
        made = evaluator.evaluate(without_arguments(decorator), where)
        if made and all(isinstance(one.thing, External) and one.thing.name == _FIXTURE for one in made):
            return _Fixture(facts, scope, scope.node, decorator, options)
    return None


def _around(fixture: _Fixture) -> Frame:
    assert fixture.scope.parent is not None
    return Frame(fixture.facts, fixture.scope.defined or end_of(fixture.scope.parent))


def _may_be_parametrized(name: str, asking: _Asking) -> bool:
    """Return whether a test may get values for a name, or a fixture of that name values for it, that are not followed.

    They are handed to the fixture (``indirect=``), given to all tests of a file or class, or made by a hook.
    """
    scope: Scope | None = asking.scope
    while scope is not None:
        node = scope.node
        decorators: Sequence[ast.expr] = node.decorator_list if isinstance(node, FunctionNode | ast.ClassDef) else ()
        if any(_may_give(one, name) for one in decorators):
            return True
        scope = scope.parent
    marked = (one.value for _, holder in asking.holders for one in holder.bindings.get("pytestmark", ()))
    hooked = any("pytest_generate_tests" in holder.bindings for _, holder in asking.holders)
    return hooked or any(_may_give(each, name) for one in marked if one is not None for each in ast.walk(one))


def _may_give(node: ast.AST, name: str) -> bool:
    """Return whether an expression says that a test is run with values for a name, or may say so."""
    if not isinstance(node, ast.Call) or called_name(node) != "parametrize" or not node.args:
        return isinstance(node, ast.Call) and called_name(node) == "parametrize"
    words = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
    written = all(isinstance(one, ast.Constant | ast.Tuple | ast.List | ast.Load) for one in ast.walk(node.args[0]))
    return not written or name in {part.strip() for word in words for part in str(word).split(",")}


def _is_given_otherwise(evaluator: Evaluator, name: str, path: str) -> bool:
    """Return whether some test may get another thing for a name than a fixture of a file gets where it stands."""
    names = evaluator.once(
        ("names in tests", path), frozenset[str](), lambda: frozenset(_names_in_tests(evaluator, path))
    )
    return name in names or _ANY_NAME in names


def _is_ever_given(
    evaluator: Evaluator, name: str, own: _Fixture, holders: tuple[tuple[PythonFacts, Scope], ...]
) -> bool:
    """Return whether a test that a fixture runs for leaves it what it gets for a name where it stands.

    Where no test is seen, one that is not may leave it that.
    """
    path = own.facts.source.path
    meant = [one.node for one in _found(evaluator, name, holders, own)]

    def leaves(test: _Asking) -> bool:
        nearest = [one.node for one in _found(evaluator, name, test.holders, own)]
        return nearest == meant and not _may_be_parametrized(name, test)

    def is_given() -> bool:
        tests = list(_tests_of(evaluator, own, path))
        return not tests or any(map(leaves, tests))

    return evaluator.once(("is ever given", id(own.node), name), True, is_given)


def _tests_of(evaluator: Evaluator, own: _Fixture, path: str) -> Iterator[_Asking]:
    """Yield the tests that a fixture may run for, of those that can ask for the fixtures of its file."""
    folder, last = posixpath.split(path)
    for each in _below(evaluator, folder) if last == "conftest.py" else [path]:
        facts = evaluator.project.python(each)
        for scope in facts.scopes.values() if facts is not None else ():
            if facts is not None and isinstance(scope.node, FunctionNode) and _is_test(scope):
                test = _Asking(facts, scope, tuple(_holders(evaluator, facts, scope.parent)))
                asks_by_name = _ASKS_BY_NAME in facts.source.text
                if asks_by_name or any(one.node is own.node for one in _in_play(evaluator, test)):
                    yield test


def _names_in_tests(evaluator: Evaluator, path: str) -> Iterator[str]:
    """Yield the names that ``parametrize`` gives values in files that can ask for the fixtures of one.

    Those of decorated functions that several of these files define are among them, as any decorator may make a fixture.
    """
    folder, last = posixpath.split(path)
    defined: set[str] = set()
    for each in _below(evaluator, folder) if last == "conftest.py" else [path]:
        facts = evaluator.project.python(each)
        if facts is None:
            continue
        for site in facts.calls.get("parametrize", ()):
            yield from _parametrized(evaluator, facts, site)
        names = [name for scope in facts.scopes.values() for name in _names_decorated(scope)]
        yield from (name for place, name in enumerate(names) if name in defined or name in names[:place])
        defined.update(names)


def _parametrized(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> Iterator[str]:
    """Yield the names that a call of ``parametrize`` gives values, ``_ANY_NAME`` where they are not all seen."""
    names = site.node.args[0] if site.node.args else keywords(site.node).get("argnames")
    ways = evaluator.evaluate(names, Frame(facts, site.place)) if names is not None else ()
    if not ways:
        yield _ANY_NAME
    for way in ways:
        cells = [cell for item in way.thing.items for cell in item] if isinstance(way.thing, Row) else [way]
        for cell in cells:
            yield from (part.strip() for part in cell.thing.split(",")) if isinstance(cell.thing, str) else (_ANY_NAME,)


def _names_decorated(scope: Scope) -> Iterator[str]:
    """Yield what others may ask for a decorated function by: its name, and what a decorator calls it (``name=``)."""
    if isinstance(scope.node, FunctionNode) and scope.node.decorator_list:
        yield scope.name
        for one in scope.node.decorator_list:
            called = keywords(one).get("name") if isinstance(one, ast.Call) else None
            if isinstance(called, ast.Constant):
                yield str(called.value)


def _below(evaluator: Evaluator, folder: str) -> Iterator[str]:
    """Yield the Python files in a folder and in those below it."""
    project = evaluator.project
    yield from (posixpath.join(folder, name) for name in project.folder(folder) if name.endswith(".py"))
    for name in project.folders_in(folder):
        yield from _below(evaluator, posixpath.join(folder, name))
