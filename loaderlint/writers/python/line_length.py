"""Keeping lines that edits made longer within the length that the project declares, or that the file's lines have."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from loaderlint.nodes import nodes_of
from loaderlint.writers.python.proof import parsed

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_SHORTEST = 88
"""No length counts as shorter: what the commonest formatters leave on one line by default."""


def fitted(old: str, new: str, indent: str, newline: str, declared: int | None = None) -> str:
    """Return what edits made of an old text, calls broken where a line is now longer than it is ``declared`` to be.

    Where nothing is declared, no line shall be longer than all were before.

    Such a line is broken between the arguments of the outermost call around the edit that has several there, or between
    the parameters of a function: behind its bracket, one ``indent`` further in, where the file breaks most calls that
    way, else below its first argument, or with one more tab in a file whose lines all begin with tabs alone. What only
    moved stays as it was, and so does a line with a comment on it, or below one that tells a tool what to do with it.
    An argument that is longer stands alone. Where a line holds several such calls, as in a tuple, it stays one.
    """
    before = _lines(old)
    code = [_bare(line) for line in _code(before, parsed(old, "the source"))]
    limit = declared or max(_SHORTEST, *map(len, code))
    kept = {line.strip() for line in before}
    lines = _lines(new)
    longer = [
        number
        for number, line in enumerate(lines)
        if len(_bare(line)) > limit
        and line.strip() not in kept
        and "#" not in line
        and not TELLS_TOOLS.match(lines[max(number - 1, 0)].strip())
    ]
    if not longer:
        return new
    brackets = _brackets(parsed(new, "the result"), lines)
    hanging = _hangs(parsed(old, "the source"), before)
    tabs = indent.startswith("\t") and not any(_margin(line).endswith(" ") for line in code if line.strip())
    closing = _closes_behind(parsed(old, "the source"), before)
    breaker = _Breaker(limit, indent, newline, hanging, tabs, closing)
    for number in longer:
        line = lines[number]
        edited = _edited(before, line)
        around = [one for one in brackets[number] if one.holds(edited) and len(one.items) > 1]
        ways = (breaker.broken(line, one, loosely=loosely) for loosely in (False, True) for one in around)
        lines[number] = next(filter(None, ways), line)
    return "".join(lines)


def _lines(text: str) -> list[str]:
    return [line for line in _LINE.findall(text) if line]


TELLS_TOOLS = re.compile(
    r"#\s*(?:(?:black|flake8|fmt|isort|mypy|pragma|pylint|pyre|pyright|ruff|type|yapf)\s*:"
    r"|@formatter:|noinspection\b|noqa\b|nosec\b)",
    re.IGNORECASE,
)
"""The beginning of a comment that tells a tool something, of the line it stands on or of those below."""


def _code(lines: Sequence[str], tree: ast.Module) -> Iterator[str]:
    """Yield the lines that have a length of their own choice: no comment, no text of several lines, no address."""
    texts = (one for one in nodes_of(tree) if isinstance(one, ast.Constant) and one.end_lineno != one.lineno)
    inside = {number for one in texts for number in range(one.lineno - 1, one.end_lineno or 0)}
    for number, line in enumerate(lines):
        if number not in inside and "://" not in line and not line.lstrip().startswith("#"):
            yield line


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _edited(before: Sequence[str], line: str) -> tuple[int, int]:
    """Return the columns between which a line differs from the one it was, the most similar of those before."""
    stripped, indented = line.strip(), len(line) - len(line.lstrip())

    def common(other: str) -> tuple[int, int]:
        head = _same(stripped, other)
        return head, min(_same(stripped[::-1], other[::-1]), len(stripped) - head, len(other) - head)

    head, tail = max((common(other.strip()) for other in before), key=sum)
    return indented + head, indented + len(stripped) - tail


def _same(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


class _OnLine(Struct, frozen=True):
    """The part of a call or display that stands on one line, in columns from 0.

    ``items`` are where items begin, the first behind the bracket where that is on the line. ``opened`` is the column
    behind the opening bracket, ``closed`` that of the closing one; None where it stands on another line. ``alone`` says
    that the brackets stand around the line, which has all the items.
    """

    items: tuple[int, ...]
    opened: int | None
    closed: int | None
    alone: bool

    def holds(self, stretch: tuple[int, int]) -> bool:
        return self.items[0] <= stretch[0] and (self.closed is None or stretch[1] <= self.closed)


def _brackets(tree: ast.Module, lines: Sequence[str]) -> dict[int, list[_OnLine]]:
    """Return the calls, displays and parameters with items on each line, counted from 0, those further out first."""
    found: dict[int, list[_OnLine]] = defaultdict(list)
    for node in _outside_text(tree):
        if not isinstance(node, _Bracketed):
            continue
        items = sorted((one.lineno - 1, one.col_offset) for one in _items(node))
        closing = _closing(node, lines)
        for number in dict.fromkeys(line for line, _ in items):
            line, opened = lines[number], _opening(node, lines)
            columns = [_begun(line, _character(line, column)) for at, column in items if at == number]
            behind = opened[1] if opened[0] == number and line[opened[1] :].strip() else None
            if behind is not None:
                columns[0] = behind + len(line[behind:]) - len(line[behind:].lstrip())
            closed = closing[1] if closing[0] == number else None
            alone = len(columns) == len(items) and opened[0] == number - 1 and closing[0] == number + 1
            found[number].append(_OnLine(tuple(columns), behind, closed, alone))
    return found


def _hangs(tree: ast.Module, lines: Sequence[str]) -> bool:
    """Return whether most calls of several lines are broken behind their bracket, not below the first argument."""
    found: list[bool] = []
    for node in _outside_text(tree):
        if isinstance(node, ast.Call) and _items(node) and node.lineno != node.end_lineno:
            number, column = _opening(node, lines)
            first = min((one.lineno - 1, one.col_offset) for one in _items(node))
            if first[0] != number or any(one.lineno - 1 != number for one in _items(node)):
                found.append(not _bare(lines[number])[column:].strip())
    return 2 * sum(found) > len(found)


def _closes_behind(tree: ast.Module, lines: Sequence[str]) -> bool:
    """Return whether most calls that are broken behind their bracket are closed on the line of their last argument."""
    found: list[bool] = []
    for node in _outside_text(tree):
        if isinstance(node, ast.Call) and _items(node) and node.lineno != node.end_lineno:
            number, column = _opening(node, lines)
            if not _bare(lines[number])[column:].strip():
                number, column = _closing(node, lines)
                found.append(bool(lines[number][:column].strip()))
    return 2 * sum(found) > len(found)


def _outside_text(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree but for those inside f-strings, those further out first."""
    waiting = [tree]
    for node in waiting:
        yield node
        if not isinstance(node, ast.JoinedStr):
            waiting.extend(ast.iter_child_nodes(node))


_Bracketed = ast.Call | ast.Dict | ast.List | ast.Set | ast.FunctionDef | ast.AsyncFunctionDef


def _items(node: _Bracketed) -> list[ast.expr | ast.keyword | ast.arg]:
    match node:
        case ast.Call(args=arguments, keywords=keywords):
            return [*arguments, *keywords]
        case ast.Dict(keys=keys, values=values):
            return [key or value for key, value in zip(keys, values, strict=True)]
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return [*elements]
    return _parameters(node)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr | ast.keyword | ast.arg]:
    of = node.args
    several = (*of.posonlyargs, *of.args, of.vararg, *of.kwonlyargs, of.kwarg)
    return [one for one in several if one is not None]


def _opening(node: _Bracketed, lines: Sequence[str]) -> tuple[int, int]:
    """Return the line and the column behind the opening bracket; a call's stands behind what is called."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        found = re.search(rf"\bdef\s+{node.name}\s*\(", lines[node.lineno - 1])
        return (node.lineno - 1, found.end()) if found is not None else (-1, 0)
    if not isinstance(node, ast.Call):
        return node.lineno - 1, _character(lines[node.lineno - 1], node.col_offset) + 1
    assert node.func.end_lineno is not None
    assert node.func.end_col_offset is not None
    number = node.func.end_lineno - 1
    return number, lines[number].find("(", _character(lines[number], node.func.end_col_offset)) + 1


_ENDS_PARAMETERS = re.compile(r"\)\s*(?:->|:)")


def _closing(node: _Bracketed, lines: Sequence[str]) -> tuple[int, int]:
    """Return the line and the column of the closing bracket; that of parameters stands before a colon or an arrow."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = [
            *_parameters(node),
            *(one for one in [*node.args.defaults, *node.args.kw_defaults] if one is not None),
        ]
        line, column = max(((one.end_lineno or 0, one.end_col_offset or 0) for one in inside), default=(node.lineno, 0))
        found = _ENDS_PARAMETERS.search(lines[line - 1], _character(lines[line - 1], column))
        return (line - 1, found.start()) if found is not None else (line, 0)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno - 1, _character(lines[node.end_lineno - 1], node.end_col_offset - 1)


def _begun(line: str, column: int) -> int:
    """Return where an item begins, with the stars and brackets that stand before what `ast` counts."""
    before = line[:column].rstrip("*( \t")
    return column - len(line[len(before) : column].lstrip())


def _character(line: str, utf8_column: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "surrogatepass"))


class _Breaker(Struct, frozen=True):
    """How a file breaks its calls: ``hanging`` behind the bracket, or else below the first argument.

    With ``tabs`` nothing stands below an argument, since the place of one depends on how wide a tab is shown. With
    ``closing`` a bracket is closed on the line of the last argument, not on one of its own.
    """

    limit: int
    indent: str
    newline: str
    hanging: bool
    tabs: bool
    closing: bool

    def broken(self, line: str, bracket: _OnLine, *, loosely: bool = False) -> str | None:
        """Return a line broken between the items of a bracket; None where it cannot be, or still is too long.

        An item may be too long itself: ``loosely`` such a one has a line of its own.
        """
        text = _bare(line)
        end = line[len(text) :]
        if bracket.alone:
            return "".join(f"{one}{end}" for one in self._each(text, bracket.items, len(text), _margin(text)))
        ways = [self._filled(text, bracket)]
        if bracket.opened is not None and bracket.closed is not None:
            ways.insert(0 if self.hanging else 1, self._hung(text, bracket, bracket.opened, bracket.closed))
        fitting = (way for way in ways if len(way) > 1 and all(len(one) <= self.limit for one in way))
        shorter = (way for way in ways if loosely and len(way) > 1)
        way = next(fitting, None) or next(shorter, None)
        return None if way is None else (end or self.newline).join(way) + end

    def _filled(self, text: str, bracket: _OnLine) -> list[str]:
        """Return lines with as many items each as go on one."""
        margin = _margin(text)
        below = margin
        if bracket.opened is not None and self.tabs:
            # One step further in than the body of a loop or function that begins here.
            below += self.indent * (2 if text.endswith(":") else 1)
        elif bracket.opened is not None:
            below += " " * (bracket.items[0] - len(margin))
        made, begun = list[str](), 0
        starts = [one for one in bracket.items if text[:one].rstrip().endswith(",")]
        for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
            if len(self._line(text, begun, following, below)) > self.limit and start > begun:
                made.append(self._line(text, begun, start, below))
                begun = start
        return [*made, self._line(text, begun, len(text), below)]

    @staticmethod
    def _line(text: str, begin: int, end: int, below: str) -> str:
        # What ends the line itself may stand inside a string.
        return (below if begin else "") + (text[begin:] if end == len(text) else text[begin:end].rstrip())

    def _hung(self, text: str, bracket: _OnLine, opened: int, closed: int) -> list[str]:
        """Return the items on a line of their own, set apart as they were, or on one each where that is too long."""
        margin = _margin(text)
        each = self._each(text, bracket.items, closed, margin + self.indent)
        together = margin + self.indent + text[bracket.items[0] : closed].rstrip().removesuffix(",")
        if self.closing:
            together += text[closed:]
            each[-1] = each[-1].removesuffix(",") + text[closed:]
        inside = [together] if len(together) <= self.limit else each
        return [text[:opened], *inside, *([] if self.closing else [margin + text[closed:]])]

    @staticmethod
    def _each(text: str, begun: Sequence[int], end: int, margin: str) -> list[str]:
        """Return the items up to a column, one on each line."""
        starts = [begun[0], *(one for one in begun[1:] if text[:one].rstrip().endswith(","))]
        ends = [*starts[1:], end]
        return [
            f"{margin}{text[one:other].strip().removesuffix(',')}," for one, other in zip(starts, ends, strict=True)
        ]


def _margin(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
