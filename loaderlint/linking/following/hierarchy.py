"""Which classes the objects of a class can really be of: those of its family that somebody makes.

While a method runs, its object is of a class that did not put another method in its place: see `runs`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import methods_run, own_calls
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, LeftOut
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters
from loaderlint.readers.python_calls import is_super

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_LARGEST_FAMILY = 40
HYPERPARAMETERS = "hparams"
"""The attribute that ``save_hyperparameters()`` sets."""


def kinds(evaluator: Evaluator, instance: Instance, name: str) -> list[Class]:
    """Return the classes that an object known no nearer than by one can be of, as far as that matters for a name.

    It matters where a subclass has an attribute or method of that name for itself, or another method in the place of
    one that sets it. Of a family of which nobody is seen to make any, every member may be made.
    """
    owner = instance.of
    every = _running(evaluator, instance)
    setting = [(above, one.name) for above in classes.lineage(evaluator, owner) for one in _setting(above.scope, name)]
    if not any(
        _has_own(heir.scope, name) or any(not runs(evaluator, heir, *one) for one in setting) for heir in every[1:]
    ):
        return [owner]
    return _made(evaluator, instance, every)


def kinds_set_by_name(evaluator: Evaluator, instance: Instance, name: str) -> list[Class]:
    """Return the classes that an object can be of where a subclass sets the attribute under a name it works out.

    There are none where no subclass does.
    """
    every = _running(evaluator, instance)
    if not any(evaluator.blurred.is_set_below(instance.of, heir, name) for heir in every[1:]):
        return []
    return _made(evaluator, instance, every)


def _running(evaluator: Evaluator, instance: Instance) -> list[Class]:
    """Return the family of an object's class, of which only those whose objects run the method that is followed."""
    owner, method = instance.of, instance.running
    return [owner, *(one for one in family(evaluator, owner)[1:] if not method or runs(evaluator, one, *method))]


def _made(evaluator: Evaluator, instance: Instance, every: list[Class]) -> list[Class]:
    return [one for one in every if evaluator.callers.is_made(one, instance.without)] or every


def in_method(evaluator: Evaluator, owner: Class, method: Scope) -> Instance:
    """Return the object that stands for all those on which a method of a class runs."""

    def replaced() -> bool:
        return any(not runs(evaluator, one, owner, method.name) for one in family(evaluator, owner)[1:])

    known = evaluator.remembered(("replaced", id(owner.node), method.name), None, replaced)
    without = methods_run.never_on(evaluator, family(evaluator, owner), method)
    return evaluator.any_object(owner, (owner, method.name) if known else None, without)


def calling(evaluator: Evaluator, frame: Frame, callee: ast.expr, on: Instance) -> Frame | None:
    """Return the frame of a method that calls another one of its own object, where that object is ``on``.

    It is None where it cannot be that one. Where something else is called the frame stays as it is.
    """
    owner = classes.owner_of(frame.facts, frame.scope)
    if owner is None or not isinstance(callee, ast.Attribute) or not _is_own_object(callee.value, frame):
        return frame
    known = frame.receiver or in_method(evaluator, owner, frame.scope)
    if _is_below(evaluator, on.of, known.of):
        kind = on.of
    elif _is_below(evaluator, known.of, on.of):
        kind = known.of
    else:
        every = family(evaluator, on.of)
        mixed = len(every) > _LARGEST_FAMILY or any(_is_below(evaluator, one, known.of) for one in every)
        return frame if mixed else None
    if not runs(evaluator, kind, owner, frame.scope.name) or not can_be(evaluator, on, kind):
        return None
    if on.without and is_left_out(evaluator, kind, on.without):
        return None
    return replace(frame, receiver=evaluator.any_object(kind, on.running or known.running, on.without | known.without))


def is_left_out(evaluator: Evaluator, kind: Class, without: Collection[LeftOut]) -> bool:
    """Return whether objects of a class and those below it are made by some calls and by nothing else."""
    every = family(evaluator, kind)
    made = any(evaluator.callers.is_made(one) for one in every)
    return made and not any(evaluator.callers.is_made(one, without) for one in every)


def can_be(evaluator: Evaluator, instance: Instance, kind: Class) -> bool:
    """Return whether an object on which a method runs can be of a class of its family."""
    return instance.running is None or runs(evaluator, kind, *instance.running)


def _is_own_object(node: ast.expr, frame: Frame) -> bool:
    """Return whether an expression in a method is the object that the method runs on."""
    if not isinstance(frame.scope.node, FunctionNode) or classes.is_class_method(frame.scope.node):
        return False
    return is_super(node) or (isinstance(node, ast.Name) and classes.names_receiver(frame, node.id))


def _is_below(evaluator: Evaluator, kind: Class, above: Class) -> bool:
    return any(one.node is above.node for one in classes.lineage(evaluator, kind))


def runs(evaluator: Evaluator, kind: Class, owner: Class, method: str) -> bool:
    """Return whether a method as a class defines it may run on the objects of that class or of one descended from it.

    It does not where a class between the two has a method of its own by that name and nothing calls the one above, nor
    where nothing but methods that do not run on them calls it.
    """
    if kind.node is owner.node or (method.startswith("__") and not method.endswith("__")):
        return True
    key = ("runs", id(kind.node), id(owner.node), method)

    def found() -> bool:
        return _comes_to(evaluator, kind, owner, method) and _is_called_on(evaluator, kind, owner, method)

    return evaluator.once(key, False, found)


def _is_called_on(evaluator: Evaluator, kind: Class, owner: Class, method: str) -> bool:
    """Return whether something calls a method on objects of a class or of those below it, as far as that is known."""
    callers = own_calls.callers_of(evaluator, owner, method, family(evaluator, owner))
    return not callers or any(
        _is_below(evaluator, one, kind) or (_is_below(evaluator, kind, one) and runs(evaluator, kind, one, name))
        for one, name in callers
    )


def _comes_to(evaluator: Evaluator, kind: Class, owner: Class, method: str) -> bool:
    if evaluator.callers.names_class(owner.node.name, method):
        return True
    between = [
        one
        for one in classes.lineage(evaluator, kind)
        if one.node is not owner.node and any(above.node is owner.node for above in classes.lineage(evaluator, one))
    ]
    goes_on = False
    for one in between:
        goes_on = goes_on or method in _taken_from_above(one.node)
        if any(not binding.place.arms for binding in one.scope.bindings.get(method, ())):
            if not goes_on:
                return False
            goes_on = False
    return True


@lru_cache(maxsize=1 << 12)
def _taken_from_above(body: ast.ClassDef) -> frozenset[str]:
    """Return the names that a class body reads of ``super()`` and of other classes by name."""
    return frozenset(
        node.attr
        for node in ast.walk(body)
        if isinstance(node, ast.Attribute)
        and (is_super(node.value) or (dotted(node.value) or "").rpartition(".")[2][:1].isupper())
    )


def family(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return a class and all its subclasses in the project."""
    known = evaluator.relatives
    if owner.node in known.below:
        return [owner, *known.below[owner.node]]
    found, seen, settled = [owner], {owner.node}, True
    for one in found:
        for heir in evaluator.callers.heirs(one):
            if heir.node not in seen:
                seen.add(heir.node)
                found.append(heir)
        settled = settled and one.node in known.heirs
        if len(found) > _LARGEST_FAMILY:
            break
    if settled:
        known.below[owner.node] = tuple(found[1:])
    return found


def _has_own(scope: Scope, name: str) -> bool:
    """Return whether a class body binds a name, or a method sets it on its object."""
    return name in scope.bindings or any(_setting(scope, name))


def _setting(scope: Scope, name: str) -> Iterator[Scope]:
    """Yield the methods of a class body that set an attribute of their object."""
    return (
        one
        for one in scope.children
        if f"{_receiver(one)}.{name}" in one.bindings
        or (name == HYPERPARAMETERS and any(calls_saving(one, _receiver(one))))
    )


def calls_saving(method: Scope, receiver: str) -> Iterator[ast.Call]:
    """Yield the calls by which a constructor sets ``self.hparams``.

    ``lightning/pytorch/core/mixins/hparams_mixin.py``; it is called on the object, whichever class the caller is of.
    """
    if method.name == "__init__":
        yield from (one.node for one in method.calls if dotted(one.node.func) == f"{receiver}.save_hyperparameters")


def _receiver(method: Scope) -> str:
    """Return what a method calls its object."""
    first = next(parameters(method.node), None) if isinstance(method.node, FunctionNode) else None
    return first.arg if first is not None else ""
