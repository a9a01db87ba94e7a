"""Replacing nodes of a tree, so that all others stay the same objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar, cast

import libcst as cst

from loaderlint.writers.python.guarded_body import blank_lines

Replacements: TypeAlias = Mapping[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]
"""What takes the place of a node, by the node itself."""

_Tree = TypeVar("_Tree", bound=cst.CSTNode)


def changed(tree: _Tree, replacements: Replacements) -> _Tree:
    """Return a tree with nodes replaced; those that hold none of them stay the same objects."""
    return cast(_Tree, tree.visit(_Replacing(tree, replacements)))


class _Replacing(cst.CSTTransformer):
    def __init__(self, tree: cst.CSTNode, replacements: Replacements) -> None:
        super().__init__()
        self._replacements = replacements
        self._around: set[cst.CSTNode] = set()
        self._mark(tree)

    def _mark(self, node: cst.CSTNode) -> bool:
        inside = [self._mark(child) for child in node.children]
        if any(inside):
            self._around.add(node)
        return any(inside) or node in self._replacements

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node in self._around and node not in self._replacements

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        if original_node in self._replacements:
            return cast(cst.CSTNodeT, self._replacements[original_node])
        if isinstance(original_node, cst.IndentedBlock) and isinstance(updated_node, cst.IndentedBlock):
            return cast(cst.CSTNodeT, _without_blank_first_line(original_node, updated_node))
        return updated_node


def _without_blank_first_line(before: cst.IndentedBlock, after: cst.IndentedBlock) -> cst.IndentedBlock:
    """Return a block that does not begin with blank lines because its first statement is gone."""
    if not after.body or len(after.body) == len(before.body) or after.body[0] is before.body[0]:
        return after
    first = after.body[0]
    if not isinstance(first, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        return after
    first = first.with_changes(leading_lines=first.leading_lines[blank_lines(first) :])
    return after.with_changes(body=[first, *after.body[1:]])
