"""Where a dictionary or call that gives a worker option says how many workers there are."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.kinds import Frame
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_scopes import Binding, Place


def count_beside(evaluator: Evaluator, count: Value, names: Collection[str], given: Candidate) -> Span | None:
    """Return where the dictionary or call that holds a candidate says the count that comes to the same loader.

    ``names`` are those of the count. What stands there means the same where the candidate is written. None where none
    says so, or the loader may have its count from elsewhere.
    """
    path = given.span.path
    facts = evaluator.project.python(path) if Language.of(path) is Language.PYTHON else None
    if facts is None:
        return None
    for said, place in _said_beside(facts, names, given.span):
        found = evaluator.evaluate(said, Frame(facts, place))
        written = {one.span for one in count.candidates} | count.given_at
        unseen = any(not one.constant for one in found)
        if written <= {one.span for one in found} and (unseen or not count.open):
            return facts.span(said)
    return None


def _said_beside(facts: PythonFacts, names: Collection[str], given: Span) -> Iterator[tuple[ast.expr, Place]]:
    """Yield what the dictionary in which a value is written says under one of some names, and where it is said."""
    held = [one for one in facts.scopes.values() if isinstance(one.node, ast.Module) or _span(facts, one).holds(given)]
    scope = max(held, key=lambda one: getattr(one.node, "lineno", 0))
    for node in nodes_of(facts.tree):
        entries = _entries(node)
        if any(facts.span(value) == given for value in entries.values()):
            yield from ((value, place_in(scope, value)) for key, value in entries.items() if key in names)
    for changes in scope.bindings.values():
        for change in changes:
            if change.kind in ("item", "update") and not change.keys and _gives(facts, change, given):
                yield from _said_before(scope, change, names)


def _span(facts: PythonFacts, scope: Scope) -> Span:
    return facts.between(scope.node, scope.node)


def _entries(node: ast.AST | None) -> Mapping[str, ast.expr]:
    """Return what a display, or a call of ``dict`` or of what takes the same, says by its keys."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {
            key.value: value for key, value in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.Call):
        return {one.arg: one.value for one in node.keywords if one.arg is not None}
    return {}


def _gives(facts: PythonFacts, change: Binding, given: Span) -> bool:
    """Return whether a change of a dictionary gives it a value: ``options["x"] = …``, ``options.update(x=…)``."""
    values = [change.value] if change.value is not None else []
    if change.kind == "update" and isinstance(change.value, ast.Call):
        displays = (_entries(one).values() for one in change.value.args)
        values = [*(one.value for one in change.value.keywords), *(one for several in displays for one in several)]
    return any(facts.span(one) == given for one in values)


def _said_before(scope: Scope, change: Binding, names: Collection[str]) -> Iterator[tuple[ast.expr, Place]]:
    """Yield what was said under one of some names where a dictionary was made that is changed, if that still holds."""
    made = [one for one in scope.bindings[change.name] if one.kind == "assign" and one.place.order < change.place.order]
    before = max(made, key=lambda one: one.place.order, default=None)
    if before is None:
        return
    common = len(before.place.arms)
    since = change.place.arms[common:]
    if [*map(id, before.place.arms)] != [*map(id, change.place.arms[:common])] or any(one.loop for one in since):
        return
    for key, value in _entries(before.value).items():
        if key in names and _holds_until(scope, value, before.place, change.place):
            yield value, before.place


def _holds_until(scope: Scope, said: ast.expr, first: Place, last: Place) -> bool:
    """Return whether names and attributes stand for the same at two places: nothing between may change them."""

    def between(place: Place) -> bool:
        return first.order <= place.order <= last.order

    read = {name for one in nodes_of(said) if isinstance(one, ast.Name | ast.Attribute) and (name := dotted(one))}
    if any(between(one.place) for name in read for one in scope.bindings.get(name, ()) if one.kind != "parameter"):
        return False
    owners = {name.rpartition(".")[0] for name in read}
    handed = {dotted(one) for site in scope.calls if between(site.place) for one in _handed(site.node)}
    return owners.isdisjoint(handed)


def _handed(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call may change: what it is given, and the owner of a method."""
    if isinstance(call.func, ast.Attribute):
        yield call.func.value
    for one in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield one.value if isinstance(one, ast.Starred) else one
