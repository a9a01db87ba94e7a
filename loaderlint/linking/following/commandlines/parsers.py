"""Parsers: everything a program says to one before it parses, wherever the program says it.

The calls are followed in the order they run: from the function (or module) that makes the parser, through every
function of the project that is handed it, returns it or belongs to the object that keeps it, up to the call that
parses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import constructor_calls, entries_after, functions
from loaderlint.linking.following.commandlines.flags import worked_out
from loaderlint.linking.following.commandlines.words import words_of
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    CommandLine,
    Declaration,
    Frame,
    Function,
    Made,
    Possibilities,
    Possibility,
    Row,
)
from loaderlint.linking.things.possibilities import choice, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.readers.python import CallSite, Place
from loaderlint.vocabulary.commandlines import PARSER_EXTENDERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DECLARES_OBJECT = "add_arguments"
"""What simple_parsing calls it, and many a class of its own function that says something to the parser it is handed."""
_DECLARES = ("add_argument", "set_defaults", _DECLARES_OBJECT)
_COMMAND = "add_parser"
_EXCLUSIVE = "add_mutually_exclusive_group"
_GROUP = ".add_argument_group"
_PARSES = ("parse_args", "parse_intermixed_args")
_PARSES_SOME = ("parse_known_args", "parse_known_intermixed_args")
DEEPEST_PARSER_CALL = 8
"""Calls followed into each other in search of what is said to a parser."""
MOST_WAYS_TO_A_CALL = 16
"""More ways than these on which something is said to a parser are left out."""


def is_parser(thing: object) -> bool:
    """Return whether a thing is an ``argparse`` parser, one of a library built on it, or a command or group of one."""
    return isinstance(thing, Made) and thing.callee.endswith(("ArgumentParser", "ArgParser", ".add_parser", _GROUP))


def is_group(thing: Made) -> bool:
    """Return whether a thing is a group of the flags of a parser."""
    return thing.callee.endswith(_GROUP)


def said_until(evaluator: Evaluator, parser: Made, frame: Frame) -> tuple[Declaration, ...]:
    """Return what is said to a parser before a run comes to a place."""
    return tuple(_History(evaluator, parser, frame.place).before(frame))


def method(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities | None:
    """Return what a method of a parser gives, None for any that is not known."""
    if not isinstance(owner.thing, Made) or not is_parser(owner.thing):
        return None
    if name == _EXCLUSIVE:
        return (owner,)
    if name in (*_PARSES, *_PARSES_SOME):
        namespace = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "namespace")]
        if any(one.thing is not None for given in namespace for one in evaluator.evaluate(given, frame)):
            # What the namespace holds already is not parsed again.
            return unseen(span)
        declarations = tuple(_History(evaluator, owner.thing, node).before(frame))
        parsed = tuple(
            Possibility(CommandLine(declarations, words), span, assumptions=assumptions)
            for words, assumptions in words_of(evaluator, node, frame)
        )
        return parsed if name in _PARSES else (Possibility(Row((parsed, unseen(span))), span),)
    return None


def handed_back(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the parser that a library's function adds flags to and returns, None for any other function."""
    if name not in PARSER_EXTENDERS or not node.args:
        return None
    found = evaluator.evaluate(node.args[0], frame)
    return found if all(is_parser(one.thing) for one in found) else None


def option_setters(evaluator: Evaluator, callee: Possibility, node: ast.Call, frame: Frame) -> list[Function]:
    """Return the methods of the project that a callee known only by its last name can be, where it is handed a parser.

    This is how a program lets the class that a flag names add flags of its own:
    ``parser = find_model(opt.model).modify_commandline_options(parser)``.
    """
    source = evaluator.project.source(callee.span.path)
    name = re.search(r"\.(\w+)$", source.at(callee.span)) if source is not None else None
    if (
        name is None
        or not node.args
        or not any(is_parser(one.thing) for one in evaluator.evaluate(node.args[0], frame))
    ):
        return []
    # Its definitions may stand in files that hold nothing else of interest.
    evaluator.mentioned.add(name[1])
    return [
        Function(facts, scope.node, scope)
        for facts in evaluator.project.all_python()
        for scope in facts.scopes.values()
        if scope.name == name[1]
        and scope.parent is not None
        and scope.parent.is_class
        and isinstance(scope.node, ast.FunctionDef)
        and classes.has_decorator(scope.node, "staticmethod")
    ]


def set_by_name(evaluator: Evaluator, callee: Possibility, node: ast.Call, frame: Frame) -> Possibilities:
    """Return the parser that every method a callee can be hands back, none where they do not all hand it back."""
    setters = option_setters(evaluator, callee, node, frame)
    given = evaluator.evaluate(node.args[0], frame) if setters else ()
    parsers = [one.thing for one in given if isinstance(one.thing, Made)]
    for setter in setters:
        for one in functions.returned(evaluator, setter, node, frame):
            if not isinstance(one.thing, Made) or not any(same(one.thing, parser) for parser in parsers):
                return ()
    return given


def same(one: Made, other: Made) -> bool:
    """Return whether two ways of following a parser lead to one parser."""
    if one.call is not other.call:
        return False
    if one.frame.receiver is not None and other.frame.receiver is not None:
        return True
    return one.frame.arguments is other.frame.arguments


class _Reached(Exception):
    """The call that parses, or the place until which a parser's history is told, is reached."""


class _History:
    """What is said to one parser before one call parses, or before a run comes to a place."""

    def __init__(self, evaluator: Evaluator, parser: Made, until: ast.Call | Place) -> None:
        self._evaluator = evaluator
        self._parser = parser
        self._until = until
        self._makers = {id(call) for call, _ in _calls_into(parser.frame)}
        self._found: list[Declaration] = []
        self._entered: dict[tuple[int, int, int], Frame] = {}
        """The frames walked through, by the identity of what tells them apart: it is unique while they are kept."""
        self._setters: set[int] | None = None
        """The option setters followed for the outermost of the calls that are known by their last name alone."""

    def before(self, frame: Frame) -> list[Declaration]:
        """Return what is said until the call or place in the frame."""
        self._found.extend(_parents(self._evaluator, self._parser))
        roots = [_outermost(self._parser.frame), _outermost(frame)]
        keeper = self._parser.frame.receiver
        constructor = constructor_calls.constructor_frame(self._evaluator, keeper) if keeper is not None else None
        self._makers |= {id(call) for call, _ in _calls_into(frame)}
        try:
            for root in roots if constructor is None else (constructor, *roots):
                self._walk(root, (NO_ASSUMPTIONS,), ())
        except _Reached:
            pass
        return self._found

    def _walk(self, frame: Frame, ways: Sequence[Assumptions], otherwise: tuple[Assumptions, ...]) -> None:
        key = (id(frame.scope), id(frame.arguments), id(frame.receiver))
        if key in self._entered or frame.depth > DEEPEST_PARSER_CALL:
            return
        self._entered[key] = frame
        for site in sorted(frame.scope.calls, key=_turn):
            where = replace(frame, place=site.place)
            if self._is_reached(site):
                raise _Reached
            self._call(site.node, where, ways, otherwise)
        if isinstance(self._until, Place) and self._until.scope is frame.scope:
            raise _Reached

    def _is_reached(self, site: CallSite) -> bool:
        """Return whether a call is the one that parses, or comes after the place."""
        if isinstance(self._until, Place):
            return site.place.scope is self._until.scope and site.place.order > self._until.order
        return site.node is self._until

    def _call(
        self, call: ast.Call, frame: Frame, ways: Sequence[Assumptions], otherwise: tuple[Assumptions, ...]
    ) -> None:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _DECLARES:
            owners = self._evaluator.evaluate(call.func.value, frame)
            for owner in owners:
                command = self._command(owner)
                if command is not None:
                    here, not_here = self._when(frame, ways, otherwise)
                    joint = tuple(both for way in here if (both := together(way, command)) is not None)
                    not_here = not_here or ((NO_ASSUMPTIONS,) if command else ())
                    self._found.extend(_at_turns(self._evaluator, Declaration(call, frame, joint, not_here)))
            if call.func.attr != _DECLARES_OBJECT or any(is_parser(one.thing) for one in owners):
                return
        if isinstance(call.func, ast.Attribute) and call.func.attr == _COMMAND:
            self._declare_command(call, frame, ways, otherwise)
            return
        outermost = self._setters is None
        for function, assumed in self._followed(call, frame):
            here, not_here = self._when(frame, ways, otherwise)
            joint = tuple(both for way in here if (both := together(way, assumed)) is not None)
            not_here = not_here or ((NO_ASSUMPTIONS,) if assumed else ())
            self._walk(functions.frame_of_call(self._evaluator, function, call, frame), joint, not_here)
        if outermost:
            self._setters = None

    def _declare_command(
        self, call: ast.Call, frame: Frame, ways: Sequence[Assumptions], otherwise: tuple[Assumptions, ...]
    ) -> None:
        for one in self._evaluator.evaluate(call, frame):
            command = self._command(one)
            if command:
                here, _ = self._when(frame, ways, otherwise)
                joint = tuple(both for way in here if (both := together(way, command)) is not None)
                self._found.append(Declaration(call, frame, joint, (NO_ASSUMPTIONS,)))
                if isinstance(one.thing, Made):
                    self._found.extend(_under(said, joint) for said in _parents(self._evaluator, one.thing))

    def _when(
        self, frame: Frame, ways: Sequence[Assumptions], otherwise: tuple[Assumptions, ...]
    ) -> tuple[tuple[Assumptions, ...], tuple[Assumptions, ...]]:
        """Return under which assumptions a place of a frame is reached, and under which it is not."""
        arms = tuple(arm for arm in frame.place.arms if arm.test is not None or arm.loop is False)
        here = self._evaluator.conditions(frame.place.arms, frame)
        joint = tuple(both for way in ways for one in here if (both := together(way, one)) is not None)[
            :MOST_WAYS_TO_A_CALL
        ]
        if here == [NO_ASSUMPTIONS] and not any(arm.test is None for arm in arms):
            return joint, otherwise
        missed = tuple(entries_after.otherwise(self._evaluator, frame.place.arms, frame))
        return joint, missed if not otherwise else (NO_ASSUMPTIONS,)

    def _command(self, owner: Possibility) -> Assumptions | None:
        """Return what is assumed where a thing is the parser or one of its commands, None where it is neither."""
        thing, assumptions = owner.thing, NO_ASSUMPTIONS
        if isinstance(thing, Made) and is_group(thing) and isinstance(thing.call.func, ast.Attribute):
            owners = self._evaluator.evaluate(thing.call.func.value, thing.frame)
            return next((found for one in owners if (found := self._command(one)) is not None), None)
        while isinstance(thing, Made) and thing.callee.endswith(".add_parser") and not same(thing, self._parser):
            above = _above(self._evaluator, thing)
            if above is None:
                return None
            joint = together(assumptions, choice(str(_span(above[1])), _named(thing.call)))
            if joint is None:
                return None
            thing, assumptions = above[0], joint
        return assumptions if isinstance(thing, Made) and same(thing, self._parser) else None

    def _followed(self, call: ast.Call, frame: Frame) -> Iterator[tuple[Function, Assumptions]]:
        """Yield the project's functions that a call runs, where they can say something to the parser."""
        if isinstance(call.func, ast.Call | ast.Subscript | ast.Lambda):
            return
        arguments = [*call.args, *(one.value for one in call.keywords)]
        handed = any(self._is_ours(one, frame) for one in arguments if isinstance(one, ast.Name | ast.Attribute))
        nested = any(self._is_ours(one, frame) for one in arguments if isinstance(one, ast.Call))
        making = id(call) in self._makers
        own = frame.receiver is not None and isinstance(call.func, ast.Attribute)
        if not (handed or nested or making or own):
            return
        for callee in self._evaluator.evaluate(call.func, frame):
            thing = callee.thing
            if isinstance(thing, Function):
                if handed or nested or making or self._of_the_same_object(thing, call, frame):
                    yield thing, callee.assumptions
            elif handed:
                yield from self._setters_of(callee, call, frame)

    def _setters_of(self, callee: Possibility, call: ast.Call, frame: Frame) -> Iterator[tuple[Function, Assumptions]]:
        """Yield the option setters that a callee can be, each once even where setters call such callees in turn.

        Which of them calls which is not seen, and following each from each would say the same over and over.
        """
        if self._setters is None:
            self._setters = set()
        for turn, setter in enumerate(option_setters(self._evaluator, callee, call, frame)):
            if id(setter.scope) not in self._setters:
                self._setters.add(id(setter.scope))
                yield setter, choice(str(frame.facts.span(call)), turn)

    def _of_the_same_object(self, function: Function, call: ast.Call, frame: Frame) -> bool:
        receiver = functions.receiver_of(self._evaluator, function, call, frame)
        return receiver is not None and frame.receiver is not None and receiver.of.node is frame.receiver.of.node

    def _is_ours(self, node: ast.expr, frame: Frame) -> bool:
        return any(self._command(one) is not None for one in self._evaluator.evaluate(node, frame))


def _turn(site: CallSite) -> tuple[int, int, int]:
    """Return when a call runs among those of its scope: within a statement, what ends first runs first."""
    return site.place.order, site.node.end_lineno or 0, site.node.end_col_offset or 0


def _calls_into(frame: Frame) -> Iterator[tuple[ast.Call, Frame]]:
    while frame.caller is not None:
        yield frame.caller
        frame = frame.caller[1]


def _outermost(frame: Frame) -> Frame:
    while frame.caller is not None:
        frame = frame.caller[1]
    return frame


def _above(evaluator: Evaluator, command: Made) -> tuple[Made, Made] | None:
    """Return the parser that a command belongs to, and the call that said it has commands."""
    for commands in _owners(evaluator, command):
        for parser in _owners(evaluator, commands):
            return parser, commands
    return None


def _owners(evaluator: Evaluator, made: Made) -> Iterator[Made]:
    if isinstance(made.call.func, ast.Attribute):
        for one in evaluator.evaluate(made.call.func.value, made.frame):
            if isinstance(one.thing, Made):
                yield one.thing


def _span(made: Made) -> Span:
    return made.frame.facts.span(made.call)


def _named(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ast.unparse(call)


def _at_turns(evaluator: Evaluator, said: Declaration) -> Iterator[Declaration]:
    """Yield what a call says to a parser at each turn of the loops around it, where it works out a flag's names."""
    turns = frozenset(_turns_around(said.frame))
    named = worked_out(evaluator, said.call, said.frame, turns) if _declares_flag(said.call) else None
    if named is None:
        yield said
        return
    for names, turn, assumed in named:
        own = [both for way in said.ways if (both := together(way, turn, assumed)) is not None]
        if own:
            others = said.otherwise or ((NO_ASSUMPTIONS,) if assumed else ())
            ways, otherwise = (tuple(map(partial(_outside, turns), each)) for each in (own, others))
            surely = NO_ASSUMPTIONS in ways
            yield replace(said, ways=ways, otherwise=() if surely else otherwise, names=names, turn=turn)


def _declares_flag(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"


def _outside(turns: Set[str], assumptions: Assumptions) -> Assumptions:
    """Return what is assumed besides the turns of some loops."""
    return frozenset(one for one in assumptions if one.subject not in turns)


def _turns_around(frame: Frame) -> Iterator[str]:
    """Yield the subjects of the turns of the loops around a place, and around the calls that lead to it."""
    for where in (frame, *(caller for _, caller in _calls_into(frame))):
        for arm in where.place.arms:
            if arm.loop and isinstance(arm.owner, ast.For):
                yield str(where.facts.span(arm.owner.iter))


def _under(declaration: Declaration, ways: Sequence[Assumptions]) -> Declaration:
    """Return what was said to a parser as said to a command that is made from it."""
    joint = tuple(both for way in ways for own in declaration.ways if (both := together(way, own)) is not None)
    return replace(declaration, ways=joint, otherwise=(NO_ASSUMPTIONS,))


def _parents(evaluator: Evaluator, parser: Made) -> Iterator[Declaration]:
    """Yield what was said to the parsers that a parser is made from."""
    for keyword in parser.call.keywords:
        if keyword.arg == "parents" and isinstance(keyword.value, ast.List | ast.Tuple):
            for item in keyword.value.elts:
                for one in evaluator.evaluate(item, parser.frame):
                    if isinstance(one.thing, Made) and is_parser(one.thing):
                        yield from _History(evaluator, one.thing, parser.call).before(parser.frame)
