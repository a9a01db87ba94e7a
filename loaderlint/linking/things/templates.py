"""Text with names in it, ``f"tasks/{args.task}/config.yaml"``: which files and modules of the project it can name.

However it is put together, it is followed as the f-string that gives the same.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import partial
from string import Formatter
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.things.kinds import Made, Possibilities, Possibility, Template, Thing, Unseen
from loaderlint.linking.things.possibilities import MOST_POSSIBILITIES, choice, combined, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumption, Assumptions
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText

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


def beginning(thing: Thing) -> object:
    """Return what a text with names in it begins with, whatever these stand for; any other thing is all there is."""
    match thing:
        case Made(callee, ast.Call(args=[ast.JoinedStr([ast.Constant(text), *_])])) if callee == WRITTEN:
            return text
    return thing


def summed(node: ast.BinOp) -> ast.JoinedStr | None:
    """Return what ``"tasks." + name`` and ``"tasks.%s" % name`` give as an f-string, None for any other operation."""
    if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(node, _PLAIN_MARK.split(node.left.value), given)
    parts = [*_summands(node)]
    if not any(isinstance(one, ast.JoinedStr) or _is_text(one) for one in parts):
        return None
    return _as_one(node, parts)


def formatted(text: str, node: ast.Call) -> ast.JoinedStr | None:
    """Return what ``"tasks.{}".format(name)`` gives as an f-string, None where that spells a value in its own way."""
    given: dict[str, ast.expr] = {str(index): one for index, one in enumerate(node.args)}
    given.update((one.arg, one.value) for one in node.keywords if one.arg is not None)
    if any(isinstance(one, ast.Starred) for one in node.args) or len(given) < len(node.args) + len(node.keywords):
        return None
    parts: list[ast.expr] = []
    numbered = 0
    try:
        for literal, name, form, conversion in Formatter().parse(text):
            parts.append(ast.copy_location(ast.Constant(literal), node))
            if name is None:
                continue
            asked, numbered = (str(numbered), numbered + 1) if name == "" else (name, numbered)
            if form or conversion or asked not in given:
                return None
            parts.append(given[asked])
    except ValueError:
        return None
    return _as_one(node, parts)


_PLAIN_MARK = re.compile("%s")


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a sum adds up, in order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def _filled(node: ast.expr, texts: Sequence[str], given: Sequence[ast.expr]) -> ast.JoinedStr | None:
    """Return the f-string with something given between each two texts, None where these ask for anything else."""
    starred = any(isinstance(one, ast.Starred) for one in given)
    if starred or len(texts) != len(given) + 1 or any("%" in one for one in texts):
        return None
    written = [ast.copy_location(ast.Constant(one), node) for one in texts]
    return _as_one(node, [*(part for pair in zip(written, given, strict=False) for part in pair), written[-1]])


def _as_one(node: ast.expr, parts: Sequence[ast.expr]) -> ast.JoinedStr:
    values: list[ast.expr] = []
    for one in parts:
        if isinstance(one, ast.JoinedStr):
            values.extend(one.values)
        else:
            values.append(one if _is_text(one) else ast.copy_location(ast.FormattedValue(one, -1, None), one))
    return ast.copy_location(ast.JoinedStr(values), node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


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
        pieces.append(tuple(spelled_out(evaluator, evaluator.evaluate(written, frame))) if plain else unseen(span))
    found: list[Possibility] = []
    for values, assumptions, sources in combined(*pieces):
        known = [_pieces(one) for one in values]
        whole = [piece for one in known if one is not None for piece in one]
        if len(known) == 1 and len(whole) == 1 and isinstance(whole[0], Span):
            found.append(values[0])
        elif None in known:
            found.extend(unseen(span, assumptions))
        else:
            texts = [one for one in whole if isinstance(one, str)]
            thing = "".join(texts) if len(texts) == len(whole) else Template(tuple(whole))
            found.append(Possibility(thing, span, assumptions=assumptions, sources=sources))
    return tuple(found) or unseen(span)


def _pieces(one: Possibility) -> tuple[str | Span, ...] | None:
    """Return the pieces of a text, or where the option is declared with which the user gives it; None for others."""
    if isinstance(one.thing, str):
        return (one.thing,)
    if isinstance(one.thing, Template):
        return one.thing.pieces
    given = isinstance(one.thing, CommandLineText) or (isinstance(one.thing, Unseen) and one.thing.given)
    of_option = Assumption(str(one.span), "given") in one.assumptions
    return (one.span,) if given and of_option else None


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
