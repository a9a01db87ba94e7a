"""Parsed command lines: what an attribute of one can be, by all that was said to its parser.

CPython ``Lib/argparse.py``: ``set_defaults`` gives a new default to a flag declared before it; a flag declared after it
takes that default only when it has none of its own; a default for a name that no flag fills becomes an attribute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following.commandlines import objects
from loaderlint.linking.following.commandlines.changed_actions import is_changed
from loaderlint.linking.following.commandlines.flags import (
    Flag,
    converted,
    declared_flag,
    default_values,
    flag_values,
    user_values,
)
from loaderlint.linking.following.commandlines.parser_defaults import of_parser
from loaderlint.linking.following.commandlines.words import given_by
from loaderlint.linking.things import dictionaries
from loaderlint.linking.things.kinds import CommandLine, Declaration, Items, Made, Possibilities, Possibility
from loaderlint.linking.things.operations import truth_of
from loaderlint.linking.things.possibilities import distinct, laid_over, settled, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MOST_STATES = 64


class _State(Struct, frozen=True, eq=False):
    """What a parser knows of one name: the flags that fill it, and its defaults, which may be set without a flag."""

    flags: tuple[Flag, ...] = ()
    defaults: Possibilities | None = None
    assumptions: Assumptions = NO_ASSUMPTIONS


def attribute(
    evaluator: Evaluator, command_line: CommandLine, name: str, span: Span, *, missing: Possibilities = ()
) -> Possibilities:
    """Return what an attribute of a parsed command line can be: its default, or whatever the user gives.

    ``missing`` is what it is where it was never declared.
    """
    found = settled(command_line.changed.get(name), lambda: _parsed(evaluator, command_line, name, span, missing))
    if not evaluator.blurred.may_set(command_line, name):
        return found
    if evaluator.blurred.fills(command_line, name):
        found = tuple(one for one in found if truth_of(one.thing) is not False)
    return (*found, *unseen(span))


def _parsed(
    evaluator: Evaluator, command_line: CommandLine, name: str, span: Span, missing: Possibilities
) -> Possibilities:
    found: list[Possibility] = []
    others = _commands_not_chosen(command_line)
    if any(one.names == () for one in command_line.declarations):
        # One of the flags whose names nobody saw may be of this name.
        missing = (*missing, *unseen(span))
    for state in _states(evaluator, command_line, name):
        if state.assumptions & others:
            continue
        if any(is_changed(evaluator, flag) for flag in state.flags):
            values = unseen(span)
        elif state.flags:
            values = _given(evaluator, command_line, state.flags, state.defaults or ())
        else:
            values = missing if state.defaults is None else state.defaults
        found.extend(under(values, state.assumptions))
    return distinct(found) or unseen(span)


def _given(
    evaluator: Evaluator, command_line: CommandLine, flags: tuple[Flag, ...], defaults: Possibilities
) -> Possibilities:
    """Return what the flags of a name give: by the words that stand in the program, else by default or by the user."""
    flag, *others = flags
    by_user = (*flag_values(evaluator, flag, defaults), *(way for one in others for way in user_values(evaluator, one)))
    if command_line.words is None:
        return by_user
    told = given_by(command_line.words, list(_flags(evaluator, command_line)))
    if told is None:
        return by_user
    given, all_known = told
    words = given.get(flag.name)
    if words is None and not (all_known and (flag.spellings or not command_line.words)):
        # What is not known may fill the same name, and a word alone what has no flag.
        return by_user
    if words is None:
        return tuple(way for one in defaults for way in converted(evaluator, one, flag))
    if others or flag.action == "store_const":
        return by_user if others else user_values(evaluator, flag)
    if flag.switch is not None:
        return tuple(replace(one, thing=flag.switch) for one in words)
    return tuple(way for one in words for way in converted(evaluator, one, flag))


def _commands_not_chosen(command_line: CommandLine) -> Assumptions:
    """Return what is assumed of the commands that the words in the program do not name."""
    words = {one.thing for word in command_line.words or () for one in word}
    commands = [one.call.args[0] for one in command_line.declarations if _names_command(one)]
    named = {one.value for one in commands if isinstance(one, ast.Constant)}
    if not words & named:
        return NO_ASSUMPTIONS
    ways = (way for one in command_line.declarations if _names_command(one) for way in one.ways)
    return frozenset(one for way in ways for one in way if one.answer in named - words)


def names(evaluator: Evaluator, command_line: CommandLine) -> tuple[str, ...]:
    """Return the attributes of a parsed command line that were seen."""
    found: dict[str, None] = {}
    for one in command_line.declarations:
        if declares_flag(one):
            flag = flag_of(evaluator, one)
            found.update({flag.name: None} if flag is not None else {})
        elif _names_command(one):
            found.update(dict.fromkeys(filter(None, (_destination_of_commands(evaluator, one),))))
        elif _declares_object(one):
            found.update(dict.fromkeys(filter(None, (_destination(one),))))
        else:
            found.update(dict.fromkeys(_defaults_set(evaluator, one).entries))
    return tuple(found)


def attributes(evaluator: Evaluator, command_line: CommandLine, span: Span) -> Items:
    """Return the attributes of a parsed command line as the dictionary that ``vars`` makes of them."""
    every = (*names(evaluator, command_line), *command_line.changed)
    return Items({name: attribute(evaluator, command_line, name, span) for name in every}, complete=False)


def declares_flag(declaration: Declaration) -> bool:
    """Return whether a declaration is ``add_argument(...)``."""
    return isinstance(declaration.call.func, ast.Attribute) and declaration.call.func.attr == "add_argument"


def _declares_object(declaration: Declaration) -> bool:
    """Return whether a declaration is simple_parsing's ``add_arguments(Config, dest="config")``."""
    return isinstance(declaration.call.func, ast.Attribute) and declaration.call.func.attr == "add_arguments"


def _destination(declaration: Declaration) -> str | None:
    call = declaration.call
    written = arguments_of(call, ("config_class", "dest")).get("dest")
    return written.value if isinstance(written, ast.Constant) and isinstance(written.value, str) else None


def _object(evaluator: Evaluator, declaration: Declaration) -> Possibilities:
    call, frame, span = declaration.call, declaration.frame, _span(declaration)
    default = keywords_of(call).get("default")
    return (objects.filled(evaluator, call.args[0], default, frame, span) if call.args else None) or unseen(span)


def _names_command(declaration: Declaration) -> bool:
    """Return whether a declaration is ``add_parser("name")``, which adds a command."""
    call = declaration.call
    return isinstance(call.func, ast.Attribute) and call.func.attr == "add_parser" and bool(call.args)


def _destination_of_commands(evaluator: Evaluator, declaration: Declaration) -> str | None:
    """Return the attribute that tells which command the user chose (``add_subparsers(dest=...)``)."""
    assert isinstance(declaration.call.func, ast.Attribute)
    for one in evaluator.evaluate(declaration.call.func.value, declaration.frame):
        if isinstance(one.thing, Made):
            for keyword in one.thing.call.keywords:
                if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
    return None


def flag_of(evaluator: Evaluator, declaration: Declaration) -> Flag | None:
    """Return the flag that a declaration adds, None where its name was not seen."""
    call, frame, names, turn = declaration.call, declaration.frame, declaration.names, declaration.turn
    key = ("flag", call, names, turn)
    return evaluator.remembered(key, frame, lambda: declared_flag(call, frame, names, turn))


def _flags(evaluator: Evaluator, command_line: CommandLine) -> Iterator[Flag]:
    for one in command_line.declarations:
        flag = flag_of(evaluator, one) if declares_flag(one) else None
        if flag is not None:
            yield flag


def _defaults_set(evaluator: Evaluator, declaration: Declaration) -> Items:
    return dictionaries.items_of_call(evaluator, declaration.call, declaration.frame)


def _states(evaluator: Evaluator, command_line: CommandLine, name: str) -> list[_State]:
    """Return what a parser knows of a name after all that was said to it, one state for each way there."""
    states = [_State()]
    for declaration, said_of in _said(evaluator, command_line.declarations):
        if said_of not in (name, None):
            continue
        if _declares_object(declaration):
            values = _object(evaluator, declaration)
            states = [after for before in states for after in _after_default(before, values, declaration)]
        elif _names_command(declaration):
            values = evaluator.evaluate(declaration.call.args[0], declaration.frame)
            states = [after for before in states for after in _after_default(before, values, declaration)]
        elif declares_flag(declaration):
            flag = flag_of(evaluator, declaration)
            assert flag is not None
            states = [after for before in states for after in _after_flag(evaluator, before, flag, declaration)]
        else:
            given = _defaults_set(evaluator, declaration)
            values = given.entries.get(name, () if given.complete else unseen(_span(declaration)))
            if not values:
                continue
            if not given.complete and name in given.entries:
                values = (*values, *unseen(_span(declaration)))
            states = [after for before in states for after in _after_default(before, values, declaration)]
        if len(states) > MOST_STATES:
            return [_State(defaults=unseen(_span(declaration)))]
    return states


def _said(evaluator: Evaluator, declarations: tuple[Declaration, ...]) -> tuple[tuple[Declaration, str | None], ...]:
    """Return what is said to a parser, each with the name it is said of; None where it may be any."""

    def found() -> tuple[tuple[Declaration, str | None], ...]:
        named = ((one, _named_by(evaluator, one)) for one in declarations)
        return tuple((one, name) for one, name in named if name != "")

    return evaluator.remembered(("said", declarations), None, found)


def _named_by(evaluator: Evaluator, declaration: Declaration) -> str | None:
    """Return the name that something said to a parser is about, an empty one for none, None for any."""
    if _declares_object(declaration):
        return _destination(declaration) or ""
    if _names_command(declaration):
        return _destination_of_commands(evaluator, declaration) or ""
    if declares_flag(declaration):
        flag = flag_of(evaluator, declaration)
        return flag.name if flag is not None else ""
    return None


def _span(declaration: Declaration) -> Span:
    return declaration.frame.facts.span(declaration.call)


def _after_flag(evaluator: Evaluator, before: _State, flag: Flag, declaration: Declaration) -> Iterator[_State]:
    # A flag that takes over every spelling of another takes its place (``conflict_handler="resolve"``); one that does
    # not fills the same name as well, and the default is that of the first.
    kept = tuple(one for one in before.flags if not {*one.spellings} <= {*flag.spellings})
    set_before = before.defaults if not before.flags else None
    if set_before is None:
        set_before = of_parser(evaluator, flag)
    defaults = before.defaults if kept and before.defaults else default_values(evaluator, flag, set_before)
    yield from _both(before, replace(before, flags=(*kept, flag), defaults=defaults), declaration)


def _after_default(before: _State, values: Possibilities, declaration: Declaration) -> Iterator[_State]:
    defaults = laid_over(values, lambda: before.defaults or ())
    yield from _both(before, replace(before, defaults=defaults), declaration)


def _both(before: _State, after: _State, declaration: Declaration) -> Iterator[_State]:
    """Yield the state as it was where a declaration does not run, and as it became where it does."""
    runs = any(way <= before.assumptions for way in declaration.ways)
    states = [
        replace(state, assumptions=joint)
        for state, ways in ((before, () if runs else declaration.otherwise), (after, declaration.ways))
        for way in ways
        if (joint := together(state.assumptions, way)) is not None
    ]
    # What runs under none of a state's assumptions leaves it as it was.
    yield from states or (before,)
