"""Other names for what a name stands for, or for a part of it, in one scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.readers.python import (
    ELEMENT,
    Arm,
    Binding,
    FunctionNode,
    Keys,
    Part,
    Scope,
    copied_part,
    elements_of,
    key_of,
    parameters,
    part_of,
    parts_in,
)
from loaderlint.readers.python_calls import element


class Alias(Struct, frozen=True, eq=False):
    """What is at ``path`` below ``root`` is from ``order`` on also what is at ``other_path`` below ``other``.

    It is no longer from ``until`` on, when one of them is given another value, or may be no longer from ``doubtful``.
    ``loop`` is the loop that makes the other name stand for each element in turn.
    """

    root: str
    path: Keys
    other: str
    other_path: Keys
    order: int
    sure: bool
    until: int | None
    doubtful: int | None
    loop: Binding | None = None
    arms: tuple[Arm, ...] = ()


def matches(path: Keys, start: Keys) -> bool:
    """Return whether a path leads through another one, or may."""
    return len(path) >= len(start) and all(
        one == other or one is ELEMENT or other is ELEMENT for one, other in zip(path, start, strict=False)
    )


def receiver_in(scope: Scope) -> str | None:
    """Return what a method calls its own object, None for any other scope."""
    if scope.parent is None or not scope.parent.is_class or not isinstance(scope.node, FunctionNode):
        return None
    first = next(parameters(scope.node), None)
    return first.arg if first is not None else None


def aliases_in(scope: Scope) -> Iterator[Alias]:
    """Yield the aliases that a scope makes, each from both of its sides."""
    for bindings in scope.bindings.values():
        for binding in bindings:
            for one, other, sure in _brought(scope, binding):
                if one == other:
                    continue
                (root, path), (other_root, other_path) = one.path, other.path
                since = binding.place.order
                ends = [*_replaced(scope, one, binding), *_replaced(scope, other, binding)]
                until = min((order for order, surely in ends if surely), default=None)
                doubtful = min((order for order, surely in ends if not surely), default=None)
                loop = binding if binding.kind == "loop" else None
                arms = tuple(arm for arm in binding.place.arms if not arm.loop)
                yield Alias(root, path, other_root, other_path, since, sure, until, doubtful, loop, arms)
                yield Alias(other_root, other_path, root, path, since, sure, until, doubtful, loop, arms)


def _brought(scope: Scope, binding: Binding) -> Iterator[tuple[Part, Part, bool]]:
    """Yield what a binding makes the same, but for what the same statement gives another value: ``a, b = b, a``."""
    for one, other, sure in _same(binding):
        bound = scope.bindings.get(other.path[0], ())
        if not any(way.node is binding.node and way.kind not in MUTATIONS for way in bound):
            yield one, other, sure
    if isinstance(binding.node, ast.Assign) and binding.kind == "assign":
        for target in binding.node.targets:
            other_target = part_of(target)
            if other_target is not None:
                yield Part(binding.name), other_target, ELEMENT not in other_target.keys


def _same(binding: Binding) -> Iterator[tuple[Part, Part, bool]]:
    """Yield the pairs of parts that a binding makes the same, and whether they surely are."""
    value, own = binding.value, Part(binding.name)
    if value is None:
        return
    if binding.kind == "loop":
        elements = elements_of(value)
        if elements is not None:
            yield own, elements, False
        yield from ((own, part, False) for keys, part, _ in parts_in(value) if len(keys) == 1)
        return
    if binding.kind == "item" and binding.key is not None:
        own = Part(binding.name, (*binding.keys, key_of(binding.key)))
    elif binding.kind == "list" and isinstance(value, ast.Call):
        for argument in value.args:
            for keys, part, _ in parts_in(argument):
                yield Part(own.name, (*binding.keys, ELEMENT, *keys)), part, False
        return
    elif binding.kind == "unpack":
        place = binding.index[0] if len(binding.index) == 1 else None
        if place is None:
            return
        if isinstance(place, slice):
            whole = part_of(value)
            if whole is not None:
                yield Part(own.name, (ELEMENT,)), Part(whole.name, (*whole.keys, ELEMENT)), False
            return
        if not isinstance(value, ast.Tuple | ast.List):
            whole = part_of(value)
            if whole is not None:
                yield own, Part(whole.name, (*whole.keys, place)), ELEMENT not in whole.keys
            return
        value = element(value, place)
        if value is None:
            return
    elif binding.kind != "assign":
        return
    copied = copied_part(value)
    if copied is not None:
        # The dictionaries in a shallow copy are those of the first one.
        yield Part(own.name, (*own.keys, ELEMENT)), Part(copied.name, (*copied.keys, ELEMENT)), False
    for keys, part, sure in parts_in(value):
        yield Part(own.name, (*own.keys, *keys)), part, sure and ELEMENT not in own.keys


def _replaced(scope: Scope, part: Part, since: Binding) -> Iterator[tuple[int, bool]]:
    """Yield where a part gets another value after a binding, and whether it surely does."""
    root, path = part.path
    names = [".".join((root, *map(str, path[:length]))) for length in range(len(path) + 1)]
    for name in names:
        for one in scope.bindings.get(name, ()):
            if one.place.order <= since.place.order:
                continue
            surely = all(arm in since.place.arms for arm in one.place.arms)
            if one.kind not in MUTATIONS:
                yield one.place.order, surely
            elif one.kind == "item" and one.key is not None:
                _, above = Part(name, (*one.keys, key_of(one.key))).path
                if matches(path, above):
                    yield one.place.order, surely and ELEMENT not in above
