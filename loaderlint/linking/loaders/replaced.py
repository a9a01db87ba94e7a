"""Loaders of libraries that a project puts something of its own in the place of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame
from loaderlint.readers.python import owners_set
from loaderlint.vocabulary.callables import LOADER_CALLABLES, LOADER_NAMES, LoaderCallable

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CONSTRUCTS = ("__init__", "__new__")


def loaders(evaluator: Evaluator) -> tuple[LoaderCallable, ...]:
    """Return the loader callables that are replaced, or their constructors, so that nothing they get is certain."""
    return evaluator.once(("replaced loaders",), tuple[LoaderCallable, ...](), lambda: _replaced(evaluator))


def _replaced(evaluator: Evaluator) -> tuple[LoaderCallable, ...]:
    names = {f"{owner}.{name}" for name in LOADER_NAMES for owner in _owners(evaluator, name)}
    names.update(owner for name in _CONSTRUCTS for owner in _owners(evaluator, name))
    return tuple(LOADER_CALLABLES[name] for name in sorted(names) if name in LOADER_CALLABLES)


def _owners(evaluator: Evaluator, name: str) -> set[str]:
    """Return what an attribute of this name is set on outside the project."""
    things = [
        one.thing
        for facts, binding in evaluator.attributes_set.get(name, ())
        for owner in owners_set(binding.node, name)
        for one in evaluator.evaluate(owner, Frame(facts, binding.place))
    ]
    return {one.name for one in things if isinstance(one, External)}
