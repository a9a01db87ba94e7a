"""What a name is where it is read, and an attribute, as far as the scope it is read in says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.following import changes, members, modules, questions, set_by_functions
from loaderlint.linking.scopes.events import Happened
from loaderlint.linking.scopes.names import (
    MUTATIONS,
    Reaching,
    may_be_rewritten,
    owners,
    reaching,
    starts_a_sum,
    unbound,
    varies,
    walrus_before,
)
from loaderlint.linking.scopes.set_in_run import met
from loaderlint.linking.scopes.uses import Run, bindings_of, runs_of
from loaderlint.linking.things import classes, file_lines
from loaderlint.linking.things.kinds import (
    MAIN,
    CommandLine,
    External,
    Frame,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Unseen,
)
from loaderlint.linking.things.possibilities import distinct, one_of, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import ANY_GLOBAL, Arm, Binding, Place, Scope, dotted
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def name(evaluator: Evaluator, node: ast.Name, frame: Frame) -> Possibilities:
    """Return what a name can be at its place, after what the same statement did to it further to the left."""
    return _after_calls(evaluator, _at_place(evaluator, node, frame), node, frame, (0, 0), _start(node))


def handed(
    evaluator: Evaluator, given: Possibilities, argument: ast.expr, call: ast.Call, frame: Frame
) -> Possibilities:
    """Return what a call hands over as an argument, after what those to the right of it do: ``f(d, d.pop("w"))``."""
    if not isinstance(argument, ast.Name):
        return given
    return _after_calls(evaluator, given, argument, frame, _start(argument), _end(call), call)


def _after_calls(
    evaluator: Evaluator,
    found: Possibilities,
    node: ast.Name,
    frame: Frame,
    since: _Position,
    until: _Position,
    around: ast.Call | None = None,
) -> Possibilities:
    """Return what a name stands for after the calls of its statement between two positions, without the one around."""
    if not changes.can_change(found):
        return found
    happened = [
        Happened(event, event.binding.place.arms)
        for event in evaluator.effects.changing(frame, node.id)
        if event.order == frame.place.order and isinstance(event.binding.node, ast.Call)
        if event.binding.node is not around
        and since <= _start(event.binding.node)
        and _end(event.binding.node) <= until
    ]
    if not happened:
        return found
    return tuple(way for one in found for way in changes.after_all(evaluator, one, happened, frame))


_Position: TypeAlias = tuple[int, int]


def _start(node: ast.expr) -> _Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> _Position:
    return node.end_lineno or 0, node.end_col_offset or 0


def _at_place(evaluator: Evaluator, node: ast.Name, frame: Frame) -> Possibilities:
    own = frame.scope.bindings.get(node.id, ())
    enclosing = frame.scope.parent
    if enclosing is None or not own or any(one.kind not in MUTATIONS for one in own):
        return _name(evaluator, node, frame, frame.scope)
    # A name that this scope only changes in place is one of an enclosing scope.
    return _name(evaluator, node, frame, enclosing)


def _name(evaluator: Evaluator, node: ast.Name, frame: Frame, scope: Scope | None) -> Possibilities:
    span = frame.facts.span(node)
    while scope is not None:
        own = scope is frame.scope
        if own and _is_hidden(node.id, scope, frame.place):
            scope = scope.parent
            continue
        if (own or not scope.is_class) and node.id in scope.bindings and node.id not in scope.outer_names:
            if own:
                walrus = walrus_before(scope.bindings[node.id], node, frame.place)
                if walrus is not None:
                    return evaluator.evaluate(walrus, frame)
                found = bound(evaluator, node.id, frame, frame.place, span)
                if scope.parent is None:
                    found, _ = evaluator.global_objects.read(found, frame.facts, node.id, frame, span)
                return found
            found, since = _bound_outside(evaluator, node.id, scope, frame, span), -1
            if scope.parent is None:
                found = modules.with_changes(evaluator, found, frame.facts, node.id, span)
                found, since = evaluator.global_objects.read(found, frame.facts, node.id, frame, span)
            return changes.changed(evaluator, found, node.id, frame, frame.place, since)
        scope = scope.parent
    if node.id == "__name__":
        # What a worker that imports the main module sees (CPython, multiprocessing/spawn.py, "__mp_main__").
        return one_of(MAIN, ((True, (Possibility("__main__", span),)), (False, (Possibility("__mp_main__", span),))))
    starred = modules.star_import(evaluator, node.id, frame)
    if starred is not None:
        return starred
    return (Possibility(External(f"builtins.{node.id}"), span),)


def _is_hidden(name: str, scope: Scope, place: Place) -> bool:
    """Return whether a name of a class body is one that a comprehension in it does not see."""
    if not scope.is_class or not _in_comprehension(place):
        return False
    return not any(_in_comprehension(one.place) for one in scope.bindings.get(name, ()))


def _in_comprehension(place: Place) -> bool:
    return any(isinstance(arm.owner, ast.comprehension) for arm in place.arms)


def _bound_outside(evaluator: Evaluator, name: str, scope: Scope, frame: Frame, span: Span) -> Possibilities:
    """Return what a name of an enclosing scope can be whenever the code in the frame's scope may run."""
    where = Frame(frame.facts, Place(scope, 0))
    owners = evaluator.remembered(("has attributes bound", id(scope)), None, partial(_with_attributes, scope))
    if len(scope.bindings[name]) == 1 and name not in owners:
        return bound(evaluator, name, where, None, span)
    found: list[Possibility] = []
    for run in runs_of(frame.scope, scope):
        by_functions = set_by_functions.read(evaluator, frame.facts, name, frame, span) if run.place is None else None
        if by_functions is not None:
            found.extend(by_functions)
            continue
        ways = bound(evaluator, name, where, run.place, span)
        set_in = _set_in(run, scope, name) if run.called else {}
        last = met([*set_in], frame.place, run, scope) if set_in else {None}
        found.extend(ways if None in last else ())
        for place, one in set_in.items():
            found.extend(evaluator.binding(one, where) if place in last else ())
        if run.place is not None and not run.called:
            for one in scope.bindings[name]:
                if one.kind not in MUTATIONS and one.place.order > run.place.order:
                    for assumptions in evaluator.conditions(one.place.arms, where):
                        found.extend(under(evaluator.binding(one, where), assumptions))
    return distinct(found)


def _set_in(run: Run, scope: Scope, name: str) -> Mapping[Place, Binding]:
    """Return what functions bind an outer name to that run where the scope calls the one that reads it, and where."""
    return {
        one.inner: one
        for one in bindings_of(scope, name)
        if one.inner is not None and one.kind not in MUTATIONS
        if run.place is not None and one.place.order == run.place.order
    }


def _with_attributes(scope: Scope) -> Set[str]:
    """Return what attributes are bound of in a scope, and what these are attributes of."""
    parts = (accumulate(one.split("."), "{}.{}".format) for one in scope.bindings if "." in one)
    return {owner for dotted in parts for owner in list(dotted)[:-1]}


def bound(evaluator: Evaluator, name: str, frame: Frame, place: Place | None, span: Span) -> Possibilities:
    """Return what a name bound in the frame's scope can be at a place of that scope (None: at its end)."""
    values = [one for one in bindings_of(frame.scope, name) if one.kind not in MUTATIONS]
    lines = file_lines.summed(values, place)
    if lines is not None:
        added = max(values, key=lambda one: one.place.order)
        return (Possibility(Made(file_lines.JOINED, lines, frame.at(added.place)), span),)
    if "*" in frame.scope.bindings:
        values.extend(modules.stars_that_bind(evaluator, name, frame.facts))
    found = [*_given(evaluator, name, values, frame, place, span)]
    first = min((one.place.order for one in frame.scope.bindings[name]), default=0)
    if any(may_be_rewritten(one, place, first) for one in frame.scope.bindings.get(ANY_GLOBAL, ())):
        found.extend(unseen(span))
    return distinct(found) or unseen(span)


def bound_at_import(evaluator: Evaluator, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what a module itself gives a name, before any of its functions sets it."""
    values = [one for one in frame.scope.bindings[name] if one.kind not in MUTATIONS and one.inner is None]
    return distinct(_given(evaluator, name, values, frame, None, span)) or unseen(span)


def _given(
    evaluator: Evaluator, name: str, bindings: Sequence[Binding], frame: Frame, place: Place | None, span: Span
) -> Iterator[Possibility]:
    """Yield what those of the bindings that bind the name itself give it at a place."""
    ways = reaching(bindings, place)
    for way in ways:
        if way.binding.name != name:
            continue
        given = unseen(span) if starts_a_sum(way, ways) else evaluator.binding(way.binding, frame)
        if not way.earlier_turn:
            given = questions.passed(given, name, _met_since(way, place))
        alternatives = evaluator.conditions(way.arms, frame)
        if way.earlier_turn and varies(way.binding):
            # What an earlier turn of a loop worked out is worked out again at every turn.
            given = unseen(span)
        elif any(arm.loop for arm in way.arms) and any(isinstance(one.thing, Unseen) for one in given):
            # What comes of the first turn is seldom what is left after the last.
            given = unseen(span)
        if way.earlier_turn and alternatives:
            alternatives = evaluator.conditions(way.conditions, frame)
        for assumptions in alternatives:
            left = under(given, assumptions)
            left = changes.changed(evaluator, left, name, frame, place, way.binding.place.order, way)
            if "." in name:
                where = frame.facts.span(way.binding.node)
                left = changes.through_owner(evaluator, left, name, frame, place, way, where)
            yield from left


def _met_since(way: Reaching, place: Place | None) -> list[Arm]:
    """Return the arms that were taken by tests which the bound value met itself, on its way and at a place."""
    around = {arm.owner for arm in way.binding.place.arms}
    bound_at = way.binding.place.order
    arms = (*way.arms, *(place.arms if place is not None else ()))
    return [arm for arm in arms if arm.place is not None and arm.place.order > bound_at and arm.owner not in around]


def attribute(evaluator: Evaluator, node: ast.Attribute, frame: Frame) -> Possibilities:
    """Return what an attribute can be: assigned in this scope by its dotted name, or found on its object."""
    span = frame.facts.span(node)
    name = dotted(node)
    if name is None:
        return _attribute_of(evaluator, node, frame, span)
    if name not in frame.scope.bindings:
        given = _attribute_of(evaluator, node, frame, span)
        return changes.after_own_calls(evaluator, given, name, frame, span)
    owner = evaluator.evaluate(node.value, frame)
    if evaluator.blurred.runs_setter(owner, node.attr):
        return _attribute_of(evaluator, node, frame, span)
    otherwise = unseen(span) if evaluator.blurred.may_set_any(owner, node.attr, frame.place) else ()
    if _brings_changes(owner, name.rpartition(".")[0], frame):
        return distinct([*_attribute_of(evaluator, node, frame, span), *otherwise])
    every = (*owners(frame.scope, name), *frame.scope.bindings[name])
    values = [one for one in every if one.kind not in MUTATIONS]
    found = tuple(_given(evaluator, name, values, frame, frame.place, span))
    before = changes.changed(evaluator, _attribute_of(evaluator, node, frame, span), name, frame, frame.place, 0)
    # Where the owner itself was bound last, the attribute is as that one brings it.
    left = (one.arms for one in reaching(values, frame.place) if one.binding.name != name)
    unset = (
        one
        for arms in (*unbound(values, frame.place), *left)
        for ways in evaluator.conditions(arms, frame)
        for one in under(before, ways)
    )
    return distinct([*found, *unset, *otherwise])


def _brings_changes(owner: Possibilities, name: str, frame: Frame) -> bool:
    """Return whether what a name stands for brings along all that was done to it, by whatever name."""
    if any(isinstance(one.thing, Items | TreeMapping) for one in owner):
        return True
    objects = all(isinstance(one.thing, Instance | CommandLine) for one in owner)
    return objects and not classes.names_receiver(frame, name)


def _attribute_of(evaluator: Evaluator, node: ast.Attribute, frame: Frame, span: Span) -> Possibilities:
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.value, frame):
        found.extend(under(members.member(evaluator, one, node, frame, span), one.assumptions))
    return distinct(found)
