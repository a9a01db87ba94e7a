"""Calls: what comes of one is worked out by what it calls, each kind in a room of its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following import functions, library_calls, members, value_methods
from loaderlint.linking.following.commandlines import parsers
from loaderlint.linking.following.configurations import (
    attribute_dicts,
    deep_updates,
    python_files,
    records,
    self_filled,
)
from loaderlint.linking.things import classes, named_tuples, torch_versions
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Unseen,
)
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import dotted
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.running import MAKES_REMOTE
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_KNOWN_FUNCTIONS = (records.converted, deep_updates.made, python_files.read_by_copy)
"""What tells of a project's own functions which are written alike everywhere what they give back."""


def call(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what a call can give back."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    if isinstance(node.func, ast.Attribute):
        of_torch = torch_versions.asked(evaluator, node, frame) if node.func.attr == torch_versions.ASKS else None
        if of_torch is not None:
            return of_torch
        method = _method(evaluator, node, node.func, frame, span)
        if method is not None:
            return method
    for callee in evaluator.evaluate(node.func, frame):
        found.extend(under(_called(evaluator, callee, node, frame, span), callee.assumptions))
    return tuple(found) or unseen(span)


def _called(evaluator: Evaluator, callee: Possibility, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    thing = callee.thing
    if isinstance(thing, Function):
        for known in _KNOWN_FUNCTIONS:
            given = known(evaluator, thing, node, frame)
            if given is not None:
                return given
        return functions.returned(evaluator, thing, node, frame)
    if isinstance(thing, Unseen):
        return parsers.set_by_name(evaluator, callee, node, frame) or unseen(span)
    if isinstance(thing, Class):
        kind = attribute_dicts.made_by(evaluator, thing)
        if kind is not None:
            return library_calls.dictionary(evaluator, kind, node, frame, span)
        if classes.keeps_its_objects(evaluator, thing):
            return (Possibility(evaluator.any_object(thing), span),)
        held = records.made(evaluator, thing, node, frame) or self_filled.made(evaluator, thing, node, frame)
        return held or (Possibility(Instance(thing, node, frame), span),)
    if isinstance(thing, External):
        return library_calls.given_by(evaluator, thing.name, node, frame, span)
    if isinstance(thing, Instance):
        for one in evaluator.attribute_of(thing, "__call__"):
            if isinstance(one.thing, Function):
                return functions.returned(evaluator, one.thing, node, frame)
    if isinstance(thing, Items) and not node.args and not node.keywords:
        # An object of a class that ``type`` made of its attributes. What is set on the class may come after it.
        changed = any(name.startswith(f"{dotted(node.func)}.") for name in frame.scope.bindings)
        return unseen(span) if changed else (callee,)
    if isinstance(thing, Made) and thing.callee == named_tuples.MAKER:
        return named_tuples.made(evaluator, thing, node, frame)
    if isinstance(thing, Made) and thing.callee == PARTIAL and thing.call.args:
        return _loader_of_partial(evaluator, thing, node, frame, span)
    if isinstance(thing, Made) and thing.callee in MAKES_REMOTE and not thing.call.args and node.args:
        # ``ray.remote(num_gpus=1)(Class)`` is what ``ray.remote(Class)`` is.
        return (Possibility(Made(thing.callee, node, frame), span),)
    return unseen(span)


def _loader_of_partial(evaluator: Evaluator, partial: Made, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the library's loader that a call of a ``functools.partial`` makes; the rest of what it makes is unseen."""
    found: list[Possibility] = []
    for one in evaluator.evaluate(partial.call.args[0], partial.frame):
        is_loader = isinstance(one.thing, External) and one.thing.name in LOADER_CALLABLES
        made = _called(evaluator, one, node, frame, span) if is_loader or isinstance(one.thing, Made) else unseen(span)
        found.extend(under(made, one.assumptions))
    return tuple(found) or unseen(span)


def _method(
    evaluator: Evaluator, node: ast.Call, function: ast.Attribute, frame: Frame, span: Span
) -> Possibilities | None:
    """Return what a method of something that is no project object gives, None when it is none of those known."""
    owners = evaluator.evaluate(function.value, frame)
    every = [value_methods.given_by(evaluator, owner, node, function.attr, frame, span) for owner in owners]
    if all(values is None for values in every):
        return None
    found: list[Possibility] = []
    for owner, values in zip(owners, every, strict=True):
        if values is None:
            callees = members.member(evaluator, owner, function, frame, span)
            values = tuple(
                one
                for callee in callees
                for one in under(_called(evaluator, callee, node, frame, span), callee.assumptions)
            )
        found.extend(under(values, owner.assumptions))
    return tuple(found)
