"""Methods of what is no project object: dictionaries, texts, parsed command lines and what a library made."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following import copies, members, questions
from loaderlint.linking.following.commandlines import absl, objects, parsed, parsers
from loaderlint.linking.following.configurations import argparse_args, ini_files, opened
from loaderlint.linking.things import (
    classes,
    file_lines,
    merging,
    named_tuples,
    operators,
    rows,
    settings,
    templates,
    texts,
)
from loaderlint.linking.things.kinds import (
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
    Unseen,
)
from loaderlint.linking.things.possibilities import choice, distinct, laid_over, under, unseen
from loaderlint.linking.things.trees import child_of_tree
from loaderlint.model.source import Span
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.running import PREPARES
from loaderlint.vocabulary.tensors import MODULE_ITSELF_METHODS, MODULES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_COPIES = ("copy", "clone", "copy_and_resolve_references", "to_dict", "_asdict", "__copy__")
"""Methods that return what a dictionary holds."""


_CONFIGURATION = "yacs.config.CfgNode"
"""The class of the dictionaries that have the methods of yacs."""

_GIVE_TEXT = frozenset(
    {"lower", "upper", "casefold", "capitalize", "title", "swapcase", "strip", "lstrip", "rstrip", "replace"}
    | {"removeprefix", "removesuffix"}
)
"""Methods of a text that give another text."""


def given_by(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities | None:
    """Return what one method of such a thing gives, None when it is none of those known."""
    thing = owner.thing
    if name == argparse_args.METHOD and (made := argparse_args.object_made(evaluator, owner, node, frame)) is not None:
        return made
    if name in MODULE_ITSELF_METHODS and isinstance(thing, Instance) and _is_of_module(evaluator, thing, name):
        return (owner,)
    if isinstance(thing, External) and thing.name == absl.FLAGS:
        return absl.method(evaluator, node, name, frame, span)
    if isinstance(thing, Items) and thing.parsed and (asked := ini_files.asked(evaluator, thing, node, name, frame)):
        return asked
    copied = copies.of_method(evaluator, owner, node, name, frame)
    if copied is not None:
        return copied
    if isinstance(thing, Items | TreeMapping | Settings | CommandLine) and name in ("get", "pop") and node.args:
        return _get(evaluator, thing, node, frame, span)
    if isinstance(thing, Unseen) and _asks_with_default(node, name):
        return questions.held_or_default(evaluator, unseen(span), evaluator.evaluate(node.args[1], frame), node, frame)
    if name == merging.LOADS and isinstance(thing, Items):
        return (Possibility(Made(f"{_CONFIGURATION}.{name}", node, frame), span),)
    if name == "_replace" and isinstance(thing, Items):
        return named_tuples.replaced(evaluator, owner, node, frame)
    is_given = isinstance(thing, Unseen) and thing.given
    if name in _COPIES and (isinstance(thing, Items | TreeMapping | Settings | CommandLine) or is_given):
        return (owner,)
    if isinstance(thing, Items | TreeMapping | Settings) and not node.args and not node.keywords:
        row = rows.of_dictionary(thing, name, span)
        if row is not None:
            return row
    if isinstance(thing, str) and name == "join" and (lines := file_lines.joined(node)) is not None:
        return (Possibility(Made(file_lines.JOINED, lines, frame), span),)
    if isinstance(thing, str) and (pieces := texts.given_by(evaluator, owner, node, name, frame, span)):
        return pieces
    if isinstance(thing, str) and name == "format" and (text := templates.formatted(thing, node)) is not None:
        return templates.written(text, frame)
    if isinstance(thing, str) and name in ("startswith", "endswith") and len(node.args) == 1:
        return _begins_or_ends(evaluator, owner, node, name, frame)
    if isinstance(thing, str) and name in _GIVE_TEXT and not node.keywords:
        operands = ((owner,), *(evaluator.evaluate(argument, frame) for argument in node.args))
        return operators.compute(evaluator, operands, node, frame, lambda values: getattr(values[0], name)(*values[1:]))
    if isinstance(thing, Instance | Made) and name == "get" and len(node.args) == 1:
        got = evaluator.registries.got(thing, evaluator.evaluate(node.args[0], frame), span)
        if got is not None:
            return got
    if isinstance(thing, Made) and thing.callee == members.NAMES_OF_MODULE and name == "get" and len(node.args) == 1:
        keys = evaluator.evaluate(node.args[0], frame)
        ways = ((key, members.item(evaluator, thing, key.thing, span, frame.facts.text(node), frame)) for key in keys)
        return tuple(one for key, found in ways for one in under(found, key.assumptions))
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
        if callee in PREPARES and len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args):
            return (Possibility(Row(tuple(_prepared(callee, node, one, frame) for one in node.args)), span),)
        made = (Possibility(Made(callee, node, frame), span),)
        if _asks_with_default(node, name):
            return questions.held_or_default(evaluator, made, evaluator.evaluate(node.args[1], frame), node, frame)
        return made
    return None


def _is_of_module(evaluator: Evaluator, instance: Instance, name: str) -> bool:
    """Return whether a method of an object is the one that torch gives its models."""
    lineage = classes.lineage(evaluator, instance.of)
    if any(name in one.scope.bindings for one in lineage):
        return False
    foreign = (base for one in lineage for base in classes.foreign_bases(evaluator, one))
    return any(base.startswith("torch.nn.") or base.rpartition(".")[2] in MODULES for base in foreign)


def _prepared(callee: str, node: ast.Call, argument: ast.expr, frame: Frame) -> Possibilities:
    """Return what is made of one of several things that are handed over: what would be made of it alone."""
    alone = ast.copy_location(ast.Call(node.func, [argument], []), node)
    return (Possibility(Made(callee, alone, frame), frame.facts.span(argument)),)


def _begins_or_ends(evaluator: Evaluator, text: Possibility, node: ast.Call, name: str, frame: Frame) -> Possibilities:
    """Return whether a text begins or ends with another, or with one of several."""
    found: list[Possibility] = []
    for given in evaluator.evaluate(node.args[0], frame):
        ends = given.thing.items if isinstance(given.thing, Row) else ((given,),)
        answers = operators.compute(
            evaluator, ((text,), *ends), node, frame, lambda values: getattr(values[0], name)(tuple(values[1:]))
        )
        found.extend(under(answers, given.assumptions))
    return distinct(found)


def _get(
    evaluator: Evaluator, thing: Items | TreeMapping | Settings | CommandLine, node: ast.Call, frame: Frame, span: Span
) -> Possibilities:
    default = evaluator.evaluate(node.args[1], frame) if len(node.args) > 1 else (Possibility(None, span),)
    found: list[Possibility] = []
    for key in evaluator.evaluate(node.args[0], frame):
        if isinstance(key.thing, str):
            values = _got(evaluator, thing, key.thing, default, node, frame)
        elif isinstance(thing, Items) and not key.constant:
            left_out = under(default, choice(f"the key at {span}", "missing"))
            values = (*members.any_item(evaluator, thing, key.thing, node.args[0], frame, span), *left_out)
        else:
            values = unseen(span)
        found.extend(under(values, key.assumptions))
    return distinct(found)


def _asks_with_default(node: ast.Call, name: str) -> bool:
    """Return whether a method of something that was not seen is that of a dictionary, asked for a key that is written.

    Whatever the dictionary holds, it gives the default where it holds nothing there; a queue's ``get`` has no text.
    """
    key = node.args[0] if len(node.args) == 2 and not node.keywords else None
    return name in ("get", "pop") and isinstance(key, ast.Constant) and isinstance(key.value, str)


def _got(
    evaluator: Evaluator,
    thing: Items | TreeMapping | Settings | CommandLine,
    key: str,
    default: Possibilities,
    node: ast.Call,
    frame: Frame,
) -> Possibilities:
    """Return what ``get`` gives for a key that was seen."""
    text, span = frame.facts.text(node), frame.facts.span(node)
    if isinstance(thing, CommandLine):
        return parsed.attribute(evaluator, thing, key, span, missing=default)
    if isinstance(thing, Settings):
        return settings.got(thing, key, default, span, text)
    if isinstance(thing, TreeMapping):
        if thing.get(key) is None:
            return default
        return laid_over(child_of_tree(thing, key, span, text, removable=True), lambda: default)
    given = thing.entries.get(key)
    if given is None:
        return default if thing.complete else questions.held_or_default(evaluator, unseen(span), default, node, frame)
    return laid_over(given, lambda: default)
