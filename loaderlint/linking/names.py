"""Which bindings of a name can be current at a place, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from loaderlint.readers.python import Arm, Binding, Place, is_main_test

MUTATIONS = frozenset({"item", "update", "setdefault", "pop"})
"""Kinds of binding that change a dictionary in place instead of giving the name a new value."""


@dataclass(frozen=True, eq=False)
class Reaching:
    """A binding that can be current, and the arms that must (or, inverted, must not) have been taken for that."""

    binding: Binding
    arms: tuple[Arm, ...]


def reaching(bindings: Sequence[Binding], place: Place | None) -> tuple[Reaching, ...]:
    """Return the bindings that can be current at a place, in source order; at the end of the scope when it is None.

    Walking backwards from the place, a binding ends the search when every way to the place runs through it or
    through one found already.
    """
    here = place.arms if place is not None else ()
    found: list[tuple[Binding, tuple[Arm, ...]]] = []
    for binding in sorted(bindings, key=lambda one: one.place.order, reverse=True):
        arms = binding.place.arms
        later = place is not None and binding.place.order >= place.order
        if later and not (_loop_shared(arms, here) and binding.place is not place):
            continue
        if any(arm.excludes(other) for arm in arms for other in here):
            continue
        relative = tuple(arm for arm in arms if not any(arm.same(other) for other in here) and not _is_guard(arm))
        found.append((binding, relative))
        if not later and _complete([path for _, path in found]):
            break
    return tuple(
        Reaching(binding, (*path, *_unless([later_path for _, later_path in found[:index]])))
        for index, (binding, path) in reversed(list(enumerate(found)))
    )


def reaching_all(bindings: Sequence[Binding], place: Place | None) -> tuple[Reaching, ...]:
    """Return every change that can have happened before a place; none of them undoes another as a whole."""
    found: list[Reaching] = []
    for binding in bindings:
        found.extend(reaching([binding], place))
    return tuple(sorted(found, key=lambda one: one.binding.place.order))


def _loop_shared(arms: Sequence[Arm], here: Sequence[Arm]) -> bool:
    return any(arm.loop and arm.same(other) for arm in arms for other in here)


def _is_guard(arm: Arm) -> bool:
    return arm.truth and arm.test is not None and is_main_test(arm.test)


def _complete(paths: list[tuple[Arm, ...]]) -> bool:
    """Return whether every run takes one of these paths through the branches."""
    if any(not path for path in paths):
        return True
    for owner in {id(path[0].owner): path[0].owner for path in paths}.values():
        inside = [path for path in paths if path[0].owner is owner]
        arms = [[path[1:] for path in inside if path[0].truth is truth] for truth in (True, False)]
        has_test = isinstance(owner, ast.If)
        if has_test and all(arm and _complete(arm) for arm in arms):
            return True
    return False


def _unless(later: list[tuple[Arm, ...]]) -> tuple[Arm, ...]:
    """Return the arms an earlier binding needs so that none of the later, conditional ones replaced it."""
    taken: list[Arm] = []
    for path in reversed(later):
        rest = [arm for arm in path if not any(arm.same(one) for one in taken)]
        if len(rest) == 1 and rest[0].test is not None:
            taken.append(rest[0].otherwise())
    return tuple(taken)
