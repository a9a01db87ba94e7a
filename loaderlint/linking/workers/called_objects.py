"""Objects of the top level that are called themselves, and may note something on themselves then."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance
from loaderlint.linking.workers.top_level import Global, is_object, meant_by, reaches_top
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.vocabulary.running import LOOKS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def called_objects(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str) -> Iterator[Global]:
    """Yield the object that a call by a dotted name calls, where that may change it: ``vocabulary(word)``."""
    first, _, rest = name.partition(".")
    if not first or not reaches_top(scope, first):
        return
    for one in meant_by(evaluator, facts, scope, name):
        is_whole = not rest or (one.path != facts.source.path and one.name == rest.rpartition(".")[2])
        key = ("changed by calling it", *one)
        if is_whole and evaluator.remembered(key, None, partial(_changes, evaluator, one)):
            yield one


def changes_by_method(evaluator: Evaluator, method: str) -> bool:
    """Return whether a class of the project has a method of a name that may change the object it is called on."""

    def found() -> bool:
        if method not in evaluator.project.definitions:
            return False
        return any(
            (receiver := receiver_in(scope)) is not None and _changes_receiver(scope, receiver)
            for facts in evaluator.project.all_python()
            for scope in facts.scopes.values()
            if scope.name == method and scope.parent is not None and scope.parent.is_class
        )

    return evaluator.remembered(("changes by its method", method), None, found)


def _changes(evaluator: Evaluator, meant: Global) -> bool:
    """Return whether calling an object at the top level of a file may change it."""
    facts = evaluator.project.python(meant.path)
    if facts is None or not is_object(facts, meant.name):
        return False
    bindings = facts.module.bindings[meant.name]
    values = [(one.value, Frame(facts, one.place)) for one in bindings if one.value is not None]
    return any(_changes_itself(evaluator, one) for value, frame in values for one in _kinds(evaluator, value, frame))


def _kinds(evaluator: Evaluator, value: ast.expr, frame: Frame) -> Iterator[Class]:
    """Yield the classes of the project that an expression may give an object of; a dictionary's heir is one, too."""
    yield from (one.thing.of for one in evaluator.evaluate(value, frame) if isinstance(one.thing, Instance))
    if isinstance(value, ast.Call):
        yield from (one.thing for one in evaluator.evaluate(value.func, frame) if isinstance(one.thing, Class))


def _changes_itself(evaluator: Evaluator, kind: Class) -> bool:
    found = classes.nearest(classes.lineage(evaluator, kind), "__call__")
    receiver = receiver_in(found[1]) if found is not None else None
    return found is not None and receiver is not None and _changes_receiver(found[1], receiver)


def _changes_receiver(scope: Scope, receiver: str) -> bool:
    """Return whether a method, or a function inside it, may change its first parameter, also by another name."""
    bound = (one for bindings in scope.bindings.values() for one in bindings if one.kind != "parameter")
    return (
        any(receiver in (_first(one.name), _first(dotted(one.value) if one.value else None)) for one in bound)
        or any(_may_change(site.node, receiver) for site in scope.calls)
        or any(_changes_receiver(one, receiver) for one in scope.children)
    )


def _may_change(call: ast.Call, receiver: str) -> bool:
    owner, _, method = (dotted(call.func) or "").rpartition(".")
    return (_first(owner) == receiver and method not in LOOKS) or any(dotted(one) == receiver for one in call.args)


def _first(name: str | None) -> str:
    return (name or "").partition(".")[0]
