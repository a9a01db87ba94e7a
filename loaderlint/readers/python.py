"""What one Python file says: its scopes, what is bound in them and under which conditions, and every call."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from loaderlint.grammar import refusal
from loaderlint.model.source import Source, Span
from loaderlint.readers import ReadError
from loaderlint.readers.python_attributes import AttributeChange, owners_set
from loaderlint.readers.python_parts import (
    ELEMENT,
    Key,
    Keys,
    Part,
    copied_part,
    elements_of,
    key_of,
    part_of,
    parts_in,
    written,
)
from loaderlint.readers.python_scopes import (
    ANY_GLOBAL,
    Arm,
    Asks,
    Binding,
    Block,
    CallSite,
    Fork,
    FunctionNode,
    Place,
    Scope,
    ScopeNode,
    Stop,
    Suite,
    called_by,
    default_of,
    dotted,
    is_for_types,
    is_main_test,
    keyword_names,
    names_in,
    parameters,
)
from loaderlint.readers.python_walk import walk

__all__ = [
    "ANY_GLOBAL",
    "ELEMENT",
    "Arm",
    "Asks",
    "AttributeChange",
    "Binding",
    "Block",
    "CallSite",
    "Fork",
    "FunctionNode",
    "Key",
    "Keys",
    "Part",
    "Place",
    "PythonFacts",
    "Scope",
    "ScopeNode",
    "Stop",
    "Suite",
    "called_by",
    "copied_part",
    "default_of",
    "dotted",
    "elements_of",
    "is_for_types",
    "is_main_test",
    "key_of",
    "keyword_names",
    "names_in",
    "owners_set",
    "parameters",
    "part_of",
    "parts_in",
    "read",
    "written",
]


_SAID_TO_PARSERS = frozenset({"add_argument", "add_arguments", "add_parser", "set_defaults", "parse_known_args"})


class PythonFacts(Struct, frozen=True, eq=False, dict=True):
    """What one Python file says.

    ``scopes`` are all scopes by the identity of their node, ``calls`` every call by the last part of the callee's name,
    ``blocks`` every ``with`` and ``try``, ``operations`` every operation on two operands, ``attribute_changes``
    the attributes set otherwise than by a dotted name. ``tests`` is whatever asks a question and is not text: ``if``,
    ``while``, ``assert`` and ``match``, the ``if`` of a case, of a comprehension and in an expression, comparisons,
    ``and``, ``or`` and ``not``, and subscripts that are worked out; what asks inside another comes after it.
    """

    source: Source
    tree: ast.Module
    module: Scope
    scopes: dict[int, Scope]
    calls: dict[str, list[CallSite]]
    guard: ast.If | None
    blocks: list[Block]
    operations: list[tuple[ast.BinOp, Place]]
    tests: list[tuple[Asks, Place]]
    attribute_changes: list[AttributeChange]

    @cached_property
    def uses_parsers(self) -> bool:
        """Whether the file makes a parser of command lines or says something to one."""
        return any(one in _SAID_TO_PARSERS or one.endswith(("ArgumentParser", "ArgParser")) for one in self.calls)

    @cached_property
    def sites(self) -> Mapping[int, CallSite]:
        """Every call by the identity of its node."""
        return {id(site.node): site for sites in self.calls.values() for site in sites}

    @cached_property
    def attributes(self) -> Mapping[str, list[tuple[ast.Attribute, ast.AST]]]:
        """Every attribute that is read, set or deleted, by its name, each with the node it stands right inside."""
        found: dict[str, list[tuple[ast.Attribute, ast.AST]]] = {}
        for around in ast.walk(self.tree):
            for node in ast.iter_child_nodes(around):
                if isinstance(node, ast.Attribute):
                    found.setdefault(node.attr, []).append((node, around))
        return found

    def span(self, node: ast.AST) -> Span:
        """Return where a node stands."""
        span = self._spans.get(node)
        if span is None:
            placed = ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias | ast.excepthandler | ast.pattern
            assert isinstance(node, placed)
            span = self._spans[node] = self.between(node, node)
        return span

    @cached_property
    def _spans(self) -> dict[ast.AST, Span]:
        """The spans worked out so far: most are asked for again and again."""
        return {}

    def between(self, first: ast.AST, last: ast.AST) -> Span:
        """Return the span from the start of one node to the end of another."""
        line, column = first.lineno, first.col_offset  # type: ignore[attr-defined]
        end_line, end_column = last.end_lineno, last.end_col_offset  # type: ignore[attr-defined]
        return Span(
            self.source.path,
            line,
            self._characters(line, column) + 1,
            end_line,
            self._characters(end_line, end_column) + 1,
            self.source.cells,
        )

    def _characters(self, line: int, utf8_column: int) -> int:
        text = self.source.lines[line - 1]
        mark = 1 if line == 1 and text.startswith("\ufeff") else 0
        if text.isascii():
            return utf8_column
        return mark + len(text[mark:].encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace"))

    def text(self, node: ast.AST) -> str:
        """Return a node's source on one line."""
        text = self._texts.get(node)
        if text is None:
            text = self._texts[node] = " ".join(self.source.at(self.span(node)).split())
        return text

    @cached_property
    def _texts(self) -> dict[ast.AST, str]:
        """The texts asked for so far, as `_spans`."""
        return {}


_TAKES_GROUPS = re.compile(rb"\bexcept\s*\*")


def _take_as_one(tree: ast.Module) -> None:
    """Make every ``except*`` an ``except``: which errors of a group it takes makes no difference here."""
    for node in ast.walk(tree):
        if type(node).__name__ == "TryStar":
            node.__class__ = ast.Try


def read(source: Source) -> PythonFacts:
    """Return what the file says.

    Raises:
        ReadError: the file is no valid Python, at its line and column; what later versions add is none to this one.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.content, source.path)
        if _TAKES_GROUPS.search(source.content) is not None:
            _take_as_one(tree)
        walked = walk(tree)
    except SyntaxError as error:
        # Where it can read no text at all, Python gives the place as line 0 and column -1.
        raise ReadError(refusal(error), max(error.lineno or 1, 1), max(error.offset or 1, 1)) from None
    except (RecursionError, MemoryError):
        # No tree says where: a chain of operators or of `elif` nests once more with each of its parts.
        message = "nested too deeply to be read, as is a sum of thousands of terms or an `if` of hundreds of `elif`"
        raise ReadError(message, 1, 1) from None
    except ValueError as error:
        raise ReadError(str(error), 1, 1) from None
    return PythonFacts(source, tree, *walked)
