"""Calls: functions of the project are followed, a few of the standard library's are known, the rest is unseen."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from loaderlint.linking import (
    arguments,
    attribute_dicts,
    callers,
    classes,
    copies,
    decorators,
    dictionaries,
    environment,
    hydra,
    instances,
    instantiation,
    members,
    modules,
    omegaconf,
    opened,
    operators,
    questions,
    records,
    rows,
    settings,
)
from loaderlint.linking.attribute_dicts import INHERITING
from loaderlint.linking.commandlines import objects, parsed, parsers
from loaderlint.linking.things import (
    ABSENT,
    GIVEN,
    UNSEEN,
    Class,
    CommandLine,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Unseen,
    choice,
    combined,
    distinct,
    end_of,
    under,
    unseen,
)
from loaderlint.linking.trees import child_of_tree
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import CUDA, PLATFORM, Assumption, CpuCount
from loaderlint.readers.python import FunctionNode, dotted
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_CPU_COUNTS = {
    "os.cpu_count",
    "multiprocessing.cpu_count",
    "torch.multiprocessing.cpu_count",
    "os.process_cpu_count",
    "psutil.cpu_count",
    "joblib.cpu_count",
}

_CUDA_QUESTIONS = {"torch.cuda.is_available"}

_ARGUMENTS_OF_THE_USER = frozenset({"speechbrain.parse_arguments", "speechbrain.core.parse_arguments"})
"""Functions that return a settings file, options and overrides as the user gives them (``speechbrain/core.py``)."""

_COPIES = ("copy", "clone", "copy_and_resolve_references", "to_dict", "_asdict", "__copy__")
"""Methods that return what a dictionary holds."""

_FUNCTIONS: dict[str, Callable[[list[object]], object]] = {
    "builtins.int": lambda values: int(values[0]),  # type: ignore[call-overload]
    "builtins.float": lambda values: float(values[0]),  # type: ignore[arg-type]
    "builtins.bool": lambda values: bool(values[0]),
    "builtins.abs": lambda values: abs(values[0]),  # type: ignore[arg-type]
    "builtins.round": lambda values: round(*values),  # type: ignore[call-overload]
    "math.ceil": lambda values: -int(-values[0] // 1),  # type: ignore[operator]
    "math.floor": lambda values: int(values[0] // 1),  # type: ignore[operator]
    "builtins.min": lambda values: min(values),  # type: ignore[type-var]
    "builtins.max": lambda values: max(values),  # type: ignore[type-var]
}
"""Functions of constants that give the same constant everywhere."""


def platform_fact(name: str, span: Span) -> Possibilities | None:
    """Return what a platform constant such as ``sys.platform`` is on each platform; None for any other name."""
    spelled: dict[str, Callable[[Platform], str]] = {
        "sys.platform": lambda platform: platform.sys_platform,
        "os.name": lambda platform: platform.os_name,
    }
    return _per_platform(spelled[name], span) if name in spelled else None


def _per_platform(spell: Callable[[Platform], str], span: Span) -> Possibilities:
    by_text: dict[str, list[str]] = {}
    for platform in Platform:
        by_text.setdefault(spell(platform), []).append(platform.value)
    return tuple(
        Possibility(text, span, assumptions=frozenset({Assumption(PLATFORM, frozenset(platforms))}))
        for text, platforms in by_text.items()
    )


def call(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what a call can give back."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    if isinstance(node.func, ast.Attribute):
        method = _method(evaluator, node, node.func, frame, span)
        if method is not None:
            return method
    for callee in evaluator.evaluate(node.func, frame):
        found.extend(under(_called(evaluator, callee, node, frame, span), callee.assumptions))
    return tuple(found) or unseen(span)


def _called(evaluator: Evaluator, callee: Possibility, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    thing = callee.thing
    if isinstance(thing, Function):
        return returned(evaluator, thing, node, frame)
    if isinstance(thing, Unseen):
        return parsers.set_by_name(evaluator, callee, node, frame) or unseen(span)
    if isinstance(thing, Class):
        kind = attribute_dicts.made_by(evaluator, thing)
        if kind is not None:
            return _dictionary(evaluator, kind, node, frame, span)
        return records.made(evaluator, thing, node, frame) or (Possibility(Instance(thing, node, frame), span),)
    if isinstance(thing, External):
        return _external(evaluator, thing.name, node, frame, span)
    if isinstance(thing, Instance):
        for one in evaluator.attribute_of(thing, "__call__"):
            if isinstance(one.thing, Function):
                return returned(evaluator, one.thing, node, frame)
    return unseen(span)


MOST_CALLS_DEEP = 5
"""Calls followed into each other where a command line's parser is built: classes of options call one another a lot."""
MOST_OTHER_CALLS_DEEP = 2
"""Calls followed into each other for what they return; beyond that it is unseen."""


def _may_build_a_parser(function: Function, frame: Frame) -> bool:
    """Return whether a call has to do with parsers: the file it stands in says something to one, or the function's."""
    return function.facts.uses_parsers or frame.facts.uses_parsers


def returned(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what a project function gives back to one call."""
    if frame.depth >= (MOST_CALLS_DEEP if _may_build_a_parser(function, frame) else MOST_OTHER_CALLS_DEEP):
        return unseen(frame.facts.span(node))
    return instances.evaluator_returns(evaluator, function, frame_of_call(evaluator, function, node, frame))


def frame_of_call(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Frame:
    """Return the frame of a project function's body during one call of it, the same whenever it is asked for."""

    def entered() -> Frame:
        method = (function.receiver is not None and not _is_static(function)) or _is_of_class(function)
        caller = callers.Caller(frame, node)
        given = arguments.bound(evaluator, caller, function, skip_first=method)
        hidden = decorators.hides_arguments(evaluator, function.node, function.facts, function.scope)
        receiver = receiver_of(evaluator, function, node, frame)
        end = end_of(function.scope)
        return Frame(function.facts, end, None if hidden else given, receiver, frame.depth + 1, (node, frame))

    return evaluator.remembered(("call", node, function.node, id(function.receiver)), frame, entered)


def receiver_of(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Instance | None:
    """Return the object a method is called on, also where it is handed over: ``Base.method(self)``."""
    if function.receiver is not None or _is_static(function) or not node.args:
        return function.receiver
    if classes.owner_of(function.facts, function.scope) is None or isinstance(node.args[0], ast.Starred):
        return None
    things = [one.thing for one in evaluator.evaluate(node.args[0], frame)]
    return things[0] if len(things) == 1 and isinstance(things[0], Instance) else None


def _is_of_class(function: Function) -> bool:
    return isinstance(function.node, FunctionNode) and classes.has_decorator(function.node, "classmethod")


def _is_static(function: Function) -> bool:
    if isinstance(function.node, ast.Lambda):
        return False
    return any(dotted(one) == "staticmethod" for one in function.node.decorator_list)


def _external(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    text = frame.facts.text(node)
    if name in _CPU_COUNTS:
        return (Possibility(CpuCount(text, lambda cpus: cpus), span),)
    if name == "platform.system":
        return _per_platform(lambda platform: platform.system, span)
    if name in _CUDA_QUESTIONS:
        return tuple(
            Possibility(answer, span, assumptions=frozenset({Assumption(CUDA, answer)})) for answer in (True, False)
        )
    if name == "importlib.import_module" and node.args:
        return _imported_module(evaluator, node, frame, span)
    if name in ("os.getenv", "os.environ.get"):
        return environment.read(evaluator, node, frame, span)
    if name == "builtins.len" and len(node.args) == 1 and dotted(node.args[0]) is None and "sched_getaffinity" in text:
        return (Possibility(CpuCount(text, lambda cpus: cpus), span),)
    made = rows.called(evaluator, name, node, frame, span)
    if made is not None:
        return made
    if name in _FUNCTIONS and node.args and not node.keywords:
        return _function(evaluator, name, node, frame, span)
    if name == "builtins.getattr" and len(node.args) >= 2:
        return _getattr(evaluator, node, frame, span)
    if name in questions.ASKING:
        return questions.asked(evaluator, name, node, frame) or (Possibility(Made(name, node, frame), span),)
    if name == "typing.cast" and len(node.args) == 2:
        return evaluator.evaluate(node.args[1], frame)
    if name in instantiation.INSTANTIATE:
        return instantiation.made(evaluator, node, frame)
    if name in instantiation.LOCATE and node.args:
        return instantiation.located(evaluator, evaluator.evaluate(node.args[0], frame))
    if name in hydra.COMPOSERS:
        return hydra.composed(evaluator, node, frame)
    if name.startswith(omegaconf.PREFIX):
        settled = omegaconf.call(evaluator, name.removeprefix(omegaconf.PREFIX), node, frame)
        return settled or (Possibility(Made(name, node, frame), span),)
    if name in records.KEEPS_ITS_ARGUMENT:
        return _dictionary(evaluator, name, node, frame, span)
    if name in copies.AS_DICTIONARY | copies.WITH_CHANGES:
        return copies.of_call(evaluator, name, node, frame) or unseen(span)
    if name in opened.READERS and node.args:
        return opened.configuration(evaluator, node, frame, name, span)
    if name in objects.PARSES:
        return objects.parsed(evaluator, name, node, frame, span) or unseen(span)
    if name in _ARGUMENTS_OF_THE_USER:
        return (Possibility(Row(((Possibility(GIVEN, span),),) * 3), span),)
    handed_back = parsers.handed_back(evaluator, name, node, frame)
    return handed_back or (Possibility(Made(name, node, frame), span),)


def _imported_module(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame):
        named = modules.import_module(evaluator, one.thing, frame, span) if isinstance(one.thing, str) else unseen(span)
        found.extend(under(named, one.assumptions))
    return tuple(found)


def _function(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    operands = [evaluator.evaluate(argument, frame) for argument in node.args]
    if name == "builtins.int" and len(operands) == 1:
        return distinct(one for operand in operands[0] for one in _as_integer(evaluator, operand, node, frame))
    if len(operands) == 1 and name in ("builtins.min", "builtins.max"):
        given = [one.thing for one in operands[0]]
        if len(given) != 1 or not isinstance(given[0], Row):
            return unseen(span)
        operands = list(given[0].items)
    return operators.compute(evaluator, tuple(operands), node, frame, _FUNCTIONS[name])


def _as_integer(evaluator: Evaluator, one: Possibility, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what ``int()`` makes of one thing: a value stays where it was written, so a fix edits it there."""
    if not one.constant:
        return operators.compute(evaluator, ((one,),), node, frame, _FUNCTIONS["builtins.int"])
    try:
        return (replace(one, thing=int(one.thing)),)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return unseen(one.span, one.assumptions)


def _getattr(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    default = evaluator.evaluate(node.args[2], frame) if len(node.args) > 2 else ()
    operands = (evaluator.evaluate(node.args[0], frame), evaluator.evaluate(node.args[1], frame))
    found: list[Possibility] = []
    for (one, name), assumptions, _ in combined(*operands):
        values = unseen(span)
        if isinstance(name.thing, str):
            values = _attribute(evaluator, one, name.thing, default, node, frame) or values
        found.extend(under(values, assumptions))
    return tuple(found) or unseen(span)


def _attribute(
    evaluator: Evaluator, owner: Possibility, name: str, default: Possibilities, node: ast.Call, frame: Frame
) -> Possibilities:
    """Return what ``getattr(owner, name, default)`` gives."""
    thing, span = owner.thing, frame.facts.span(node)
    if isinstance(thing, CommandLine):
        return parsed.attribute(evaluator, thing, name, span, missing=default)
    if (isinstance(thing, TreeMapping) and thing.get(name) is None) or (
        isinstance(thing, Items) and thing.complete and name not in thing.entries
    ):
        return default
    if isinstance(thing, Settings):
        return settings.got(thing, name, default, span, frame.facts.text(node))
    attribute = ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node)
    return members.member(evaluator, owner, attribute, frame, span)


def _configuration_object(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the tree that ``CfgNode(init_dict, key_list, new_allowed)`` makes (``yacs/config.py``, 0.1.8)."""
    given = dict(zip(("init_dict", "key_list", "new_allowed"), node.args, strict=False))
    given.update({one.arg: one.value for one in node.keywords if one.arg is not None})
    allowed = evaluator.evaluate(given["new_allowed"], frame) if "new_allowed" in given else ()
    new_allowed = bool(allowed) and all(one.thing is True for one in allowed)
    made = evaluator.evaluate(given["init_dict"], frame) if "init_dict" in given else ()
    inherits = name in INHERITING
    if inherits or new_allowed or len(made) != 1 or made[0].thing is None:
        items = dictionaries.overlaid(Items({}), *dictionaries.as_items(evaluator, made))
        return (Possibility(replace(items, inherits=inherits, new_allowed=new_allowed), span),)
    return made


def _dictionary(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the dictionary or namespace that ``dict(...)`` and its like make of their arguments."""
    if name in INHERITING or name.endswith("CfgNode"):
        return _configuration_object(evaluator, name, node, frame, span)
    if len(node.args) == 1 and not node.keywords:
        return tuple(
            one if not isinstance(one.thing, Row) else replace(one, thing=rows.dictionary_of(one.thing) or UNSEEN)
            for one in evaluator.evaluate(node.args[0], frame)
        )
    if len(node.args) > 1:
        return unseen(span)
    return (Possibility(dictionaries.items_of_call(evaluator, node, frame), span),)


def _method(
    evaluator: Evaluator, node: ast.Call, function: ast.Attribute, frame: Frame, span: Span
) -> Possibilities | None:
    """Return what a method of something that is no project object gives, None when it is none of those known."""
    owners = evaluator.evaluate(function.value, frame)
    every = [_method_of(evaluator, owner, node, function.attr, frame, span) for owner in owners]
    if all(values is None for values in every):
        return None
    found: list[Possibility] = []
    for owner, values in zip(owners, every, strict=True):
        if values is None:
            callees = members.member(evaluator, owner, function, frame, span)
            values = tuple(
                one
                for callee in callees
                for one in under(_called(evaluator, callee, node, frame, span), callee.assumptions)
            )
        found.extend(under(values, owner.assumptions))
    return tuple(found)


def _method_of(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities | None:
    thing = owner.thing
    copied = copies.of_method(evaluator, owner, node, name, frame)
    if copied is not None:
        return copied
    if isinstance(thing, Items | TreeMapping | Settings | CommandLine) and name in ("get", "pop") and node.args:
        return _get(evaluator, thing, node, frame, span)
    if name in _COPIES and (isinstance(thing, Items | TreeMapping | Settings) or thing is GIVEN):
        return (owner,)
    if isinstance(thing, Items | TreeMapping) and not node.args and not node.keywords:
        row = rows.of_dictionary(thing, name, span)
        if row is not None:
            return row
    if isinstance(thing, str) and name == "split" and not node.keywords:
        return _split(owner, [evaluator.evaluate(argument, frame) for argument in node.args], span)
    if isinstance(thing, str) and name in ("startswith", "endswith", "lower", "upper", "strip"):
        operands = ((owner,), *(evaluator.evaluate(argument, frame) for argument in node.args))
        return operators.compute(evaluator, operands, node, frame, lambda values: getattr(values[0], name)(*values[1:]))
    if isinstance(thing, Instance | Made) and name == "get" and len(node.args) == 1:
        got = evaluator.registries.got(thing, evaluator.evaluate(node.args[0], frame), span)
        if got is not None:
            return got
    if isinstance(thing, Made):
        if thing.callee == "builtins.super":
            return None
        known = objects.method(evaluator, owner, node, name, frame, span)
        if known is None:
            known = parsers.method(evaluator, owner, node, name, frame, span)
        if known is not None:
            return known
        callee = f"{thing.callee}().{name}"
        if callee in opened.READERS and node.args:
            return opened.configuration(evaluator, node, frame, callee, span)
        return (Possibility(Made(callee, node, frame), span),)
    return None


def _split(text: Possibility, arguments: list[Possibilities], span: Span) -> Possibilities:
    """Return what ``split`` makes of a text."""
    found: list[Possibility] = []
    for values, assumptions, places in combined((text,), *arguments):
        given = [one.thing for one in values]
        if len(given) > 2 or not all(isinstance(one, str) for one in given) or "" in given[1:]:
            found.extend(unseen(span, assumptions))
            continue
        pieces = str.split(*given)  # type: ignore[arg-type]
        row = Row(tuple((Possibility(piece, span, sources=places),) for piece in pieces))
        found.append(Possibility(row, span, assumptions=assumptions))
    return tuple(found)


def _get(
    evaluator: Evaluator, thing: Items | TreeMapping | Settings | CommandLine, node: ast.Call, frame: Frame, span: Span
) -> Possibilities:
    default = evaluator.evaluate(node.args[1], frame) if len(node.args) > 1 else (Possibility(None, span),)
    keys = evaluator.evaluate(node.args[0], frame)
    if len(keys) != 1 or not isinstance(keys[0].thing, str):
        return unseen(span)
    key = keys[0].thing
    if isinstance(thing, CommandLine):
        return parsed.attribute(evaluator, thing, key, span, missing=default)
    if isinstance(thing, Settings):
        return settings.got(thing, key, default, span, frame.facts.text(node))
    if isinstance(thing, TreeMapping):
        if thing.get(key) is None:
            return default
        return child_of_tree(thing, key, span, frame.facts.text(node), removable=True)
    given = thing.entries.get(key)
    if given is None:
        return (
            default
            if thing.complete
            else (*unseen(span, choice(str(span), "given")), *under(default, choice(str(span), "missing")))
        )
    found: list[Possibility] = []
    for one in given:
        found.extend(under(default, one.assumptions) if one.thing is ABSENT else (one,))
    return tuple(found)
