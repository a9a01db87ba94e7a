"""How the methods of an object run: with what the calls that make it, and the constructors below, hand over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import (
    arguments,
    functions,
    hierarchy,
)
from loaderlint.linking.following.configurations import configurable
from loaderlint.linking.things import classes, decorators
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Possibilities, end_of
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.made_calls import Caller, without_first
from loaderlint.linking.things.possibilities import settled, under
from loaderlint.readers.python import CallSite, FunctionNode, Scope, default_of, dotted
from loaderlint.readers.python import parameters as parameters_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def own_methods(evaluator: Evaluator, instance: Instance, owner: Class) -> Iterator[tuple[Scope, str]]:
    """Yield the methods of a class that run on an object, with the name each gives it, the constructor first."""
    key = ("own methods", id(instance.of.node), id(owner.node))
    yield from evaluator.remembered(key, None, lambda: tuple(_own_methods(evaluator, instance, owner)))


def _own_methods(evaluator: Evaluator, instance: Instance, owner: Class) -> Iterator[tuple[Scope, str]]:
    methods = [
        scope for scope in owner.scope.children if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for scope in sorted(methods, key=lambda one: one.name != "__init__"):
        assert isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
        first = next(parameters_of(scope.node), None)
        if first is not None and hierarchy.runs(evaluator, instance.of, owner, scope.name):
            yield scope, first.arg


def method_frame(evaluator: Evaluator, instance: Instance, owner: Class, scope: Scope) -> Frame:
    """Return the frame of a method; that of a constructor holds what the call of it gives, where that is known."""
    frame = Frame(owner.facts, end_of(scope), receiver=instance)
    if scope.name != "__init__":
        return frame
    below = _constructor_below(evaluator, instance.of, scope)
    if below is not None:
        return _handed_up(evaluator, instance, owner, scope, below) or frame
    if instance.call is not None and instance.frame is not None:
        depth = instance.frame.depth + 1
        return replace(frame, arguments=evaluator.constructor_arguments(instance, scope), depth=depth)
    return frame


def _constructor_below(evaluator: Evaluator, kind: Class, constructor: Scope) -> tuple[Class, Scope] | None:
    """Return the constructor that comes before another where an object of a class is made, None where none does."""
    below: tuple[Class, Scope] | None = None
    for one in classes.lineage(evaluator, kind):
        own = next((scope for scope in one.scope.children if scope.name == "__init__"), None)
        if own is constructor:
            break
        if own is not None:
            below = one, own
    return below


def _handed_up(
    evaluator: Evaluator, instance: Instance, owner: Class, constructor: Scope, below: tuple[Class, Scope]
) -> Frame | None:
    """Return the frame of a base's constructor in the call of it by the constructor below.

    Of several calls each is one way, where no run comes to two of them; None where that was not seen.
    """
    if not isinstance(constructor.node, FunctionNode):
        return None
    function = Function(owner.facts, constructor.node, constructor, None, owner)
    every = [site for site in below[1].calls if _calls_constructor_of(site.node, owner)]
    calls = every if len(every) == 1 else [site for site in every if not _lacks_arguments(site.node, constructor.node)]
    if not calls or not all(_exclude(one, other) for one, other in combinations(calls, 2)):
        return None
    frame = method_frame(evaluator, instance, *below)

    def in_call(site: CallSite) -> Frame:
        # ``Base.__init__(self, …)`` hands the object over like anything else.
        receiver = instance if classes.is_super_init(site.node) else None
        called = replace(function, receiver=receiver)
        return functions.frame_of_call(evaluator, called, site.node, frame.at(site.place))

    return in_call(calls[0]) if len(calls) == 1 else _in_one_of(evaluator, calls, in_call, frame, constructor)


def _in_one_of(
    evaluator: Evaluator,
    calls: Sequence[CallSite],
    in_call: Callable[[CallSite], Frame],
    below: Frame,
    constructor: Scope,
) -> Frame | None:
    """Return the frame of a constructor that is called by one of several calls, each under its own conditions."""

    def joined() -> Frame | None:
        ways = [(in_call(site), evaluator.conditions(site.place.arms, below)) for site in calls]
        every = [(one.arguments, assumed) for one, conditions in ways for assumed in conditions]
        seen = [(given, assumed) for given, assumed in every if given is not None]
        if not seen or len(seen) < len(every):
            return None

        def arriving(name: str) -> Possibilities:
            return tuple(one for given, assumed in seen for one in under(given[name], assumed))

        return replace(ways[0][0], arguments=Lazily.followed(evaluator, seen[0][0], arriving), receiver=below.receiver)

    return evaluator.remembered(("handed up in one of several", id(constructor)), below, joined)


def _lacks_arguments(call: ast.Call, constructor: FunctionNode) -> bool:
    """Return whether a call ends the program, as it gives nothing for a parameter without a default."""
    if any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    taken = constructor.args
    by_place = [one.arg for one in (*taken.posonlyargs, *taken.args)][len(call.args) + classes.is_super_init(call) :]
    given = {one.arg for one in call.keywords}
    return any(default_of(constructor, name) is None and name not in given for name in by_place) or any(
        default is None and one.arg not in given
        for one, default in zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    )


def _exclude(one: CallSite, other: CallSite) -> bool:
    """Return whether no run comes to both of two calls: they stand in the two arms of one branch, and in no loop."""
    arms = (*one.place.arms, *other.place.arms)
    return not any(arm.loop for arm in arms) and any(
        first.test is not None and first.excludes(second) for first in one.place.arms for second in other.place.arms
    )


def handed_to_fields(evaluator: Evaluator, instance: Instance, owner: Class) -> list[Caller]:
    """Return the calls by which a constructor of a class below fills the fields of a class; none where none is below.

    Where that hands nothing up, the fields are what they are without a constructor.
    """
    below: tuple[Class, Scope] | None = None
    for one in classes.lineage(evaluator, instance.of):
        own = next((scope for scope in one.scope.children if scope.name == "__init__"), None)
        if own is not None:
            below = one, own
        elif one.node is owner.node or one.node.decorator_list:
            # A decorator gives the class a constructor, which fills the fields of those above as well.
            break
    if below is None:
        return []
    frame = method_frame(evaluator, instance, *below)
    calls = [site for site in below[1].calls if _calls_constructor_of(site.node, one)]
    return [
        Caller(frame.at(site.place), site.node if classes.is_super_init(site.node) else without_first(site.node))
        for site in calls
        # What hands nothing up stands in the file of its frame: the class of the fields may be in another.
    ] or [Caller(frame, classes.plain_call(below[0]))]


def _calls_constructor_of(call: ast.Call, owner: Class) -> bool:
    """Return whether a constructor's call is ``super().__init__(...)`` or one by the name of the base."""
    return classes.is_super_init(call) or (dotted(call.func) or "").split(".")[-2:] == [owner.node.name, "__init__"]


def constructor_frame(evaluator: Evaluator, instance: Instance) -> Frame | None:
    """Return the frame of the constructor that makes an object, None when no class of the project gives it one."""
    for owner in classes.lineage(evaluator, instance.of):
        for scope, _ in own_methods(evaluator, instance, owner):
            if scope.name == "__init__":
                return method_frame(evaluator, instance, owner, scope)
    return None


def library_constructor_call(evaluator: Evaluator, instance: Instance) -> tuple[ast.Call, Frame] | None:
    """Return the call whose arguments a library's constructor gets as an object is made, and where it is made.

    That is the object's own call where no class of the project has a constructor. None where what it hands over was not
    seen: there are several such calls, or a decorator may have given a class its constructor, as ``dataclass`` does.
    """
    lineage = classes.lineage(evaluator, instance.of)
    methods = [(owner, one) for owner in lineage for one in owner.scope.children if isinstance(one.node, FunctionNode)]
    constructors = [(owner, one) for owner, one in methods if one.name == "__init__"]
    if not constructors:
        own = any(owner.node.decorator_list for owner in lineage) or any(one.name == "__new__" for _, one in methods)
        return (instance.call, instance.frame) if instance.call and instance.frame and not own else None
    owner, scope = constructors[-1]
    calls = [one for one in scope.calls if (dotted(one.node.func) or "").endswith(".__init__")]
    calls.extend(one for one in scope.calls if classes.is_super_init(one.node))
    frame = method_frame(evaluator, instance, owner, scope)
    if len(calls) != 1 or frame.arguments is None:
        return None
    call = calls[0].node
    if not classes.is_super_init(call):
        above = {name.rpartition(".")[2] for name in classes.foreign_bases(evaluator, owner)}
        if (dotted(call.func) or "").split(".")[-2] not in above:
            return None
        call = without_first(call)
    return call, frame.at(calls[0].place)


def call_arguments(evaluator: Evaluator, instance: Instance, scope: Scope) -> Mapping[str, Possibilities]:
    """Return what each parameter of an object's constructor takes: from the user, from the call, or its default."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    assert instance.call is not None and instance.frame is not None
    caller = Caller(instance.frame, instance.call)
    facts = next(one.facts for one in classes.lineage(evaluator, instance.of) if scope in one.scope.children)
    function = Function(facts, node, scope)
    source = configurable.source_of(evaluator, node, facts, scope)
    configured = configurable.all_given(evaluator, source, caller) if source is not None else None
    if configured is not None:
        given = arguments.spread_over(configured, node, caller.frame.facts.span(caller.call))
        bound = arguments.with_defaults(evaluator, given, caller, function, skip_first=True)
    elif source is None and decorators.hides_arguments(evaluator, node, facts, scope):
        return {}
    else:
        bound = arguments.bound(evaluator, caller, function, skip_first=True)

    def arriving(name: str) -> Possibilities:
        return settled(instance.given.get(name), lambda: bound[name])

    return Lazily.followed(evaluator, bound, arriving) if instance.given else bound
