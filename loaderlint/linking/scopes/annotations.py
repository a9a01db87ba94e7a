"""What the annotations of parameters and fields say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.readers.python import dotted


def annotated(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the types that an annotation joins: ``A | B``, ``Union[A, B]``, ``Optional[A]``, ``Annotated[A, …]``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from annotated(node.left)
        yield from annotated(node.right)
        return
    if not isinstance(node, ast.Subscript):
        yield node
        return
    name = (dotted(node.value) or "").rpartition(".")[2]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in ("Union", "Optional"):
        for one in inner:
            yield from annotated(one)
    elif name == "Annotated" or "tyro.conf" in (dotted(node.value) or ""):
        yield from annotated(inner[0])
    else:
        yield node


def may_be_none(node: ast.expr) -> bool:
    """Return whether an annotation joins None to other types: ``Optional[A]``, ``A | None``."""
    if isinstance(node, ast.BinOp):
        return may_be_none(node.left) or may_be_none(node.right)
    if isinstance(node, ast.Subscript):
        return (dotted(node.value) or "").rpartition(".")[2] == "Optional" or may_be_none(node.slice)
    if isinstance(node, ast.Tuple):
        return any(may_be_none(one) for one in node.elts)
    return isinstance(node, ast.Constant) and node.value is None
