"""What one attribute or item of a thing can be."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import (
    class_attributes,
    environment,
    field_names,
    instances,
    keys_asked,
    library_attributes,
    loader_attributes,
    modules,
    subclasses,
)
from loaderlint.linking.following.commandlines import absl, actions, parsed, parsers
from loaderlint.linking.following.configurations import ini_files
from loaderlint.linking.following.replacing import AFTER_FIELDS
from loaderlint.linking.things import classes, devices, guards, locations, operators, platforms, settings
from loaderlint.linking.things.kinds import (
    GIVEN,
    Absent,
    Class,
    CommandLine,
    External,
    Folder,
    Frame,
    Instance,
    Items,
    Made,
    Module,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Thing,
    Unseen,
)
from loaderlint.linking.things.possibilities import combined, distinct, irremovable, one_of, under, unseen
from loaderlint.linking.things.trees import child_of_tree, from_item
from loaderlint.model.assumptions import together
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Sequence as TreeSequence
from loaderlint.vocabulary.commandlines import MARKS
from loaderlint.vocabulary.datasets import SPLITS
from loaderlint.vocabulary.ranges import ENUMERATIONS
from loaderlint.vocabulary.running import CURRENT_PROCESS
from loaderlint.vocabulary.tensors import ANY_MODEL, MODELS_BY_NAME

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def _is_of_enumeration(evaluator: Evaluator, member_named: ast.expr, frame: Frame) -> bool:
    """Return whether an expression names a member of an enumeration: what is written there is its ``value``."""
    if not isinstance(member_named, ast.Attribute):
        return False
    owners = [one.thing for one in evaluator.evaluate(member_named.value, frame)]
    return bool(owners) and all(isinstance(one, Class) and _enumerates(evaluator, one) for one in owners)


def _enumerates(evaluator: Evaluator, owner: Class) -> bool:
    own = {name for one in classes.lineage(evaluator, owner) for name in one.scope.bindings}
    return classes.inherits(evaluator, owner, ENUMERATIONS) and not own & {"value", "__new__", "__init__"}


def member(evaluator: Evaluator, owner: Possibility, node: ast.Attribute, frame: Frame, span: Span) -> Possibilities:
    """Return what one attribute of one thing can be."""
    thing, name = owner.thing, node.attr
    if owner.constant and name == "value" and _is_of_enumeration(evaluator, node.value, frame):
        # Members with the same value are one: another value is no change for the loader alone.
        return (replace(owner, taken_out=True).step(span, frame.facts.text(node)),)
    if isinstance(thing, External) and thing.name == absl.FLAGS:
        return evaluator.defined_flags.read(name, frame, span)
    if isinstance(thing, External) and thing.name.startswith(absl.ONE_OF_FLAGS) and name == "value":
        return evaluator.defined_flags.read(thing.name.removeprefix(absl.ONE_OF_FLAGS), frame, span)
    if isinstance(thing, External):
        platform = platforms.fact(f"{thing.name}.{name}", span)
        return platform or (Possibility(External(f"{thing.name}.{name}"), span),)
    if isinstance(thing, Made) and (system := platforms.of_uname(thing.callee, name, span)) is not None:
        return system
    if isinstance(thing, Module):
        return modules.member(evaluator, thing, name, span, reader=frame)
    if isinstance(thing, Folder):
        return modules.inside(evaluator, thing, name, span)
    if isinstance(thing, Class | Instance | Made) and (named := field_names.by_name(evaluator, thing, name, span)):
        return named
    if isinstance(thing, CommandLine | Instance) and name == "__dict__":
        return (Possibility(thing, span),)
    if isinstance(thing, Instance):
        found = _before_post_init(evaluator, thing, node, frame) or evaluator.attribute_of(thing, name)
        text = frame.facts.text(node)
        return tuple([one.step(span, text) if one.constant else one for one in found])
    if isinstance(thing, Class):
        return subclasses.with_entered(evaluator, thing, name, class_attributes.attribute(evaluator, thing, name, span))
    if isinstance(thing, CommandLine):
        text = frame.facts.text(node)
        return tuple([one.step(span, text) for one in parsed.attribute(evaluator, thing, name, span)])
    if isinstance(thing, TreeMapping):
        return child_of_tree(thing, name, span, frame.facts.text(node))
    if isinstance(thing, Settings):
        return settings.read(thing, name, span, frame.facts.text(node))
    if isinstance(thing, Items) and name in thing.entries:
        # Where it is missing, the program ends here.
        found = tuple(one for one in thing.entries[name] if not isinstance(one.thing, Absent)) or unseen(span)
        return found if thing.of_arguments else irremovable(found)
    if isinstance(thing, Made) and parsers.is_parser(thing) and name in actions.OF_PARSERS:
        return actions.read(evaluator, thing, name, frame, span)
    if isinstance(thing, Made) and name == "value" and (value := absl.held(evaluator, thing, frame)) is not None:
        return value
    if isinstance(thing, Made) and thing.callee == "builtins.super":
        return instances.super_member(evaluator, thing, name, span)
    if isinstance(thing, Made) and name == "parent" and locations.is_path(thing):
        return (Possibility(locations.folder_of(node.value, frame), span),)
    if isinstance(thing, Made) and name in ("name", "stem") and locations.is_path(thing):
        return locations.last_part(evaluator, node.value, name, frame, span)
    if isinstance(thing, Made) and name == "name" and thing.callee in CURRENT_PROCESS:
        return guards.process_name(span)
    if isinstance(thing, Made) and thing.callee == "torch.device" and name == "type" and thing.call.args:
        return devices.types_of(evaluator.evaluate(thing.call.args[0], thing.frame), span)
    if isinstance(thing, Made) and thing.callee.startswith(library_attributes.HELD):
        return _of_held(evaluator, thing, node, frame, span)
    if isinstance(thing, Made) and (kept := library_attributes.read(evaluator, thing, name, span)) is not None:
        text = frame.facts.text(node)
        return tuple(one.step(span, text) if one.constant else one for one in kept)
    if isinstance(thing, Made) and (option := loader_attributes.read(evaluator, thing, name, span)) is not None:
        text = frame.facts.text(node)
        return tuple(one.step(span, text) if one.constant else one for one in option)
    return unseen(span)


def _of_held(evaluator: Evaluator, thing: Made, node: ast.Attribute, frame: Frame, span: Span) -> Possibilities:
    """Return what an attribute is of the settings that an object of a library's class keeps."""
    instance = thing.frame.receiver
    if instance is None or not library_attributes.may_ask(node.attr):
        return unseen(span)
    kept = thing.callee.removeprefix(library_attributes.HELD)
    with evaluator.steps(library_attributes.MOST_STEPS_OF_HELD):
        settings_kept = instances.handed_to_library(evaluator, instance, kept, span)
    return distinct(
        found for one in settings_kept for found in under(member(evaluator, one, node, frame, span), one.assumptions)
    )


def _before_post_init(evaluator: Evaluator, thing: Instance, node: ast.Attribute, frame: Frame) -> Possibilities:
    """Return what a method that runs after the fields were set finds in one; nothing for anything else."""
    own = isinstance(node.value, ast.Name) and classes.names_receiver(frame, node.value.id)
    if not own or frame.scope.name not in AFTER_FIELDS:
        return ()
    return instances.declared(evaluator, thing, node.attr)


def subscript(evaluator: Evaluator, node: ast.Subscript, frame: Frame) -> Possibilities:
    """Return what a subscript can be, for every owner and key that can meet."""
    span = frame.facts.span(node)
    owners = evaluator.evaluate(node.value, frame)
    if isinstance(node.slice, ast.Slice) and owners and all(isinstance(one.thing, str) for one in owners):
        return _part_of_text(evaluator, owners, node, node.slice, frame)
    if isinstance(node.slice, ast.Slice) and owners and all(isinstance(one.thing, Row) for one in owners):
        return _part_of_rows(evaluator, owners, node, node.slice, frame)
    found: list[Possibility] = []
    for owner, key in ((owner, key) for owner in owners for key in evaluator.evaluate(node.slice, frame)):
        joint = together(owner.assumptions, key.assumptions)
        if joint is not None:
            text = frame.facts.text(node)
            if isinstance(owner.thing, Items | Row) and not (key.constant or isinstance(node.slice, ast.Slice)):
                found.extend(under(any_item(evaluator, owner.thing, key.thing, node.slice, frame, span), joint))
                continue
            found.extend(under(item(evaluator, owner.thing, key.thing, span, text, frame), joint))
            typed = isinstance(key.thing, CommandLineText) or (isinstance(key.thing, Unseen) and key.thing.given)
            if typed and isinstance(owner.thing, TreeMapping):
                # Which part of a file holds is what the user says: ``settings[args.environment]``.
                parts = [(name, child_of_tree(owner.thing, name, span, text)) for name in owner.thing.merged]
                kept = [
                    (name, _looked_up(evaluator, way, node.slice, name, frame))
                    for name, way in parts
                    if isinstance(way[0].thing, TreeMapping)
                ]
                found.extend(under(one_of(f"the key at {key.span}", [*kept, ("another", ())]), joint))
    return distinct(found)


NAMES_OF_MODULE = "builtins.globals"
"""What gives, when it is called, the names of the module that calls it."""
MOST_ITEMS = 16
"""One of more items than this is something unseen where nobody saw which one."""


def any_item(
    evaluator: Evaluator, thing: Items | Row, key: Thing, node: ast.expr, frame: Frame, span: Span
) -> Possibilities:
    """Return what a dictionary or list holds under a key that was not seen, assuming that it is this one.

    Where it holds plain values, which of them are meant for the same thing is known only if the user says the key.
    """
    items = _every_item(thing, span)
    if not items or len(items) > MOST_ITEMS:
        return unseen(span)
    by_user = isinstance(key, CommandLineText) or (isinstance(key, Unseen) and key.given)
    if not by_user and any(one.constant for values in items.values() for one in values):
        return unseen(span)
    ways: list[tuple[int | str, Possibilities]] = [
        (one, irremovable(_looked_up(evaluator, values, node, one, frame))) for one, values in items.items()
    ]
    others = unseen(span) if isinstance(thing, Items) and not thing.complete else ()
    found = one_of(f"the key at {span}", [*ways, ("another", others)])
    return tuple(one for one in found if not isinstance(one.thing, Absent)) or unseen(span)


def _every_item(thing: Items | Row, span: Span) -> Mapping[str, Possibilities] | Mapping[int, Possibilities]:
    if isinstance(thing, Row):
        return dict(enumerate(thing.items))
    return ini_files.every_item(thing, span) if thing.parsed else thing.entries


def _looked_up(
    evaluator: Evaluator, values: Possibilities, node: ast.expr, key: int | str, frame: Frame
) -> Possibilities:
    """Return what stands under a key, where the expression that looks it up is that key."""
    ways = keys_asked.answers(evaluator, node, key, frame)
    return tuple(one for way in ways for one in under(values, way))


def _part_of_text(
    evaluator: Evaluator, texts: Possibilities, node: ast.Subscript, part: ast.Slice, frame: Frame
) -> Possibilities:
    """Return what a slice of text is: ``sys.platform[:3]``."""
    ends = _ends(evaluator, node, part, frame)
    return operators.compute(evaluator, (texts, *ends), node, frame, lambda values: values[0][slice(*values[1:])])  # type: ignore[index]


def _part_of_rows(
    evaluator: Evaluator, rows: Possibilities, node: ast.Subscript, part: ast.Slice, frame: Frame
) -> Possibilities:
    """Return what a slice of a list is, another list: ``names[:-1]``."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for (one, *given), assumptions, _ in combined(rows, *_ends(evaluator, node, part, frame)):
        ends = [end.thing for end in given if end.thing is None or isinstance(end.thing, int)]
        known = len(ends) == len(given) and ends[2] != 0
        if isinstance(one.thing, Row) and one.thing.in_order is None and known:
            items = one.thing.items[ends[0] : ends[1] : ends[2]]
            found.append(Possibility(Row(items), span, assumptions=assumptions))
        else:
            found.extend(unseen(span, assumptions))
    return distinct(found)


def _ends(evaluator: Evaluator, node: ast.Subscript, part: ast.Slice, frame: Frame) -> list[Possibilities]:
    nothing = (Possibility(None, frame.facts.span(node)),)
    return [nothing if end is None else evaluator.evaluate(end, frame) for end in (part.lower, part.upper, part.step)]


def item(evaluator: Evaluator, thing: Thing, key: Thing, span: Span, text: str, frame: Frame) -> Possibilities:
    """Return what ``thing[key]`` can be."""
    if isinstance(thing, Items) and thing.parsed:
        return ini_files.item(thing, key, span)
    if isinstance(thing, Items) and isinstance(key, str):
        # Where it is missing, the program ends here.
        found = tuple(one for one in thing.entries.get(key, ()) if not isinstance(one.thing, Absent))
        return irremovable(found or unseen(span))
    if isinstance(thing, Row) and isinstance(key, int) and -len(thing.items) <= key < len(thing.items):
        placed = thing.in_order is None or 0 <= key < thing.in_order
        return thing.items[key] if placed else unseen(span)
    if isinstance(thing, TreeSequence) and isinstance(key, int) and -len(thing.items) <= key < len(thing.items):
        return (from_item(thing.items[key]),)
    if isinstance(thing, TreeMapping) and isinstance(key, str):
        return child_of_tree(thing, key, span, text)
    if isinstance(thing, Settings) and isinstance(key, str):
        return settings.read(thing, key, span, text)
    if isinstance(thing, CommandLine) and isinstance(key, str):
        return parsed.attribute(evaluator, thing, key, span)
    if isinstance(thing, Instance):
        return instances.item(evaluator, thing, key, span)
    if isinstance(thing, Class) and classes.is_generic(evaluator, thing):
        # It says of which type, and is called and inherited from as the class itself (``typing.Generic``).
        return (Possibility(thing, span),)
    if isinstance(thing, Made) and (system := platforms.of_uname(thing.callee, key, span)) is not None:
        return system
    if isinstance(thing, Made) and thing.callee == NAMES_OF_MODULE and isinstance(key, str):
        return modules.member(evaluator, Module(thing.frame.facts), key, span)
    if isinstance(thing, Made) and thing.callee in SPLITS and isinstance(key, int):
        return (Possibility(replace(thing, part=key), span),)
    if isinstance(thing, External) and thing.name in MODELS_BY_NAME:
        model = key if isinstance(key, str) else ANY_MODEL
        return (Possibility(External(f"{thing.name.removesuffix('__dict__')}{model}"), span),)
    if isinstance(thing, External) and thing.name == absl.FLAGS and isinstance(key, str):
        return (Possibility(External(f"{absl.ONE_OF_FLAGS}{key}"), span),)
    if isinstance(thing, External) and thing.name == "sys.argv" and key != 0:
        return (Possibility(GIVEN, span),)
    if isinstance(thing, External) and thing.name == "sys.modules" and key in ("__main__", "__mp_main__"):
        # ``sys.modules[__name__]``, which is the reader's own module.
        return (Possibility(Module(frame.facts), span),)
    if isinstance(thing, External) and thing.name == "os.environ" and isinstance(key, str):
        return environment.item(evaluator, key, frame, span)
    if isinstance(thing, External) and thing.name.startswith(MARKS):
        return (Possibility(key, span),)
    return unseen(span)
