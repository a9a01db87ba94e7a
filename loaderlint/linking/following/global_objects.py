"""Configuration objects of a module that functions change and others read: ``cfg.WORKERS = 0`` in ``main()``.

What such an object holds where a function reads it depends on who called the function, and on what they changed
before. Changes by code that is not on the way to the reader may have been made or not: what they set is unseen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.following import changes, doubts
from loaderlint.linking.scopes.events import CALL, Event, Happened
from loaderlint.linking.scopes.names import MUTATIONS, reaching
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    CommandLine,
    Frame,
    Function,
    Instance,
    Items,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import distinct, one_of
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, FunctionNode, Place, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MOST_IMPORTS = 4
"""Modules that hand a name on to each other."""
DEEPEST_CALLER = 6
"""Callers followed behind each other; what is further away may have changed anything that is changed anywhere."""


class _Changer(Struct, frozen=True, eq=False):
    """A function that changes an object of a module, and the name by which it knows it."""

    facts: PythonFacts
    scope: Scope
    events: tuple[Event, ...]


class GlobalObjects:
    """The objects of modules, and which functions change them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._changers: dict[tuple[str, str], tuple[_Changer, ...]] = {}
        self._changers_of_returned: dict[tuple[str, str], Sequence[tuple[ast.Call, _Changer]]] = {}
        self._active: set[tuple[int, str]] = set()
        self._beside: dict[str, frozenset[str]] = {}
        """The files that some program brings in together with a file, by its path."""

    def read(
        self, found: Possibilities, facts: PythonFacts, name: str, frame: Frame, span: Span
    ) -> tuple[Possibilities, int]:
        """Return what a module's own name stands for where a frame reads it, given what the module makes of it.

        The number is the place in the order of the frame's scope up to which its own changes are in that already.
        """
        if not any(isinstance(one.thing, Items | CommandLine | Instance) for one in found):
            return found, -1
        home = self._home(facts, name)
        values, since = self._read(found, self._changing(*home), facts, name, frame, span)
        call = frame.caller[0] if frame.caller is not None else None
        # What is done to what this very call returns is done after it.
        returned = [one for by, one in self._changing_what_is_returned(*home) if by is not call]
        return (tuple(_doubted(one, returned, span) for one in values) if returned else values), since

    def _read(
        self,
        found: Possibilities,
        changers: Sequence[_Changer],
        facts: PythonFacts,
        name: str,
        frame: Frame,
        span: Span,
    ) -> tuple[Possibilities, int]:
        if all(one.scope is frame.scope for one in changers):
            return found, -1
        if frame.scope.parent is None:
            own = self._evaluator.effects.changing(frame, name)
            values, met, since = self._up_to(found, changers, own, frame)
            after = self._changed(values, _between(own, since, frame.place), frame, frame.place) if met else found
            away = [one for one in self._away(changers, met, frame) if _may_run(one)]
            return tuple(_doubted(one, away, span) for one in after), since
        key = ("global", id(frame.scope), facts.source.path, name)
        return self._evaluator.remembered(
            key, Frame(frame.facts, frame.place), lambda: self._in_function(found, name, changers, frame, span)
        )

    def _in_function(
        self, found: Possibilities, name: str, changers: Sequence[_Changer], frame: Frame, span: Span
    ) -> tuple[Possibilities, int]:
        met: set[int] = set()
        values = self._entering(found, name, changers, frame, met, DEEPEST_CALLER)
        values, called, since = self._up_to(values, changers, _own(changers, frame.scope), frame)
        away = self._away(changers, met | called, frame)
        return tuple(_doubted(one, away, span) for one in values), since

    def _away(self, changers: Sequence[_Changer], met: set[int], frame: Frame) -> list[_Changer]:
        """Return the changers that were not met on the way to a frame and may have run in the same process.

        What another program does to an object of a module that both import, it does to its own.
        """
        away = [one for one in changers if one.scope is not frame.scope and id(one) not in met]
        path = frame.facts.source.path
        if all(one.facts is frame.facts for one in away):
            return away
        if path not in self._beside:
            self._beside[path] = self._evaluator.project.brought_in_with(path)
        return [one for one in away if one.facts.source.path in self._beside[path]]

    def _entering(
        self,
        found: Possibilities,
        name: str,
        changers: Sequence[_Changer],
        frame: Frame,
        met: set[int],
        left: int,
    ) -> Possibilities:
        """Return what the object is when the function of a frame starts; ``met`` are the changers on the way there."""
        function = frame.scope
        while function.parent is not None and not isinstance(function.node, FunctionNode):
            function = function.parent
        if not isinstance(function.node, FunctionNode) or not left or (id(function), name) in self._active:
            return found
        owner = classes.owner_of(frame.facts, function)
        called = self._evaluator.callers.of(Function(frame.facts, function.node, function, owner=owner))
        callers = [one for one in called.by if isinstance(one, Caller)]
        if not callers:
            return found
        self._active.add((id(function), name))
        try:
            ways = [self._at_call(found, name, changers, caller, met, left) for caller in callers]
        finally:
            self._active.discard((id(function), name))
        if called.elsewhere or len(callers) < len(called.by):
            ways.append(found)
        return distinct(one_of(str(frame.facts.span(function.node)), enumerate(ways)))

    def _at_call(
        self,
        found: Possibilities,
        name: str,
        changers: Sequence[_Changer],
        caller: Caller,
        met: set[int],
        left: int,
    ) -> Possibilities:
        frame = caller.frame
        values = found
        if frame.scope.parent is not None:
            values = self._entering(found, name, changers, frame, met, left - 1)
        own = _own(changers, frame.scope)
        values, called, since = self._up_to(values, changers, own, frame)
        met.update(called, (id(one) for one in changers if one.scope is frame.scope))
        return self._changed(values, _between(own, since, frame.place), frame, frame.place)

    def _up_to(
        self, values: Possibilities, changers: Sequence[_Changer], own: Sequence[Event], frame: Frame
    ) -> tuple[Possibilities, set[int], int]:
        """Return what the object is after the calls of changers in a scope up to a place.

        With it come the changers called, and the place of the last call in the scope's order: what the scope itself
        (``own``) changed before it is in the object.
        """
        met: set[int] = set()
        since = -1
        for site in sorted(frame.scope.calls, key=lambda one: one.place.order):
            called = called_name(site.node)
            if site.place.order >= frame.place.order:
                break
            for one in changers:
                if one.scope is frame.scope or one.scope.name != called:
                    continue
                if one.scope.yields or not self._runs(site.node, one, frame.at(site.place)):
                    # How far a generator has run, such as that of a context manager, is not seen.
                    continue
                met.add(id(one))
                values = self._changed(values, _between(own, since, site.place), frame, site.place)
                since = site.place.order
                after = self._changed(values, one.events, Frame(one.facts, end_of(one.scope)), None)
                if not site.place.arms or all(arm in frame.place.arms for arm in site.place.arms):
                    values = after
                else:
                    subject = f"the call at {frame.facts.span(site.node)}"
                    values = distinct(one_of(subject, ((True, after), (False, values))))
        return values, met, since

    def _runs(self, call: ast.Call, changer: _Changer, frame: Frame) -> bool:
        callees = self._evaluator.effects.callees(call, frame)
        return any(isinstance(one.thing, Function) and one.thing.node is changer.scope.node for one in callees)

    def _changed(
        self, values: Possibilities, events: Sequence[Event], frame: Frame, place: Place | None
    ) -> Possibilities:
        happened = [Happened(event, way.arms) for event in events for way in reaching([event.binding], place)]
        if not happened:
            return values
        return tuple(after for one in values for after in changes.after_all(self._evaluator, one, happened, frame))

    # --- who changes what ---

    def _changing(self, path: str, name: str) -> tuple[_Changer, ...]:
        key = (path, name)
        if key not in self._changers:
            # While that is found out nothing is taken to change it: two may ask about each other.
            self._changers[key] = ()
            found = tuple(self._found(path, name))
            if self._evaluator.ran_out:
                del self._changers[key]
                return found
            self._changers[key] = found
        return self._changers[key]

    def _found(self, path: str, name: str) -> Iterator[_Changer]:
        for facts, scope, known_as in self._mentioning.get((path, name), ()):
            if scope.parent is not None or facts.source.path != path:
                events = self._evaluator.effects.changing(Frame(facts, end_of(scope)), known_as)
                if events:
                    yield _Changer(facts, scope, events)

    def _changing_what_is_returned(self, path: str, name: str) -> Sequence[tuple[ast.Call, _Changer]]:
        """Return what sets something on a module's object that a function returned to it, each with its call.

        ``args = get_args()``, then ``args.workers = 0``: what it hands on was not followed.
        """
        key = (path, name)
        if key not in self._changers_of_returned:
            self._changers_of_returned[key] = ()
            self._changers_of_returned[key] = tuple(self._found_returned(path, name))
        return self._changers_of_returned[key]

    def _found_returned(self, path: str, name: str) -> Iterator[tuple[ast.Call, _Changer]]:
        for getter in self._returning.get((path, name), ()):
            for facts, binding in self._named_after_calls.get(getter.name, ()):
                frame = Frame(facts, binding.place)
                every = self._evaluator.events.of(binding.place.scope, binding.name)
                events = tuple(one for one in every if one.binding.kind != CALL and one.order > binding.place.order)
                if not events or not isinstance(binding.value, ast.Call):
                    continue
                callees = self._evaluator.effects.callees(binding.value, frame)
                if any(isinstance(one.thing, Function) and one.thing.node is getter.node for one in callees):
                    yield binding.value, _Changer(facts, binding.place.scope, events)

    @cached_property
    def _returning(self) -> Mapping[tuple[str, str], list[Scope]]:
        """The functions without parameters that return a module's name, by the home of what that stands for."""
        found: dict[tuple[str, str], list[Scope]] = {}
        for facts in self._evaluator.project.all_python():
            for scope in facts.module.children:
                if isinstance(scope.node, FunctionNode) and not any(parameters(scope.node)):
                    for name in {one.id for one, _ in scope.returns if isinstance(one, ast.Name)}:
                        if name in facts.module.bindings and _is_outer(scope, name):
                            found.setdefault(self._home(facts, name), []).append(scope)
        return found

    @cached_property
    def _named_after_calls(self) -> Mapping[str, list[tuple[PythonFacts, Binding]]]:
        """The names given to what calls of functions that return a module's name give, by the function's name."""
        getters = {scope.name for scopes in self._returning.values() for scope in scopes}
        found: dict[str, list[tuple[PythonFacts, Binding]]] = {}
        for facts in self._evaluator.project.all_python():
            for scope in facts.scopes.values():
                for one in (one for ways in scope.bindings.values() for one in ways if one.kind == "assign"):
                    called = (dotted(one.value.func) or "") if isinstance(one.value, ast.Call) else ""
                    if (last := called.rpartition(".")[2]) in getters:
                        found.setdefault(last, []).append((facts, one))
        return found

    @cached_property
    def _mentioning(self) -> Mapping[tuple[str, str], list[tuple[PythonFacts, Scope, str]]]:
        """The scopes that set something on a module's name, or hand it over, with the name it has there."""
        found: dict[tuple[str, str], list[tuple[PythonFacts, Scope, str]]] = {}
        for facts in self._evaluator.project.all_python():
            for scope in facts.scopes.values():
                names = {one.partition(".")[0] for one, ways in scope.bindings.items() if "." in one or _mutated(ways)}
                names.update(self._evaluator.events.handed_over(scope), self._evaluator.events.aliases(scope))
                for name in names:
                    if name in facts.module.bindings and _is_outer(scope, name):
                        found.setdefault(self._home(facts, name), []).append((facts, scope, name))
        return found

    def _home(self, facts: PythonFacts, name: str) -> tuple[str, str]:
        """Return the path of the module that first binds what a module-level name stands for, and its name there."""
        for _ in range(MOST_IMPORTS):
            bound = _only_binding(facts, name)
            if bound is None:
                break
            if isinstance(bound.value, ast.Name) and _only_binding(facts, bound.value.id) is not None:
                # ``cfg = _C`` makes two names of one object.
                name = bound.value.id
                continue
            base, _, last = bound.target.rpartition(".")
            path = self._evaluator.project.module(base, facts.source.path) if base.strip(".") else None
            further = self._evaluator.project.python(path) if path is not None else None
            if further is None or last not in further.module.bindings:
                break
            facts, name = further, last
        return facts.source.path, name


def _only_binding(facts: PythonFacts, name: str) -> Binding | None:
    """Return the one statement that gives a module-level name what it stands for, None where there are several."""
    bindings = [one for one in facts.module.bindings.get(name, ()) if one.kind not in MUTATIONS]
    return bindings[0] if len(bindings) == 1 else None


def _own(changers: Sequence[_Changer], scope: Scope) -> list[Event]:
    return [event for one in changers if one.scope is scope for event in one.events]


def _between(events: Sequence[Event], since: int, until: Place) -> list[Event]:
    return [one for one in events if since < one.order < until.order]


def _may_run(changer: _Changer) -> bool:
    """Return whether a function is named anywhere in its file, or may be called in another way."""
    if changer.scope.parent is None or changer.scope.parent.is_class or isinstance(changer.scope.node, ast.Lambda):
        return True
    return any(changer.scope.name in scope.reads for scope in changer.facts.scopes.values())


def _mutated(bindings: Sequence[Binding]) -> bool:
    return any(one.kind in MUTATIONS for one in bindings)


def _is_outer(scope: Scope, name: str) -> bool:
    """Return whether a name means the module's in a scope: neither it nor a function around it binds the name."""
    while scope.parent is not None:
        if any(one.kind not in MUTATIONS for one in scope.bindings.get(name, ())):
            return False
        scope = scope.parent
    return True


def _doubted(one: Possibility, changers: Sequence[_Changer], span: Span) -> Possibility:
    """Return a thing where some functions may have changed it."""
    for event in (event for changer in changers for event in changer.events):
        one = doubts.doubted(one, event, span)
    return one
