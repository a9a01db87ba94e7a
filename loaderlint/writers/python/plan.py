"""Which nodes of a file a set of option edits is about, and whether the edits agree with each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import libcst as cst
from msgspec import Struct, field

from loaderlint.model.edit import (
    AddOption,
    BeginTurns,
    Drop,
    MakeInteger,
    OnlyWithCuda,
    OnlyWithWorkers,
    RemoveIgnore,
    SetValue,
    WriteAs,
)
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.layout import has_keyword
from loaderlint.writers.python.places import Places, nodes

ValueEdit: TypeAlias = SetValue | Drop | OnlyWithWorkers | MakeInteger | WriteAs | OnlyWithCuda
OptionEdit: TypeAlias = ValueEdit | AddOption | BeginTurns | RemoveIgnore


class Narrowed(Struct, frozen=True):
    """On these platforms the value is this constant."""

    constant: Constant
    platforms: frozenset[Platform]


class ValuePlan(Struct):
    """What happens to one expression, in this order."""

    span: Span
    integer: bool = False
    only_with_cuda: bool = False
    constants: list[Constant] = field(default_factory=list)
    only_with: list[OnlyWithWorkers] = field(default_factory=list)
    narrowed: list[Narrowed] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    keyword: str = ""
    may_import: bool = True

    def add(self, edit: ValueEdit) -> None:
        """Take in one more edit."""
        if isinstance(edit, MakeInteger):
            self.integer = True
        elif isinstance(edit, OnlyWithCuda):
            self.only_with_cuda = True
        elif isinstance(edit, WriteAs):
            self.forms += [] if edit.form in self.forms else [edit.form]
        elif isinstance(edit, OnlyWithWorkers):
            if edit not in self.only_with:
                self.only_with.append(edit)
        else:
            constant = edit.constant if isinstance(edit, SetValue) else edit.neutral
            self.keyword = self.keyword or (edit.keyword if isinstance(edit, SetValue) else "")
            self.may_import = self.may_import and edit.may_import
            if edit.platforms is not None:
                self.narrowed.append(Narrowed(constant, edit.platforms))
            elif not any(_same(constant, other) for other in self.constants):
                self.constants.append(constant)

    def check(self) -> None:
        """Raise `CannotRewrite` when the edits cannot all hold."""
        overlapping = any(
            one.platforms & other.platforms and not _same(one.constant, other.constant)
            for one in self.narrowed
            for other in self.narrowed
        )
        alone = self.constants and (self.integer or self.narrowed)
        formed = self.forms and (len(self.forms) > 1 or self.integer or self.constants or self.only_with)
        circular = any(edit.workers == self.span for edit in self.only_with)
        others = (self.integer, self.constants, self.only_with, self.narrowed, self.forms)
        asked = self.only_with_cuda and any(others)
        if overlapping or alone or formed or circular or asked or len(self.constants) > 1 or len(self.only_with) > 1:
            raise contradiction(self.span)


class ItemPlan(Struct):
    """What happens among the items of one call or dictionary: indexes that go, options that come."""

    dropped: set[int] = field(default_factory=set)
    added: list[AddOption] = field(default_factory=list)


class Plan(Struct):
    """What happens to each node of a file; every node is the old file's."""

    places: Places
    values: dict[cst.BaseExpression, ValuePlan] = field(default_factory=dict)
    items: dict[cst.Call | cst.Dict, ItemPlan] = field(default_factory=lambda: defaultdict(ItemPlan))
    statements: list[cst.BaseSmallStatement] = field(default_factory=list)
    turns: dict[cst.For, list[str]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[cst.Comment, list[str]] = field(default_factory=lambda: defaultdict(list))
    gone: dict[cst.CSTNode, Span] = field(default_factory=dict)

    def add(self, edit: OptionEdit) -> None:
        """Find the node an edit is about."""
        if isinstance(edit, RemoveIgnore):
            names = self.comments[self.places.comment(edit.span)]
            names += [edit.name] if edit.name not in names else []
        elif isinstance(edit, AddOption):
            self._add_option(edit)
        elif isinstance(edit, BeginTurns):
            loop = self.places.parents[self.places.expression(edit.span)]
            if not isinstance(loop, cst.For) or not isinstance(loop.body, cst.IndentedBlock):
                raise CannotRewrite(f"no loop over {edit.span} has a body of its own lines")
            self.turns[loop] += [edit.statement] if edit.statement not in self.turns[loop] else []
        elif isinstance(edit, Drop) and edit.entry is not None and edit.platforms is None:
            self._take_away(edit, edit.entry)
        else:
            self._change_value(edit)

    def _change_value(self, edit: ValueEdit) -> None:
        node = self.places.expression(edit.span)
        declares = isinstance(node, cst.Call) and isinstance(self.places.parents[node], cst.Expr | cst.Decorator)
        if declares and not isinstance(edit, MakeInteger):
            # ``parser.add_argument("--pin", action="store_true")`` says what a flag gives, and is no value itself.
            raise CannotRewrite(f"what stands at {edit.span} is a declaration")
        self.values.setdefault(node, ValuePlan(edit.span)).add(edit)

    def _add_option(self, edit: AddOption) -> None:
        node = self.places.expression(edit.span)
        if not isinstance(node, cst.Call | cst.Dict):
            raise CannotRewrite(f"{edit.option} cannot be added at {edit.span}, which is no call")
        if has_keyword(node, edit.option):
            raise CannotRewrite(f"{edit.option} is given at {edit.span} already")
        added = self.items[node].added
        if edit not in added:
            if any(other.option == edit.option for other in added):
                raise contradiction(edit.span)
            added.append(edit)

    def _take_away(self, edit: Drop, entry: Span) -> None:
        node = self.places.entry(entry)
        around = self.places.parents[node]
        if isinstance(node, cst.BaseSmallStatement):
            if node not in self.gone:
                self.statements.append(node)
        elif isinstance(node, cst.Arg) and node.keyword is None:
            # The arguments behind a positional one would move up.
            self._change_value(Drop(edit.span, edit.option, edit.neutral))
            return
        elif isinstance(around, cst.Call | cst.Dict):
            own: Sequence[cst.CSTNode] = around.args if isinstance(around, cst.Call) else around.elements
            self.items[around].dropped.update(index for index, one in enumerate(own) if one is node)
        else:
            raise CannotRewrite(f"what stands at {entry} cannot be taken away")
        self.gone[node] = entry

    def check(self, further: Iterable[cst.CSTNode]) -> None:
        """Raise `CannotRewrite` when edits contradict each other; ``further`` are nodes that other edits need."""
        for value in self.values.values():
            value.check()
        needed = {*self.values, *self.items, *self.gone, *self.turns, *self._worker_counts(), *further}
        self._check_names()
        for root, span in self._overwritten().items():
            inside = nodes(root)
            next(inside)
            if any(node in needed for node in inside):
                raise contradiction(span)

    def _check_names(self) -> None:
        """Raise `CannotRewrite` where a name that is read elsewhere would lose its value: ``workers=(count := 4)``."""
        narrowed: dict[cst.CSTNode, Span] = {node: one.span for node, one in self.values.items() if one.narrowed}
        for root, span in {**self._overwritten(), **narrowed}.items():
            named = {node.target for node in nodes(root) if isinstance(node, cst.NamedExpr)}
            inside = set(nodes(root)) if named else set()
            if any(one.deep_equals(name) for name in named for one in nodes(self.places.module) if one not in inside):
                raise CannotRewrite(f"what stands at {span} also gives a name its value")

    def _overwritten(self) -> Mapping[cst.CSTNode, Span]:
        constants: dict[cst.CSTNode, Span] = {
            node: value.span
            for node, value in self.values.items()
            if value.constants or value.forms or value.only_with_cuda
        }
        return constants | self.gone

    def _worker_counts(self) -> Iterator[cst.BaseExpression]:
        for value in self.values.values():
            yield from (self.places.expression(edit.workers) for edit in value.only_with)
        for item in self.items.values():
            yield from (self.places.expression(edit.workers) for edit in item.added if edit.workers is not None)


def plan(places: Places, edits: Iterable[OptionEdit], further: Iterable[cst.CSTNode] = ()) -> Plan:
    """Return what the edits do to each node.

    Raises `CannotRewrite` when an edit's place is not found or edits contradict each other.
    """
    planned = Plan(places)
    for edit in edits:
        planned.add(edit)
    planned.check(further)
    return planned


def contradiction(span: Span) -> CannotRewrite:
    """Return the refusal of edits that cannot all be made at a place."""
    return CannotRewrite(f"two edits contradict each other at {span}")


def _same(one: Constant, other: Constant) -> bool:
    return type(one) is type(other) and one == other
