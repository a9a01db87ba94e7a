"""Parameters: what their callers hand over, Python calls and configuration mappings alike."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import arguments, changes, fixtures, hierarchy, parametrized, stops
from loaderlint.linking.following.commandlines import wrapped as wrapped_functions
from loaderlint.linking.following.configurations import configurable, experiments, gin, hydra, run_with
from loaderlint.linking.scopes.annotations import annotated, may_be_none
from loaderlint.linking.things import classes, decorators
from loaderlint.linking.things.alternatives import at_most
from loaderlint.linking.things.classes import constructor, has_decorator, is_class_method, is_receiver, owner_of
from loaderlint.linking.things.kinds import (
    ABSENT,
    Absent,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Unseen,
    end_of,
)
from loaderlint.linking.things.made_calls import AnyCaller, Caller, SettingsCaller
from loaderlint.linking.things.possibilities import choice, distinct, irremovable, one_of, settled, under, unseen
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, called_by, default_of, dotted, keyword_names, parameters
from loaderlint.vocabulary.prefilter import may_matter

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def parameter(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities:
    """Return what a parameter can hold, by the call being followed or by every caller in the project."""
    scope = frame.scope
    function = scope.node
    span = frame.facts.span(node)
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return unseen(span)
    owner = owner_of(frame.facts, scope)
    if owner is not None and isinstance(function, FunctionNode) and is_receiver(function, node):
        if is_class_method(function):
            return _class_called(evaluator, owner, frame, span)
        return (Possibility(frame.receiver or hierarchy.in_method(evaluator, owner, scope), span),)
    if frame.arguments is not None and node.arg in frame.arguments:
        return frame.arguments[node.arg]
    if isinstance(function, ast.Lambda) and (owner is not None or called_by(scope) is None):
        return unseen(span)
    if node in (function.args.kwarg, function.args.vararg):
        return _rest(evaluator, function, node, frame, owner)
    option = hydra.configuration(evaluator, function, node, frame) or parametrized.given_to(evaluator, node, frame)
    if option is not None:
        return option
    made = _made(evaluator, owner, frame)
    called = evaluator.callers.of(Function(frame.facts, function, scope, owner=made))
    default = default_of(function, node.arg)
    subject = _subject(owner, made, frame)
    wrapped = _by_decorator(evaluator, function, node, frame) if owner is None else None
    if not called.by and wrapped is not None:
        return wrapped
    if not called.by:
        fixture = fixtures.given_to(evaluator, node, frame)
        return _of_users(evaluator, default, node, frame, subject) if fixture is None else fixture
    source = configurable.source_of(evaluator, function, frame.facts, scope)
    if wrapped is None:
        wrapped = _left_to_its_default(evaluator, gin.configuration(evaluator, node, frame), node, frame)
    plain = wrapped is None and source is None
    if plain and decorators.hides_arguments(evaluator, function, frame.facts, scope, followed=True):
        return run_with.configuration(evaluator, function, node, frame)
    left_out = wrapped or _default(evaluator, default, node, frame, "")
    ways: list[tuple[int, Possibilities]] = []
    for number, caller in _plainest_first(_on_the_object(evaluator, called.by, frame), node.arg):
        given = (
            configurable.given_for(evaluator, source, caller, node.arg)
            if source is not None and isinstance(caller, Caller)
            else None
        ) or handed_over(evaluator, caller, function, node.arg, frame, method=owner is not None)
        arriving = _where_called(evaluator, caller, settled(given, lambda: left_out))
        ways.append((number, _of_another_run(arriving, subject, frame)))
    ways.sort(key=lambda way: way[0])
    if called.elsewhere:
        ways.append((len(called.by), unseen(span)))
    if called.for_users:
        given = _of_users(evaluator, default, node, frame, subject, offered=called.offered)
        ways.append((len(called.by) + called.elsewhere, given))
    arriving = _after_decorators(evaluator, one_of(subject, ways) or unseen(span), node, frame)
    return _with_settings_promised(evaluator, arriving, node, frame)


def _by_decorator(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what a decorator hands a function for what its callers leave out, None where none hands it anything."""
    captured = experiments.configuration(evaluator, function, node, frame)
    if captured is None:
        return wrapped_functions.configuration(evaluator, function, node, frame)
    return _left_to_its_default(evaluator, captured, node, frame)


def _left_to_its_default(
    evaluator: Evaluator, given: Possibilities | None, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what a decorator hands over for a parameter, with the default wherever it leaves that to it."""
    assert isinstance(frame.scope.node, FunctionNode | ast.Lambda)
    default = default_of(frame.scope.node, node.arg)
    return given and settled(given, lambda: _default(evaluator, default, node, frame, ""))


def _after_decorators(evaluator: Evaluator, given: Possibilities, node: ast.arg, frame: Frame) -> Possibilities:
    """Return what callers give after what decorators do to it before they call the function with it."""
    if isinstance(frame.scope.node, FunctionNode):
        for where, name in decorators.handed_on(evaluator, frame.scope.node, frame, node.arg):
            given = changes.changed(evaluator, given, name, where, where.place, -1)
    return given


def _with_settings_promised(evaluator: Evaluator, given: Possibilities, node: ast.arg, frame: Frame) -> Possibilities:
    """Return what a parameter gets, where that was not seen perhaps one of the objects that its annotation promises.

    The fields of a dataclass have their values without anybody giving them.
    """
    if node.annotation is None or frame.scope.parent is None or dotted(node.annotation) is None:
        return given
    if not any(isinstance(one.thing, Unseen | Made) for one in given):
        return given
    where = Frame(frame.facts, end_of(frame.scope.parent))
    kinds = [one.thing for one in evaluator.evaluate(node.annotation, where)]
    kind = kinds[0] if len(kinds) == 1 else None
    if not isinstance(kind, Class) or not is_dataclass(kind):
        return given
    promised = Possibility(evaluator.any_object(kind), frame.facts.span(node))
    subject = f"what {node.arg} is at {promised.span}"
    found: list[Possibility] = []
    for one in given:
        if isinstance(one.thing, Unseen | Made):
            found.extend(under((promised,), one.assumptions, choice(subject, "promised")))
            found.extend(under((one,), choice(subject, "another")))
        else:
            found.append(one)
    return tuple(found)


def is_dataclass(kind: Class) -> bool:
    """Return whether a class is decorated as a dataclass."""
    written = (one.func if isinstance(one, ast.Call) else one for one in kind.node.decorator_list)
    return any((dotted(one) or "").rpartition(".")[2] == "dataclass" for one in written)


def _on_the_object(evaluator: Evaluator, callers: Iterable[AnyCaller], frame: Frame) -> Iterator[tuple[int, AnyCaller]]:
    """Yield the callers of a function that can call it on the object of a frame, as they do there, by their number."""
    receiver = frame.receiver
    for number, caller in enumerate(callers):
        if receiver is None:
            yield number, caller
        elif caller.making is not None:
            if hierarchy.can_be(evaluator, receiver, caller.making) and not is_left_out(caller, receiver):
                yield number, caller
        elif isinstance(caller, Caller):
            where = hierarchy.calling(evaluator, caller.frame, caller.call.func, receiver)
            if where is not None:
                yield number, caller if where is caller.frame else replace(caller, frame=where)
        else:
            yield number, caller


def _plainest_first(callers: Iterable[tuple[int, AnyCaller]], name: str) -> list[tuple[int, AnyCaller]]:
    """Return callers with those first that write a constant there: following the others may take all the steps."""

    def is_long(caller: AnyCaller) -> bool:
        given = (one.value for one in caller.call.keywords if one.arg == name) if isinstance(caller, Caller) else ()
        return not any(_is_plain(one) for one in given)

    return sorted(callers, key=lambda one: is_long(one[1]))


def _is_plain(value: ast.expr) -> bool:
    last = value.values[-1] if isinstance(value, ast.BoolOp) else value
    return isinstance(last, ast.Constant)


def is_left_out(caller: AnyCaller, instance: Instance) -> bool:
    """Return whether a call that makes an object of a class did not make this one."""
    if not isinstance(caller, Caller) or caller.making is None:
        return False
    return (caller.call, caller.making.node, None) in instance.without


def _of_users(
    evaluator: Evaluator, default: ast.expr | None, node: ast.arg, frame: Frame, subject: str, *, offered: bool = False
) -> Possibilities:
    """Return what whoever uses the project hands over for a parameter: its default, or what its annotation promises.

    What the project makes itself it hands over in its own calls: those it is ``offered`` to make another one.
    """
    promised = _by_annotation(evaluator, node, frame, subject, offered=offered)
    return (*_default(evaluator, default, node, frame, subject), *promised)


def _where_called(evaluator: Evaluator, caller: AnyCaller, given: Possibilities) -> Possibilities:
    """Return what is given for a parameter under the conditions under which the call is made."""
    if not isinstance(caller, Caller) or not (caller.frame.place.arms or caller.frame.scope.checks):
        return given
    ways = conditions_of_call(evaluator, caller.frame, caller.call)
    return distinct(one for assumptions in ways for one in under(given, assumptions))


def conditions_of_call(evaluator: Evaluator, frame: Frame, call: ast.Call) -> list[Assumptions]:
    """Return the alternative assumptions under which a call is made."""
    ways = stops.conditions_at(evaluator, frame, call)
    return at_most(_CONDITIONS_KEPT, ways) if len(ways) > MOST_CONDITIONS_OF_A_CALL else ways


def _of_another_run(given: Possibilities, subject: str, frame: Frame) -> Possibilities:
    """Return what arrives at a function, objects without what was assumed of a run of it that they come from.

    A function that hands itself what it got, or another one that hands it back, was called by another caller in that
    run, and got other answers to its tests, than in the one that is called. The parts of a dictionary go on to be one:
    they keep what was assumed, which tells them apart.
    """
    if not any(isinstance(one.thing, Instance) and one.assumptions for one in given):
        return given
    asked = f"{frame.facts.source.path}:{frame.scope.qualified()}:"

    def is_of_run(subject_asked: str) -> bool:
        return subject_asked == subject or subject_asked.startswith(asked)

    return distinct(
        replace(one, assumptions=frozenset(each for each in one.assumptions if not is_of_run(each.subject)))
        if isinstance(one.thing, Instance)
        else one
        for one in given
    )


MOST_CONDITIONS_OF_A_CALL = 12
"""Where a call is come to in more ways than this, some of what they ask is forgotten."""
_CONDITIONS_KEPT = 4
"""As many are then kept at most: each of them is another way for each value that is given."""


def _rest(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame, owner: Class | None
) -> Possibilities:
    """Return what ``**kwargs`` or ``*args`` can hold: what each caller gives that no other parameter takes."""
    span = frame.facts.span(node)
    positional = node is function.args.vararg
    made = _made(evaluator, owner, frame)
    called = evaluator.callers.of(Function(frame.facts, function, frame.scope, owner=made))
    anything = unseen(span) if positional else (Possibility(Items({}, complete=False), span),)
    if not called.by:
        return anything
    source = configurable.source_of(evaluator, function, frame.facts, frame.scope)
    if source is None and decorators.hides_arguments(evaluator, function, frame.facts, frame.scope):
        return anything
    named = keyword_names(function)
    ways: list[tuple[int, Possibilities]] = []
    values: Mapping[str, Possibilities]
    for number, caller in _on_the_object(evaluator, called.by, frame):
        configured = (
            configurable.all_given(evaluator, source, caller)
            if source is not None and isinstance(caller, Caller) and not positional
            else None
        )
        if configured is not None:
            values = arguments.spread_over(configured, function, span)
            ways.append((number, _where_called(evaluator, caller, under(values[node.arg], caller.assumptions))))
        elif isinstance(caller, Caller):
            values = arguments.Arguments(evaluator, caller, function, skip_first=takes_receiver(function, owner))
            ways.append((number, _where_called(evaluator, caller, under(values[node.arg], caller.assumptions))))
        elif positional:
            ways.append((number, (Possibility(Row(()), span),)))
        else:
            entries = {
                key: stepped(caller.given(key), span, f"{called_by(frame.scope)}({key}=…)")
                for key in caller.arguments.entries
                if key not in named
            }
            ways.append((number, (Possibility(Items(entries, caller.arguments.complete), span),)))
    if called.elsewhere or called.for_users:
        ways.append((len(called.by), anything))
    return one_of(_subject(owner, made, frame), ways) or anything


def _made(evaluator: Evaluator, owner: Class | None, frame: Frame) -> Class | None:
    """Return the class whose making calls the function of a frame: of a constructor that of the object, if it inherits.

    Of any other function it is the class that defines it.
    """
    if owner is None or frame.receiver is None or frame.scope.name != "__init__":
        return owner
    own = constructor(evaluator, frame.receiver.of)
    return frame.receiver.of if own is not None and own.scope is frame.scope else owner


def _subject(owner: Class | None, made: Class | None, frame: Frame) -> str:
    """Return the question which of the callers of a function calls it."""
    here = str(frame.facts.span(frame.scope.node))
    return here if made is None or owner is None or made.node is owner.node else f"{here} of {classes.subject(made)}"


def takes_receiver(function: FunctionNode | ast.Lambda, owner: Class | None) -> bool:
    """Return whether the first parameter of a function is not among the arguments of its calls."""
    return owner is not None and not has_decorator(function, "staticmethod")


def _default(
    evaluator: Evaluator, default: ast.expr | None, node: ast.arg, frame: Frame, subject: str
) -> Possibilities:
    if default is None:
        return ()
    span = frame.facts.between(node, default)
    found = arguments.default_value(evaluator, default, frame.facts, frame.scope, node.arg)
    label = _label(frame, method=owner_of(frame.facts, frame.scope) is not None)
    note = f"{label}({node.arg}=…) default"
    assumed = choice(f"{subject}:{node.arg}", "default") if subject else frozenset()
    return under((one.step(span, note) for one in found), assumed)


def _by_annotation(evaluator: Evaluator, node: ast.arg, frame: Frame, subject: str, *, offered: bool) -> Possibilities:
    """Return an object of each project class that the annotation joins; what else it joins, and may join, is unseen."""
    span = frame.facts.span(node)
    assumed = choice(f"{subject}:{node.arg}", "given")
    if node.annotation is not None and frame.scope.parent is not None:
        annotation = node.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return unseen(span, assumed)
        where = Frame(frame.facts, end_of(frame.scope.parent))
        parts = [*annotated(annotation)]
        promised = [_promised(evaluator, part, where, span, offered=offered) for part in parts]
        if parts != [annotation] and not may_matter(frame.facts.source.content):
            # Libraries join types everywhere: those are followed that may have to do with loaders.
            promised = [one if one is not None and _may_matter(one) else None for one in promised]
        ways = [(number, (one,)) for number, one in enumerate(promised) if one is not None]
        if ways:
            others = [(len(promised), unseen(span))] if len(ways) < len(promised) or may_be_none(annotation) else []
            return under(one_of(f"{subject}:{node.arg} is", [*ways, *others]), assumed)
    return unseen(span, assumed)


def _promised(evaluator: Evaluator, part: ast.expr, where: Frame, span: Span, *, offered: bool) -> Possibility | None:
    """Return the object that one of the types an annotation joins promises, None where that is no project class."""
    for one in evaluator.evaluate(part, where):
        if isinstance(one.thing, Class):
            of_users = evaluator.object_of_users(one.thing, span) if offered else evaluator.any_object(one.thing)
            return Possibility(of_users, span)
    return None


def _may_matter(promised: Possibility) -> bool:
    """Return whether an object is of a class whose file may hold a loader or one of its settings."""
    thing = promised.thing
    return isinstance(thing, Instance) and may_matter(thing.of.facts.source.content)


def handed_over(
    evaluator: Evaluator,
    caller: AnyCaller,
    function: FunctionNode | ast.Lambda,
    name: str,
    frame: Frame,
    *,
    method: bool,
) -> Possibilities:
    """Return what one caller gives for a parameter; `ABSENT` when it leaves the parameter to its default."""
    label = _label(frame, method=method)
    if isinstance(caller, SettingsCaller):
        here = next(
            (frame.facts.span(one) for one in parameters(function) if one.arg == name), frame.facts.span(function)
        )
        given = caller.given(name)
        return stepped(
            given if arguments.neutral_default(function, name) else irremovable(given), here, f"{label}({name}=…)"
        )
    values = arguments.Arguments(
        evaluator, caller, function, skip_first=method and not has_decorator(function, "staticmethod")
    )
    if values.refused:
        return ()
    here = caller.frame.facts.span(caller.call)
    given_values = values.get(name, (Possibility(ABSENT, here),))
    return under(stepped(given_values, here, f"{label}({name}=…)"), caller.assumptions)


def _label(frame: Frame, *, method: bool) -> str:
    """Return what the function of a frame goes by: a method with its class, which alone stands for its constructor."""
    own = called_by(frame.scope) or ""
    if not method or frame.scope.parent is None:
        return own
    return frame.scope.parent.name if own == "__init__" else f"{frame.scope.parent.name}.{own}"


def _class_called(evaluator: Evaluator, owner: Class, frame: Frame, span: Span) -> Possibilities:
    """Return the class a class method is called on, unseen where subclasses may be meant."""
    if frame.receiver is not None:
        return (Possibility(frame.receiver.of, span),)
    return unseen(span) if evaluator.callers.heirs(owner) else (Possibility(owner, span),)


def stepped(given: Possibilities, here: Span, label: str) -> Possibilities:
    """Return what is handed over one step further; what is not given takes no step."""
    return tuple(one if isinstance(one.thing, Absent) else one.step(here, label) for one in given)
