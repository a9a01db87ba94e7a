"""What edits allow to differ, by the places of the old file as `ast` counts them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from loaderlint.model.edit import (
    AddKey,
    AddOption,
    BeginTurns,
    Drop,
    Edit,
    Export,
    GuardEntryPoint,
    Hoist,
    MakeInteger,
    OnlyWithCuda,
    OnlyWithWorkers,
    RemoveIgnore,
    SetValue,
    WriteAs,
)
from loaderlint.model.source import Source, Span
from loaderlint.model.target import Platform
from loaderlint.model.value import Constant
from loaderlint.nodes import nodes_of
from loaderlint.writers.python.places import ast_point

Extent: TypeAlias = tuple[int, int, int, int]
"""Where a node of `ast` starts and ends: line, column, end line, end column."""
Point: TypeAlias = tuple[int, int]


class ValueIntention(Struct):
    """What one expression is to be: constants where they are named, only with workers or CUDA, an integer, in a form.

    Else it is what it was. With a ``keyword`` it may be given by that where it is the last positional argument.
    """

    everywhere: list[Constant] = field(default_factory=list)
    narrowed: dict[Platform, Constant] = field(default_factory=dict)
    only_with: OnlyWithWorkers | None = None
    only_with_cuda: bool = False
    integer: bool = False
    form: str = ""
    keyword: str = ""

    def constant(self, platform: Platform) -> tuple[Constant] | None:
        """Return the constant that is asked for on a platform, in a tuple of its own, or None."""
        if platform in self.narrowed:
            return (self.narrowed[platform],)
        return (self.everywhere[0],) if self.everywhere else None


class Intentions(Struct):
    """All places where the new file may differ, and the edit that allows it."""

    values: dict[Extent, ValueIntention] = field(default_factory=dict)
    dropped: dict[Point, Drop] = field(default_factory=dict)
    added: dict[Extent, list[AddOption]] = field(default_factory=dict)
    turns: dict[Extent, list[str]] = field(default_factory=dict)
    hoisted: set[Point] = field(default_factory=set)
    guarded: list[Extent] = field(default_factory=list)
    narrows: bool = False
    asks_torch: bool = False


def intentions(source: Source, tree: ast.Module, edits: Iterable[Edit]) -> Intentions:
    """Return what the edits of a file, ``tree`` before them, allow to differ."""
    found = Intentions()
    positional = {start(argument) for node in nodes_of(tree) if isinstance(node, ast.Call) for argument in node.args}
    for edit in edits:
        place = _extent(source, edit.span)
        if isinstance(edit, AddOption):
            added = found.added.setdefault(place, [])
            added += [] if edit in added else [edit]
        elif isinstance(edit, BeginTurns):
            begun = found.turns.setdefault(place, [])
            begun += [] if edit.statement in begun else [edit.statement]
        elif isinstance(edit, Hoist):
            found.hoisted.add(place[:2])
        elif isinstance(edit, GuardEntryPoint):
            found.guarded.append(place)
        elif isinstance(edit, Drop) and _takes_away(source, edit, positional):
            assert edit.entry is not None
            found.dropped[ast_point(source, edit.entry.start)] = edit
        elif not isinstance(edit, RemoveIgnore | AddKey | Export):
            value = found.values.setdefault(place, ValueIntention())
            _add(value, edit)
            found.narrows = found.narrows or bool(value.narrowed)
            found.asks_torch = found.asks_torch or value.only_with_cuda
    return found


def _takes_away(source: Source, edit: Drop, positional: Collection[Point]) -> bool:
    """Return whether a whole entry goes; a positional argument stays, so that those behind it do not move up."""
    return edit.entry is not None and edit.platforms is None and ast_point(source, edit.entry.start) not in positional


def _add(value: ValueIntention, edit: SetValue | Drop | OnlyWithWorkers | MakeInteger | WriteAs | OnlyWithCuda) -> None:
    if isinstance(edit, MakeInteger):
        value.integer = True
    elif isinstance(edit, OnlyWithCuda):
        value.only_with_cuda = True
    elif isinstance(edit, WriteAs):
        value.form = edit.form
    elif isinstance(edit, OnlyWithWorkers):
        value.only_with = edit
    else:
        constant = edit.constant if isinstance(edit, SetValue) else edit.neutral
        value.keyword = value.keyword or (edit.keyword if isinstance(edit, SetValue) else "")
        if edit.platforms is None:
            value.everywhere.append(constant)
        value.narrowed.update(dict.fromkeys(edit.platforms or (), constant))


def _extent(source: Source, span: Span) -> Extent:
    return (*ast_point(source, span.start), *ast_point(source, span.end))


def extent(node: ast.AST) -> Extent:
    """Return where a node stands; nodes without a place of their own stand nowhere, at zeros."""
    return (
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", None) or 0,
        getattr(node, "end_col_offset", None) or 0,
    )


def start(node: ast.AST) -> Point:
    """Return where a node starts."""
    return extent(node)[:2]


def holds(outer: ast.AST, inner: Extent) -> bool:
    """Return whether a place lies inside a node; the decorators of a definition belong to it."""
    decorators: Sequence[ast.AST] = getattr(outer, "decorator_list", [])
    first = min([start(outer), *(start(one) for one in decorators)])
    return first <= inner[:2] and inner[2:] <= extent(outer)[2:]
