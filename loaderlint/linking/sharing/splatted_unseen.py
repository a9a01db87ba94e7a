"""What a call gets by ``**`` of something that was not followed: of the mappings it is made of, any key may be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.dictionaries import as_items
from loaderlint.linking.things.kinds import CommandLine, Frame, Instance, Items, Possibility, Settings
from loaderlint.model.source import Span
from loaderlint.readers.tree import Mapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def mappings_inside(evaluator: Evaluator, splatted: ast.expr, frame: Frame) -> frozenset[Span]:
    """Return where the values of the mappings and objects were written that an expression nobody sees through names.

    There are none of what was followed: a loader then has its options from there.
    """
    if any(one.complete or one.entries for one in as_items(evaluator, evaluator.evaluate(splatted, frame))):
        return frozenset()
    found: set[Span] = set()
    for whole in _wholes(splatted):
        for one in evaluator.evaluate(whole, frame):
            found.update(_held_by(evaluator, one))
    return frozenset(found)


def _wholes(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the names in an expression with their attributes and keys, and what its methods are called on."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner)):
            yield from _wholes(owner)
            for given in (*node.args, *node.keywords):
                yield from _wholes(given)
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) | ast.Subscript(slice=ast.Constant()):
            yield node
        case _:
            for inside in ast.iter_child_nodes(node):
                yield from _wholes(inside)


def _held_by(evaluator: Evaluator, one: Possibility) -> Iterator[Span]:
    thing = one.thing
    held: Items | None = None
    if isinstance(thing, CommandLine | Instance):
        held = evaluator.attributes_of(thing, one.span)
    elif isinstance(thing, Items | Mapping | Settings):
        (held,) = as_items(evaluator, (one,))
    for values in held.entries.values() if held is not None else ():
        yield from (span for value in values for span in (value.span, *value.sources))
