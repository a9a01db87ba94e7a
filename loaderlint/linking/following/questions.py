"""Questions a program asks about a thing before it uses it: ``hasattr``, ``isinstance`` and text that is evaluated.

What a test that nobody can see through lets pass of the very thing it is asked about is not known either.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import datasets, hierarchy
from loaderlint.linking.following.commandlines import parsed
from loaderlint.linking.things import classes, guards, operators, platforms, templates, torch_versions
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Absent,
    Class,
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
    Thing,
)
from loaderlint.linking.things.possibilities import combined, distinct, under, unseen
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.value import CpuCount
from loaderlint.readers.python import Arm, dotted
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

ASKING = frozenset({"builtins.hasattr", "builtins.isinstance", "builtins.eval", "builtins.type"})

_KINDS: dict[str, type] = {
    "builtins.bool": bool,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.str": str,
}
_OTHER_KINDS = frozenset(
    {
        *(f"builtins.{name}" for name in ("dict", "list", "tuple", "set", "bytes")),
        *(f"collections.abc.{name}" for name in ("Mapping", "MutableMapping", "MutableSequence")),
        *(f"typing.{name}" for name in ("Dict", "List", "Mapping", "MutableMapping", "MutableSequence", "Tuple")),
        *("collections.OrderedDict", "omegaconf.DictConfig", "omegaconf.ListConfig"),
    }
)
"""Kinds that no constant is of."""


def asked(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return what ``hasattr``, ``isinstance``, ``type`` or ``eval`` gives, None for another callable or form of it."""
    if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    if name == "builtins.hasattr" and len(node.args) == 2:
        return _has_attribute(evaluator, node, frame)
    if name == "builtins.isinstance" and len(node.args) == 2:
        return _is_instance(evaluator, node, frame)
    if name == "builtins.type" and len(node.args) == 1:
        return _type(evaluator, node, frame)
    if name == "builtins.eval" and len(node.args) == 1:
        return _evaluated(evaluator, node, frame)
    return None


def _has_attribute(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for (owner, name), assumptions, places in combined(*(evaluator.evaluate(one, frame) for one in node.args)):
        thing = owner.thing
        if not isinstance(name.thing, str):
            found.extend(unseen(span, assumptions))
        elif isinstance(thing, External):
            here = platforms.has_attribute(thing.name, name.thing, span)
            here = here or guards.of_notebook(thing.name, name.thing, span)
            here = here or torch_versions.has_attribute(thing.name, name.thing, frame.facts.text(node), span)
            found.extend(unseen(span, assumptions) if here is None else under(here, assumptions))
        elif isinstance(thing, CommandLine):
            for one in _declared(evaluator, thing, name.thing, span):
                found.extend(under((replace(one, sources=places),), assumptions))
        elif isinstance(thing, TreeMapping) or (isinstance(thing, Items) and thing.complete):
            has = name.thing in (thing.merged if isinstance(thing, TreeMapping) else thing.entries)
            found.append(Possibility(has, span, assumptions=assumptions, sources=places))
        elif isinstance(thing, Settings):
            for held, way in operators.holding(thing, name.thing):
                there = Possibility(UNSEEN if held is None else held, span, sources=places)
                found.extend(under((there,), assumptions, way))
        elif isinstance(thing, Instance) and _defines(evaluator, thing, name.thing):
            found.append(Possibility(True, span, assumptions=assumptions, sources=places))
        else:
            found.extend(unseen(span, assumptions))
    return distinct(found) or unseen(span)


def held_or_default(
    evaluator: Evaluator, held: Possibilities, default: Possibilities, node: ast.Call, frame: Frame
) -> Possibilities:
    """Return what something that was not seen has under a name, and else the default: ``get`` or ``getattr``.

    Whether it has the name is one question wherever a run asks it, also by ``in`` or ``hasattr``.
    """
    asked = evaluator.remembered(("asks for", node), frame, lambda: _asking_first(node))
    return tuple(
        one
        for values, has in ((held, True), (default, False))
        for way in evaluator.question(asked, frame, has)
        for one in under(values, way)
    )


def _asking_first(node: ast.Call) -> ast.expr:
    """Return the question that a call which gives a default saves a program."""
    if isinstance(node.func, ast.Attribute):
        return ast.copy_location(ast.Compare(node.args[0], [ast.In()], [node.func.value]), node)
    hasattr_itself = ast.copy_location(ast.Name("hasattr", ast.Load()), node)
    return ast.copy_location(ast.Call(hasattr_itself, node.args[:2], []), node)


def _defines(evaluator: Evaluator, instance: Instance, name: str) -> bool:
    """Return whether a class of the project that an object is of, or one above it, always has a method of a name."""
    return any(
        scope.name == name and scope.is_function and scope.defined is not None and not scope.defined.arms
        for owner in classes.lineage(evaluator, instance.of)
        for scope in owner.scope.children
    )


def _declared(evaluator: Evaluator, command_line: CommandLine, name: str, span: Span) -> Iterable[Possibility]:
    """Yield whether a parsed command line has an attribute."""
    seen = name in command_line.changed or name in parsed.names(evaluator, command_line)
    missing = (Possibility(ABSENT, span),)
    for one in parsed.attribute(evaluator, command_line, name, span, missing=missing):
        lacking = isinstance(one.thing, Absent)
        answer: Thing = UNSEEN if not lacking and not seen else not lacking
        yield Possibility(answer, span, assumptions=one.assumptions)


def _is_instance(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return whether a constant is of a built-in kind, a path of one platform's, a dataset iterable; else unseen.

    Of an object of the project it is told whether it is of one of its classes. A row or a dictionary is of no kind that
    constants are of; of which other it is, is not told. That an object is of a library's class is seen, that it is of
    none of them is not.
    """
    span = frame.facts.span(node)
    named = evaluator.evaluate(node.args[1], frame)
    kinds = _kinds(named)
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame):
        kind = named[0].thing if len(named) == 1 else None
        if isinstance(one.thing, Made) and isinstance(kind, External) and one.thing.callee == "pathlib.Path":
            found.extend(under(platforms.is_path_of(kind.name, span) or unseen(span), one.assumptions))
            continue
        iterable = datasets.is_iterable(evaluator, one, named)
        if iterable is not None:
            found.append(Possibility(iterable, span, assumptions=one.assumptions))
            continue
        if isinstance(kind, External) and _descends(evaluator, one.thing, kind.name):
            found.append(Possibility(True, span, assumptions=one.assumptions))
            continue
        of_project = _is_of(evaluator, one.thing, named)
        if of_project is not None:
            found.append(Possibility(of_project, span, assumptions=one.assumptions))
            continue
        if isinstance(one.thing, Row | Items) and kinds and all(name in _KINDS for name in kinds):
            found.append(Possibility(False, span, assumptions=one.assumptions))
            continue
        if kinds is None or not one.constant:
            found.extend(unseen(span, one.assumptions))
            continue
        answer = isinstance(one.thing, tuple(_KINDS[kind] for kind in kinds if kind in _KINDS))
        found.append(Possibility(answer, span, assumptions=one.assumptions, sources=one.places))
    return distinct(found) or unseen(span)


def _is_of(evaluator: Evaluator, thing: Thing, named: Possibilities) -> bool | None:
    """Return whether an object of the project is of one of its classes, or of one of a row of them; None if unseen.

    An object that stands for all those of a class may be of any below it.
    """
    wanted = [one.thing for one in named]
    if len(wanted) == 1 and isinstance(wanted[0], Row):
        wanted = [one.thing for inner in wanted[0].items for one in inner]
    elif len(wanted) > 1:
        return None
    if not isinstance(thing, Instance) or not wanted:
        return None
    asked_for = {one.node for one in wanted if isinstance(one, Class)}
    own = classes.lineage(evaluator, thing.of)
    if any(one.node in asked_for for one in own):
        return True
    constants = () if any(any(classes.foreign_bases(evaluator, one)) for one in own) else _KINDS
    others = [one for one in wanted if not (isinstance(one, External) and one.name in constants)]
    if not asked_for or any(_decides_itself(evaluator, one) for one in others):
        return None
    below = [thing.of] if thing.call is not None else hierarchy.family(evaluator, thing.of)
    above = (one for kind in below for one in classes.lineage(evaluator, kind))
    return None if any(one.node in asked_for for one in above) else False


def _decides_itself(evaluator: Evaluator, kind: Thing) -> bool:
    """Return whether a class may say itself what is of it: an abstract one, a protocol, one with a metaclass."""
    if not isinstance(kind, Class):
        return True
    every = classes.lineage(evaluator, kind)
    return any(one.node.keywords or any(classes.foreign_bases(evaluator, one)) for one in every)


def _type(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return the class of an object of the project, which is unseen where it may be one below that as well."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame):
        thing = one.thing
        if isinstance(thing, Instance) and (thing.call is not None or len(hierarchy.family(evaluator, thing.of)) == 1):
            found.append(Possibility(thing.of, span, assumptions=one.assumptions))
        else:
            found.extend(unseen(span, one.assumptions))
    return distinct(found) or unseen(span)


def _descends(evaluator: Evaluator, thing: Thing, kind: str) -> bool:
    """Return whether something is seen to be of a library's class, or of a project's class that descends from it."""
    if isinstance(thing, Made):
        return thing.callee == kind
    owners = classes.lineage(evaluator, thing.of) if isinstance(thing, Instance) else ()
    return any(kind in classes.foreign_bases(evaluator, owner) for owner in owners)


def _kinds(named: Possibilities) -> list[str] | None:
    """Return the names of the built-in kinds that the second argument of ``isinstance`` stands for."""
    if len(named) != 1:
        return None
    thing = named[0].thing
    if isinstance(thing, Row):
        inner = [_kinds(one) for one in thing.items]
        return None if any(one is None for one in inner) else [kind for one in inner for kind in one or ()]
    if isinstance(thing, External) and (thing.name in _KINDS or thing.name in _OTHER_KINDS):
        return [thing.name]
    return None


def _evaluated(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what the text of a name with attributes gives when it is evaluated: ``eval(f"args.{name}")``."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for one in templates.spelled_out(evaluator, evaluator.evaluate(node.args[0], frame)):
        expression = _named(evaluator, node, one.thing, frame) if isinstance(one.thing, str) else None
        values = evaluator.evaluate(expression, frame) if expression is not None else unseen(span)
        found.extend(under(values, one.assumptions))
    return tuple(found) or unseen(span)


def _named(evaluator: Evaluator, node: ast.Call, text: str, frame: Frame) -> ast.expr | None:
    """Return a dotted name as the expression it is where the call stands, the same one whenever it is asked for."""
    return evaluator.remembered(("text", id(node), text), frame, lambda: named_at(node, text))


def named_at(node: ast.expr, text: str) -> ast.expr | None:
    """Return a dotted name as the expression it is where another stands; None for a text that is no name."""
    root, *attributes = text.strip().split(".")
    if not all(one.isidentifier() for one in (root, *attributes)):
        return None
    expression: ast.expr = ast.copy_location(ast.Name(root, ast.Load()), node)
    for attribute in attributes:
        expression = ast.copy_location(ast.Attribute(expression, attribute, ast.Load()), node)
    return expression


def chosen(evaluator: Evaluator, node: ast.IfExp, frame: Frame) -> Possibilities:
    """Return what a conditional expression can be: what each answer chooses, as far as that can give the answer."""
    # What there is to choose from is known even where the test takes all the steps there are.
    for branch in (node.body, node.orelse):
        evaluator.evaluate(branch, frame)
    # What the test depends on where it gives the other answer has no part in this value.
    return distinct(
        replace(one, sources=one.sources | places)
        for truth, assumptions, places in evaluator.truth(node.test, frame)
        for branch in (node.body if truth else node.orelse,)
        for name in (dotted(branch) or "",)
        for one in under(answering(evaluator.evaluate(branch, frame), name, node.test, truth), assumptions)
    )


def passed(values: Possibilities, name: str, arms: Iterable[Arm]) -> Possibilities:
    """Return what is left of the values of a name where tests of just that name were passed: ``if workers is None``."""
    for arm in arms:
        if arm.test is not None:
            values = answering(values, name, arm.test, arm.truth)
    return values


def answering(values: Possibilities, name: str, test: ast.expr, truth: bool) -> Possibilities:
    """Return those of the values of a name that can give a test of just that name this answer."""
    return tuple(one for one in values if not one.constant or not _rules_out(test, truth, name, one.thing))


def _rules_out(test: ast.expr, truth: bool, name: str, value: Thing) -> bool:
    """Return whether a test that is answered so cannot have been asked of a constant by the name."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _rules_out(test.operand, not truth, name, value)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is truth:
        return any(_rules_out(one, truth, name, value) for one in test.values)
    if isinstance(test, ast.Name | ast.Attribute):
        return dotted(test) == name and not isinstance(value, CpuCount) and bool(value) is not truth
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, asked, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(left, ast.Constant) and type(asked) in _MIRRORED:
        left, asked, right = right, _MIRRORED[type(asked)](), left
    if dotted(left) != name or not isinstance(right, ast.Constant):
        return False
    if isinstance(asked, ast.Is | ast.IsNot) and right.value is None:
        return (value is None) is not (isinstance(asked, ast.Is) is truth)
    if isinstance(asked, ast.Eq | ast.NotEq):
        return (value == right.value) is not (isinstance(asked, ast.Eq) is truth)
    compared = _ORDERS.get(type(asked))
    if compared is None or not isinstance(value, int | float) or not isinstance(right.value, int | float):
        return False
    return compared(value, right.value) is not truth


_ORDERS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


def let_pass(
    evaluator: Evaluator, values: Possibilities, written: ast.expr | None, arms: Iterable[Arm], frame: Frame
) -> Possibilities:
    """Return what is left of a value where tests that mention it were passed that nobody can see through.

    ``if usable(args.workers): cfg.workers = args.workers``: which of the values ``usable`` lets pass is unseen.
    """
    name = dotted(written) if written is not None else None
    if name is None or not any(one.constant for one in values):
        return values
    for arm in arms:
        test = arm.test
        if test is None or not _mentions(test, name):
            continue
        where = frame.at(arm.place) if arm.place is not None else frame
        answers = evaluator.truth(test, where)
        values = tuple(_as_passed(one, answers) if one.constant else one for one in values)
    return values


def _as_passed(one: Possibility, answers: Iterable[tuple[bool, Assumptions, frozenset[Span]]]) -> Possibility:
    """Return a constant as it is where its own assumptions settle a test, else as something unseen."""
    open_answers = {truth for truth, found, _ in answers if together(found, one.assumptions) is not None}
    return replace(one, thing=UNSEEN, trail=()) if len(open_answers) > 1 else one


def _mentions(test: ast.expr, name: str) -> bool:
    """Return whether a call in a test is handed what a name stands for, or the last part of the name as text."""
    last = name.rpartition(".")[2]
    arguments = (one for call in ast.walk(test) if isinstance(call, ast.Call) for one in call.args)
    return any(dotted(one) == name or (isinstance(one, ast.Constant) and one.value == last) for one in arguments)
