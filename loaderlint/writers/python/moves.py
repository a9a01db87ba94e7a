"""Moving code: hoisting several definitions, then guarding what runs, each time finding the rest again.

`hoist` keeps every node that holds none it changed. What holds one is found again by a leaf inside it: the name, number
or text stays the same object wherever its surroundings go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst
from msgspec import Struct

from loaderlint.model.imported import Imported
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.guard import guard
from loaderlint.writers.python.hoist import hoist
from loaderlint.writers.python.places import nodes

_LEAVES = (cst.Name, cst.Integer, cst.Float, cst.SimpleString)


class _Anchor(Struct, frozen=True):
    """The leaves of a node, each with the number of nodes of the same type between them."""

    kind: type[cst.CSTNode]
    leaves: dict[cst.CSTNode, int]


def moved(
    module: cst.Module,
    definitions: Sequence[cst.CSTNode],
    statements: Sequence[cst.CSTNode],
    imported: Imported,
) -> tuple[cst.Module, list[str]]:
    """Return the module with the definitions hoisted and the top-level statements guarded, and what makes it unsafe.

    All nodes are the module's own. Raises `CannotRewrite` when one of them cannot be moved.
    """
    hoisted = [_anchor(node, ()) for node in definitions]
    guarded = [_anchor(node, definitions) for node in statements]
    reasons: list[str] = []
    for anchor in hoisted:
        module, reason = hoist(module, _found(module, anchor))
        reasons.append(reason)
    if guarded:
        module, reason = guard(module, {_top_level(module, anchor) for anchor in guarded}, imported)
        reasons.append(reason)
    return module, [reason for reason in reasons if reason]


def _anchor(node: cst.CSTNode, leaving: Iterable[cst.CSTNode]) -> _Anchor:
    """Return what finds the node again, in no part of it that leaves."""
    leave = set(leaving)
    kind = type(node)
    leaves = {
        leaf: sum(type(one) is kind for one in around[1:])
        for leaf, around in _leaves(node, ())
        if not leave.intersection(around)
    }
    return _Anchor(kind, leaves)


def _leaves(
    node: cst.CSTNode, around: tuple[cst.CSTNode, ...]
) -> Iterator[tuple[cst.CSTNode, tuple[cst.CSTNode, ...]]]:
    """Yield the leaves of a node, each with the nodes around it, outermost first."""
    if isinstance(node, _LEAVES):
        yield node, around
    for child in node.children:
        yield from _leaves(child, (*around, node))


def _found(module: cst.Module, anchor: _Anchor) -> cst.CSTNode:
    for leaf, around in _leaves(module, ()):
        if leaf in anchor.leaves:
            candidates = [one for one in reversed(around) if type(one) is anchor.kind]
            if len(candidates) > anchor.leaves[leaf]:
                return candidates[anchor.leaves[leaf]]
    raise CannotRewrite("one of two definitions is gone when the other one is hoisted")


def _top_level(module: cst.Module, anchor: _Anchor) -> int:
    for index, statement in enumerate(module.body):
        if any(one in anchor.leaves for one in nodes(statement)):
            return index
    raise CannotRewrite("a statement is gone when a definition in it is hoisted")
