"""What becomes of an object of fields: the dictionary of its fields, a copy with some of them changed, and back again.

``dataclasses``, ``attrs``, ``typing.NamedTuple`` and pydantic (``BaseModel``, version 2, with version 1's names).
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import fields
from loaderlint.linking.following.checked_fields import stored
from loaderlint.linking.following.parameters import is_dataclass
from loaderlint.linking.following.replacing import AFTER_FIELDS
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import Class, Frame, Instance, Items, Possibilities, Possibility
from loaderlint.linking.things.lazily import Lazily, overlaid
from loaderlint.linking.things.possibilities import settled, unseen
from loaderlint.readers.python import dotted
from loaderlint.vocabulary.configurations import AS_DICTIONARY, MODELS, NAMED_TUPLES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DICTIONARY_METHODS = {"model_dump": MODELS, "dict": MODELS, "_asdict": NAMED_TUPLES}
_COPY_METHODS = {"model_copy": MODELS, "copy": MODELS, "_replace": NAMED_TUPLES}
_MAKERS = {"model_validate": MODELS, "parse_obj": MODELS}
_BRINGING = {**_DICTIONARY_METHODS, **_COPY_METHODS, **_MAKERS}
"""The base classes that bring each method (``pydantic/main.py``, 2.14; the ``collections`` page of Python)."""


def of_call(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return what ``asdict(object)`` or ``replace(object, field=value)`` gives, None for anything but an object."""
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame) if node.args else ():
        if not isinstance(one.thing, Instance):
            return None
        thing = (
            _dictionary(evaluator, one.thing)
            if name in AS_DICTIONARY
            else _changed(evaluator, one.thing, node, frame, constructs=True)
        )
        found.append(replace(one, thing=thing))
    return tuple(found) or None


def of_method(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame
) -> Possibilities | None:
    """Return what a method that a base class from outside brings gives, None for any other method."""
    thing = owner.thing
    if not isinstance(thing, Instance | Class) or name not in _BRINGING:
        return None
    of = thing.of if isinstance(thing, Instance) else thing
    lineage = classes.lineage(evaluator, of)
    foreign = {base for one in lineage for base in classes.foreign_bases(evaluator, one)}
    if foreign.isdisjoint(_BRINGING[name]) or any(name in one.scope.bindings for one in lineage):
        return None
    if isinstance(thing, Class):
        if name not in _MAKERS or len(node.args) != 1:
            return None
        call = ast.copy_location(ast.Call(node.func, [], [ast.keyword(None, node.args[0])]), node)
        return (
            replace(owner, thing=evaluator.remembered(("made", id(node)), frame, lambda: Instance(of, call, frame))),
        )
    if name in _DICTIONARY_METHODS:
        return (replace(owner, thing=_dictionary(evaluator, thing)),)
    if name in _COPY_METHODS:
        return (replace(owner, thing=_changed(evaluator, thing, node, frame)),)
    return None


def _dictionary(evaluator: Evaluator, instance: Instance) -> Items:
    """Return the fields of an object by name, objects in them made dictionaries, too."""

    def field(name: str) -> Possibilities:
        values = evaluator.attribute_of(instance, name)
        return tuple(_without_objects(evaluator, one) for one in values)

    return Items(Lazily.of(fields.fields_of(evaluator, instance.of), field))


def held(evaluator: Evaluator, instance: Instance) -> Items | None:
    """Return what an object keeps, by name, where it is one of a dataclass; None for any other object."""
    family = classes.lineage(evaluator, instance.of)
    names = fields.fields_of(evaluator, instance.of)
    if not names or not all(is_dataclass(one) for one in family):
        return None
    if any("keys" in one.scope.bindings or [*classes.foreign_bases(evaluator, one)] for one in family):
        return None
    set_by_methods = {
        name.partition(".")[2]
        for one in family
        for method in one.scope.children
        for name in method.bindings
        if "." in name
    }
    entries = Lazily.of(names, lambda name: evaluator.attribute_of(instance, name))
    return Items(entries, complete=set_by_methods <= {*names})


def _without_objects(evaluator: Evaluator, one: Possibility) -> Possibility:
    """Return an object of fields as the dictionary of them, anything else as it is."""
    thing = one.thing
    if isinstance(thing, Instance) and fields.fields_of(evaluator, thing.of):
        return replace(one, thing=_dictionary(evaluator, thing))
    return one


def _changed(
    evaluator: Evaluator, instance: Instance, node: ast.Call, frame: Frame, *, constructs: bool = False
) -> Instance:
    """Return the object with the fields that keywords, or pydantic's ``update``, give.

    ``constructs`` says that they go through the constructor, and pydantic's ``update`` does not.
    """
    changes: dict[str, Possibilities] = {}
    for keyword in node.keywords:
        given = evaluator.evaluate(keyword.value, frame)
        if keyword.arg is None or keyword.arg == "update":
            changes.update(dictionaries.as_items(evaluator, given)[0].entries)
        elif keyword.arg != "deep":
            changes[keyword.arg] = stored(evaluator, instance.of, keyword.arg, given) if constructs else given
    if constructs:
        changes.update(dict.fromkeys(_worked_out(evaluator, instance, changes), unseen(frame.facts.span(node))))
    before = instance.changed
    after = {
        name: settled(values, partial(before.__getitem__, name)) if name in before else values
        for name, values in changes.items()
    }
    return replace(instance, changed=overlaid(before, after), copied=instance.copied | {node})


def same(given: Possibilities, node: ast.Call) -> Possibilities:
    """Return what a call that copies makes of what it is given: objects that are no others, and all else as it is."""
    return tuple(
        replace(one, thing=replace(one.thing, copied=one.thing.copied | {node}))
        if isinstance(one.thing, Instance)
        else one
        for one in given
    )


def _worked_out(evaluator: Evaluator, instance: Instance, given: Collection[str]) -> frozenset[str]:
    """Return the attributes that ``__post_init__`` sets on a copy where it reads or sets any of those that are given.

    It runs for a copy as it did for the first (``dataclasses.replace``).
    """
    found: set[str] = set()
    for owner in classes.lineage(evaluator, instance.of):
        for scope in owner.scope.children:
            own = receiver_in(scope) if scope.name in AFTER_FIELDS else None
            used = {dotted(node) for node in ast.walk(scope.node) if isinstance(node, ast.Attribute)}
            if any(f"{own}.{name}" in used for name in given):
                found |= {one.partition(".")[2] for one in scope.bindings if one.startswith(f"{own}.")}
    return frozenset(found)
