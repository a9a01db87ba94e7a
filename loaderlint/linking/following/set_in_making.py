"""Attributes that a constructor sets under the names of what it is given: ``self.__dict__.update(given)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following import constructor_calls, entries_after, set_outside
from loaderlint.linking.following.named_attributes import sets_attributes
from loaderlint.linking.scopes.events import Event, Happened
from loaderlint.linking.scopes.names import reaching
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import ABSENT, Instance, Items, Possibilities, Possibility
from loaderlint.linking.things.possibilities import settled, unseen
from loaderlint.readers.python import AttributeChange, Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def given(
    evaluator: Evaluator, instance: Instance, name: str, before: Possibilities, changes: Sequence[AttributeChange]
) -> Possibilities | None:
    """Return what an attribute is where a constructor sets it by what it is given, and ``before`` where it does not.

    ``changes`` are all that may set it under a name that is worked out. None where one of them is another code's, where
    the attribute is set otherwise as well, and where nobody is seen to make such an object.
    """
    if name in instance.changed or not _is_made(evaluator, instance, name):
        return None
    scope = changes[0].place.scope
    found: Possibilities | None = None
    for owner in classes.lineage(evaluator, instance.of):
        for method, own in constructor_calls.own_methods(evaluator, instance, owner):
            if method is not scope:
                if method.bindings.get(f"{own}.{name}") and not (
                    found is not None and method.name == "__init__" and _runs_above_first(scope, changes)
                ):
                    return None
                continue
            if method.name != "__init__" or any(
                one.place.scope is not method or dotted(one.owner) != own for one in changes
            ):
                return None
            bindings = [one for one in method.bindings.get(own, ()) if sets_attributes(one)]
            last = max((one.place.order for one in method.bindings.get(f"{own}.{name}", ())), default=-1)
            if not bindings or last > bindings[0].place.order:
                return None
            frame = constructor_calls.method_frame(evaluator, instance, owner, method)
            items = Items({})
            for one in bindings:
                for way in reaching([one], None):
                    happened = Happened(Event((), "", one), way.arms, way.earlier_turn)
                    items = entries_after.after(evaluator, items, happened, frame)
            span = owner.facts.span(method.node)
            missing = (Possibility(ABSENT, span),) if items.complete else unseen(span)
            found = settled(items.entries.get(name, missing), lambda: before)
    return found


def _runs_above_first(scope: Scope, changes: Sequence[AttributeChange]) -> bool:
    """Return whether a constructor runs the one above it, whatever happens, before it sets anything by name."""
    calls = [one.place for one in scope.calls if classes.is_super_init(one.node)]
    first = min(one.place.order for one in changes)
    return len(calls) == 1 and not calls[0].arms and calls[0].order < first


def _is_made(evaluator: Evaluator, instance: Instance, name: str) -> bool:
    """Return whether what an object is made with is seen, and nothing else sets its attribute from outside."""
    if instance.call is not None:
        return True
    makers = evaluator.callers.makers(instance.of)
    return bool(makers.by) and not makers.for_users and not set_outside.on_objects(evaluator, instance, name)
