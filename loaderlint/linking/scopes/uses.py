"""When the code of an inner scope runs, seen from a scope around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.readers.python import Binding, Place, Scope


class Run(Struct, frozen=True, eq=False):
    """A place at which inner code is called, or else from which on it can be; None is the end of the scope."""

    place: Place | None
    called: bool = False


def runs_of(inner: Scope, outer: Scope) -> tuple[Run, ...]:
    """Return when the code of ``inner`` can run, in places of ``outer``; at its end where nothing in sight runs it."""
    return tuple(_runs(inner, outer, set())) or (Run(None),)


def _runs(inner: Scope, outer: Scope, asked: set[int]) -> Iterator[Run]:
    while inner.parent is not None and inner.parent is not outer:
        if inner.parent.parent is None:
            return
        inner, within = inner.parent, inner
        if inner.is_class and inner.parent is outer and not within.is_class:
            # A method can run at any time once its class is at hand.
            yield from (replace(run, called=False) for run in _mentions(inner, outer, inner.name, asked))
            return
    if id(inner) in asked or inner.defined is None:
        return
    asked.add(id(inner))
    if inner.is_class:
        yield Run(inner.defined, called=True)
    elif isinstance(inner.node, ast.Lambda):
        kept_as = [name for name, ways in outer.bindings.items() if any(one.value is inner.node for one in ways)]
        if len(kept_as) == 1 and all(one.value is inner.node for one in outer.bindings[kept_as[0]]):
            yield from _mentions(inner, outer, kept_as[0], asked)
        else:
            yield Run(inner.defined)
    else:
        yield from _mentions(inner, outer, inner.name, asked)


def _mentions(inner: Scope, outer: Scope, name: str, asked: set[int]) -> Iterator[Run]:
    """Yield the places of the outer scope where an inner one is called or handed on, directly or by others."""
    called = {id(one.place) for one in outer.calls if getattr(one.node.func, "id", None) == name}
    for place in outer.reads.get(name, ()):
        yield Run(place, id(place) in called)
    for child in outer.readers.get(name, ()):
        if child is not inner:
            yield from _runs(child, outer, asked)


def bindings_of(scope: Scope, name: str) -> Sequence[Binding]:
    """Return the bindings of a name in a scope; one that an inner function makes stands wherever that one runs."""
    bindings = scope.bindings[name]
    if all(one.inner is None for one in bindings):
        return bindings
    found: list[Binding] = []
    for one in bindings:
        if one.inner is None:
            found.append(one)
            continue
        runs = [run for run in _runs(one.inner.scope, scope, set()) if run.place is not None]
        for run in runs or (Run(one.place),):
            called = run.called and one.inner.scope.parent is scope
            found.append(replace(one, place=run.place or one.place, called=called))
    return found
