"""Configurations that a program writes as dataclasses or dictionaries and keeps in Hydra's ``ConfigStore``.

``store(name, node, group, package)`` puts one where a file ``group/name.yaml`` would stand
(``hydra/core/config_store.py``, 1.3). A field without a default, or with ``MISSING``, has to be given by the user.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import fields
from loaderlint.linking.following.configurations.composition import Part
from loaderlint.linking.scopes.annotations import annotated
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    end_of,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.settings import as_tree
from loaderlint.linking.things.trees import MISSING
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_LISTS = frozenset({"List", "list", "Sequence"})
_PARAMETERS = ("name", "node", "group", "package", "provider")
DEEPEST_DATACLASS = 10
"""Dataclasses followed into each other; a deeper one is unseen."""


def tree(evaluator: Evaluator, one: Possibility, depth: int = 0) -> Possibility:
    """Return what a program makes a configuration of as a tree; a dataclass or an object of one gives its fields."""
    thing = one.thing
    if isinstance(thing, External) and thing.name == "omegaconf.MISSING":
        return replace(one, thing=MISSING)
    if isinstance(thing, Class):
        return tree(evaluator, replace(one, thing=_plain_object(evaluator, thing)), depth)
    if isinstance(thing, Instance) and depth < DEEPEST_DATACLASS:
        names = fields.fields_of(evaluator, thing.of)
        entries = {name: _trees(evaluator, evaluator.attribute_of(thing, name), depth) for name in names}
        return replace(one, thing=Items(entries, fixed=True, elements=_elements(evaluator, thing.of, depth)))
    if isinstance(thing, Items):
        entries = {key: _trees(evaluator, values, depth) for key, values in thing.entries.items()}
        return replace(one, thing=replace(thing, entries=entries))
    if isinstance(thing, Row):
        return replace(one, thing=Row(tuple(_trees(evaluator, item, depth) for item in thing.items)))
    return as_tree(one)


def _elements(evaluator: Evaluator, owner: Class, depth: int) -> Mapping[str, Possibilities]:
    """Return what the lists of a dataclass are made of, by field: ``List[Config]``."""
    found: dict[str, tuple[ast.expr, Frame]] = {}
    for one in reversed(classes.lineage(evaluator, owner)):
        frame = Frame(one.facts, end_of(one.scope))
        for name, annotation in classes.fields(one):
            for part in annotated(annotation):
                if isinstance(part, ast.Subscript) and (dotted(part.value) or "").rpartition(".")[2] in _LISTS:
                    found[name] = part.slice, frame

    def element(name: str) -> Possibilities:
        return tuple(
            tree(evaluator, one, depth + 1)
            for one in evaluator.evaluate(*found[name])
            if isinstance(one.thing, Class) and fields.fields_of(evaluator, one.thing)
        )

    return Lazily.of(found, element)


def _trees(evaluator: Evaluator, values: Possibilities, depth: int) -> Possibilities:
    return tuple(tree(evaluator, one, depth + 1) for one in values)


def _plain_object(evaluator: Evaluator, owner: Class) -> Instance:
    """Return the object that a class makes without arguments, the same one each time."""
    frame = Frame(owner.facts, owner.place)
    call = classes.plain_call(owner)
    return evaluator.remembered(("plain object", id(owner.node)), frame, lambda: Instance(owner, call, frame))


def stored(evaluator: Evaluator) -> dict[str, Part]:
    """Return what every call of ``ConfigStore.instance().store`` in the project keeps, by path."""
    found: dict[str, Part] = {}
    for facts in evaluator.project.all_python():
        if "ConfigStore" not in facts.source.text:
            continue
        for site in facts.calls.get("store", ()):
            frame = Frame(facts, site.place)
            function = site.node.func
            if isinstance(function, ast.Attribute) and _is_store(evaluator, function.value, frame):
                found.update(_kept(evaluator, site.node, frame))
    return found


def _is_store(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    return any(
        isinstance(one.thing, Made) and one.thing.callee.endswith("ConfigStore.instance")
        for one in evaluator.evaluate(node, frame)
    )


def _kept(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Mapping[str, Part]:
    arguments = arguments_of(call, _PARAMETERS)
    words: dict[str, str | None] = {}
    for parameter in ("name", "group", "package"):
        values = evaluator.evaluate(arguments[parameter], frame) if parameter in arguments else ()
        if len(values) > 1 or (values and not (values[0].thing is None or isinstance(values[0].thing, str))):
            return {}
        words[parameter] = values[0].thing if values and isinstance(values[0].thing, str) else None
    name, node = words["name"], arguments.get("node")
    if name is None or node is None:
        return {}
    path = "/".join(filter(None, (words["group"], name.removesuffix(".yaml"))))
    trees = [tree(evaluator, one) for one in evaluator.evaluate(node, frame)]
    if len(trees) != 1 or not isinstance(trees[0].thing, Items):
        return {}
    return {path: Part(trees[0].thing, frame.facts.span(call), words["package"])}
