"""What a program changes after its modules were imported, and its workers read: a forked worker alone has that.

A worker that is started anew imports the modules again and finds what their top level leaves, which is something else
where that was drawn or asked of the clock.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.guards import guarded_place
from loaderlint.linking.names import MUTATIONS
from loaderlint.linking.running import shortened
from loaderlint.linking.things import Function
from loaderlint.model.payload import Touch
from loaderlint.model.process_state import READ_BY_WORKERS
from loaderlint.readers.python import CallSite, Place, PythonFacts, Scope, dotted
from loaderlint.vocabulary.running import DIFFERENT_IN_EACH_PROCESS, DRAWS, LOOKS, PROCESS_DEFAULTS

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


class _Global(NamedTuple):
    """A name at the top level of a file, by the path of the file."""

    path: str
    name: str


_OF_THE_PROCESS = _Global("", "")
"""What all code of a process shares, such as the default type of tensors."""


def left_behind(evaluator: Evaluator, running: Sequence[Function]) -> Touch | None:
    """Return where a program changes what functions read that run in workers; None where that was not seen."""

    def changed() -> Mapping[_Global, list[Touch]]:
        found: dict[_Global, list[Touch]] = {}
        for meant, touch in _changed(evaluator):
            found.setdefault(meant, []).append(touch)
        return found

    by_name = evaluator.remembered(("changed after import",), None, changed)
    if not by_name or not running:
        return None
    read = {_OF_THE_PROCESS, *(meant for function in running for meant in _read(evaluator, function))}
    own = [function.facts.span(function.node) for function in running if not isinstance(function.node, ast.Lambda)]
    touches = (touch for meant in read for touch in by_name.get(meant, ()))
    return min((one for one in touches if not any(span.holds(one.span) for span in own)), key=_place, default=None)


def _place(touch: Touch) -> tuple[str, tuple[int, int]]:
    return touch.span.path, touch.span.start


def _changed(evaluator: Evaluator) -> Iterator[tuple[_Global, Touch]]:
    """Yield what functions of the project, and what stands under its guards, change of the top level of modules.

    A method that is called on an object may change it, unless it is known to look alone.
    """
    for facts in evaluator.project.all_python():
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                for one in bindings if _is_outside(facts, scope, name) else ():
                    if one.kind == "import" and scope is not facts.module and name not in scope.outer_names:
                        continue
                    later = one.inner is not None or _is_later(evaluator, facts, one.node, one.place)
                    if isinstance(one.node, ast.stmt | ast.expr) and later:
                        touch = _touch(facts, one.node)
                        yield from ((meant, touch) for meant in _meant(evaluator, facts, scope, name))
                        if _full_name(scope, name).startswith(READ_BY_WORKERS):
                            yield _OF_THE_PROCESS, touch
            for site in scope.calls:
                yield from _changed_by_call(evaluator, facts, site)
        yield from _drawn(facts)


def _changed_by_call(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> Iterator[tuple[_Global, Touch]]:
    name = dotted(site.node.func) or ""
    owner, _, method = name.rpartition(".")
    first = name.partition(".")[0]
    found: list[_Global] = []
    full = _full_name(site.place.scope, name)
    if full.startswith((*PROCESS_DEFAULTS, *READ_BY_WORKERS)) and full not in _LOOKED_UP:
        found.append(_OF_THE_PROCESS)
    if owner and method not in LOOKS and _reaches_top(site.place.scope, first):
        meant = _meant(evaluator, facts, site.place.scope, owner)
        # What is imported is another file's, and a function or class is none that a call on it changes.
        found.extend(one for one in meant if one.path != facts.source.path or _is_object(facts, first))
    if found and _is_later(evaluator, facts, site.node, site.place):
        touch = _touch(facts, site.node)
        yield from ((one, touch) for one in found)


_LOOKED_UP = frozenset({"importlib.import_module"})
"""What most programs call to look a class up that they make."""


def _touch(facts: PythonFacts, node: ast.AST) -> Touch:
    return Touch(facts.span(node), shortened(facts.text(node)))


def _is_later(evaluator: Evaluator, facts: PythonFacts, node: ast.AST, place: Place) -> bool:
    """Return whether something runs after the import of its file: in a function, or in the main process alone."""
    return not _is_top(facts, place.scope) or guarded_place(evaluator, facts, node, place)


def _is_top(facts: PythonFacts, scope: Scope | None) -> bool:
    """Return whether a scope runs when its file is imported: that of the module, or of a class at its top level."""
    while scope is not None and scope.is_class:
        scope = scope.parent
    return scope is facts.module


def _is_object(facts: PythonFacts, first: str) -> bool:
    """Return whether a name at the top level of a file is an object's that was made there."""
    bindings = facts.module.bindings.get(first, ())
    return bool(bindings) and not any(one.kind in ("import", "function", "class") for one in bindings)


def _drawn(facts: PythonFacts) -> Iterator[tuple[_Global, Touch]]:
    """Yield what the top level of a file gives something else in each process that imports it."""
    seeded = any(
        "seed" in name and any(one.place.scope is facts.module for one in sites) for name, sites in facts.calls.items()
    )
    for site in facts.module.calls:
        full = _full_name(facts.module, dotted(site.node.func) or "")
        if not full.startswith(DIFFERENT_IN_EACH_PROCESS) and (seeded or not full.startswith(DRAWS)):
            continue
        touch = _touch(facts, site.node)
        for name, bindings in facts.module.bindings.items():
            values = (one.value for one in bindings if one.value is not None)
            if any(facts.span(value).holds(touch.span) for value in values):
                yield _Global(facts.source.path, name.partition(".")[0]), touch
        for handed in site.node.args:
            if isinstance(handed, ast.Name):
                yield _Global(facts.source.path, handed.id), touch


def _full_name(scope: Scope, name: str) -> str:
    """Return a dotted name with what an import makes its first part where a scope sees it."""
    first, dot, rest = name.partition(".")
    return next(_imported(scope, first), first) + dot + rest


def _imported(scope: Scope, first: str) -> Iterator[str]:
    """Yield what imports make of a name: those of a scope itself, or else of the nearest around it that has some."""
    around: Scope | None = scope
    while around is not None:
        targets = [one.target for one in around.bindings.get(first, ()) if one.kind == "import"]
        if targets:
            yield from targets
            return
        around = around.parent


def _is_outside(facts: PythonFacts, scope: Scope, name: str) -> bool:
    """Return whether what a scope binds under a name belongs to the top level: what it only changes in place."""
    if scope is facts.module:
        return True
    first = name.partition(".")[0]
    changing = "." in name or first in scope.outer_names or any(one.kind in MUTATIONS for one in scope.bindings[name])
    return changing and (_is_own_class(scope, first) or _reaches_top(scope, first))


def _is_own_class(scope: Scope, first: str) -> bool:
    """Return whether a name is that of a method's class: the first parameter of a class method."""
    return first == "cls" and scope.parent is not None and scope.parent.is_class


def _reaches_top(scope: Scope, first: str) -> bool:
    """Return whether a name in a scope is one of the top level, which no function around gives a value of its own."""
    around: Scope | None = scope
    while around is not None and around.parent is not None:
        own = around.bindings.get(first, ())
        if first not in around.outer_names and any(one.kind not in (*MUTATIONS, "import") for one in own):
            return False
        around = around.parent
    return True


def _meant(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str) -> Iterator[_Global]:
    """Yield the top-level name that a dotted name in a scope means: one of its file, or of a module that it imports."""
    first, _, rest = name.partition(".")
    path = facts.source.path
    if _is_own_class(scope, first) and scope.parent is not None:
        yield _Global(path, scope.parent.name)
        return
    for target in _imported(scope, first):
        module = evaluator.project.module(target, path)
        if module is not None and rest:
            yield _Global(module, rest.partition(".")[0])
        of = evaluator.project.module(target.rpartition(".")[0], path)
        if module is None and of is not None:
            yield _Global(of, target.rpartition(".")[2])
    yield _Global(path, first)


def _read(evaluator: Evaluator, function: Function) -> Iterator[_Global]:
    """Yield what a function reads of the top level of modules, its own class included."""
    for node in ast.walk(function.node):
        name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) else None
        if name is not None:
            yield from _meant(evaluator, function.facts, function.scope, name)
    around: Scope | None = function.scope.parent
    while around is not None and around.is_class:
        yield _Global(function.facts.source.path, around.name)
        around = around.parent
