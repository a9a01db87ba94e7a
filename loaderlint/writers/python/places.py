"""Where things stand in a Python file: which node of the syntax tree a span means."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, lru_cache
from typing import TypeAlias, cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from msgspec import Struct

from loaderlint.model.source import Source, Span
from loaderlint.writers.base import CannotRewrite

Entry: TypeAlias = cst.Arg | cst.DictElement | cst.BaseSmallStatement
"""What can be taken away so that an option no longer arrives."""

_OWN_PARENTHESES = (cst.Tuple, cst.GeneratorExp)


class Places(Struct, frozen=True):
    """A parsed file and the places of its nodes.

    ``positions`` are libcst's: columns count from 0, parentheses around an expression are outside. ``quote`` is the
    quotation mark the file mostly uses.
    """

    source: Source
    module: cst.Module
    positions: Mapping[cst.CSTNode, CodeRange]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    expressions: Mapping[Span, cst.BaseExpression]
    quote: str

    def expression(self, span: Span) -> cst.BaseExpression:
        """Return the outermost expression written at exactly this span.

        Raises `CannotRewrite` when none is.
        """
        node = self.expressions.get(span)
        if node is None:
            raise CannotRewrite(f"no expression stands at {span}")
        return node

    def entry(self, span: Span) -> Entry:
        """Return the argument, dictionary item or statement written at this span.

        Parentheses around its value may or may not be counted in. Raises `CannotRewrite` when there is none.
        """
        for node, position in self.positions.items():
            if isinstance(node, cst.Arg | cst.DictElement | cst.BaseSmallStatement):
                place = self.span(position)
                if place.start == span.start and self._without_end(place) == self._without_end(span):
                    return node
        raise CannotRewrite(f"nothing that can be taken away stands at {span}")

    def _without_end(self, span: Span) -> str:
        return self.source.at(span).rstrip(") \t\r\n")

    def comment(self, span: Span) -> cst.Comment:
        """Return the comment that holds this span.

        Raises `CannotRewrite` when none does.
        """
        for node, position in self.positions.items():
            if isinstance(node, cst.Comment) and self.span(position).holds(span):
                return node
        raise CannotRewrite(f"no comment stands at {span}")

    def definition(self, span: Span) -> cst.CSTNode:
        """Return the lambda, function or class that starts where the span does.

        Raises `CannotRewrite` when none does.
        """
        for node, position in self.positions.items():
            defines = isinstance(node, cst.Lambda | cst.FunctionDef | cst.ClassDef)
            if defines and self.span(position).start == span.start:
                return node
        raise CannotRewrite(f"no lambda, function or class stands at {span}")

    def statement(self, span: Span) -> cst.CSTNode:
        """Return the statement at the top level of the module that holds this span.

        Raises `CannotRewrite` when none does.
        """
        for statement in self.module.body:
            decorators = getattr(statement, "decorators", ())
            first = self.span(self.positions[decorators[0] if decorators else statement])
            last = self.span(self.positions[statement])
            if first.start <= span.start and span.end <= last.end:
                return statement
        raise CannotRewrite(f"no statement stands at {span}")

    def point(self, span: Span) -> tuple[int, int]:
        """Return where a span starts as `ast` counts: lines from 1, columns in UTF-8 bytes from 0."""
        return ast_point(self.source, span.start)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def span(self, position: CodeRange) -> Span:
        """Return a position of libcst as a span of the source."""
        return _span(self.source, position)


@lru_cache(maxsize=1)
def places_of(source: Source) -> Places:
    """Return the parsed source with its places; the last one is kept, since the fixes of a file are tried in turn.

    Raises `CannotRewrite` when libcst cannot parse it, or would not give back the same bytes.
    """
    module = _parsed(source)
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    positions = cast(Mapping[cst.CSTNode, CodeRange], wrapper.resolve(PositionProvider))
    parents = parents_in(module)
    expressions: dict[Span, cst.BaseExpression] = {}
    for node, position in positions.items():
        if isinstance(node, cst.BaseExpression):
            # A node is recorded after its children, so that the outermost of several at one place stays.
            expressions[_span(source, _as_ast_has_it(node, position, positions))] = node
    return Places(source, module, positions, parents, expressions, usual_quote(positions))


def usual_quote(nodes: Iterable[cst.CSTNode]) -> str:
    """Return the quote that most of the strings among some nodes stand in."""
    quotes = Counter(one.quote for one in nodes if isinstance(one, cst.SimpleString) and len(one.quote) == 1)
    return "'" if quotes["'"] > quotes['"'] else '"'


def parents_in(module: cst.Module) -> Mapping[cst.CSTNode, cst.CSTNode]:
    """Return the node around each node of a module.

    libcst's own ``ParentNodeProvider`` says the same and takes ten times as long: it builds every node anew on its way.
    """
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        for name in _field_names(type(node)):
            held = getattr(node, name)
            for child in held if isinstance(held, list | tuple) else (held,):
                if isinstance(child, cst.CSTNode):
                    found[child] = node
                    waiting.append(child)
    return found


@cache
def _field_names(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def _parsed(source: Source) -> cst.Module:
    try:
        module = _with_feeds(source.content)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError) as error:
        raise CannotRewrite(f"{source.path} cannot be parsed: {error}") from error
    if module.bytes != source.content:
        raise CannotRewrite(f"{source.path} would not be kept character for character")
    return module


def _with_feeds(content: bytes) -> cst.Module:
    """Return the module of a file with the form feeds that its statements begin with.

    Python reads over them, wherever they stand in the white space before a statement (``Parser/lexer/lexer.c``).
    libcst drops them, or takes them for what indents a block.
    """
    if b"\f" not in content:
        return _whole(content)
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    lines = content.removeprefix(mark).splitlines(keepends=True)
    begun = {position.start.line for _, position in _statements(_whole(content))}
    fed = {number: _FEEDS.match(line) if number in begun else None for number, line in enumerate(lines, start=1)}
    before = {number: found[0] for number, found in fed.items() if found is not None}
    feedless = (line.removeprefix(before.get(number, b"")) for number, line in enumerate(lines, start=1))
    module = _whole(mark + b"".join(feedless))
    placed = {node: before[place.start.line] for node, place in _statements(module) if place.start.line in before}
    return module.visit(_Feeding(placed))


_FEEDS = re.compile(rb"[ \t\f]*\f")


def _statements(module: cst.Module) -> Iterator[tuple[cst.CSTNode, CodeRange]]:
    """Yield what may have lines of its own above it, and where that stands."""
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    for node, position in positions.items():
        if hasattr(node, "leading_lines"):
            yield node, position


class _Feeding(cst.CSTTransformer):
    """Puts what the first lines of statements begin with before these."""

    def __init__(self, before: Mapping[cst.CSTNode, bytes]) -> None:
        super().__init__()
        self._before = before

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNodeT:
        if original_node not in self._before:
            return updated_node
        space = cst.SimpleWhitespace(self._before[original_node].decode())
        unended = cst.EmptyLine(False, space, newline=cst.Newline(""))
        above = "lines_after_decorators" if getattr(updated_node, "decorators", ()) else "leading_lines"
        return updated_node.with_changes(**{above: [*getattr(updated_node, above), unended]})


def _whole(content: bytes) -> cst.Module:
    """Return the module of a file with all its lines."""
    # Bytes, not text: given text, libcst drops the byte order mark and form feeds.
    module = cst.parse_module(content)
    if module.bytes == content:
        return module
    # A file whose lines end in CR alone is taken for one whose last line has no end.
    ended = module.with_changes(has_trailing_newline=True)
    return ended if ended.bytes == content else _with_last_lines(content)


_LAST_LINES = re.compile(rb"(?<=[\r\n])(?:[ \t]*(?:\r\n?|\n))*[ \t]*\Z")
"""The blank lines at the end of a file."""
_BLANK_LINE = re.compile(rb"([ \t]*)(\r\n?|\n)|([ \t]+)\Z")


def _with_last_lines(content: bytes) -> cst.Module:
    """Return the module of a file whose last lines hold nothing but white space, of which libcst loses some."""
    lines = _LAST_LINES.search(content)
    if lines is None:
        return cst.parse_module(content)
    module = cst.parse_module(content[: lines.start()])
    last = [
        cst.EmptyLine(False, cst.SimpleWhitespace((space + unended).decode()), newline=cst.Newline(end.decode()))
        for space, end, unended in _BLANK_LINE.findall(lines[0])
    ]
    return module.with_changes(footer=[*module.footer, *last])


def _as_ast_has_it(
    node: cst.BaseExpression, position: CodeRange, positions: Mapping[cst.CSTNode, CodeRange]
) -> CodeRange:
    """Return a position as `ast` counts it: the parentheses of a tuple or generator belong to it."""
    if isinstance(node, _OWN_PARENTHESES) and node.lpar:
        return CodeRange(positions[node.lpar[-1]].start, positions[node.rpar[0]].end)
    return position


def _span(source: Source, position: CodeRange) -> Span:
    start, end = position.start, position.end
    # libcst does not count a byte order mark as a character of the first line; a span does.
    mark = 1 if source.text.startswith("\ufeff") else 0
    return Span(
        source.path,
        start.line,
        start.column + 1 + (mark if start.line == 1 else 0),
        end.line,
        end.column + 1 + (mark if end.line == 1 else 0),
        source.cells,
    )


def ast_point(source: Source, place: tuple[int, int]) -> tuple[int, int]:
    """Return a line and column of a span as `ast` counts them: columns in UTF-8 bytes from 0, no byte order mark."""
    line, column = place
    before = source.lines[line - 1][: column - 1]
    return line, len(before.removeprefix("\ufeff").encode("utf-8", "surrogatepass"))


def nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all below it, in the order of the text."""
    yield root
    for child in root.children:
        yield from nodes(child)


SUSPENDS_OR_BINDS = (cst.NamedExpr, cst.Await, cst.Yield)
"""Expressions that do more than answer, whatever they are made of."""


def has_comment(root: cst.CSTNode) -> bool:
    """Return whether there is a comment anywhere in the node."""
    return any(isinstance(node, cst.Comment) for node in nodes(root))
