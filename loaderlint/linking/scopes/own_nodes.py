"""What stands in a scope itself: what is worked out of a node is known by it, and hangs on the scope it is read in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.readers.python import ScopeNode


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands below a node, but not in functions and classes that are defined there."""
    for one in ast.iter_child_nodes(node):
        if not isinstance(one, ScopeNode):
            yield one
            yield from own_nodes(one)
