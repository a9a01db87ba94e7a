"""Named tuples whose class ``collections.namedtuple`` makes (``collections/__init__.py``, Python 3.13)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things.kinds import Frame, Items, Made, Possibilities, Possibility, Row
from loaderlint.linking.things.possibilities import irremovable, unseen
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MAKER = "collections.namedtuple"
"""What makes the class."""


def made(evaluator: Evaluator, kind: Made, node: ast.Call, frame: Frame) -> Possibilities:
    """Return the fields of a tuple that a call of such a class makes, by name; no fields but those were seen."""
    span = frame.facts.span(node)
    names, defaults = _fields(evaluator, kind)
    keywords = {one.arg: one.value for one in node.keywords}
    if names is None or None in keywords or len(node.args) > len(names):
        return unseen(span)
    if any(isinstance(one, ast.Starred) for one in node.args):
        return unseen(span)
    given = dict(zip(names, node.args, strict=False)) | {name: keywords[name] for name in names if name in keywords}
    entries = dict(zip(reversed(names), reversed(defaults), strict=False))
    entries.update((name, irremovable(evaluator.evaluate(value, frame))) for name, value in given.items())
    # What is written by position stands for no key of a dictionary: it may be asked for by its number, too.
    return (Possibility(Items({name: entries[name] for name in names if name in entries}, complete=False), span),)


def replaced(evaluator: Evaluator, one: Possibility, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what ``_replace`` gives: the tuple with some fields given anew."""
    assert isinstance(one.thing, Items)
    given = {keyword.arg: evaluator.evaluate(keyword.value, frame) for keyword in node.keywords if keyword.arg}
    if node.args or len(given) != len(node.keywords):
        return unseen(frame.facts.span(node))
    entries = {name: irremovable(given.get(name, values)) for name, values in one.thing.entries.items()}
    return (replace(one, thing=replace(one.thing, entries=entries)),)


def _fields(evaluator: Evaluator, kind: Made) -> tuple[list[str] | None, tuple[Possibilities, ...]]:
    """Return the names of the fields, None where they were not seen, and what the last of them are by default."""
    given = arguments_of(kind.call, ("typename", "field_names"))
    given.update((one.arg, one.value) for one in kind.call.keywords if one.arg == "defaults")
    said = evaluator.evaluate(given["field_names"], kind.frame) if "field_names" in given else ()
    names = _names(said[0]) if len(said) == 1 else None
    if "defaults" not in given:
        return names, ()
    rows = evaluator.evaluate(given["defaults"], kind.frame)
    if len(rows) != 1 or not isinstance(rows[0].thing, Row) or rows[0].thing.in_order is not None:
        return None, ()
    return names, rows[0].thing.items


def _names(said: Possibility) -> list[str] | None:
    if isinstance(said.thing, str):
        return said.thing.replace(",", " ").split()
    if not isinstance(said.thing, Row):
        return None
    names = [one.thing for item in said.thing.items for one in item]
    texts = [one for one in names if isinstance(one, str)]
    return texts if len(texts) == len(names) == len(said.thing.items) else None
