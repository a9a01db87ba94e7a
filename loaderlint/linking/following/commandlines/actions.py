"""Actions: the flags of a parser as a program reads them off it, by group: ``parser._action_groups``.

CPython ``Lib/argparse.py``: a parser begins with the groups "positional arguments" and "options" (so called since
Python 3.10) and adds its own further ones; an exclusive group adds its flags to the group it is made from. Its
``_actions`` stand in the order they were added in, whichever groups they are in, those of its parents after its own
``--help``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines.flags import Flag, texts
from loaderlint.linking.following.commandlines.parsed import declares_flag, flag_of
from loaderlint.linking.following.commandlines.parsers import is_group, is_parser, said_until
from loaderlint.linking.things import loops
from loaderlint.linking.things.kinds import Declaration, Frame, Items, Made, Possibilities, Possibility, Row
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Span
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_POSITIONAL = "positional arguments"
_OPTIONS = "options"
_PLAIN, _COMMAND = "argparse.ArgumentParser", ".add_parser"
"""What makes a parser that begins with no other flags than these."""
_SHOWN = 4
"""The arguments of a parser that have no part in its flags, by position: what it is called and what it tells."""

OF_PARSERS = ("_action_groups", "_actions")
"""The attributes of a parser that are read here."""


def read(evaluator: Evaluator, parser: Made, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what one of these attributes of a parser is at a place."""
    flags = _flags(evaluator, parser, frame)
    if flags is None:
        return unseen(span)
    if name == "_actions":
        return (Possibility(Row(tuple(_action(one, span) for _, one in flags)), span),)
    rows: dict[str, list[Possibilities]] = {_POSITIONAL: [], _OPTIONS: []}
    for title, flag in flags:
        rows.setdefault(title, []).append(_action(flag, span))
    made = (
        Items(
            {"title": (Possibility(title, span),), "_group_actions": (Possibility(Row(tuple(row)), span),)},
            complete=False,
        )
        for title, row in rows.items()
    )
    # A group of its own may have no flags, and then stands before others all the same.
    groups = tuple((Possibility(one, span),) for one in made)
    return (Possibility(Row(groups, in_order=len((_POSITIONAL, _OPTIONS))), span),)


def _action(name: str, span: Span) -> Possibilities:
    return (Possibility(Items({"dest": (Possibility(name, span, taken_out=True),)}, complete=False), span),)


def _flags(evaluator: Evaluator, parser: Made, frame: Frame) -> list[tuple[str, str]] | None:
    """Return a parser's flags in their order, by the titles of their groups and their names.

    None where not all are seen. The actions of a group are those of its parser.
    """
    if is_group(parser) or not (parser.callee == _PLAIN or parser.callee.endswith(_COMMAND)):
        return None
    helps = _has_help(parser.call)
    if helps is None or not _shows_parents(evaluator, parser):
        return None
    found = [(_OPTIONS, "help")] if helps else []
    for said in said_until(evaluator, parser, frame):
        if isinstance(said.call.func, ast.Attribute) and said.call.func.attr == "set_defaults":
            continue
        flag = flag_of(evaluator, said) if declares_flag(said) and not said.otherwise else None
        title = _title(evaluator, said, flag) if flag is not None else None
        if flag is None or title is None:
            return None
        found.append((title, flag.name))
    return found


def _has_help(call: ast.Call) -> bool | None:
    """Return whether a parser that a call makes begins with a flag of its own, None where that was not seen."""
    given = keywords_of(call).get("add_help", ast.Constant(True))
    hidden = len(call.args) > _SHOWN or any(one.arg is None for one in call.keywords)
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return None if hidden or starred or not isinstance(given, ast.Constant) else bool(given.value)


def _shows_parents(evaluator: Evaluator, parser: Made) -> bool:
    """Return whether all parsers were seen that a parser has the flags of."""
    match keywords_of(parser.call).get("parents"):
        case None:
            return True
        case ast.List(nodes) | ast.Tuple(nodes):
            several = [evaluator.evaluate(one, parser.frame) for one in nodes]
            return all(len(ways) == 1 and is_parser(ways[0].thing) for ways in several)
    return False


def _title(evaluator: Evaluator, said: Declaration, flag: Flag) -> str | None:
    """Return the title of the group to which a flag is added, None where that was not seen."""
    plain = _OPTIONS if flag.spellings else _POSITIONAL
    owners = list(_groups_of(evaluator, said))
    if len(owners) != 1:
        return None
    if owners[0] is None:
        return plain
    call, frame = owners[0].call, owners[0].frame
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "title")]
    titles = [one.thing for node in given for one in loops.of_turn(texts(evaluator, node, frame), said.turn)]
    return titles[0] if len(titles) == 1 and isinstance(titles[0], str) else None


def _groups_of(evaluator: Evaluator, said: Declaration) -> Iterator[Made | None]:
    """Yield the groups to which a declaration can add a flag, None for the parser itself."""
    assert isinstance(said.call.func, ast.Attribute)
    for one in evaluator.evaluate(said.call.func.value, said.frame):
        yield one.thing if isinstance(one.thing, Made) and is_group(one.thing) else None
