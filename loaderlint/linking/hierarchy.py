"""Which classes the objects of a class can really be of: those of its family that somebody makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things import Class
from loaderlint.readers.python import FunctionNode, Scope, parameters

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_LARGEST_FAMILY = 40


def kinds(evaluator: Evaluator, owner: Class, name: str) -> list[Class]:
    """Return the classes that an object of a class, known no nearer, can be of, as far as that matters for a name.

    It matters where a subclass has an attribute or method of that name for itself. Of a family of which nobody is seen
    to make any, every member may be made.
    """
    family = _family(evaluator, owner)
    if not any(_has_own(heir.scope, name) for heir in family[1:]):
        return [owner]
    made = [one for one in family if evaluator.callers.is_made(one)]
    return made or family


def _family(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return a class and all its subclasses in the project."""
    found = [owner]
    for one in found:
        found.extend(heir for heir in evaluator.callers.heirs(one) if not any(heir.node is seen.node for seen in found))
        if len(found) > _LARGEST_FAMILY:
            break
    return found


def _has_own(scope: Scope, name: str) -> bool:
    """Return whether a class body binds a name, or a method sets it on its object."""
    return name in scope.bindings or any(f"{_receiver(one)}.{name}" in one.bindings for one in scope.children)


def _receiver(method: Scope) -> str:
    """Return what a method calls its object."""
    first = next(parameters(method.node), None) if isinstance(method.node, FunctionNode) else None
    return first.arg if first is not None else ""
