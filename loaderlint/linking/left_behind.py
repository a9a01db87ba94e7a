"""What a program changes after its modules were imported, and its workers read: a forked worker alone has that.

A worker that is started anew imports the modules again and finds what their top level leaves.
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
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.vocabulary.running import PROCESS_DEFAULTS

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
    """Yield what functions of the project, and what stands under its guards, change of the top level of modules."""
    for facts in evaluator.project.all_python():
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                outside = scope is facts.module or _is_outside(scope, name)
                for one in bindings if outside else ():
                    node = one.node
                    if one.kind in ("import", "function", "class") or not isinstance(node, ast.stmt | ast.expr):
                        continue
                    later = scope is not facts.module or one.inner is not None
                    if later or guarded_place(evaluator, facts, node, one.place):
                        touch = Touch(facts.span(node), shortened(facts.text(node)))
                        yield from ((meant, touch) for meant in _meant(evaluator, facts, name))
        for name in PROCESS_DEFAULTS:
            for site in facts.calls.get(name, ()):
                if site.place.scope is not facts.module or guarded_place(evaluator, facts, site.node, site.place):
                    yield _OF_THE_PROCESS, Touch(facts.span(site.node), shortened(facts.text(site.node)))


def _is_outside(scope: Scope, name: str) -> bool:
    """Return whether what a function binds under a name belongs to the top level: what it only changes in place."""
    first = name.partition(".")[0]
    around: Scope | None = scope
    while around is not None and around.parent is not None:
        own = around.bindings.get(first, ())
        if first not in around.outer_names and any(one.kind not in MUTATIONS for one in own):
            return False
        around = around.parent
    return "." in name or any(one.kind in MUTATIONS for one in scope.bindings[name])


def _meant(evaluator: Evaluator, facts: PythonFacts, name: str) -> Iterator[_Global]:
    """Yield the top-level name that a dotted name means in a file: its own, or one of a module that it imports."""
    first, _, rest = name.partition(".")
    path = facts.source.path
    for one in facts.module.bindings.get(first, ()):
        if one.kind != "import":
            continue
        module = evaluator.project.module(one.target, path)
        if module is not None:
            yield _Global(module, rest.partition(".")[0])
        of = evaluator.project.module(one.target.rpartition(".")[0], path)
        if module is None and of is not None:
            yield _Global(of, one.target.rpartition(".")[2])
    yield _Global(path, first)


def _read(evaluator: Evaluator, function: Function) -> Iterator[_Global]:
    """Yield what a function reads of the top level of modules, its own class included."""
    for node in ast.walk(function.node):
        name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) else None
        if name is not None:
            yield from _meant(evaluator, function.facts, name)
    around: Scope | None = function.scope.parent
    while around is not None and around.is_class:
        yield _Global(function.facts.source.path, around.name)
        around = around.parent
