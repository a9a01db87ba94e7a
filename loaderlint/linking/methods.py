"""What a method that runs does to the object it is called on: ``config.debug()`` sets some of its attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking import changes, classes, instances
from loaderlint.linking.callers import Caller
from loaderlint.linking.events import Happened
from loaderlint.linking.lazily import Lazily
from loaderlint.linking.names import reaching
from loaderlint.linking.project import Project
from loaderlint.linking.things import Frame, Function, Instance, Possibilities, Possibility, end_of, settled
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

DEEPEST_METHOD = 4
"""Methods followed into each other for what they set; beyond that they are taken to set nothing here."""


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
        found |= {scope.name for scope, own in methods if found & set(_called_on(scope, own))}
        return frozenset(found)


def _called_on(scope: Scope, own: str) -> Iterator[str]:
    for site in scope.calls:
        function = site.node.func
        if isinstance(function, ast.Attribute) and dotted(function.value) == own:
            yield function.attr


def is_method_call(call: ast.Call, name: str, setting: SettingMethods) -> bool:
    """Return whether a call is one, on what a dotted name stands for, of a method that may set attributes."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in setting and dotted(function.value) == name


def before_and_after(
    evaluator: Evaluator, one: Possibility, call: ast.Call, frame: Frame
) -> tuple[Possibility, Possibilities]:
    """Return an object as it is where a method that is called on it has not run, and as it is after the call.

    An object whose making was not seen stays as it is: it may have been through any of its methods.
    """
    instance = one.thing
    assert isinstance(call.func, ast.Attribute)
    if not isinstance(instance, Instance) or instance.call is None:
        return one, (one,)
    ways = evaluator.attribute_of(instance, call.func.attr)
    method = ways[0].thing if len(ways) == 1 else None
    if not isinstance(method, Function) or not isinstance(method.node, FunctionNode):
        return one, (one,)
    own = next(parameters(method.node), None)
    if own is None or method.receiver is None or not classes.is_receiver(method.node, own):
        return one, (one,)
    active = evaluator.effects.active
    if id(method.node) in active or frame.depth >= DEEPEST_METHOD:
        return one, (one,)
    active.add(id(method.node))
    try:
        return _followed(evaluator, one, instance, method, own.arg, call, frame)
    finally:
        active.discard(id(method.node))


def _followed(
    evaluator: Evaluator,
    one: Possibility,
    instance: Instance,
    method: Function,
    own: str,
    call: ast.Call,
    frame: Frame,
) -> tuple[Possibility, Possibilities]:
    inner = Frame(method.facts, end_of(method.scope), receiver=instance)
    happened = [
        Happened(event, way.arms)
        for event in evaluator.effects.changing(inner, own)
        for way in reaching([event.binding], None)
        if not event.path
    ]
    names = {one.event.key for one in happened if one.event.key}

    def not_yet(name: str) -> Possibilities:
        if name not in names:
            return instance.changed[name]
        return settled(
            instance.changed.get(name), lambda: instances.own_without(evaluator, instance, name, method.scope)
        )

    started = replace(instance, changed=Lazily.of(dict.fromkeys((*instance.changed, *sorted(names))), not_yet))
    before = replace(one, thing=started)
    given = Lazily.of(
        [other.arg for other in parameters(method.node)][1:],
        lambda name: instances.bound_arguments(evaluator, Caller(frame, call), method, skip_first=True)[name],
    )
    inner = replace(inner, arguments=given, receiver=started, depth=frame.depth + 1)
    return before, changes.after_all(evaluator, before, happened, inner)
