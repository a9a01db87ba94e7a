"""Attributes that code outside a class sets on it or on its objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.files.project import Project
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, Made, Possibilities, end_of
from loaderlint.readers.python import Binding, PythonFacts, dotted, owners_set

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def attributes_set(project: Project) -> Mapping[str, list[tuple[PythonFacts, Binding]]]:
    """Return the assignments to an attribute of a name in all files read so far, by the attribute."""
    found: dict[str, list[tuple[PythonFacts, Binding]]] = {}
    for facts in project.all_python():
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                if "." in name:
                    found.setdefault(name.rpartition(".")[2], []).extend((facts, one) for one in bindings)
    return found


def on_objects(evaluator: Evaluator, instance: Instance, name: str) -> list[tuple[str, Possibilities]]:
    """Return what code outside the class of an object may set an attribute of it to, by the place where it does."""
    found: list[tuple[str, Possibilities]] = []
    for facts, binding in evaluator.attributes_set.get(name, ()):
        where = Frame(facts, binding.place)
        if binding.kind not in MUTATIONS and not classes.names_receiver(where, binding.name.rpartition(".")[0]):
            things = [way.thing for one in owners_set(binding.node, name) for way in evaluator.evaluate(one, where)]
            if any(isinstance(one, Instance) and _may_be(one, instance) for one in things):
                found.append((str(facts.span(binding.node)), evaluator.binding(binding, where)))
    return found


def on_made(evaluator: Evaluator, made: Made, name: str) -> list[tuple[Binding, Possibilities]]:
    """Return what the file that makes a library's object sets an attribute of it to, and the statements that do."""
    found: list[tuple[Binding, Possibilities]] = []
    for facts, binding in evaluator.attributes_set.get(name, ()):
        if facts is not made.frame.facts or binding.kind in MUTATIONS:
            continue
        where = Frame(facts, binding.place)
        things = [way.thing for one in owners_set(binding.node, name) for way in evaluator.evaluate(one, where)]
        if any(isinstance(one, Made) and one.call is made.call for one in things):
            found.append((binding, evaluator.binding(binding, where)))
    return found


def _may_be(one: Instance, other: Instance) -> bool:
    """Return whether an object may be another one, which is known by its class alone."""
    if one.of.node is not other.of.node:
        return False
    return one.call is None or (one.call, one.of.node, None) not in other.without


def on_classes(evaluator: Evaluator, owners: Sequence[Class], name: str) -> list[tuple[str, Possibilities]]:
    """Return what statements outside their bodies set an attribute of one of these classes to, by their places."""
    nodes = {id(one.node) for one in owners}
    found: list[tuple[str, Possibilities]] = []
    for facts, binding in evaluator.attributes_set.get(name, ()):
        where = Frame(facts, binding.place)
        if binding.kind in MUTATIONS or not any(
            id(one) in nodes for one in _classes_changed(evaluator, binding, name, where)
        ):
            continue
        found.append((str(facts.span(binding.node)), evaluator.binding(binding, where)))
    return found


def at_once(evaluator: Evaluator, owner: Class, name: str) -> bool:
    """Return whether a class is given another attribute by its module before any code could read its own."""
    module, known_as = owner.facts.module, owner.node.name
    if owner.scope.parent is not module or len(module.bindings[known_as]) != 1:
        return False
    made = module.bindings[known_as][0].place.order
    sets = [
        one.place.order
        for one in module.bindings.get(f"{known_as}.{name}", ())
        if one.kind == "assign" and one.place.scope is module and not one.place.arms
    ]
    first = min(sets, default=made)
    if first <= made or any(made < one.order < first for one in module.reads.get(known_as, ())):
        return False
    frame = Frame(owner.facts, end_of(module))
    return not any(
        evaluator.effects.callees(one.node, frame.at(one.place))
        for one in module.calls
        if made < one.place.order <= first
    )


def _classes_changed(evaluator: Evaluator, binding: Binding, name: str, frame: Frame) -> Iterator[ast.ClassDef]:
    """Yield the classes of which a statement sets an attribute; for ``cls.name`` that is the class it stands in."""
    root = binding.name.rpartition(".")[0]
    if classes.names_receiver(frame, root):
        owner = classes.class_of_receiver(frame, root)
        if owner is not None:
            yield owner.node
        return
    for target in owners_set(binding.node, name):
        if dotted(target) == root:
            yield from (way.thing.node for way in evaluator.evaluate(target, frame) if isinstance(way.thing, Class))
