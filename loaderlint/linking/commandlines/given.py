"""What users give, and what the types of their options say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.linking.things import ABSENT, Possibilities, Possibility, choice, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import dotted


def left_or_given(subject: str, name: str, span: Span) -> Possibilities:
    """Return what a user gives for a name: nothing, or something nobody sees."""
    key = f"{subject}:{name}"
    return (
        *under((Possibility(ABSENT, span),), choice(key, "default")),
        *unseen(span, choice(key, "given")),
    )


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
