"""Attributes of classes, as ``Class.name`` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import doubts, set_outside
from loaderlint.linking.following.commandlines import defaults
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Made, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import one_of, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def attribute(evaluator: Evaluator, owner: Class, name: str, span: Span) -> Possibilities:
    """Return what ``Class.name`` can be: what its body gives it, or what is set on the class later."""
    for one in classes.lineage(evaluator, owner):
        if classes.is_made_over(evaluator, one, name):
            return unseen(span)
        if name in one.scope.bindings:
            found = evaluator.bound(name, Frame(one.facts, end_of(one.scope)), None, span)
            held = (way for every in defaults.unwrapped(evaluator, found) for way in static(evaluator, every))
            called_on = tuple(_called_on(evaluator, way, owner) for way in held)
            held_there = doubts.changed_elsewhere(evaluator, [one], name, called_on, in_methods=True)
            return with_later(evaluator, owner, one, name, held_there)
    return unseen(span)


def static(evaluator: Evaluator, one: Possibility) -> Possibilities:
    """Return the function that an attribute set to ``staticmethod(function)`` is read as, everything else as it is."""
    made = one.thing
    if not isinstance(made, Made) or made.callee != "builtins.staticmethod" or len(made.call.args) != 1:
        return (one,)
    return under(evaluator.evaluate(made.call.args[0], made.frame), one.assumptions)


def _called_on(evaluator: Evaluator, one: Possibility, owner: Class) -> Possibility:
    """Return a class method as the one of the class it is looked up on, everything else as it is."""
    function = one.thing
    if not isinstance(function, Function) or not isinstance(function.node, FunctionNode):
        return one
    if not classes.is_class_method(function.node):
        return one
    return replace(one, thing=replace(function, receiver=evaluator.any_object(owner)))


def with_later(evaluator: Evaluator, owner: Class, declaring: Class, name: str, own: Possibilities) -> Possibilities:
    """Return what a class body gives an attribute of a class that inherits it, and what code elsewhere sets it to."""
    above = classes.lineage(evaluator, owner)
    place = next((place for place, one in enumerate(above) if one.node is declaring.node), 0)
    changed = above[: place + 1]
    if any(one.constant for one in own):
        names = [one.node.name for one in changed]
        evaluator.mentioned.update(word for one in names for word in (f"{one}.{name}", f"setattr({one},"))
        if evaluator.blurred.may_set(owner, name):
            own = (*own, *unseen(declaring.facts.span(declaring.node)))
    later = set_outside.on_classes(evaluator, changed, name)
    if not later:
        return own
    ways = later if set_outside.at_once(evaluator, declaring, name) else [("own", own), *later]
    return one_of(f"what sets {classes.subject(owner)}.{name} of the class", ways)
