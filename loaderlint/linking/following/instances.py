"""Objects of project classes: what their attributes can be."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import (
    changes,
    checked_fields,
    class_attributes,
    constructor_calls,
    doubts,
    fields,
    functions,
    held,
    hierarchy,
    library_attributes,
    parameters,
    repaired,
    replacing,
    set_in_making,
    set_outside,
    stops,
)
from loaderlint.linking.following.commandlines import defaults
from loaderlint.linking.following.commandlines.given import left_or_given
from loaderlint.linking.following.replacing import MAKING, always_runs
from loaderlint.linking.scopes.names import reaching, unbound
from loaderlint.linking.things import classes
from loaderlint.linking.things.alternatives import joined
from loaderlint.linking.things.kinds import (
    Class,
    Frame,
    Function,
    Instance,
    Items,
    LeftOut,
    Made,
    Possibilities,
    Possibility,
    Thing,
    end_of,
)
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import distinct, one_of, settled, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, FunctionNode, Scope, dotted
from loaderlint.readers.python import parameters as parameters_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def attribute(evaluator: Evaluator, instance: Instance, name: str) -> Possibilities:
    """Return what ``object.name`` can be: set from outside, by a method, a property, a field or a class attribute."""
    looks_up = any("__getattribute__" in one.scope.bindings for one in classes.lineage(evaluator, instance.of))
    if looks_up or evaluator.blurred.has_setter(instance.of, name):
        # What such a method makes of the value is not followed.
        return unseen(instance.of.facts.span(instance.of.node))
    return _set_by_name(
        evaluator, instance, name, settled(instance.changed.get(name), lambda: _of_any(evaluator, instance, name))
    )


def _set_by_name(evaluator: Evaluator, instance: Instance, name: str, found: Possibilities) -> Possibilities:
    """Return what an attribute can be besides where changes under names that are worked out may have set it, too."""
    changing = evaluator.blurred.changes_of(instance, name) if any(one.constant for one in found) else []
    if not changing:
        return found
    given = set_in_making.given(evaluator, instance, name, found, changing)
    return (*found, *unseen(instance.of.facts.span(instance.of.node))) if given is None else given


def _of_any(evaluator: Evaluator, instance: Instance, name: str) -> Possibilities:
    """Return what the class gives an attribute, and what other code sets on some object of the class."""
    if instance.call is not None:
        return _own(evaluator, instance, name)
    span = instance.of.facts.span(instance.of.node)
    left = _not_set_since(evaluator, instance, name)
    kinds = hierarchy.kinds(evaluator, left, name)
    if left is not instance:
        kinds = [one for one in kinds if not hierarchy.is_left_out(evaluator, one, left.without)]
    own = _of_kinds(evaluator, left, kinds, name)
    if any(one.constant for one in own):
        by_name = hierarchy.kinds_set_by_name(evaluator, left, name)
        own = _of_kinds(evaluator, left, by_name, name) if by_name else own
    outer = set_outside.on_objects(evaluator, instance, name)
    ways = [("own", own), *outer] if kinds or not outer else outer
    return one_of(f"what sets {classes.subject(instance.of)}.{name}", ways) if outer else own or unseen(span)


def _not_set_since(evaluator: Evaluator, instance: Instance, name: str) -> Instance:
    """Return what stands for those objects that still have what an attribute was given as they were made."""
    set_since: set[LeftOut] = {(call, kind, None) for call, kind, attribute in instance.without if attribute == name}
    if not set_since or instance.changed:
        return instance
    return evaluator.any_object(instance.of, instance.running, instance.without | set_since)


def _as_a(evaluator: Evaluator, instance: Instance, kind: Class) -> Instance:
    return instance if kind.node is instance.of.node else evaluator.any_object(kind, instance.running, instance.without)


def _of_kinds(evaluator: Evaluator, instance: Instance, kinds: list[Class], name: str) -> Possibilities:
    """Return what each of several classes gives an attribute of an object that can be of any of them."""
    each = ((classes.subject(kind), _of_kind(evaluator, instance, kind, name)) for kind in kinds)
    return one_of(f"the class of the {classes.subject(instance.of)}", each)


def _of_kind(evaluator: Evaluator, instance: Instance, kind: Class, name: str) -> Possibilities:
    """Return what a class gives an attribute of an object that is of this class; what an heir sets by name is its."""
    one = _as_a(evaluator, instance, kind)
    own = _own(evaluator, one, name)
    return own if one is instance else _set_by_name(evaluator, one, name, own)


def own_without(evaluator: Evaluator, instance: Instance, name: str, methods: Collection[Scope]) -> Possibilities:
    """Return what an object's class gives an attribute where some of its methods have not run."""
    return _own(evaluator, instance, name, methods)


def _own(evaluator: Evaluator, instance: Instance, name: str, without: Collection[Scope] = ()) -> Possibilities:
    span = instance.of.facts.span(instance.of.node)
    if name == "__class__":
        return (Possibility(instance.of, span),)
    lineage = classes.lineage(evaluator, instance.of)
    making = [one for owner in lineage for one in _making(evaluator, instance, owner, name)]
    without = {*without, *repaired.only_by(evaluator, instance.of, making)}
    found = _inherited(evaluator, instance, lineage, name, span, without)
    found = _once_made(evaluator, instance, lineage, name, found)
    if not changes.can_change(found):
        return found or unseen(span)
    methods = (
        (constructor_calls.method_frame(evaluator, instance, owner, scope), self_name, always_runs(scope))
        for owner in reversed(lineage)
        for scope, self_name in constructor_calls.own_methods(evaluator, instance, owner)
        if scope not in without and all(scope is not one.scope for one in making)
    )
    found = held.after_methods(evaluator, found, name, methods, f"{classes.subject(instance.of)}.{name}")
    return doubts.changed_elsewhere(evaluator, [instance.of], name, found, in_methods=False)


def _once_made(
    evaluator: Evaluator, instance: Instance, lineage: Sequence[Class], name: str, found: Possibilities
) -> Possibilities:
    """Return what is left of what an attribute holds where an object is there: what makes it came to its end.

    What other methods give the attribute as well may have been checked in none of them.
    """
    ways: list[Assumptions] = [NO_ASSUMPTIONS]
    for owner in lineage:
        for scope, self_name in constructor_calls.own_methods(evaluator, instance, owner):
            bound = scope.bindings.get(f"{self_name}.{name}", ())
            if not always_runs(scope):
                if bound:
                    return found
            elif scope.stops and classes.nearest(lineage, scope.name) == (owner, scope):
                given = (
                    node.id for one in bound if one.value for node in ast.walk(one.value) if isinstance(node, ast.Name)
                )
                names = {f"{self_name}.{name}", *given} - {self_name}
                ways = joined(ways, _ended(evaluator, instance, owner, scope, frozenset(names)))
    if ways == [NO_ASSUMPTIONS]:
        return found
    return distinct(one for way in ways for one in under(found, way)) or found


def _ended(
    evaluator: Evaluator, instance: Instance, owner: Class, method: Scope, names: frozenset[str]
) -> list[Assumptions]:
    """Return the alternatives under which a method that makes an object comes to its end, as far as it asks of names.

    To whom asks while they are found out, any attribute of the object is whatever it was given.
    """
    made = ("made", instance.of.node, instance.call, instance.frame, instance.running, instance.without, method)
    return evaluator.once(
        (*made, names),
        [NO_ASSUMPTIONS],
        lambda: stops.conditions_of_end(
            evaluator, constructor_calls.method_frame(evaluator, instance, owner, method), names
        ),
        alike=made,
    )


def _making(evaluator: Evaluator, instance: Instance, owner: Class, name: str) -> list[repaired.Making]:
    """Return the methods of a class that run while an object is made and call what changes an attribute further."""

    def found() -> Iterator[repaired.Making]:
        for scope, own in constructor_calls.own_methods(evaluator, instance, owner):
            if always_runs(scope) and isinstance(scope.node, FunctionNode):
                method = Function(owner.facts, scope.node, scope, owner=owner)
                yield repaired.Making(scope, own, evaluator.effects.reached_by_calls(instance.of, method, own))

    every = evaluator.remembered(("making", instance.of.node, owner.node), None, lambda: tuple(found()))
    return [one for one in every if name in one.reached.attributes]


def _inherited(
    evaluator: Evaluator,
    instance: Instance,
    lineage: Sequence[Class],
    name: str,
    span: Span,
    without: Collection[Scope] = (),
) -> Possibilities:
    """Return what the nearest of the classes gives an attribute, and the next where that one may leave it alone."""
    for position, owner in enumerate(lineage):
        if classes.is_made_over(evaluator, owner, name):
            return unseen(span)
        ways = _given_by(evaluator, instance, lineage[position:], name, span, without)
        for making in _making(evaluator, instance, owner, name):
            frame = constructor_calls.method_frame(evaluator, instance, owner, making.scope)
            before = partial(_before_calls, evaluator, instance, lineage[position:], span)
            left = repaired.left(evaluator, instance, making, frame, name, before)
            ways = {"__init__": left} | {one: values for one, values in ways.items() if one not in MAKING}
        if ways:
            methods = (
                one for one in constructor_calls.own_methods(evaluator, instance, owner) if one[0] not in without
            )
            return replacing.told_apart(owner, name, ways, replacing.by(methods, name))
    return _kept_by_library(evaluator, instance, name, span)


def _kept_by_library(evaluator: Evaluator, instance: Instance, name: str, span: Span) -> Possibilities:
    """Return what a class of a library above those of the project gives an attribute, nothing where that is unseen."""
    keeping = library_attributes.keeping(evaluator, instance.of, name)
    if keeping is None:
        return ()
    if keeping.holders:
        return library_attributes.held(instance, name, span)
    return handed_to_library(evaluator, instance, name, span)


def handed_to_library(evaluator: Evaluator, instance: Instance, name: str, span: Span) -> Possibilities:
    """Return what the constructor of a library is given for what it keeps under a name on an object."""
    keeping = library_attributes.keeping(evaluator, instance.of, name)
    constructors = [
        (owner, scope)
        for owner in classes.lineage(evaluator, instance.of)
        for scope in owner.scope.children
        if scope.name == "__init__"
    ]
    if keeping is None:
        return unseen(span)
    if not constructors:
        return library_attributes.of_makers(evaluator, instance, keeping, name, span)
    frame = constructor_calls.method_frame(evaluator, instance, *constructors[-1])
    calls = (site for site in constructors[-1][1].calls if classes.is_super_init(site.node))
    ways = [library_attributes.given(evaluator, Caller(frame.at(one.place), one.node), keeping, name) for one in calls]
    # What it holds where the constructor hands nothing up the library says.
    return settled(one_of(classes.subject(instance.of), enumerate(ways)), lambda: unseen(span))


def _before_calls(
    evaluator: Evaluator, instance: Instance, lineage: Sequence[Class], span: Span, name: str
) -> Possibilities:
    """Return what the first of some classes gives an attribute of an object while no other method has run on it."""
    others = [
        scope
        for owner in lineage
        for scope, _ in constructor_calls.own_methods(evaluator, instance, owner)
        if not always_runs(scope)
    ]
    ways = _given_by(evaluator, instance, lineage, name, span, others)
    return ways.get("__init__") or _inherited(evaluator, instance, lineage[1:], name, span, others)


def _given_by(
    evaluator: Evaluator,
    instance: Instance,
    lineage: Sequence[Class],
    name: str,
    span: Span,
    without: Collection[Scope],
) -> dict[str, Possibilities]:
    """Return what the first of some classes gives an attribute: by each method, and under the constructor's name else.

    Where its methods may leave the attribute alone, it is what the next of the classes gives it.
    """
    owner = lineage[0]
    saved = _saved_hyperparameters(evaluator, instance, owner, span) if name == hierarchy.HYPERPARAMETERS else None
    if saved is not None:
        return {"__init__": saved}
    assigned = _assigned(evaluator, instance, owner, name, without)
    declared = _declared(evaluator, instance, owner, name, span) if name in owner.scope.bindings else ()
    if assigned is None:
        return {"__init__": declared} if declared else {}
    ways, left = assigned
    if left:
        before = declared or _inherited(evaluator, instance, lineage[1:], name, span, without)
        unset = tuple(one for assumptions in left for one in under(before, assumptions))
        ways = {**ways, "__init__": (*ways.get("__init__", ()), *unset)}
    return ways


def declared(evaluator: Evaluator, instance: Instance, name: str) -> Possibilities:
    """Return what the bodies of an object's classes give an attribute: what it has before a method assigns it."""
    span = instance.of.facts.span(instance.of.node)
    for owner in classes.lineage(evaluator, instance.of):
        if name in owner.scope.bindings:
            return _declared(evaluator, instance, owner, name, span)
    return ()


def _assigned(
    evaluator: Evaluator, instance: Instance, owner: Class, name: str, without: Collection[Scope]
) -> tuple[dict[str, Possibilities], list[Assumptions]] | None:
    """Return what each method sets an attribute to, and under which assumptions making it leaves it alone."""
    ways: dict[str, Possibilities] = {}
    left: list[Assumptions] = [NO_ASSUMPTIONS]
    held_open: dict[str, Possibilities] = {}
    methods = [one for one in constructor_calls.own_methods(evaluator, instance, owner) if one[0] not in without]
    replaced = bool(replacing.by(methods, name))
    for scope, own in methods:
        bindings = replacing.assignments(scope, own, name)
        if not bindings:
            continue
        frame = constructor_calls.method_frame(evaluator, instance, owner, scope)
        values = _last_values(evaluator, bindings, frame)
        ways[scope.name] = changes.changed(evaluator, values, f"{own}.{name}", frame, None, 0)
        if always_runs(scope):
            left = [way for arms in unbound(bindings, None) for way in evaluator.conditions(arms, frame)]
            if replacing.holds_open(bindings, replaced):
                held_open[scope.name] = unseen(owner.facts.span(bindings[0].node))
    if len(ways) > len(held_open):
        # Whether what was to come has come by then was not followed.
        ways |= held_open
    return (ways, left) if ways else None


def _last_values(evaluator: Evaluator, bindings: list[Binding], frame: Frame) -> Possibilities:
    found: list[Possibility] = []
    for way in reaching(bindings, None):
        for assumptions in evaluator.conditions(way.arms, frame):
            found.extend(under(evaluator.binding(way.binding, frame), assumptions))
    return tuple(found)


def super_member(evaluator: Evaluator, made: Made, name: str, span: Span) -> Possibilities:
    """Return what ``super().name`` is: what the next class of the object's lineage says."""
    owner = classes.owner_of(made.frame.facts, made.frame.scope)
    if owner is None or made.call.args:
        return unseen(span)
    instance = made.frame.receiver or Instance(owner)
    above = classes.lineage(evaluator, instance.of)
    places = [place for place, one in enumerate(above) if one.node is owner.node]
    for base in above[places[0] + 1 :] if places else ():
        if name in base.scope.bindings:
            return _declared(evaluator, instance, base, name, span)
    return unseen(span)


def _declared(evaluator: Evaluator, instance: Instance, owner: Class, name: str, span: Span) -> Possibilities:
    """Return what a class body's own name is on an object: a method, a property's value, a field or an attribute."""
    found: list[Possibility] = []
    frame = Frame(owner.facts, end_of(owner.scope))
    given = evaluator.bound(name, frame, None, span)
    if not fields.is_field(owner, name):
        given = class_attributes.with_later(evaluator, instance.of, owner, name, given)
    for one in given:
        if not isinstance(one.thing, Function):
            found.extend(class_attributes.static(evaluator, one))
            continue
        method = replace(one.thing, receiver=instance, owner=owner)
        if is_property(method):
            found.extend(
                functions.returned_by(evaluator, method, Frame(owner.facts, end_of(method.scope), receiver=instance))
            )
        else:
            found.append(replace(one, thing=method))
    if not fields.is_field(owner, name):
        return tuple(found)
    default = defaults.unwrapped(evaluator, tuple(found))
    handed_up = constructor_calls.handed_to_fields(evaluator, instance, owner)
    values = fields.given(evaluator, instance, owner, name, default, span, handed_up)
    return checked_fields.stored(evaluator, instance.of, name, values)


def of_users(evaluator: Evaluator, owner: Class, span: Span) -> Instance:
    """Return an object for which whoever uses the project may give what its class takes, or leave it out."""
    taken = [one.arg for made in classes.constructors(owner) for one in parameters_of(made.node)]
    given = {name: left_or_given(str(span), name, span) for name in taken}
    changed = {name: left_or_given(str(span), name, span) for name in fields.fields_of(evaluator, owner)}
    return Instance(owner, classes.plain_call(owner), Frame(owner.facts, owner.place), changed, given)


def is_property(function: Function) -> bool:
    """Return whether a method is read like an attribute."""
    if not isinstance(function.node, ast.FunctionDef):
        return False
    names = {dotted(one) for one in function.node.decorator_list}
    return bool(names & {"property", "cached_property", "functools.cached_property"})


MOST_ITEMS_DEEP = 5
"""Calls of ``__getitem__`` followed into each other; beyond that what they give is unseen."""


def item(evaluator: Evaluator, instance: Instance, key: Thing, span: Span) -> Possibilities:
    """Return what ``object[key]`` is for an object of the project: what its ``__getitem__`` gives."""
    depth = instance.frame.depth if instance.frame is not None else 0
    found: list[Possibility] = []
    for one in evaluator.attribute_of(instance, "__getitem__"):
        function = one.thing
        taken = list(parameters_of(function.node)) if isinstance(function, Function) else []
        if not isinstance(function, Function) or len(taken) != 2 or depth >= MOST_ITEMS_DEEP:
            found.extend(unseen(span, one.assumptions))
            continue
        arguments = {taken[1].arg: (Possibility(key, span),)}
        inner = Frame(function.facts, end_of(function.scope), arguments, instance, depth + 1)
        found.extend(under(functions.returned_by(evaluator, function, inner), one.assumptions))
    return tuple(found) or unseen(span)


def _saved_hyperparameters(evaluator: Evaluator, instance: Instance, owner: Class, span: Span) -> Possibilities | None:
    """Return what ``self.hparams`` is once a class called ``save_hyperparameters()``: its constructor's own parameters.

    ``lightning/pytorch/core/mixins/hparams_mixin.py``: without arguments it keeps every argument of ``__init__``;
    given an object it keeps that.
    """
    for scope, self_name in constructor_calls.own_methods(evaluator, instance, owner):
        frame = constructor_calls.method_frame(evaluator, instance, owner, scope)
        for call in hierarchy.calls_saving(scope, self_name):
            positional = [one for one in call.args if not isinstance(one, ast.Constant)]
            if positional:
                return evaluator.evaluate(positional[0], frame)
            assert isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
            entries = {
                one.arg: parameters.parameter(evaluator, one, frame)
                for one in list(parameters_of(scope.node))[1:]
                if one not in (scope.node.args.vararg, scope.node.args.kwarg)
            }
            return (Possibility(Items(entries, complete=False, of_arguments=True), span),)
    return None
