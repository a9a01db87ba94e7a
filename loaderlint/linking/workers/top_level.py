"""Names at the top level of modules, and what is done to them after their module was imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import shortened
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.guards import guarded_place
from loaderlint.model.payload import Touch
from loaderlint.readers.python import Place, PythonFacts, Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Global(NamedTuple):
    """A name at the top level of a file, by the path of the file."""

    path: str
    name: str


def is_later(evaluator: Evaluator, facts: PythonFacts, node: ast.AST, place: Place) -> bool:
    """Return whether something runs after the import of its file: in a function, or in the main process alone."""
    return not place.scope.runs_at_import or guarded_place(evaluator, facts, node, place)


def is_object(facts: PythonFacts, first: str) -> bool:
    """Return whether a name at the top level of a file is an object's that was made there."""
    bindings = facts.module.bindings.get(first, ())
    return bool(bindings) and not any(one.kind in ("import", "function", "class") for one in bindings)


def full_name(scope: Scope, name: str) -> str:
    """Return a dotted name with what an import makes its first part where a scope sees it."""
    first, dot, rest = name.partition(".")
    return next(imported(scope, first), first) + dot + rest


def meant_name(scope: Scope, name: str) -> str:
    """Return a dotted name by what its first part is another name of where a scope sees it: ``table = os.environ``."""
    first, dot, rest = name.partition(".")
    around: Scope | None = scope
    while around is not None:
        bindings = [one for one in around.bindings.get(first, ()) if one.kind not in MUTATIONS]
        if bindings and (around is scope or not around.is_class):
            value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
            other = dotted(value) if value is not None else None
            return f"{other}{dot}{rest}" if other else name
        around = around.parent
    return name


def imported(scope: Scope, first: str) -> Iterator[str]:
    """Yield what imports make of a name: those of a scope itself, or else of the nearest around it that has some."""
    around: Scope | None = scope
    while around is not None:
        targets = [one.target for one in around.bindings.get(first, ()) if one.kind == "import"]
        if targets:
            yield from targets
            return
        around = around.parent


def is_own_class(scope: Scope, first: str) -> bool:
    """Return whether a name is that of a method's class: the first parameter of a class method."""
    return first == "cls" and scope.parent is not None and scope.parent.is_class


def reaches_top(scope: Scope, first: str) -> bool:
    """Return whether a name in a scope is one of the top level, which no function around gives a value of its own."""
    around: Scope | None = scope
    while around is not None and around.parent is not None:
        own = around.bindings.get(first, ())
        # What a class has, no function inside of it sees by its name alone.
        seen = around is scope or not around.is_class
        if seen and first not in around.outer_names and any(one.kind not in (*MUTATIONS, "import") for one in own):
            return False
        around = around.parent
    return True


def meant_by(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str) -> Iterator[Global]:
    """Yield the top-level name that a dotted name in a scope means: one of its file, or of a module that it imports."""
    first, _, rest = name.partition(".")
    path = facts.source.path
    if is_own_class(scope, first) and scope.parent is not None:
        yield Global(path, scope.parent.name)
        return
    for target in imported(scope, first):
        module = evaluator.project.module(target, path)
        if target == "__main__" and rest:
            # The file may be the one that runs.
            yield Global(path, rest.partition(".")[0])
        if module is not None and rest:
            yield Global(module, rest.partition(".")[0])
        package, _, last = target.rpartition(".")
        of = evaluator.project.module(package, path) if package else None
        if module is None and of is not None:
            yield Global(of, last)
    yield Global(path, first)


def touch_at(facts: PythonFacts, node: ast.AST) -> Touch:
    """Return a place in a file as one that is met."""
    return Touch(facts.span(node), shortened(facts.text(node)))


def is_of_library(evaluator: Evaluator, facts: PythonFacts, scope: Scope, first: str) -> bool:
    """Return whether a name in a scope is imported, and not from the project."""
    targets = list(imported(scope, first))
    modules = [module for one in targets for module in (one, one.rpartition(".")[0]) if module]
    return bool(targets) and all(evaluator.project.module(one, facts.source.path) is None for one in modules)
