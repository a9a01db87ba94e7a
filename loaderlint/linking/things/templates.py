"""Text with names in it, ``f"tasks/{args.task}/config.yaml"``: which files and modules of the project it can name."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.things.kinds import (
    MOST_POSSIBILITIES,
    Made,
    Possibilities,
    Possibility,
    Template,
    Unseen,
    choice,
    combined,
    under,
    unseen,
)
from loaderlint.model.source import Span
from loaderlint.model.value import NO_ASSUMPTIONS, Assumption, Assumptions, CommandLineText

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.things.kinds import Frame

_Named: TypeAlias = tuple[str | None, Assumptions]
_MODULE = re.compile(r"(?:/__init__)?\.py$")
MOST_NAMED = MOST_POSSIBILITIES // 2
"""More files than this that a text can name and none is taken for it."""


WRITTEN = "a text with names in it"
"""The callee of a call that stands for such a text: what it can be is followed only where somebody asks."""


def written(node: ast.JoinedStr, frame: Frame) -> Possibilities:
    """Return text with names in it as it is written."""
    call = ast.copy_location(ast.Call(ast.Name(WRITTEN), [node], []), node)
    return (Possibility(Made(WRITTEN, call, frame), frame.facts.span(node)),)


def spelled_out(evaluator: Evaluator, possibilities: Possibilities) -> Iterator[Possibility]:
    """Yield possibilities, for each text with names in it what that can be."""
    for one in possibilities:
        node = one.thing.call.args[0] if isinstance(one.thing, Made) and one.thing.callee == WRITTEN else None
        if isinstance(one.thing, Made) and isinstance(node, ast.JoinedStr):
            yield from under(_text(evaluator, node, one.thing.frame), one.assumptions)
        else:
            yield one


def _text(evaluator: Evaluator, node: ast.JoinedStr, frame: Frame) -> Possibilities:
    """Return what text with names in it can be; that it spells a value in a way of its own leaves it unseen."""
    span = frame.facts.span(node)
    pieces: list[Possibilities] = []
    for value in node.values:
        plain = not isinstance(value, ast.FormattedValue) or (value.format_spec is None and value.conversion == -1)
        written = value.value if isinstance(value, ast.FormattedValue) else value
        pieces.append(evaluator.evaluate(written, frame) if plain else unseen(span))
    found: list[Possibility] = []
    for values, assumptions, sources in combined(*pieces):
        known = [_piece(one) for one in values]
        whole = [one for one in known if one is not None]
        if len(known) == 1 and isinstance(known[0], Span):
            found.append(values[0])
        elif len(whole) < len(known):
            found.extend(unseen(span, assumptions))
        else:
            texts = [one for one in whole if isinstance(one, str)]
            thing = "".join(texts) if len(texts) == len(whole) else Template(tuple(whole))
            found.append(Possibility(thing, span, assumptions=assumptions, sources=sources))
    return tuple(found) or unseen(span)


def _piece(one: Possibility) -> str | Span | None:
    """Return a piece of text, or where the option is declared with which the user gives it; None for anything else."""
    if isinstance(one.thing, str):
        return one.thing
    given = isinstance(one.thing, CommandLineText) or (isinstance(one.thing, Unseen) and one.thing.given)
    of_option = Assumption(str(one.span), "given") in one.assumptions
    return one.span if given and of_option else None


def files_named(evaluator: Evaluator, template: Template) -> list[_Named]:
    """Return the paths that a text can name from some folder, with what the user gives for each; None for another."""
    found = partial(_found, evaluator, template, modules=False)
    return evaluator.remembered(("files named", template.pieces), None, lambda: [*found()])


def modules_named(evaluator: Evaluator, template: Template) -> list[_Named]:
    """Return the dotted names of modules that a text can be, with what the user gives for each; None for another."""
    found = partial(_found, evaluator, template, modules=True)
    return evaluator.remembered(("modules named", template.pieces), None, lambda: [*found()])


def _found(evaluator: Evaluator, template: Template, *, modules: bool) -> Iterator[_Named]:
    given = list(dict.fromkeys(one for one in template.pieces if isinstance(one, Span)))
    marks = {one: f"\0{index}\0" for index, one in enumerate(given)}
    text = "".join(marks[one] if isinstance(one, Span) else one for one in template.pieces)
    wanted = text.replace(".", "/") if modules else posixpath.normpath(text.replace("\\", "/"))
    pattern, piece = re.escape(wanted), "[^/.]+" if modules else "[^/]+"
    for index in range(len(given)):
        mark = re.escape(f"\0{index}\0")
        pattern = pattern.replace(mark, f"(?P<g{index}>{piece})", 1).replace(mark, f"(?P=g{index})")
    matching = re.compile(f"(?:^|/){pattern}$")
    paths = evaluator.project.paths if not wanted.startswith(("/", "..")) else ()
    names = (_MODULE.sub("", path) if modules else path for path in paths if path.endswith(".py") or not modules)
    answers = dict.fromkeys(match.groups() for name in names if (match := matching.search(name)) is not None)
    for values in answers if len(answers) <= MOST_NAMED else ():
        name = text
        assumed = NO_ASSUMPTIONS
        for one, value in zip(given, values, strict=True):
            name = name.replace(marks[one], value)
            assumed |= choice(f"the text given at {one}", value)
        yield name, assumed
    yield None, choice(f"the text given at {given[0]}", "another") if len(given) == 1 else NO_ASSUMPTIONS
