"""Calls of what is not the project's: a few functions of Python and of libraries are known, the rest is unseen."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import (
    copies,
    datasets,
    environment,
    field_names,
    given_modules,
    local_names,
    members,
    modules,
    questions,
)
from loaderlint.linking.following.commandlines import declared, objects, parsed, parsers
from loaderlint.linking.following.configurations import hydra, ini_files, instantiation, omegaconf, opened, python_files
from loaderlint.linking.following.configurations.located import located
from loaderlint.linking.things import classes, dictionaries, operators, patterns, platforms, rows, settings, templates
from loaderlint.linking.things.kinds import (
    GIVEN,
    UNSEEN,
    CommandLine,
    External,
    Frame,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Template,
    Unseen,
)
from loaderlint.linking.things.loops import items_of
from loaderlint.linking.things.possibilities import combined, distinct, never_none, under, unseen
from loaderlint.model.assumptions import CUDA, Assumption
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText, CpuCount
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.commandlines import ARGUMENTS_OF_THE_USER, MAKES_OBJECTS
from loaderlint.vocabulary.configurations import (
    AS_DICTIONARY,
    COPIES,
    HYDRA_COMPOSERS,
    HYDRA_INSTANTIATORS,
    INHERITING,
    INI_PARSERS,
    KEEPS_ITS_ARGUMENT,
    LOCATORS,
    PYTHON_SETTINGS,
    WITH_CHANGES,
)
from loaderlint.vocabulary.platforms import FUNCTIONS
from loaderlint.vocabulary.running import CPU_COUNTS, CUDA_QUESTIONS, START_METHOD_QUESTIONS
from loaderlint.vocabulary.tensors import ANY_MODEL, MODELS_BY_NAME

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_AFFINITY = "os.sched_getaffinity"

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
    "builtins.any": lambda values: any(values),
    "builtins.all": lambda values: all(values),
}
"""Functions of constants that give the same constant everywhere."""
_OF_ONE_ROW = ("builtins.min", "builtins.max", "builtins.any", "builtins.all")


def given_by(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return what a call of something imported or built in gives back."""
    text = frame.facts.text(node)
    if name in CPU_COUNTS:
        return (Possibility(CpuCount(text, lambda cpus: cpus), span),)
    if name == "platform.system":
        return platforms.per_platform(lambda platform: platform.system, span)
    if name in CUDA_QUESTIONS:
        return tuple(
            Possibility(answer, span, assumptions=frozenset({Assumption(CUDA, answer)})) for answer in (True, False)
        )
    if name in START_METHOD_QUESTIONS and not any(evaluator.project.python_mentioning("set_start_method")):
        return platforms.start_method(span)
    if name in patterns.MATCHES and len(node.args) == 2 and not node.keywords:
        return patterns.matched(evaluator, name, node, frame, span)
    if name == "importlib.import_module" and node.args:
        return _imported_module(evaluator, node, frame, span)
    if name == "builtins.__import__" and len(node.args) == 1 and not node.keywords:
        return _imported_package(evaluator, node.args[0], frame, span)
    if name in ("os.getenv", "os.environ.get"):
        return environment.read(evaluator, node, frame, span)
    if name == "builtins.len" and len(node.args) == 1 and dotted(node.args[0]) is None and _AFFINITY in text:
        there = platforms.on(FUNCTIONS[_AFFINITY])
        return (Possibility(CpuCount(text, lambda cpus: cpus), span, assumptions=there),)
    made = rows.called(evaluator, name, node, frame, span)
    if made is not None:
        return made
    if name == "builtins.len" and len(node.args) == 1 and not node.keywords:
        counted = datasets.counted(evaluator, evaluator.evaluate(node.args[0], frame), span)
        if counted is not None:
            return counted
    if name in _FUNCTIONS and node.args and not node.keywords:
        return _function(evaluator, name, node, frame, span)
    if name == "builtins.str" and len(node.args) == 1 and not node.keywords:
        return distinct(_as_text(one, node, frame, span) for one in evaluator.evaluate(node.args[0], frame))
    if name == "builtins.getattr" and len(node.args) >= 2:
        return _getattr(evaluator, node, frame, span)
    if name == "builtins.type" and len(node.args) == 3 and not node.keywords:
        return _class_of_its_attributes(evaluator, node, frame, span)
    if name in questions.ASKING:
        return questions.asked(evaluator, name, node, frame) or (Possibility(Made(name, node, frame), span),)
    if name == "typing.cast" and len(node.args) == 2:
        return evaluator.evaluate(node.args[1], frame)
    if name in HYDRA_INSTANTIATORS:
        return instantiation.made(evaluator, node, frame)
    if name in LOCATORS and node.args:
        return located(evaluator, evaluator.evaluate(node.args[0], frame))
    if name in HYDRA_COMPOSERS:
        return hydra.composed(evaluator, node, frame)
    if name.startswith(omegaconf.PREFIX):
        settled = omegaconf.call(evaluator, name.removeprefix(omegaconf.PREFIX), node, frame)
        return settled or (Possibility(Made(name, node, frame), span),)
    if name in omegaconf.MAKERS and (settled := omegaconf.call(evaluator, "create", node, frame)):
        return settled
    if name in ("builtins.locals", "builtins.vars") and not node.args and not node.keywords:
        return local_names.as_dictionary(evaluator, frame, span)
    if name in PYTHON_SETTINGS and (settled := python_files.read(evaluator, node, frame, PYTHON_SETTINGS[name])):
        return settled
    if name in KEEPS_ITS_ARGUMENT:
        return dictionary(evaluator, name, node, frame, span)
    if name == field_names.FIELDS and (listed := field_names.listed(evaluator, node, frame)) is not None:
        return listed
    if name in AS_DICTIONARY | WITH_CHANGES:
        return copies.of_call(evaluator, name, node, frame) or unseen(span)
    if name in opened.READERS and node.args:
        return opened.configuration(evaluator, node, frame, name, span)
    if name in INI_PARSERS:
        return ini_files.made(evaluator, node, frame)
    if name in MAKES_OBJECTS:
        return objects.parsed(evaluator, name, node, frame, span) or unseen(span)
    if name in ARGUMENTS_OF_THE_USER:
        return (Possibility(Row(((Possibility(GIVEN, span),),) * 3), span),)
    handed_back = parsers.handed_back(evaluator, name, node, frame)
    return handed_back or (Possibility(Made(name, node, frame), span),)


def _imported_module(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    found: list[Possibility] = []
    for one in templates.spelled_out(evaluator, evaluator.evaluate(node.args[0], frame)):
        if isinstance(one.thing, Template):
            for name, assumptions in templates.modules_named(evaluator, one.thing):
                module = modules.import_module(evaluator, name, frame, span) if name is not None else unseen(span)
                found.extend(under(module, one.assumptions, assumptions))
        elif isinstance(one.thing, str):
            found.extend(under(modules.import_module(evaluator, one.thing, frame, span), one.assumptions))
        else:
            found.extend(under(given_modules.named(evaluator, one, frame, span), one.assumptions))
    return tuple(found)


def _imported_package(evaluator: Evaluator, named: ast.expr, frame: Frame, span: Span) -> Possibilities:
    """Return what ``__import__("sys")`` gives, which of a dotted name is the first package."""
    found: list[Possibility] = []
    for one in templates.spelled_out(evaluator, evaluator.evaluate(named, frame)):
        package = one.thing.partition(".")[0] if isinstance(one.thing, str) else ""
        module = modules.import_module(evaluator, package, frame, span) if package else unseen(span)
        found.extend(under(module, one.assumptions))
    return tuple(found)


def _function(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    operands = [evaluator.evaluate(argument, frame) for argument in node.args]
    if name == "builtins.int" and len(operands) == 1:
        return never_none(
            distinct(one for operand in operands[0] for one in _as_integer(evaluator, operand, node, frame))
        )
    if len(operands) == 1 and name in _OF_ONE_ROW:
        given = [one.thing for one in operands[0]]
        if len(given) != 1 or not isinstance(given[0], Row):
            return unseen(span)
        operands = list(given[0].items)
    found = operators.compute(evaluator, tuple(operands), node, frame, _FUNCTIONS[name])
    # The only item of a row may be None, and is the largest.
    return found if name in _OF_ONE_ROW and len(operands) == 1 else never_none(found)


def _as_integer(evaluator: Evaluator, one: Possibility, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what ``int()`` makes of one thing: a value stays where it was written, so a fix edits it there."""
    if not one.constant:
        return operators.compute(evaluator, ((one,),), node, frame, _FUNCTIONS["builtins.int"])
    try:
        return (replace(one, thing=int(one.thing)),)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return unseen(one.span, one.assumptions)


def _as_text(one: Possibility, node: ast.Call, frame: Frame, span: Span) -> Possibility:
    """Return what ``str()`` makes of one thing; what the user of a command line gives stays that."""
    if one.constant:
        return replace(one, thing=str(one.thing))
    if isinstance(one.thing, CommandLineText):
        return replace(one, thing=CommandLineText(one.thing.flag))
    if isinstance(one.thing, Unseen) and one.thing.given:
        return one
    return Possibility(Made("builtins.str", node, frame), span, assumptions=one.assumptions)


def _getattr(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    default = evaluator.evaluate(node.args[2], frame) if len(node.args) > 2 else ()
    operands = (evaluator.evaluate(node.args[0], frame), evaluator.evaluate(node.args[1], frame))
    found: list[Possibility] = []
    for (one, name), assumptions, _ in combined(*operands):
        values = unseen(span)
        if isinstance(name.thing, str):
            values = _attribute(evaluator, one, name.thing, default, node, frame) or values
        elif isinstance(one.thing, External) and f"{one.thing.name}.__dict__" in MODELS_BY_NAME:
            values = (Possibility(External(f"{one.thing.name}.{ANY_MODEL}"), span),)
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
    held = members.member(evaluator, owner, attribute, frame, span)
    unseen_there = all(isinstance(one.thing, Unseen) for one in held)
    nowhere = unseen_there and isinstance(thing, Instance) and _gets_nowhere(evaluator, thing, name)
    # The attribute of a command line is always there: its default is what is declared, not what stands here.
    may_lack = nowhere or (isinstance(thing, Unseen) and not declared.may_have(evaluator, name))
    if may_lack and default and isinstance(node.args[1], ast.Constant):
        return questions.held_or_default(evaluator, held or unseen(span), default, node, frame)
    return held


def _gets_nowhere(evaluator: Evaluator, instance: Instance, name: str) -> bool:
    """Return whether neither a class of an object nor anything in the project is seen to give it an attribute."""
    owners = classes.lineage(evaluator, instance.of)
    return name not in evaluator.attributes_set and not any(name in one.scope.bindings for one in owners)


def _class_of_its_attributes(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the class that ``type("Settings", (), {"num_workers": 4})`` makes, read as a namespace of these values."""
    _, bases, attributes = node.args
    rows_of_bases = [items_of(one) for one in evaluator.evaluate(bases, frame)]
    if any(row is None or not all(_is_object(base) for base in row) for row in rows_of_bases):
        return unseen(span)
    kept = evaluator.evaluate(attributes, frame)
    return distinct(one if isinstance(one.thing, Items) else replace(one, thing=UNSEEN) for one in kept)


def _is_object(base: Possibilities) -> bool:
    return all(isinstance(one.thing, External) and one.thing.name == "builtins.object" for one in base)


def _configuration_object(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the tree that ``CfgNode(init_dict, key_list, new_allowed)`` makes (``yacs/config.py``, 0.1.8)."""
    given = arguments_of(node, ("init_dict", "key_list", "new_allowed"))
    allowed = evaluator.evaluate(given["new_allowed"], frame) if "new_allowed" in given else ()
    new_allowed = bool(allowed) and all(one.thing is True for one in allowed)
    made = evaluator.evaluate(given["init_dict"], frame) if "init_dict" in given else ()
    inherits = name in INHERITING
    if inherits or new_allowed or len(made) != 1 or made[0].thing is None:
        items = dictionaries.updated(Items({}), *dictionaries.as_items(evaluator, made))
        return (Possibility(replace(items, inherits=inherits, new_allowed=new_allowed), span),)
    return made


def dictionary(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return the dictionary or namespace that ``dict(...)`` and its like make of their arguments."""
    if name in INHERITING or name.endswith("CfgNode"):
        return _configuration_object(evaluator, name, node, frame, span)
    if name in COPIES and node.args:
        return copies.same(evaluator.evaluate(node.args[0], frame), node)
    if len(node.args) == 1 and not node.keywords:
        return tuple(
            replace(one, thing=rows.dictionary_of(one.thing) or UNSEEN)
            if isinstance(one.thing, Row)
            else ini_files.copied(one)
            for one in evaluator.evaluate(node.args[0], frame)
        )
    if len(node.args) > 1:
        return unseen(span)
    return (Possibility(dictionaries.items_of_call(evaluator, node, frame), span),)
