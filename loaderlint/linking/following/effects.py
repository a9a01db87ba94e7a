"""What a call does to a thing that it is handed: a function of the project changes it, a merge adds to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import arguments, doubts, entries_after, functions, methods
from loaderlint.linking.following.configurations import deep_updates, ini_files, omegaconf
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.scopes.events import CALL, Event
from loaderlint.linking.scopes.suspects import Suspects
from loaderlint.linking.things import classes, merging
from loaderlint.linking.things.dictionaries import joined
from loaderlint.linking.things.kinds import (
    ABSENT,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    Possibilities,
    Possibility,
    Thing,
    end_of,
)
from loaderlint.linking.things.lazily import overlaid
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS
from loaderlint.model.source import Span
from loaderlint.readers.python import Arm, Binding, Scope, dotted, parameters, written

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

DEEPEST_EFFECT = 6
"""Calls followed into each other for what they change; beyond that, what they are handed is unseen."""
MOST_CALLEE_STEPS = 120
"""Expressions followed to find out which function a call is one of."""
MOST_STEPS_OF_MAKING = 1000
"""Expressions followed to find out what a constructor calls, of which none are charged to whoever asks."""


class Effects:
    """Which functions change what they are handed, found out once for each."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._changing: dict[tuple[int, str], tuple[Event, ...]] = {}
        self.setting = methods.SettingMethods(evaluator.project)
        self._suspects = Suspects(evaluator)
        self._reached: dict[tuple[int, int], methods.Reached] = {}
        self._unfinished = 0
        self.active: set[int] = set()
        """The functions whose effects are being followed."""

    def touches(self, function: Function, name: str) -> bool:
        """Return whether a function changes what one of its parameters stands for, itself or through what it calls."""

        def found() -> bool:
            frame = Frame(function.facts, end_of(function.scope), receiver=function.receiver)
            if any(self._changes(event, frame) for event in self._evaluator.events.of(function.scope, name)):
                return True
            return any(True for _ in self.later(function, name))

        receiver = id(function.receiver.of.node) if function.receiver is not None else None
        # A function that calls itself changes what its other statements change.
        return self._evaluator.once(("touches", id(function.node), name, receiver), False, found)

    def later(self, constructor: Function, name: str) -> Iterator[Event]:
        """Yield what the methods of an object do to what its constructor keeps of a parameter in an attribute.

        They may run at any time after the object is made: ``trainer = Trainer(cfg)``, then ``self.cfg.workers = 0``.
        They may be of a base class, or of the subclass that the object is of.
        """
        owner, own = constructor.owner, next(parameters(constructor.node), None)
        if owner is None or own is None or constructor.scope.name != "__init__":
            return
        kept = {
            attribute
            for attribute, bindings in constructor.scope.bindings.items()
            if attribute.startswith(f"{own.arg}.")
            and any(one.kind == "assign" and one.value is not None and dotted(one.value) == name for one in bindings)
        }
        made = constructor.receiver.of if constructor.receiver is not None else owner
        family = classes.lineage(self._evaluator, made) if kept else ()
        for kind, scope in ((one, inner) for one in family for inner in one.scope.children):
            receiver = receiver_in(scope)
            if receiver is None or scope is constructor.scope:
                continue
            frame = Frame(kind.facts, end_of(scope), receiver=self._evaluator.any_object(made))
            for event in self._evaluator.events.of(scope, receiver):
                if event.path and f"{own.arg}.{event.path[0]}" in kept and self._changes(event, frame):
                    yield replace(event, path=event.path[1:])

    def changing(self, frame: Frame, name: str) -> tuple[Event, ...]:
        """Return the events of a frame's scope that can change what a name stands for."""
        key = (id(frame.scope), name)
        if key not in self._changing:
            every = self._evaluator.events.of(frame.scope, name)
            where = Frame(frame.facts, frame.place, receiver=frame.receiver)
            # While that is found out, calls are taken to change nothing: two may ask about each other.
            self._changing[key] = tuple(event for event in every if event.binding.kind != CALL)
            self._unfinished += 1
            try:
                found = tuple(event for event in every if self._changes(event, where))
            finally:
                self._unfinished -= 1
            if self._evaluator.ran_out:
                # A callee that was not followed looks like one that changes nothing: whoever has steps asks again.
                del self._changing[key]
                return found
            self._changing[key] = found
        return self._changing[key]

    @property
    def settled(self) -> bool:
        """Whether what changes a thing is being found out for none: what is said meanwhile may be too little."""
        return self._unfinished == 0

    def _changes(self, event: Event, frame: Frame) -> bool:
        call = event.binding.node
        if event.binding.kind != CALL:
            return True
        assert isinstance(call, ast.Call)
        if not event.sure:
            # Whether it is this thing at all is not known, so the call is not followed either.
            return self._suspects.changes_directly(call, event.binding.name)
        if merging.is_merge(call, event.binding.name) or omegaconf.is_change(call, event.binding.name):
            return True
        if methods.is_method_call(call, event.binding.name, frame.scope, self.setting):
            # Which method it is may depend on what the name stands for, which is what this is asked for.
            return True
        if ini_files.is_change(call, event.binding.name):
            return True
        root = event.binding.name.partition(".")[0]
        if (dotted(call.func) or "").partition(".")[0] == root or not _is_argument(call, event.binding.name):
            return False
        if not self._suspects.may_change(call, event.binding.name, frame.scope):
            return False
        return any(
            self.touches(callee, name)
            for one in self.callees(call, frame.at(event.binding.place))
            for callee, name in parameters_handed(self._evaluator, one, call, event.binding.name)
        )

    def reached(self, owner: Class, method: Function) -> methods.Reached:
        """Return the attributes that a method may set on an object of a class, through what it calls as well."""
        key = (id(owner.node), id(method.node))
        if key in self._reached:
            return self._reached[key]
        own = next(parameters(method.node), None)
        found = self._reach(owner, [(method, own.arg)]) if own is not None else methods.Reached()
        if self.settled and not self._evaluator.ran_out:
            self._reached[key] = found
        return found

    def reached_by_calls(self, owner: Class, method: Function, own: str) -> methods.Reached:
        """Return the attributes that what a method hands its own object to, no constructor, may set on it."""

        def found() -> methods.Reached:
            frame = Frame(method.facts, end_of(method.scope), receiver=Instance(owner))
            events = self._evaluator.events.of(method.scope, own)
            calls = (one for one in events if one.binding.kind == CALL and not one.path and self._changes(one, frame))
            functions = [one for call in calls for one in self._handed_on(call, owner, frame)]
            return self._reach(owner, [one for one in functions if one[0].scope.name != "__init__"])

        key = ("reached by calls", owner.node, method.node)
        return self._evaluator.once(key, methods.Reached(), found, MOST_STEPS_OF_MAKING)

    def set_through(self, owner: Class, function: Function, parameter: str) -> frozenset[str]:
        """Return the attributes that a function may set on an object of a class that it gets, through what it calls."""
        reached = self._evaluator.once(
            ("set through", id(owner.node), id(function.node), parameter),
            methods.Reached(),
            lambda: self._reach(owner, [(function, parameter)]),
        )
        return reached.attributes

    def _reach(self, owner: Class, waiting: list[tuple[Function, str]]) -> methods.Reached:
        attributes: set[str] = set()
        functions: dict[tuple[Scope, str], None] = {}
        while waiting:
            function, name = waiting.pop()
            if (function.scope, name) in functions:
                continue
            functions[function.scope, name] = None
            frame = Frame(function.facts, end_of(function.scope), receiver=Instance(owner))
            for event in self.changing(frame, name):
                first = event.path[0] if event.path else event.key
                if isinstance(first, str) and first:
                    attributes.add(first)
                elif event.binding.kind == CALL:
                    waiting.extend(self._handed_on(event, owner, frame))
        return methods.Reached(frozenset(attributes), frozenset(scope for scope, _ in functions))

    def _handed_on(self, event: Event, owner: Class, frame: Frame) -> Iterator[tuple[Function, str]]:
        """Yield the functions that a call runs on an object, each with the parameter that gets it."""
        call, name = event.binding.node, event.binding.name
        assert isinstance(call, ast.Call)
        if methods.is_method_call(call, name, frame.scope, self.setting):
            method = methods.method_called(self._evaluator, owner, call, frame)
            own = next(parameters(method.node), None) if method is not None else None
            if method is not None and own is not None:
                yield method, own.arg
            return
        for one in self.callees(call, frame.at(event.binding.place)):
            yield from parameters_handed(self._evaluator, one, call, name)

    def callees(self, call: ast.Call, frame: Frame) -> Possibilities:
        """Return the functions and classes of the project that a call can be one of."""
        with self._evaluator.steps(MOST_CALLEE_STEPS):
            found = self._evaluator.evaluate(call.func, frame)
        return tuple(one for one in found if isinstance(one.thing, Function | Class))


def _is_argument(call: ast.Call, name: str) -> bool:
    return any(written(one) == name for one in (*call.args, *(keyword.value for keyword in call.keywords)))


def parameters_handed(
    evaluator: Evaluator, callee: Possibility, call: ast.Call, name: str
) -> list[tuple[Function, str]]:
    """Return the function that runs when something is called, with each of its parameters that gets the named thing."""
    function = _function_of(evaluator, callee.thing)
    if function is None:
        return []
    declared = [one.arg for one in (*function.node.args.posonlyargs, *function.node.args.args)]
    if functions.takes_receiver(function):
        declared = declared[1:]
    found: list[str] = []
    for position, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            break
        if written(argument) == name and position < len(declared):
            found.append(declared[position])
    every = {one.arg for one in parameters(function.node)}
    found.extend(one.arg for one in call.keywords if one.arg in every and written(one.value) == name and one.arg)
    return [(function, parameter) for parameter in found]


def _function_of(evaluator: Evaluator, thing: Thing) -> Function | None:
    if isinstance(thing, Function):
        return thing
    if not isinstance(thing, Class):
        return None
    constructor = classes.constructor(evaluator, thing)
    return replace(constructor, receiver=Instance(thing)) if constructor is not None else None


def of_call(evaluator: Evaluator, one: Possibility, event: Event, arms: tuple[Arm, ...], frame: Frame) -> Possibilities:
    """Return what a thing is after it was handed to a call, which may be made only under conditions."""
    call = event.binding.node
    assert isinstance(call, ast.Call)
    where = frame.at(event.binding.place)
    name = event.binding.name
    if merging.is_merge(call, name):
        after = merging.merged(evaluator, one, call, where) if isinstance(one.thing, Items) else (one,)
    elif isinstance(one.thing, Items) and one.thing.parsed and ini_files.is_change(call, name):
        after = ini_files.changed(evaluator, one, call, where)
    elif omegaconf.is_change(call, name):
        after = omegaconf.changed(evaluator, one, call, where)
    elif methods.is_method_call(call, name, frame.scope, evaluator.effects.setting):
        return (methods.after_call(evaluator, one, call, arms, where),)
    else:
        after = _after_callee(evaluator, one, call, name, where)
    if len(after) == 1 and after[0] is one:
        return after
    if not arms:
        return joined(after)
    taken = [way for assumptions in evaluator.conditions(arms, frame) for way in under(after, assumptions)]
    left = [
        way for assumptions in entries_after.otherwise(evaluator, arms, frame) for way in under((one,), assumptions)
    ]
    return joined((*left, *taken))


def _after_callee(evaluator: Evaluator, one: Possibility, call: ast.Call, name: str, frame: Frame) -> Possibilities:
    found: list[Possibility] = []
    for callee in evaluator.effects.callees(call, frame):
        for function, parameter in parameters_handed(evaluator, callee, call, name):
            laid_over = deep_updates.changed(evaluator, one, function, parameter, call, frame)
            if laid_over is not None:
                found.extend(under(laid_over, callee.assumptions))
            elif evaluator.effects.touches(function, parameter):
                after = _after_function(evaluator, one, function, parameter, call, frame)
                for event in evaluator.effects.later(function, parameter):
                    after = tuple(doubts.doubted(way, event, frame.facts.span(call)) for way in after)
                found.extend(under(after, callee.assumptions))
    return tuple(found) or (one,)


def _after_function(
    evaluator: Evaluator, one: Possibility, function: Function, parameter: str, call: ast.Call, frame: Frame
) -> Possibilities:
    rebound = [one for one in function.scope.bindings.get(parameter, ()) if one.kind == "assign"]
    if rebound and not _changes_before(evaluator, function, parameter, rebound):
        return (one,)
    # A generator has run to nobody knows where.
    unsure = rebound or function.scope.yields
    if unsure or id(function.node) in evaluator.effects.active or frame.depth >= DEEPEST_EFFECT:
        return (_in_doubt(evaluator, one, function, parameter, frame.facts.span(call)),)
    evaluator.effects.active.add(id(function.node))
    try:
        given = arguments.bound(evaluator, Caller(frame, call), function, skip_first=functions.takes_receiver(function))
        given = overlaid(given, {parameter: (replace(one, assumptions=NO_ASSUMPTIONS),)})
        inner = Frame(function.facts, end_of(function.scope), given, function.receiver, frame.depth + 1)
        found = evaluator.bound(parameter, inner, None, one.span)
    finally:
        evaluator.effects.active.discard(id(function.node))
    return under(found, one.assumptions)


def _changes_before(evaluator: Evaluator, function: Function, parameter: str, rebound: list[Binding]) -> bool:
    """Return whether a function may change what it is handed before the parameter stands for another thing."""
    frame = Frame(function.facts, end_of(function.scope), receiver=function.receiver)
    until = min((one.place.order for one in rebound if not one.place.arms), default=None)
    return any(until is None or event.order < until for event in evaluator.effects.changing(frame, parameter))


def _in_doubt(evaluator: Evaluator, one: Possibility, function: Function, parameter: str, span: Span) -> Possibility:
    """Return a thing that a function may have changed, where it was not followed how."""
    thing = one.thing
    if not isinstance(thing, Instance):
        return replace(one, thing=merging.uncertain(thing, span))
    missing = (Possibility(ABSENT, span),)
    attributes = evaluator.effects.set_through(thing.of, function, parameter)
    doubted = {name: (*thing.changed.get(name, missing), *unseen(span)) for name in sorted(attributes)}
    return replace(one, thing=replace(thing, changed={**thing.changed, **doubted}))
