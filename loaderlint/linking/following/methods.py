"""What a method that runs does to the object it is called on: ``config.debug()`` sets some of its attributes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following import arguments, changes, entries_after, instances
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.scopes.events import Happened
from loaderlint.linking.scopes.names import reaching
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import ABSENT, Class, Frame, Function, Instance, Possibilities, Possibility, end_of
from loaderlint.linking.things.lazily import AttributesAfter, Lazily
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import distinct, settled, under, unseen
from loaderlint.readers.python import Arm, FunctionNode, Scope, dotted, parameters
from loaderlint.readers.python_calls import is_super

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

DEEPEST_METHOD = 4
"""Methods followed into each other for what they set; beyond that they are taken to set nothing here."""


class Reached(Struct, frozen=True):
    """What a method reaches of its object by itself and through what it calls: the attributes it may set, and how."""

    attributes: frozenset[str] = frozenset()
    methods: frozenset[Scope] = frozenset()


class SettingMethods:
    """The names of the methods of a project that set attributes of their object, themselves or by another one."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        methods = [
            (scope, first.arg)
            for facts in self._project.all_python()
            for scope in facts.scopes.values()
            if isinstance(scope.node, FunctionNode) and scope.parent is not None and scope.parent.is_class
            for first in [next(parameters(scope.node), None)]
            if first is not None and scope.name != "__init__"
        ]
        found = {scope.name for scope, own in methods if any(one.startswith(f"{own}.") for one in scope.bindings)}
        callers: dict[str, set[str]] = {}
        for scope, own in methods:
            for called in _called_on(scope, own):
                callers.setdefault(called, set()).add(scope.name)
        waiting = list(found)
        while waiting:
            new = callers.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(new)
        return frozenset(found)


def _called_on(scope: Scope, own: str) -> Iterator[str]:
    for site in scope.calls:
        function = site.node.func
        if isinstance(function, ast.Attribute) and dotted(function.value) == own:
            yield function.attr


def is_method_call(call: ast.Call, name: str, scope: Scope, setting: SettingMethods) -> bool:
    """Return whether a call is one, on what a dotted name stands for in a scope, of a method that may set attributes.

    ``super().setup()`` is one on the own object of the method it stands in.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in setting:
        return False
    return name == (receiver_in(scope) if is_super(function.value) else dotted(function.value))


def after_call(
    evaluator: Evaluator, one: Possibility, call: ast.Call, arms: tuple[Arm, ...], frame: Frame
) -> Possibility:
    """Return an object as it is after a call of one of its methods, which is made where the arms are taken.

    Of an object whose making was not seen only what was set since can be another: it may have been through any of its
    methods.
    """
    instance = one.thing
    if not isinstance(instance, Instance) or frame.depth >= DEEPEST_METHOD:
        return one
    after = _AfterMethod(evaluator, instance, call, arms, frame)
    # There may be hundreds of ways to a call that sets nothing, each of which would be a state of its own.
    if evaluator.effects.settled and not after.sets_any:
        return one
    return replace(one, thing=replace(instance, changed=after))


def method_called(evaluator: Evaluator, owner: Class, call: ast.Call, frame: Frame) -> Function | None:
    """Return the method that a call runs on an object: that of its class, or of the nearest of its bases."""
    assert isinstance(call.func, ast.Attribute)
    name, family = call.func.attr, classes.lineage(evaluator, owner)
    if is_super(call.func.value):
        here = classes.owner_of(frame.facts, frame.scope)
        place = next((place for place, one in enumerate(family) if here is not None and one.node is here.node), -1)
        family = family[place + 1 :] if place >= 0 else []
    for one in family:
        bindings = one.scope.bindings.get(name)
        if bindings:
            node = bindings[-1].node
            if not isinstance(node, FunctionNode) or node.name != name:
                return None
            return Function(one.facts, node, one.facts.scopes[id(node)], owner=one)
    return None


class _AfterMethod(AttributesAfter):
    """The attributes of an object after one of its methods ran."""

    def __init__(
        self, evaluator: Evaluator, instance: Instance, call: ast.Call, arms: tuple[Arm, ...], frame: Frame
    ) -> None:
        super().__init__(evaluator, instance.changed, frame, frame.facts.span(call))
        self._instance = instance
        self._call = call
        self._arms = arms

    @cached_property
    def _reached(self) -> Reached:
        method = method_called(self._evaluator, self._instance.of, self._call, self._frame)
        return self._evaluator.effects.reached(self._instance.of, method) if method is not None else Reached()

    @property
    def sets_any(self) -> bool:
        """Whether the method may set any attribute."""
        return bool(self._names)

    def _changed(self) -> Collection[str]:
        reached = self._reached.attributes
        return reached if self._instance.call is not None else reached & self._instance.changed.keys()

    def _follow(self, name: str) -> Possibilities:
        ran = self._evaluator.remembered(("ran", self), self._frame, self._run)
        if ran is None:
            return (*self._here(self._instance, name), *unseen(self.span))
        started, ended = ran
        taken = tuple(
            way
            for state in ended
            for way in under(
                self._here(state.thing, name) if isinstance(state.thing, Instance) else unseen(state.span),
                state.assumptions,
            )
        )
        if not self._arms:
            return distinct(taken)
        where = self._frame
        left = self._here(started, name)
        return distinct(
            [
                *(
                    way
                    for ways in entries_after.otherwise(self._evaluator, self._arms, where)
                    for way in under(left, ways)
                ),
                *(way for ways in self._evaluator.conditions(self._arms, where) for way in under(taken, ways)),
            ]
        )

    def _here(self, instance: Instance, name: str) -> Possibilities:
        """Return an attribute of an object in one of its states; `Absent` stands for what its class gives it."""
        span = self._frame.facts.span(self._call)
        return instance.changed.get(name) or (Possibility(ABSENT, span),)

    def _run(self) -> tuple[Instance, Possibilities] | None:
        """Return the object as it is before the method runs, and as it is at its end; None where it was not seen."""
        evaluator, instance = self._evaluator, self._instance
        assert isinstance(self._call.func, ast.Attribute)
        if is_super(self._call.func.value):
            ways = evaluator.evaluate(self._call.func, self._frame)
        else:
            ways = evaluator.attribute_of(instance, self._call.func.attr)
        method = ways[0].thing if len(ways) == 1 else None
        if not isinstance(method, Function) or not isinstance(method.node, FunctionNode):
            return None
        own = next(parameters(method.node), None)
        if own is None or method.receiver is None or not classes.is_receiver(method.node, own):
            return None

        def not_yet(name: str) -> Possibilities:
            return settled(
                instance.changed.get(name),
                lambda: instances.own_without(evaluator, instance, name, self._reached.methods),
            )

        names = dict.fromkeys((*instance.changed, *sorted(self._reached.attributes)))
        # Of those that the object may be of, the class that defines the method, or one that inherits it.
        kind = method.receiver.of if instance.call is None else instance.of
        started = replace(instance, of=kind, changed=Lazily.followed(evaluator, names, not_yet))
        given = arguments.bound(evaluator, Caller(self._frame, self._call), method, skip_first=True)
        inner = Frame(method.facts, end_of(method.scope), given, started, self._frame.depth + 1)
        return started, after_body(evaluator, started, inner, own.arg)


def after_body(evaluator: Evaluator, started: Instance, frame: Frame, own: str) -> Possibilities:
    """Return an object as it is at the end of a method that runs on it."""
    happened = [
        Happened(event, way.arms)
        for event in evaluator.effects.changing(frame, own)
        for way in reaching([event.binding], None)
    ]
    return changes.after_all(evaluator, Possibility(started, frame.facts.span(frame.scope.node)), happened, frame)
