"""What the methods that a constructor calls make of the attributes it sets: ``self._validate()`` as its last line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following import methods
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, Possibilities
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.readers.python import Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Making(Struct, frozen=True):
    """A method that runs while an object is made: what it calls that, and what others reach of it that it calls."""

    scope: Scope
    own: str
    reached: methods.Reached


def left(
    evaluator: Evaluator,
    instance: Instance,
    making: Making,
    frame: Frame,
    name: str,
    before: Callable[[str], Possibilities],
) -> Possibilities:
    """Return what an attribute holds when a method that makes an object is through with it, with all that it calls.

    ``frame`` is that of the method; ``before`` gives what an attribute holds where nothing was called.
    """

    def ended() -> Possibilities:
        changed = Lazily.followed(evaluator, sorted(making.reached.attributes), before)
        started = replace(instance, changed=changed)
        # What it calls is followed as far as what the constructor itself calls.
        within = replace(frame, receiver=started, depth=max(frame.depth - 1, 0))
        return methods.after_body(evaluator, started, within, making.own)

    key = ("made", instance.of.node, instance.call, instance.frame, instance.running, instance.without, making.scope)
    return tuple(
        way
        for state in evaluator.remembered(key, None, ended)
        for way in under(
            (isinstance(state.thing, Instance) and state.thing.changed.get(name)) or unseen(state.span),
            state.assumptions,
        )
    )


def only_by(evaluator: Evaluator, kind: Class, making: Collection[Making]) -> frozenset[Scope]:
    """Return what some methods that make the objects of a class call and nothing else does."""
    called = frozenset[Scope]().union(*(one.reached.methods for one in making))
    inside = called.union(one.scope for one in making)
    return frozenset(
        one
        for one in called
        if all(
            site.place.scope in inside or _is_of_others(evaluator, kind, Frame(facts, site.place), site.node.func)
            for facts, site in evaluator.callers.sites(one.name)
        )
    )


def _is_of_others(evaluator: Evaluator, kind: Class, frame: Frame, function: ast.expr) -> bool:
    """Return whether a method is called on the own object of a class that has nothing to do with another."""
    receiver = dotted(function.value) if isinstance(function, ast.Attribute) else None
    owner = classes.class_around(frame, receiver) if receiver is not None else None
    if owner is None:
        return False
    return all(
        one.node is not other.node
        for one, family in ((owner, classes.lineage(evaluator, kind)), (kind, classes.lineage(evaluator, owner)))
        for other in family
    )
