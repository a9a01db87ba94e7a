"""The text of a guard: recognising one, moving statements into it with their comments, closing the gaps they leave."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

import libcst as cst

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.places import nodes, usual_quote

TopLevel: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement

_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)
_CELL = re.compile(r"#\s*(%%|In\s*\[[\d ]*\]|<codecell>|COMMAND -+)")
"""What begins a cell in a notebook exported to a script (jupytext, Spyder, nbconvert, Databricks)."""


def guard_of(statement: TopLevel) -> cst.If | None:
    """Return the statement when it is ``if __name__ == "__main__":`` in any spelling, else None."""
    if not isinstance(statement, cst.If) or not isinstance(statement.test, cst.Comparison):
        return None
    comparison = statement.test
    if len(comparison.comparisons) != 1:
        return None
    right = comparison.comparisons[0]
    if isinstance(right.operator, cst.Equal):
        sides = (comparison.left, right.comparator)
        guards = any(_is_name(one) and _is_main(other) for one, other in (sides, sides[::-1]))
    elif isinstance(right.operator, cst.In) and isinstance(right.comparator, cst.Tuple | cst.List | cst.Set):
        elements = right.comparator.elements
        guards = _is_name(comparison.left) and bool(elements) and all(_is_main(one.value) for one in elements)
    else:
        guards = False
    return statement if guards else None


def _is_name(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "__name__"


def _is_main(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString) and node.evaluated_value == "__main__"


def under_guard(module: cst.Module, inside: Collection[int]) -> cst.Module:
    """Return the module with the statements at these indexes under its guards, all others in their places.

    A statement goes to the front of the first guard behind it, or to the end of the last guard, which then moves to
    where the last such statement stood; a new guard stands there when there was none. Raises `CannotRewrite` when that
    guard has an ``else``.
    """
    body = list(module.body)
    guards = [index for index, statement in enumerate(body) if guard_of(statement) is not None]
    moving = [index for index in sorted(inside) if index not in guards]
    if not moving:
        return module
    module, body = _with_own_comment(module, body, moving[0])
    body = _cells_kept(body, frozenset(moving))
    indent = _indent_of(module)
    groups: dict[int, list[int]] = {index: [] for index in guards}
    rest: list[int] = []
    for index in moving:
        host = next((one for one in guards if one > index), None)
        (rest if host is None else groups[host]).append(index)
    placed: dict[int, TopLevel] = {}
    for host, group in groups.items():
        placed[host] = _grown(body[host], _indented(body, group, indent), [])
    if rest and guards:
        placed[rest[-1]] = _grown(placed.pop(guards[-1]), [], _indented(body, rest, indent))
    elif rest:
        first, *others = _indented(body, rest, indent)
        above = _to_last_mark(first.leading_lines)
        first = first.with_changes(leading_lines=first.leading_lines[len(above) :])
        guard = _new_guard([first, *others], indent, usual_quote(nodes(module)))
        placed[rest[-1]] = guard.with_changes(leading_lines=above)
    return _assembled(module, body, placed, frozenset(moving) | frozenset(guards))


def _assembled(
    module: cst.Module, body: Sequence[TopLevel], placed: dict[int, TopLevel], gone: Collection[int]
) -> cst.Module:
    """Return the module with the guards at their places and the blank lines around what moved put right."""
    kept: list[TopLevel] = []
    gap: int | None = None
    for index, statement in enumerate(body):
        before = kept[-1] if kept else None
        if index in placed:
            first = 0 if before is None and not module.header else 1
            kept.append(apart(before, placed[index], max(first, min(gap or 0, 2), _apart(before, statement))))
            gap = 1
        elif index in gone:
            gap = max(gap or 0, blank_lines(statement))
        elif gap is None:
            kept.append(statement)
        else:
            kept.append(apart(before, statement, max(1, _apart(before, statement)) if gap else 0))
            gap = None
    return module.with_changes(body=kept)


def _apart(before: TopLevel | None, after: TopLevel) -> int:
    """Return how many blank lines there have to be between two statements because one is a definition."""
    return 2 if before is not None and any(isinstance(one, _DEFINITIONS) for one in (before, after)) else 0


def blank_lines(statement: TopLevel) -> int:
    """Return how many blank lines a statement begins with."""
    lines = statement.leading_lines
    return next((at for at, line in enumerate(lines) if line.comment is not None), len(lines))


def spaced(statement: TopLevel, blanks: int) -> TopLevel:
    """Return the statement with at least so many blank lines above it."""
    missing = blanks - blank_lines(statement)
    if missing <= 0:
        return statement
    blank = [cst.EmptyLine(indent=False) for _ in range(missing)]
    return statement.with_changes(leading_lines=[*blank, *statement.leading_lines])


def apart(before: TopLevel | None, statement: TopLevel, blanks: int) -> TopLevel:
    """Return the statement with at least so many blank lines between it and the one that it now follows.

    Those that hold spaces are part of the block before, where there is one; with them there are no more than it takes.
    """
    behind = blank_lines_behind(before) if before is not None else 0
    above = blank_lines(statement)
    surplus = min(above, behind, max(0, above + behind - max(blanks, 2)))
    return spaced(statement.with_changes(leading_lines=statement.leading_lines[surplus:]), blanks - behind)


def blank_lines_behind(statement: TopLevel) -> int:
    """Return how many blank lines a statement ends with, which libcst keeps with its last block."""
    count, block = 0, _last_block(statement)
    while block is not None:
        for line in reversed(block.footer):
            if line.comment is not None:
                return count
            count += 1
        block = _last_block(block.body[-1]) if block.body else None
    return count


def _last_block(node: cst.CSTNode) -> cst.IndentedBlock | None:
    """Return the block that a statement ends with, None where it has none of its own lines."""
    for part in ("finalbody", "orelse"):
        if (last := getattr(node, part, None)) is not None:
            return _last_block(last)
    parts = getattr(node, "handlers", None) or getattr(node, "cases", None)
    block = getattr(parts[-1] if parts else node, "body", None)
    return block if isinstance(block, cst.IndentedBlock) else None


def _new_guard(statements: Sequence[TopLevel], indent: str, quote: str) -> cst.If:
    main = cst.SimpleString(f"{quote}__main__{quote}")
    test = cst.Comparison(cst.Name("__name__"), [cst.ComparisonTarget(cst.Equal(), main)])
    return cst.If(test, cst.IndentedBlock(statements, indent=indent))


def _indent_of(module: cst.Module) -> str:
    """Return what most blocks of the module are indented by; libcst takes the first one's, however odd it is."""
    blocks = _Blocks()
    module.visit(blocks)
    return max(blocks.by_indent, key=blocks.by_indent.__getitem__, default=None) or module.default_indent


class _Blocks(cst.CSTVisitor):
    def __init__(self) -> None:
        self.by_indent: Counter[str | None] = Counter()

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.by_indent[node.indent] += 1


def _grown(guard: TopLevel, first: Sequence[TopLevel], last: Sequence[TopLevel]) -> TopLevel:
    """Return the guard with statements, indented already, before and behind those it has."""
    if not isinstance(guard, cst.If) or not (first or last):
        return guard
    if last and guard.orelse is not None:
        raise CannotRewrite('the `if __name__ == "__main__":` has an `else`, so what follows cannot join it')
    block = _as_block(guard.body)
    behind = list(last)
    if behind and block.footer:
        behind[0] = behind[0].with_changes(leading_lines=[*block.footer, *behind[0].leading_lines])
        block = block.with_changes(footer=[])
    return guard.with_changes(body=block.with_changes(body=[*first, *block.body, *behind]))


def _as_block(suite: cst.BaseSuite) -> cst.IndentedBlock:
    """Return what follows a colon as an indented block, also when it stood on the same line."""
    if isinstance(suite, cst.IndentedBlock):
        return suite
    if not isinstance(suite, cst.SimpleStatementSuite):
        raise CannotRewrite("the guard has no body")
    line = cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)
    return cst.IndentedBlock([line])


def _indented(body: Sequence[TopLevel], indexes: Sequence[int], indent: str) -> list[TopLevel]:
    """Return statements of the module as they stand in a block: no white space on blank lines, none of them doubled.

    What blank lines parted in the module is parted by one when what stood between does not come along.
    """
    indented: list[TopLevel] = []
    last = len(body)
    for index in indexes:
        statement = body[index]
        if any(blank_lines(one) for one in body[last + 1 : index]):
            statement = spaced(statement, 1)
        lines = list(statement.leading_lines)
        doubled = [at for at in range(1, len(lines)) if _may_go(lines[at]) and lines[at - 1].comment is None]
        lines = [line for at, line in enumerate(lines) if at not in doubled]
        if not indented and lines and _may_go(lines[0]):
            lines = lines[1:]
        moved = statement.with_changes(leading_lines=lines).visit(_InABlock(indent))
        if isinstance(moved, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            # Cells are looked for by marks at the left, and run without their indentation (IPython's `leading_indent`).
            marked = [line.with_changes(indent=False) for line in _to_last_mark(lines)]
            lines = [*marked, *moved.leading_lines[len(marked) :]]
            indented.append(moved.with_changes(leading_lines=lines))
        last = index
    return indented


def _may_go(line: cst.EmptyLine) -> bool:
    """Return whether a line is blank and does not begin a page (a form feed)."""
    return line.comment is None and "\f" not in line.whitespace.value


_GOES_ON = re.compile(r"\\(?:\r\n?|\n)")
"""The end of a line that goes on in the next."""


class _InABlock(cst.CSTTransformer):
    """Takes the white space from blank lines; moves comments and lines behind a backslash along with the others."""

    def __init__(self, indent: str) -> None:
        super().__init__()
        self._indent = indent

    def leave_SimpleWhitespace(
        self, original_node: cst.SimpleWhitespace, updated_node: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        value = _GOES_ON.sub(lambda end: end[0] + self._indent, updated_node.value)
        return updated_node.with_changes(value=value) if value != updated_node.value else updated_node

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        if updated_node.indent:
            return updated_node
        # A line between brackets, further left than the block around them, moves along, too.
        moved = updated_node.last_line.with_changes(value=self._indent + updated_node.last_line.value)
        return updated_node.with_changes(last_line=moved)

    def leave_EmptyLine(self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine) -> cst.EmptyLine:
        if updated_node.comment is None:
            return updated_node.with_changes(indent=False)
        if updated_node.indent:
            return updated_node
        # A comment behind a block, further left than that, has its white space as it was written.
        moved = updated_node.whitespace.with_changes(value=self._indent + updated_node.whitespace.value)
        return updated_node.with_changes(whitespace=moved)


def _with_own_comment(module: cst.Module, body: list[TopLevel], first: int) -> tuple[cst.Module, list[TopLevel]]:
    """Give the first statement, when it moves, the comment right above it, which libcst counts as the file's header."""
    header = list(module.header)
    blank = max((at for at, line in enumerate(header) if line.comment is None), default=-1)
    own = header[blank + 1 :]
    if first != 0 or blank < 0 or not own or any(_is_cell(line) for line in own):
        return module, body
    statement = body[0].with_changes(leading_lines=[*own, *body[0].leading_lines])
    kept = blank if _may_go(header[blank]) else blank + 1
    return module.with_changes(header=header[:kept]), [statement, *body[1:]]


def _cells_kept(body: Sequence[TopLevel], moving: Collection[int]) -> list[TopLevel]:
    """Return the statements with the mark of a cell left to what stays of the cell, if anything does."""
    kept = list(body)
    for index in sorted(moving):
        lines = list(kept[index].leading_lines)
        mark = max((at for at, line in enumerate(lines) if _is_cell(line)), default=-1)
        if mark < 0:
            continue
        for other in range(index + 1, len(kept)):
            if any(_is_cell(line) for line in kept[other].leading_lines):
                break
            if other not in moving:
                end = next((at for at in range(mark + 1, len(lines)) if lines[at].comment is not None), len(lines))
                kept[index] = kept[index].with_changes(leading_lines=lines[end:])
                kept[other] = kept[other].with_changes(leading_lines=[*lines[:end], *kept[other].leading_lines])
                break
    return kept


def _to_last_mark(lines: Sequence[cst.EmptyLine]) -> Sequence[cst.EmptyLine]:
    """Return the lines above a statement down to the last mark of a cell."""
    return lines[: max((at for at, line in enumerate(lines, start=1) if _is_cell(line)), default=0)]


def _is_cell(line: cst.EmptyLine) -> bool:
    return line.comment is not None and _CELL.match(line.comment.value) is not None
