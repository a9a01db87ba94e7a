"""Parameters: what their callers hand over, Python calls and configuration mappings alike."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from loaderlint.linking import decorators, dictionaries, hydra
from loaderlint.linking.callers import AnyCaller, Caller, SettingsCaller
from loaderlint.linking.classes import has_decorator, is_receiver, owner_of
from loaderlint.linking.commandlines import defaults
from loaderlint.linking.lazily import Lazily
from loaderlint.linking.things import (
    ABSENT,
    Absent,
    Class,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Row,
    choice,
    end_of,
    irremovable,
    one_of,
    under,
    unseen,
)
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, called_by, default_of, owners_set, parameters

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


def parameter(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities:
    """Return what a parameter can hold, by the call being followed or by every caller in the project."""
    scope = frame.scope
    function = scope.node
    span = frame.facts.span(node)
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return unseen(span)
    owner = owner_of(frame.facts, scope)
    if owner is not None and isinstance(function, FunctionNode) and is_receiver(function, node):
        if has_decorator(function, "classmethod"):
            return _class_called(evaluator, owner, frame, span)
        return (Possibility(frame.receiver or evaluator.any_object(owner), span),)
    if frame.arguments is not None and node.arg in frame.arguments:
        return frame.arguments[node.arg]
    if isinstance(function, ast.Lambda) and (owner is not None or called_by(scope) is None):
        return unseen(span)
    if node in (function.args.kwarg, function.args.vararg):
        return _rest(evaluator, function, node, frame, owner)
    option = hydra.configuration(evaluator, function, node, frame)
    if option is not None:
        return option
    called = evaluator.callers.of(Function(frame.facts, function, scope, owner=owner))
    default = default_of(function, node.arg)
    subject = str(frame.facts.span(function))
    if not called.by:
        return (*_default(evaluator, default, node, frame, subject), *_by_annotation(evaluator, node, frame, subject))
    source = decorators.configured_from(evaluator, function, frame.facts, scope)
    if source is None and decorators.hides_arguments(evaluator, function, frame.facts, scope):
        return unseen(span)
    ways: list[Possibilities] = []
    for caller in called.by:
        given = (
            decorators.given_by_configuration(evaluator, source, caller, node.arg)
            if source is not None and isinstance(caller, Caller)
            else None
        ) or handed_over(evaluator, caller, function, node.arg, frame, method=owner is not None)
        left_out = _default(evaluator, default, node, frame, "")
        settled = (under(left_out, one.assumptions) if isinstance(one.thing, Absent) else (one,) for one in given)
        ways.append(tuple(one for way in settled for one in way))
    if called.elsewhere:
        ways.append(unseen(span))
    return one_of(subject, enumerate(ways)) or unseen(span)


def _rest(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame, owner: Class | None
) -> Possibilities:
    """Return what ``**kwargs`` or ``*args`` can hold: what each caller gives that no other parameter takes."""
    span = frame.facts.span(node)
    positional = node is function.args.vararg
    called = evaluator.callers.of(Function(frame.facts, function, frame.scope, owner=owner))
    anything = unseen(span) if positional else (Possibility(Items({}, complete=False), span),)
    if not called.by:
        return anything
    source = decorators.configured_from(evaluator, function, frame.facts, frame.scope)
    if source is None and decorators.hides_arguments(evaluator, function, frame.facts, frame.scope):
        return anything
    named = {one.arg for one in parameters(function)}
    ways: list[Possibilities] = []
    values: Mapping[str, Possibilities]
    for caller in called.by:
        configured = (
            decorators.all_given_by_configuration(evaluator, source, caller)
            if source is not None and isinstance(caller, Caller) and not positional
            else None
        )
        if configured is not None:
            values = spread_over(configured, function, span)
            ways.append(under(values[node.arg], caller.assumptions))
        elif isinstance(caller, Caller):
            values = arguments_of(evaluator, caller, function, skip_first=takes_receiver(function, owner))
            ways.append(under(values[node.arg], caller.assumptions))
        elif positional:
            ways.append((Possibility(Row(()), span),))
        else:
            entries = {
                key: stepped(caller.given(key), span, f"{called_by(frame.scope)}({key}=…)")
                for key in caller.arguments.entries
                if key not in named
            }
            ways.append((Possibility(Items(entries, caller.arguments.complete), span),))
    if called.elsewhere:
        ways.append(anything)
    return one_of(str(frame.facts.span(function)), enumerate(ways))


def takes_receiver(function: FunctionNode | ast.Lambda, owner: Class | None) -> bool:
    """Return whether the first parameter of a function is not among the arguments of its calls."""
    return owner is not None and not has_decorator(function, "staticmethod")


def _default(
    evaluator: Evaluator, default: ast.expr | None, node: ast.arg, frame: Frame, subject: str
) -> Possibilities:
    if default is None:
        return ()
    span = frame.facts.between(node, default)
    found = default_value(evaluator, default, frame.facts, frame.scope)
    note = f"{called_by(frame.scope)}({node.arg}=…) default"
    assumed = choice(f"{subject}:{node.arg}", "default") if subject else frozenset()
    return under((one.step(span, note) for one in found), assumed)


def default_value(evaluator: Evaluator, default: ast.expr, facts: PythonFacts, scope: Scope) -> Possibilities:
    """Return what the default of a parameter is: worked out once, where the definition of its function runs."""
    assert scope.parent is not None
    made = (one.place for one in scope.parent.bindings.get(scope.name, ()) if one.node is scope.node)
    where = Frame(facts, next(made, None) or end_of(scope.parent))
    found = defaults.unwrapped(evaluator, evaluator.evaluate(default, where))
    return (*found, *unseen(facts.span(default))) if _are_replaced(evaluator, scope) else found


def _are_replaced(evaluator: Evaluator, scope: Scope) -> bool:
    """Return whether some code gives a function other defaults: ``function.__defaults__ = (…)``."""
    return any(
        isinstance(one.thing, Function) and one.thing.node is scope.node
        for name in ("__defaults__", "__kwdefaults__")
        for facts, binding in evaluator.attributes_set.get(name, ())
        for owner in owners_set(binding.node, name)
        for one in evaluator.evaluate(owner, Frame(facts, binding.place))
    )


def _by_annotation(evaluator: Evaluator, node: ast.arg, frame: Frame, subject: str) -> Possibilities:
    """Return the object of a project class that the annotation promises, else the unseen."""
    span = frame.facts.span(node)
    assumed = choice(f"{subject}:{node.arg}", "given")
    if node.annotation is not None and frame.scope.parent is not None:
        annotation = node.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return unseen(span, assumed)
        where = Frame(frame.facts, end_of(frame.scope.parent))
        for one in evaluator.evaluate(annotation, where):
            if isinstance(one.thing, Class):
                return (Possibility(evaluator.any_object(one.thing), span, assumptions=assumed),)
    return unseen(span, assumed)


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
    own = called_by(frame.scope)
    label = own if frame.scope.parent is None or not method else frame.scope.parent.name
    if method and own != "__init__":
        label = f"{label}.{own}"
    if isinstance(caller, SettingsCaller):
        here = next(
            (frame.facts.span(one) for one in parameters(function) if one.arg == name), frame.facts.span(function)
        )
        given = caller.given(name)
        return stepped(given if _neutral_default(function, name) else irremovable(given), here, f"{label}({name}=…)")
    values = arguments_of(
        evaluator, caller, function, skip_first=method and not has_decorator(function, "staticmethod")
    )
    here = caller.frame.facts.span(caller.call)
    given_values = values.get(name, (Possibility(ABSENT, here),))
    return under(stepped(given_values, here, f"{label}({name}=…)"), caller.assumptions)


def _class_called(evaluator: Evaluator, owner: Class, frame: Frame, span: Span) -> Possibilities:
    """Return the class a class method is called on, unseen where subclasses may be meant."""
    if frame.receiver is not None:
        return (Possibility(frame.receiver.of, span),)
    return unseen(span) if evaluator.callers.heirs(owner) else (Possibility(owner, span),)


def stepped(given: Possibilities, here: Span, label: str) -> Possibilities:
    """Return what is handed over one step further; what is not given takes no step."""
    return tuple(one if isinstance(one.thing, Absent) else one.step(here, label) for one in given)


def _neutral_default(function: FunctionNode | ast.Lambda, name: str) -> bool:
    """Return whether a parameter left out means the same as torch's own default for the option of that name."""
    return is_neutral(default_of(function, name), name)


def is_neutral(default: ast.expr | None, name: str) -> bool:
    """Return whether a default (None: there is none) means the same as torch's own for the option of that name."""
    if not isinstance(default, ast.Constant):
        return False
    return name not in TORCH_DEFAULTS or default.value == TORCH_DEFAULTS[name] or default.value is None


def _positional(evaluator: Evaluator, caller: Caller) -> tuple[list[Possibilities], Span | None]:
    """Return a call's positional arguments, and the splat behind which the rest of them is hidden, if any is."""
    frame = caller.frame
    values: list[Possibilities] = []
    for argument in caller.call.args:
        if not isinstance(argument, ast.Starred):
            values.append(evaluator.evaluate(argument, frame))
            continue
        rows = evaluator.evaluate(argument.value, frame)
        lengths = {len(one.thing.items) if isinstance(one.thing, Row) else None for one in rows}
        if len(lengths) != 1 or None in lengths:
            return values, frame.facts.span(argument)
        columns = zip(*(_cells(one) for one in rows), strict=True)
        values.extend(tuple(value for cell in column for value in cell) for column in columns)
    return values, None


def _cells(row: Possibility) -> list[Possibilities]:
    assert isinstance(row.thing, Row)
    return [under(item, row.assumptions) for item in row.thing.items]


def arguments_of(
    evaluator: Evaluator, caller: Caller, function: FunctionNode | ast.Lambda, *, skip_first: bool
) -> Mapping[str, Possibilities]:
    """Return what one call hands over, by parameter name; ``*args`` hide the positional parameters behind them.

    What a parameter needs, because leaving it out means something else or nothing at all, cannot be removed.
    """
    call, frame = caller.call, caller.frame
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if skip_first:
        names = names[1:]
    given, hidden = _positional(evaluator, caller)
    values: dict[str, Possibilities] = dict(zip(names, given, strict=False))
    if hidden is not None:
        values.update((name, unseen(hidden)) for name in names[len(given) :])
    for keyword in call.keywords:
        if keyword.arg is None:
            splat = dictionaries.as_items(evaluator, evaluator.evaluate(keyword.value, frame))[0]
            every = [*names, *(one.arg for one in function.args.kwonlyargs)]
            for name in every:
                if name in splat.entries:
                    values[name] = splat.entries[name]
                elif not splat.complete and name not in values:
                    values[name] = unseen(frame.facts.span(keyword.value))
        else:
            values[keyword.arg] = dictionaries.entered(evaluator, keyword.value, frame, frame.facts.span(keyword))
    declared = {one.arg for one in parameters(function)}
    span = frame.facts.span(call)
    if function.args.kwarg is not None:
        items = dictionaries.items_of_call(evaluator, ast.Call(call.func, [], call.keywords), frame)
        rest = {key: one for key, one in items.entries.items() if key not in declared}
        values = {name: one for name, one in values.items() if name in declared}
        values[function.args.kwarg.arg] = (Possibility(Items(rest, items.complete), span),)
    if function.args.vararg is not None:
        row = (Possibility(Row(tuple(given[len(names) :])), span),)
        values[function.args.vararg.arg] = row if hidden is None else unseen(hidden)
    return {
        name: given if name not in declared or _neutral_default(function, name) else irremovable(given)
        for name, given in values.items()
    }


def spread_over(given: Items, function: FunctionNode | ast.Lambda, span: Span) -> Mapping[str, Possibilities]:
    """Return what a dictionary hands over where it holds all keyword arguments of a call, by parameter name."""
    declared = [one.arg for one in parameters(function)]
    taken = function.args.kwarg
    rest = [key for key in given.entries if key not in declared]

    def handed(name: str) -> Possibilities:
        if taken is not None and name == taken.arg:
            return (Possibility(Items(Lazily.of(rest, given.entries.__getitem__), given.complete), span),)
        return given.entries[name] if name in given.entries else unseen(span)

    known = [name for name in declared if name in given.entries or not given.complete]
    return Lazily.of(dict.fromkeys([*known, *([taken.arg] if taken is not None else [])]), handed)
