"""Functions of the project: what one call of them gives back, and the frame their body runs in during it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import arguments, methods
from loaderlint.linking.things import classes, decorators
from loaderlint.linking.things.kinds import Frame, Function, Instance, Possibilities, Possibility, end_of
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.readers.python import Scope, dotted, names_in, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


MOST_CALLS_DEEP = 5
"""Calls followed into each other where a command line's parser is built: classes of options call one another a lot."""


MOST_OTHER_CALLS_DEEP = 2
"""Calls followed into each other for what they return; beyond that it is unseen.

What a constructor keeps may come from one call more, since a call often makes the object: ``build_dataset(args)``.
"""


def _most_calls_deep(function: Function, node: ast.Call, frame: Frame) -> int:
    if _may_build_a_parser(function, frame):
        return MOST_CALLS_DEEP
    return MOST_OTHER_CALLS_DEEP + (frame.scope.name == "__init__" or _hands_back(function, node, frame.scope))


def _hands_back(function: Function, node: ast.Call, around: Scope) -> bool:
    """Return whether a call says what is returned around it, and its function returns what it is given and no more.

    So are settings checked before they are handed out: ``return checked(_C.clone())``. One that calls itself goes
    through all there is in them, and is dear to follow.
    """
    scope = function.scope
    if not any(value is node for value, _ in around.returns) or any(
        dotted(one.node.func) == scope.name for one in scope.calls
    ):
        return False
    taken = {one.arg for one in parameters(function.node)}
    return bool(scope.returns) and all(isinstance(one, ast.Name) and one.id in taken for one, _ in scope.returns)


def _may_build_a_parser(function: Function, frame: Frame) -> bool:
    """Return whether a call has to do with parsers: the file it stands in says something to one, or the function's."""
    return function.facts.uses_parsers or frame.facts.uses_parsers


def returned(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what a project function gives back to one call."""
    if frame.depth >= _most_calls_deep(function, node, frame):
        return unseen(frame.facts.span(node))
    found = returned_by(evaluator, function, frame_of_call(evaluator, function, node, frame))
    return tuple(_itself(evaluator, one, function, node, frame) for one in found)


def _itself(evaluator: Evaluator, one: Possibility, function: Function, node: ast.Call, frame: Frame) -> Possibility:
    """Return what a method gives back as it is after the call, where that is the object it was called on."""
    thing, receiver = one.thing, function.receiver
    if receiver is None or receiver.call is None or not isinstance(thing, Instance) or thing.call is not receiver.call:
        return one
    if thing.copied != receiver.copied:
        return one
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in evaluator.effects.setting:
        return one
    return methods.after_call(evaluator, replace(one, thing=receiver), node, (), frame)


def frame_of_call(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Frame:
    """Return the frame of a project function's body during one call of it, the same whenever it is asked for."""

    def entered() -> Frame:
        method = takes_receiver(function) or classes.is_class_method(function.node)
        caller = Caller(frame, node)
        given = arguments.bound(evaluator, caller, function, skip_first=method)
        hidden = decorators.hides_arguments(evaluator, function.node, function.facts, function.scope)
        receiver = receiver_of(evaluator, function, node, frame)
        end = end_of(function.scope)
        return Frame(function.facts, end, None if hidden else given, receiver, frame.depth + 1, (node, frame))

    return evaluator.remembered(("call", node, function.node, id(function.receiver)), frame, entered)


def receiver_of(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Instance | None:
    """Return the object a method is called on, also where it is handed over: ``Base.method(self)``."""
    if function.receiver is not None or classes.has_decorator(function.node, "staticmethod") or not node.args:
        return function.receiver
    if classes.owner_of(function.facts, function.scope) is None or isinstance(node.args[0], ast.Starred):
        return None
    things = [one.thing for one in evaluator.evaluate(node.args[0], frame)]
    return things[0] if len(things) == 1 and isinstance(things[0], Instance) else None


def takes_receiver(function: Function) -> bool:
    """Return whether the first parameter of a function is the object it is called on."""
    return function.receiver is not None and not classes.has_decorator(function.node, "staticmethod")


def returned_by(evaluator: Evaluator, function: Function, frame: Frame) -> Possibilities:
    """Return what a function gives back, in a frame that may bind its parameters; a generator gives the unseen."""
    scope = function.scope
    here = function.facts.span(function.node)
    if scope.yields or isinstance(function.node, ast.AsyncFunctionDef):
        return unseen(here)
    found: list[Possibility] = []
    for value, place in scope.returns:
        where = replace(frame, place=place)
        for assumptions in evaluator.conditions_at(where, names_in(value, *(arm.test for arm in place.arms))):
            values = evaluator.evaluate(value, where) if value is not None else (Possibility(None, here),)
            found.extend(under(values, assumptions))
    return tuple(found) or (Possibility(None, here),)
