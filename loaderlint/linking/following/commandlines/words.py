"""Words of a command line that stand in the program itself: ``parser.parse_args(["--workers", "4"])``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.commandlines.flags import Flag
from loaderlint.linking.things.kinds import UNSEEN, Frame, Possibilities, Possibility, Row, Thing
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Source, Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_PLAIN_STRING = re.compile(r"""(["'])(?P<text>[^"'\\]*)\1""")

Words = tuple[Possibilities, ...]
_BY_USER: list[tuple[Words | None, Assumptions]] = [(None, NO_ASSUMPTIONS)]
MOST_LISTS = 16
"""Of more lists than this that a call may be given, none is followed."""


def words_of(evaluator: Evaluator, parse: ast.Call, frame: Frame) -> list[tuple[Words | None, Assumptions]]:
    """Return the words that a ``parse_args`` call is given in the program, None where the user writes them.

    A list of words is taken as it stands, a single string as what it splits into at spaces. Whoever calls the function
    around it may hand over others each: ``def main(argv): parser.parse_args(argv)``.
    """
    given = next((one.value for one in parse.keywords if one.arg == "args"), parse.args[0] if parse.args else None)
    if given is None:
        return _BY_USER
    split = given.func if isinstance(given, ast.Call) and not given.args and not given.keywords else None
    if isinstance(split, ast.Attribute) and split.attr == "split":
        texts = evaluator.evaluate(split.value, frame)
        if len(texts) != 1 or not isinstance(texts[0].thing, str):
            return _BY_USER
        return [(tuple((one,) for one in _pieces(evaluator, texts[0])), NO_ASSUMPTIONS)]
    lists = evaluator.evaluate(given, frame)
    if not lists or len(lists) > MOST_LISTS:
        return _BY_USER
    return [(_words_in(evaluator, one.thing), one.assumptions) for one in lists]


def _words_in(evaluator: Evaluator, given: Thing) -> Words | None:
    if not isinstance(given, Row):
        return None
    return tuple(tuple(_unquoted(evaluator, one) for one in word) for word in given.items)


def _source(evaluator: Evaluator, span: Span) -> Source | None:
    return evaluator.project.source(span.path)


def _inside(evaluator: Evaluator, one: Possibility) -> tuple[Source, int] | None:
    """Return where the text inside a plain string starts, None when the string is written in any other way."""
    source = _source(evaluator, one.span)
    if source is None or not isinstance(one.thing, str):
        return None
    match = _PLAIN_STRING.fullmatch(source.at(one.span))
    if match is None or match["text"] != one.thing:
        return None
    return source, source.offset(one.span.line, one.span.column) + 1


def _unquoted(evaluator: Evaluator, one: Possibility) -> Possibility:
    """Return a word at the place of its text."""
    found = _inside(evaluator, one)
    if found is None or not isinstance(one.thing, str):
        return replace(one, taken_out=True)
    source, start = found
    return replace(one, span=source.span(start, start + len(one.thing)), taken_out=True)


def _pieces(evaluator: Evaluator, one: Possibility) -> list[Possibility]:
    assert isinstance(one.thing, str)
    found = _inside(evaluator, one)
    pieces = []
    for match in re.finditer(r"\S+", one.thing):
        span = one.span if found is None else found[0].span(found[1] + match.start(), found[1] + match.end())
        pieces.append(replace(one, thing=match.group(), span=span, taken_out=True))
    return pieces


def given_by(words: Words, flags: Sequence[Flag]) -> tuple[Mapping[str, Possibilities], bool] | None:
    """Return the words each flag gets, by the flag's name, and whether all flags among the words are known.

    One that is not known, which a library may have declared, takes what follows up to the next flag. None where the
    words cannot be told apart.
    """
    by_spelling = {spelling: flag for flag in flags for spelling in flag.spellings}
    given: dict[str, Possibilities] = {}
    all_known = True
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        text = _text(word)
        if text is None:
            return None
        spelled, joined, value = text.partition("=")
        flag = by_spelling.get(spelled)
        if flag is None:
            if spelled.startswith("-") and _may_shorten(spelled, by_spelling):
                return None
            all_known = all_known and not spelled.startswith("-")
            continue
        taken = [(_tail(word[0], value),)] if joined else _taken(flag, waiting)
        if taken is None:
            return None
        del waiting[: 0 if joined else len(taken)]
        alone = flag.keyword("nargs") is None and len(taken) == 1
        given[flag.name] = taken[0] if alone else (replace(word[0], thing=UNSEEN if taken else text),)
    return given, all_known


def _may_shorten(spelled: str, known: Iterable[str]) -> bool:
    """Return whether a word that is no flag may stand for one: ``--work``, or ``-j4`` for ``-j 4``."""
    return any(one.startswith(spelled) or (len(one) == 2 and spelled.startswith(one)) for one in known)


def _text(word: Possibilities) -> str | None:
    return word[0].thing if len(word) == 1 and isinstance(word[0].thing, str) else None


def _taken(flag: Flag, waiting: Sequence[Possibilities]) -> list[Possibilities] | None:
    """Return the words that follow a flag and are its own, None when nobody can say."""
    if flag.switch is not None or (flag.action or "").startswith("store_"):
        return []
    if flag.action not in (None, "store"):
        return None
    count = flag.keyword("nargs")
    if count is None:
        return list(waiting[:1]) or None
    if not isinstance(count, ast.Constant):
        return None
    if isinstance(count.value, int):
        return list(waiting[: count.value])
    values = list(takewhile(lambda word: not (_text(word) or "").startswith("-"), waiting))
    return values[:1] if count.value == "?" else values


def _tail(one: Possibility, value: str) -> Possibility:
    """Return the part of a word behind its equals sign."""
    span = one.span
    if span.end_column - span.column != len(str(one.thing)):
        return replace(one, thing=value)
    return replace(one, thing=value, span=span._replace(column=span.end_column - len(value)))
