"""Dictionaries that classes put themselves into as they are defined: ``cls.registry[cls.name] = cls``.

Python calls ``__init_subclass__`` for every class that inherits it (the reference, "Customizing class creation").
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import class_attributes, hierarchy, stops
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Items, Possibilities, Possibility
from loaderlint.linking.things.lazily import Lazily, overlaid
from loaderlint.linking.things.possibilities import distinct, one_of, under, unseen
from loaderlint.model.assumptions import Assumptions
from loaderlint.readers.python import Binding, FunctionNode, Scope, default_of, dotted, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_HOOK = "__init_subclass__"


def with_entered(evaluator: Evaluator, of: Class, name: str, found: Possibilities) -> Possibilities:
    """Return what an attribute of a class is with what the subclasses put into it."""
    if not any(isinstance(one.thing, Items) for one in found):
        return found
    for owner in classes.lineage(evaluator, of):
        if name in owner.scope.bindings:
            more = _entered(evaluator, owner, name)
            return tuple(
                replace(one, thing=replace(one.thing, entries=overlaid(one.thing.entries, more)))
                if more and isinstance(one.thing, Items)
                else one
                for one in found
            )
    return found


def enters_itself(evaluator: Evaluator, of: Class) -> bool:
    """Return whether a class is put into a dictionary as it is defined."""
    hooks = (
        (above, one)
        for above in classes.lineage(evaluator, of)[1:]
        for one in above.scope.children
        if one.name == _HOOK
    )
    return any(
        _enters(one, own) and _ways_to(evaluator, one, above, of)
        for above, hook in hooks
        if (own := receiver_in(hook)) is not None
        for bindings in hook.bindings.values()
        for one in bindings
    )


def _entered(evaluator: Evaluator, owner: Class, name: str) -> Mapping[str, Possibilities]:
    """Return what the subclasses of a class put under which key of a dictionary that is an attribute of it."""
    hook = next((one for one in owner.scope.children if one.name == _HOOK), None)
    own = receiver_in(hook) if hook is not None else None
    if hook is None or own is None:
        return {}
    changes = (one for _, one in evaluator.attributes_set.get(name, ()) if one.kind in MUTATIONS)
    in_doubt = any(one.place.scope.name != _HOOK for one in changes)
    enters = [one for one in hook.bindings.get(f"{own}.{name}", ()) if _enters(one, own)]
    if len(enters) != 1:
        return {}

    def found() -> Mapping[str, Possibilities]:
        ways: dict[str, list[tuple[str, Possibilities]]] = {}
        others = in_doubt
        for heir in hierarchy.family(evaluator, owner)[1:]:
            span = heir.facts.span(heir.node)
            ways_in = _ways_to(evaluator, enters[0], owner, heir) if name not in heir.scope.bindings else []
            for key in _key(evaluator, enters[0], own, owner, hook, heir) if ways_in else ():
                entry = _in_some_way(Possibility(heir, span, assumptions=key.assumptions), ways_in)
                if isinstance(key.thing, str):
                    ways.setdefault(key.thing, []).append((str(span), entry))
                others = others or not key.constant
        more = unseen(owner.facts.span(hook.node)) if others else ()
        # Which of two classes of one name is there at last depends on the order in which they are defined.
        return {key: (*one_of(f"the class {key} of {owner.node.name}", every), *more) for key, every in ways.items()}

    return evaluator.once(("entered", id(owner.node), name), dict[str, Possibilities](), found)


def _ways_to(evaluator: Evaluator, binding: Binding, owner: Class, heir: Class) -> list[Assumptions]:
    """Return the alternatives under which the hook of a class comes to a statement for a class below it."""
    hook = binding.place.scope
    taken = [one.arg for one in parameters(hook.node)][1:] if isinstance(hook.node, FunctionNode) else []
    given = Lazily.of(taken, lambda name: _given(evaluator, name, owner, hook, heir))
    return stops.conditions_at(evaluator, Frame(owner.facts, binding.place, given, evaluator.any_object(heir)))


def _in_some_way(one: Possibility, ways: Sequence[Assumptions]) -> Possibilities:
    """Return something under alternative assumptions; where it was not put anywhere, a look-up comes to an error."""
    return distinct(way for assumptions in ways for way in under((one,), assumptions))


def _enters(binding: Binding, own: str) -> bool:
    """Return whether a statement puts the class that is defined into a dictionary."""
    return binding.kind == "item" and not binding.keys and binding.value is not None and dotted(binding.value) == own


def _key(evaluator: Evaluator, binding: Binding, own: str, owner: Class, hook: Scope, heir: Class) -> Possibilities:
    """Return the key that a class goes under: an attribute of it, its name, or what its definition says."""
    key, span = binding.key, heir.facts.span(heir.node)
    if isinstance(key, ast.Attribute) and dotted(key.value) == own:
        if key.attr == "__name__":
            return (Possibility(heir.node.name, span),)
        return class_attributes.attribute(evaluator, heir, key.attr, span)
    if not isinstance(key, ast.Name) or len(hook.bindings.get(key.id, ())) != 1:
        return unseen(span)
    return _given(evaluator, key.id, owner, hook, heir)


def _given(evaluator: Evaluator, name: str, owner: Class, hook: Scope, heir: Class) -> Possibilities:
    """Return what the definition of a class gives the hook of a class above for a parameter, or its default."""
    assert isinstance(hook.node, FunctionNode)
    given = next((one.value for one in heir.node.keywords if one.arg == name), None)
    if given is not None:
        return evaluator.evaluate(given, Frame(heir.facts, heir.place))
    default = default_of(hook.node, name)
    if default is None or any(one.arg is None for one in heir.node.keywords):
        return unseen(heir.facts.span(heir.node))
    return evaluator.evaluate(default, Frame(owner.facts, owner.place))
