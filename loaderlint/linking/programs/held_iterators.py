"""What may run between the call that makes an iterator over a loader and the last place that may take from it.

An iterator goes by names, through functions that give it back, and into attributes that other functions take from.
These run it on wherever they are called: a loop around such a call is one over the loader, whatever it counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeGuard

from loaderlint.linking.following.running import Iterated
from loaderlint.linking.programs.object_names import innermost
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import HOLD_ITERATORS

Region: TypeAlias = tuple[PythonFacts, ast.stmt | ast.expr]
_MOST_PLACES = 200
"""Calls that are followed to those who make an iterator, or take from one; where there are more, anything may run."""
_NEXT = frozenset({"__next__", "next", "send"})


class _Site(NamedTuple):
    """A place that makes an iterator, or speaks of one."""

    facts: PythonFacts
    place: Place
    node: ast.expr

    @property
    def lineno(self) -> int:
        """The first line."""
        return self.node.lineno

    @property
    def end_lineno(self) -> int | None:
        """The last line."""
        return self.node.end_lineno


def while_held(files: Sequence[PythonFacts], places: Sequence[Iterated], before: Set[int]) -> Iterator[Region]:
    """Yield what stands between the making of iterators over a loader, in these places, and the last that takes."""
    for place in places:
        if isinstance(place.node, ast.GeneratorExp):
            yield place.frame.facts, place.node
    waiting = [one for place in places for one in _begun(files, place)]
    for facts in files:
        # What is asked for its iterator by name is not followed: any may be the loader.
        sites = (site for site in facts.calls.get("__iter__", ()) if id(site.place.scope.node) not in before)
        waiting += [_Site(facts, site.place, site.node) for site in sites]
    defined, seen = _Defined(files), set[int]()
    for made in waiting:
        if id(made.node) not in seen:
            seen.add(id(made.node))
            yield from _Held(files, made, defined).regions()
        if len(seen) > _MOST_PLACES:
            yield from _everything(files)
            return


def _everything(files: Sequence[PythonFacts]) -> Iterator[Region]:
    """Yield all lines of a program, any of which may run where too many places make an iterator, or take from one."""
    yield from ((facts, ast.Pass(lineno=1, end_lineno=len(facts.source.lines))) for facts in files)


def _begun(files: Sequence[PythonFacts], place: Iterated) -> Iterator[_Site]:
    """Yield what makes the iterators of a place: it itself, and the calls of functions that give one, or are one."""
    scope, node = place.frame.scope, place.node
    waiting = [_Site(place.frame.facts, place.frame.place, node)] if _holds_on(node) else []
    waiting += _calls_of(files, scope) if scope.yields else []
    seen = set[int]()
    # One more than the most says that there are too many.
    while waiting and len(seen) <= _MOST_PLACES:
        one = waiting.pop()
        if id(one.node) in seen:
            continue
        seen.add(id(one.node))
        yield one
        inside = one.place.scope
        names = {name for name, node in _bound(inside) if node is one.node}
        if inside.yields or any(
            part is one.node or dotted(part) in names
            for value, _ in inside.returns
            if value is not None
            for part in _parts(value)
        ):
            waiting += _calls_of(files, inside)


def _takes(node: ast.AST) -> bool:
    """Return whether what an expression stands right inside of takes from it, or gives it a name."""
    if isinstance(node, ast.Call):
        return called_name(node) in HOLD_ITERATORS or called_name(node) in _NEXT
    return isinstance(node, ast.For | ast.AsyncFor | ast.Assign | ast.YieldFrom) or (
        isinstance(node, ast.Attribute) and node.attr in _NEXT
    )


def _holds_on(node: ast.AST) -> TypeGuard[ast.GeneratorExp | ast.Call]:
    return isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.Call) and called_name(node) in HOLD_ITERATORS)


def _calls_of(files: Sequence[PythonFacts], scope: Scope) -> list[_Site]:
    """Return the calls of a function, or of the class whose objects it makes, by the name alone."""
    owner = scope.parent if scope.parent is not None and scope.parent.is_class else None
    if scope.name == "__init__" and owner is not None:
        return [_Site(facts, site.place, site.node) for facts in files for site in facts.calls.get(owner.name, ())]
    name = {"__iter__": "iter", "__next__": "next"}.get(scope.name, scope.name)
    return [
        _Site(facts, site.place, site.node)
        for facts in files
        for site in facts.calls.get(name, ())
        if owner is None or isinstance(site.node.func, ast.Attribute) or name != scope.name
    ]


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression stands for where it holds iterators: itself, and those in ``tqdm(a), [b]``."""
    yield value
    match value:
        case ast.Tuple(several) | ast.List(several) | ast.Set(several) | ast.BoolOp(values=several):
            inner = several
        case ast.Dict(values=several):
            inner = several
        case ast.IfExp(_, body, orelse):
            inner = [body, orelse]
        case ast.Starred(one) | ast.NamedExpr(_, one):
            inner = [one]
        case ast.Call(args=several) if called_name(value) in HOLD_ITERATORS:
            inner = several
        case ast.GeneratorExp(generators=[first, *_]):
            inner = [first.iter]
        case _:
            return
    for one in inner:
        yield from _parts(one)


def _bound(scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of a scope, with attributes, and what they are given, each part of it for itself."""
    for name, bindings in scope.bindings.items():
        for one in bindings:
            if one.value is not None and one.kind in ("assign", "unpack", "item"):
                yield from ((name, part) for part in _parts(one.value))


class _Defined:
    """The functions of a program by their names, and the constructors of its classes by those of the classes."""

    def __init__(self, files: Sequence[PythonFacts]) -> None:
        self._files = files

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[tuple[PythonFacts, Scope]]]:
        """All of them."""
        found: dict[str, list[tuple[PythonFacts, Scope]]] = {}
        for facts in self._files:
            for scope in (one for one in facts.scopes.values() if isinstance(one.node, FunctionNode)):
                makes = scope.name == "__init__" and scope.parent is not None
                found.setdefault(scope.parent.name if makes and scope.parent else scope.name, []).append((facts, scope))
        return found


class _Held:
    """From the making of one iterator to those who take from it, by scopes."""

    def __init__(self, files: Sequence[PythonFacts], made: _Site, defined: _Defined) -> None:
        self._files = files
        self._defined = defined
        self._made = made
        self._making: dict[int, list[_Site]] = {id(made.place.scope.node): [made]}
        self._taking: dict[int, list[_Site]] = {}
        self._names = {name for name, node in _bound(made.place.scope) if node is made.node}
        self._is_kept = any("." in name for name in self._names)

    def regions(self) -> Iterator[Region]:
        """Yield the lines of each scope between its first place that makes the iterator, or takes, and its last."""
        if self._is_kept and not self._note_making():
            yield from _everything(self._files)
            return
        waiting = self._speaking()
        known = set[int]()
        while waiting:
            if len(known) > _MOST_PLACES:
                yield from _everything(self._files)
                return
            one = waiting.pop()
            if id(one.node) in known:
                continue
            known.add(id(one.node))
            inside = one.place.scope
            first = id(inside.node) not in self._taking
            self._taking.setdefault(id(inside.node), []).append(one)
            if first and inside.is_function and not self._is_made_in(inside):
                waiting += _calls_of(self._files, inside)
        for several in self._taking.values():
            yield from self._between(several)

    def _note_making(self) -> bool:
        """Note the calls of what keeps the iterator as it is run: of a class that makes it, of a method that does.

        Return whether those are all.
        """
        waiting, seen = [self._made.place.scope], set[int]()
        while waiting and len(seen) <= _MOST_PLACES:
            scope = waiting.pop()
            if scope.is_function and id(scope.node) not in seen:
                seen.add(id(scope.node))
                for one in _calls_of(self._files, scope):
                    self._making.setdefault(id(one.place.scope.node), []).append(one)
                    waiting.append(one.place.scope)
        return not waiting

    def _is_made_in(self, scope: Scope) -> bool:
        """Return whether each run of a function makes the iterator anew, before it takes from it."""
        makes = self._making.get(id(scope.node), ())
        return any(not self._is_kept or all(arm.loop for arm in one.place.arms) for one in makes)

    def _speaking(self) -> list[_Site]:
        """Return where the names that the iterator has are read, and further names that are given it."""
        found: list[_Site] = []
        waiting = [(self._made.facts, self._made.place.scope, name) for name in sorted(self._names)]
        waiting += self._handed(self._made.place.scope, self._made.node)
        seen = set[tuple[int, str]]()
        while waiting:
            facts, scope, name = waiting.pop()
            if (id(scope), name) in seen:
                continue
            seen.add((id(scope), name))
            for other, node in self._read(facts, scope, name):
                inside = innermost(other.module, node)
                found.append(_Site(other, place_in(inside, node), node))
                given: ast.AST = node
                if isinstance(inside.node, ast.Lambda) and inside.parent is not None:
                    given, inside = inside.node, inside.parent
                further = {each for each, part in _bound(inside) if part is given}
                waiting += [(other, inside, each) for each in further]
                waiting += self._handed(inside, node)
        return found

    def _handed(self, scope: Scope, node: ast.expr) -> Iterator[tuple[PythonFacts, Scope, str]]:
        """Yield the names that functions of the project, by theirs alone, call an iterator which they are handed."""
        for call in (site.node for site in scope.calls):
            at = next((number for number, one in enumerate(call.args) if one is node), None)
            named = next((one.arg for one in call.keywords if one.value is node), None)
            if at is None and named is None:
                continue
            for other, function in self._defined.by_name.get(called_name(call), ()):
                inner = function.node
                taken = [one.arg for one in parameters(inner)] if isinstance(inner, FunctionNode) else []
                taken = taken[1:] if taken[:1] in (["self"], ["cls"]) else taken
                yield from (
                    (other, function, one) for one in (taken[at : at + 1] if at is not None else [named]) if one
                )

    def _read(self, facts: PythonFacts, scope: Scope, name: str) -> Iterator[tuple[PythonFacts, ast.expr]]:
        if "." in name:
            for other in self._files:
                for read, around in other.attributes.get(name.rpartition(".")[2], ()):
                    # Other objects have attributes by that name: theirs is asked where something is taken from it.
                    own = other is facts and dotted(read) == name
                    if isinstance(read.ctx, ast.Load) and (own or _takes(around)):
                        yield other, read
            return
        within = facts.module.node if name in scope.outer_names else scope.node
        for node in nodes_of(within):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield facts, node

    def _between(self, takes: Sequence[_Site]) -> Iterator[Region]:
        scope, facts = takes[0].place.scope, takes[0].facts
        makes = self._making.get(id(scope.node), [])
        loops = [
            loop
            for loop in nodes_of(scope.node)
            if isinstance(loop, ast.For | ast.AsyncFor | ast.While)
            and any(loop.lineno <= one.lineno <= (loop.end_lineno or 0) for one in takes)
            and not any(_renews(one, loop, takes) for one in makes)
        ]
        lines = [line for one in (*makes, *takes, *loops) for line in (one.lineno, one.end_lineno or one.lineno)]
        if loops or len(makes) + len(takes) > 1:
            yield facts, ast.Pass(lineno=min(lines), end_lineno=max(lines))


def _renews(made: _Site, loop: ast.For | ast.AsyncFor | ast.While, takes: Sequence[_Site]) -> bool:
    """Return whether each turn of a loop makes the iterator, before anything in it takes."""
    owners = [arm.owner for arm in made.place.arms]
    if loop not in owners or any(loop.lineno < one.lineno < made.lineno for one in takes):
        return False
    return all(arm.loop for arm in made.place.arms[owners.index(loop) :])
