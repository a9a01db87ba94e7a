"""Actions: the flags of a parser as a program reads them off it, by group: ``parser._action_groups``.

CPython ``Lib/argparse.py``: a parser begins with the groups "positional arguments" and "options" (so called since
Python 3.10) and adds its own further ones; an exclusive group adds its flags to the group it is made from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines.flags import Flag, texts
from loaderlint.linking.following.commandlines.parsed import declares_flag, flag_of
from loaderlint.linking.following.commandlines.parsers import is_group, said_until
from loaderlint.linking.things import loops
from loaderlint.linking.things.kinds import (
    Declaration,
    Frame,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    unseen,
)
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_POSITIONAL = "positional arguments"
_OPTIONS = "options"


OF_PARSERS = ("_action_groups", "_actions")
"""The attributes of a parser that are read here."""


def read(evaluator: Evaluator, parser: Made, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what one of these attributes of a parser is at a place."""
    groups = _groups(evaluator, parser, frame)
    if groups is None:
        return unseen(span)
    rows = {title: tuple(_action(one, span) for one in flags) for title, flags in groups.items()}
    if name == "_actions":
        return (Possibility(Row(tuple(one for row in rows.values() for one in row)), span),)
    made = (
        Items(
            {"title": (Possibility(title, span),), "_group_actions": (Possibility(Row(row), span),)},
            complete=False,
        )
        for title, row in rows.items()
    )
    return (Possibility(Row(tuple((Possibility(one, span),) for one in made)), span),)


def _action(name: str, span: Span) -> Possibilities:
    return (Possibility(Items({"dest": (Possibility(name, span, taken_out=True),)}, complete=False), span),)


def _groups(evaluator: Evaluator, parser: Made, frame: Frame) -> dict[str, list[str]] | None:
    """Return the names of a parser's flags by the title of their group, None where not all were seen."""
    helps = [one.value for one in parser.call.keywords if one.arg == "add_help"]
    if any(not isinstance(one, ast.Constant) for one in helps):
        return None
    helpless = any(isinstance(one, ast.Constant) and not one.value for one in helps)
    found: dict[str, list[str]] = {_POSITIONAL: [], _OPTIONS: [] if helpless else ["help"]}
    for said in said_until(evaluator, parser, frame):
        if isinstance(said.call.func, ast.Attribute) and said.call.func.attr == "set_defaults":
            continue
        flag = flag_of(evaluator, said) if declares_flag(said) and not said.otherwise else None
        title = _title(evaluator, said, flag) if flag is not None else None
        if flag is None or title is None:
            return None
        found.setdefault(title, []).append(flag.name)
    return found


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
