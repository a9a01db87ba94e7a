"""Taking whole statements out of a block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias, cast

import libcst as cst

from loaderlint.writers.python.places import has_comment

Line: TypeAlias = cst.SimpleStatementLine | cst.SimpleStatementSuite
Block: TypeAlias = cst.IndentedBlock | cst.Module
_Statement: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement


def without_small(line: Line, indexes: Collection[int]) -> Line:
    """Return a line of several statements without some of them; ``pass`` takes the place of the last of them."""
    kept = [one for index, one in enumerate(line.body) if index not in indexes]
    if not kept:
        return line.with_changes(body=[cst.Pass()])
    kept[-1] = kept[-1].with_changes(semicolon=line.body[-1].semicolon)
    return line.with_changes(body=kept)


def without_lines(block: Block, indexes: Collection[int]) -> tuple[Block, bool]:
    """Return a block without some of its lines, and whether a comment is lost with them.

    Comments on the lines above stay; ``pass`` keeps a block that would be empty.
    """
    body = [cast(_Statement, statement) for statement in block.body]
    kept: list[_Statement] = []
    above: list[cst.EmptyLine] = []
    comment_lost = False
    for index, statement in enumerate(body):
        lines = [*above, *statement.leading_lines]
        if index not in indexes:
            kept.append(statement.with_changes(leading_lines=lines) if above else statement)
            above = []
            continue
        comment_lost = comment_lost or has_comment(statement.with_changes(leading_lines=[]))
        following = body[index + 1].leading_lines if index + 1 < len(body) else ()
        # One gap takes the place of the two around the statement.
        above = lines if has_comment_line(lines) or not following else list(above)
    if not kept and isinstance(block, cst.IndentedBlock):
        kept, above = [cst.SimpleStatementLine([cst.Pass()], leading_lines=above)], []
    if above and has_comment_line(above):
        return block.with_changes(body=kept, footer=[*above, *block.footer]), comment_lost
    return block.with_changes(body=kept), comment_lost


def has_comment_line(lines: Sequence[cst.EmptyLine]) -> bool:
    """Return whether one of the lines is a comment."""
    return any(line.comment is not None for line in lines)
