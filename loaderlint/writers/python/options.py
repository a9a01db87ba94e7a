"""Setting, dropping and adding options in a parsed file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

import libcst as cst
from msgspec import Struct

from loaderlint.model.edit import AddOption
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.model.setting_words import MUTATORS
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.ignores import without_name
from loaderlint.writers.python import expressions
from loaderlint.writers.python.expressions import PlatformTest, code, literal
from loaderlint.writers.python.imports import insert_before, with_import
from loaderlint.writers.python.integers import integer
from loaderlint.writers.python.layout import TIGHT_EQUAL, with_keyword, without_items
from loaderlint.writers.python.places import SUSPENDS_OR_BINDS, Places, nodes
from loaderlint.writers.python.plan import ItemPlan, OptionEdit, Plan, ValuePlan, plan
from loaderlint.writers.python.scopes import ModuleName, Point, binds, imports_of_package, known_names, module_name
from loaderlint.writers.python.statements import without_lines, without_small

COMMENT_LOST = "a comment would be lost"

_Left: TypeAlias = cst.CSTNode | cst.RemovalSentinel
_Change: TypeAlias = Callable[[Any], _Left]
"""What becomes of a node once everything inside it has changed."""


class Edited(Struct, frozen=True):
    """The module after the edits. ``became`` gives the new node for the old ones that were asked for."""

    module: cst.Module
    became: dict[cst.CSTNode, cst.CSTNode]
    unsafe: str = ""


def edit_options(
    places: Places, tree: ast.Module, edits: Iterable[OptionEdit], followed: Iterable[cst.CSTNode] = ()
) -> Edited:
    """Return the module with the edits made.

    ``tree`` is the same file as `ast` sees it, ``followed`` are nodes whose new selves the caller needs. Raises
    `CannotRewrite` when an edit cannot be made exactly, or two contradict each other.
    """
    followed = tuple(followed)
    planned = plan(places, edits, followed)
    narrowed = {node: value.span for node, value in planned.values.items() if value.narrowed}
    name = _sys_name(tree, planned, [places.point(span) for span in narrowed.values()])
    tests = PlatformTest(name.name, {name.name, *known_names(tree, "sys")}, places.quote)
    asking = [places.point(value.span) for value in planned.values.values() if value.only_with_cuda]
    torch = _torch_name(tree, asking) if asking else None
    writer = _Writer(planned, tests, torch, is_taken=partial(binds, tree))
    changer = _Changer(places, writer.changes, {*followed, *narrowed})
    module = _visited(places.module, changer)
    assert isinstance(module, cst.Module)
    if name.missing and any(_asks(changer.became[node], name.name) for node in narrowed):
        module = with_import(module, "sys", name.name, _first_changed(places.module, module))
    if torch is not None and torch.missing:
        module = with_import(module, "torch", torch.name, _first_changed(places.module, module))
    return Edited(module, changer.became, COMMENT_LOST if writer.comment_lost else "")


def _sys_name(tree: ast.Module, planned: Plan, uses: Sequence[Point]) -> ModuleName:
    """Return what to call ``sys`` at all the places: by no name at all where each one of the file is a setting."""
    if all(value.may_import for value in planned.values.values()):
        return module_name(tree, "sys", uses)
    quote = planned.places.quote
    return ModuleName(f"__import__({quote}sys{quote})", missing=False)


def _first_changed(before: cst.Module, after: cst.Module) -> int:
    """Return the index of the first statement that is not the one it was."""
    both = enumerate(zip(before.body, after.body, strict=False))
    return next((at for at, (one, other) in both if one is not other), 0)


def _torch_name(tree: ast.Module, uses: Sequence[Point]) -> ModuleName | None:
    """Return a name for torch at all the places; None in a file that would load torch for nothing but its name."""
    try:
        name = module_name(tree, "torch", uses)
    except CannotRewrite:
        return None
    return None if name.missing and not imports_of_package(tree, "torch") else name


def _visited(node: cst.CSTNode, changer: _Changer) -> cst.CSTNode:
    try:
        result = node.visit(changer)
    except cst.CSTValidationError as error:
        raise CannotRewrite(f"the result would not be valid Python: {error}") from error
    assert isinstance(result, cst.CSTNode)
    return result


def _asks(node: cst.CSTNode, sys_name: str) -> bool:
    """Return whether an expression asks this name for the platform."""
    return any(isinstance(one, cst.Attribute) and code(one) == f"{sys_name}.platform" for one in nodes(node))


class _Changer(cst.CSTTransformer):
    """Applies functions to nodes by identity, innermost first; what is not on the way to one stays the same object."""

    def __init__(
        self, places: Places, changes: dict[cst.CSTNode, list[_Change]], followed: Iterable[cst.CSTNode] = ()
    ) -> None:
        super().__init__()
        self._changes = changes
        self._on_the_way = {around for node in changes for around in places.ancestors(node)}
        self.became: dict[cst.CSTNode, cst.CSTNode] = {node: node for node in followed}

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node in self._on_the_way

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        result: _Left = updated_node
        for change in self._changes.get(original_node, ()):
            result = change(result)
        if original_node in self.became and isinstance(result, cst.CSTNode):
            self.became[original_node] = result
        return cast("cst.CSTNodeT | cst.RemovalSentinel", result)


def _named(keyword: str, argument: cst.Arg) -> cst.Arg:
    """Return an argument by its keyword where it is a condition now, which says nothing of what it is for."""
    conditional = isinstance(argument.value, cst.IfExp)
    return argument.with_changes(keyword=cst.Name(keyword), equal=TIGHT_EQUAL) if conditional else argument


class _Writer:
    """Turns a plan into one change per node."""

    def __init__(
        self, planned: Plan, tests: PlatformTest, torch: ModuleName | None, *, is_taken: Callable[[str], bool]
    ) -> None:
        self._places = planned.places
        self._tests = tests
        self._cuda = "False" if torch is None else f"{torch.name}.cuda.is_available()"
        self._is_taken = is_taken
        self.comment_lost = False
        self.changes: dict[cst.CSTNode, list[_Change]] = {}
        # Items first: a call that is an option's value itself is changed from the inside outwards.
        for node, items in planned.items.items():
            self.comment_lost |= without_items(node, items.dropped)[1]
            self._then(node, partial(self._with_items, items))
        for value_node, value in planned.values.items():
            self._then(value_node, partial(self._with_value, value_node, value))
            argument = self._places.parents[value_node]
            if value.keyword and value.narrowed and self._is_last_positional(argument):
                self._then(argument, partial(_named, value.keyword))
        for arm in [node for node, value in planned.values.items() if value.narrowed]:
            whole = self._places.parents[arm]
            if isinstance(whole, cst.IfExp) and whole not in planned.values and arm is not whole.test:
                self._then(whole, expressions.flat)
        for row in self._rows_of_choices(planned):
            self._then(row, partial(self._with_choices, row))
        for comment, names in planned.comments.items():
            self._then(*self._comment(comment, names))
        for loop, statements in planned.turns.items():
            self._then(loop, partial(_beginning_with, statements))
        self._take_statements_away(planned)

    def _then(self, node: cst.CSTNode, change: _Change) -> None:
        self.changes.setdefault(node, []).append(change)

    def _is_last_positional(self, node: cst.CSTNode) -> bool:
        """Return whether a node is the last positional argument of a call that names the loader's class itself."""
        call = self._places.parents[node]
        # A partial call may be handed more, and a name that is chosen may stand for a class with other parameters.
        if not isinstance(call, cst.Call) or not code(call.func).endswith("DataLoader"):
            return False
        positional = [one for one in call.args if one.keyword is None and one.star != "**"]
        return positional[-1:] == [node] and not any(one.star for one in positional)

    def _rows_of_choices(self, planned: Plan) -> list[cst.List]:
        """Return the lists of constants on one line that all become choices."""
        elements = (self._places.parents[node] for node, value in planned.values.items() if value.narrowed)
        rows = dict.fromkeys(self._places.parents[one] for one in elements if isinstance(one, cst.Element))
        return [
            one
            for one in rows
            if isinstance(one, cst.List)
            and all(element.value in planned.values and literal(element.value) for element in one.elements)
            and "\n" not in code(one)
        ]

    def _with_choices(self, at: cst.List, old: cst.List) -> cst.BaseExpression:
        return expressions.placed(expressions.repeated(old, self._places.module), old, self._places, at)

    def _constant(self, value: Constant, old: cst.BaseExpression | None = None) -> cst.BaseExpression:
        quote = self._tests.quote
        if isinstance(old, cst.SimpleString) and len(old.quote) == 1:
            quote = old.quote
        return expressions.constant(value, quote)

    def _with_value(self, at: cst.BaseExpression, value: ValuePlan, old: cst.BaseExpression) -> cst.BaseExpression:
        new = self._new_value(value, at, old)
        inside_text = any(isinstance(node, cst.FormattedString) for node in self._places.ancestors(at))
        if inside_text and any(quote in code(new) for quote in "\"'"):
            raise CannotRewrite(f"{value.span} stands inside an f-string")
        return new

    def _new_value(self, value: ValuePlan, at: cst.BaseExpression, old: cst.BaseExpression) -> cst.BaseExpression:
        place = partial(expressions.placed, places=self._places, at=at)
        new = old
        if value.integer:
            new = integer(new, partial(place, old=old))
            self._refuse_taken("int")
        for form in value.forms:
            called = tuple(expressions.builtins_called(form))
            self._refuse_taken(*called)
            if called and self._is_taken("*"):
                # ``from numpy import *`` brings a ``min`` of its own.
                raise CannotRewrite(f"a star import may give {called[0]} another meaning in this file")
            new = place(expressions.formed(form, new), old=new)
        if value.only_with_cuda:
            new = place(cst.parse_expression(self._cuda), old=new)
        for constant in value.constants:
            new = place(self._constant(constant, new), old=new)
        for only_with in value.only_with:
            if _has_effects(old):
                raise CannotRewrite(f"{value.span} changes something when it is read, so it depends on no condition")
            neutral = self._constant(only_with.neutral)
            workers = self._worker_count(self._places.expression(only_with.workers))
            new = place(expressions.with_workers(expressions.bare(new), neutral, workers), old=new)
        for narrowed in value.narrowed:
            there = self._constant(narrowed.constant, new)
            platforms = narrowed.platforms
            new = place(expressions.on_platforms(expressions.bare(new), there, platforms, self._tests), old=new)
        return new

    def _refuse_taken(self, *names: str) -> None:
        for name in names:
            if self._is_taken(name):
                raise CannotRewrite(f"the name {name} means something else in this file")

    def _worker_count(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return the worker count as it will stand, which may be edited in the same run."""
        result = _visited(node, _Changer(self._places, self.changes))
        assert isinstance(result, cst.BaseExpression)
        return expressions.bare(result)

    def _with_items(self, items: ItemPlan, node: cst.Call | cst.Dict) -> cst.Call | cst.Dict:
        changed, _ = without_items(node, items.dropped)
        for edit in items.added:
            changed = with_keyword(changed, edit.option, self._added_value(edit), self._tests.quote)
        return changed

    def _added_value(self, edit: AddOption) -> cst.BaseExpression:
        value = self._constant(edit.constant)
        if edit.workers is None:
            return value
        neutral = self._constant(_neutral(edit))
        return expressions.with_workers(value, neutral, self._worker_count(self._places.expression(edit.workers)))

    def _comment(self, comment: cst.Comment, names: Iterable[str]) -> tuple[cst.CSTNode, _Change]:
        text = comment.value
        for name in names:
            text = without_name(text, name)
        if text:
            return comment, lambda node: node.with_changes(value=text)
        around = self._places.parents[comment]
        if isinstance(around, cst.EmptyLine):
            return around, lambda _: cst.RemovalSentinel.REMOVE
        return around, lambda node: node.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))

    def _take_statements_away(self, planned: Plan) -> None:
        parents = self._places.parents
        lines: dict[cst.CSTNode, set[int]] = {}
        blocks: dict[cst.CSTNode, set[int]] = {}
        for statement in planned.statements:
            line = parents[statement]
            assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
            lines.setdefault(line, set()).add(_index(statement, line.body))
        for line, indexes in lines.items():
            assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
            block = parents[line]
            if len(indexes) == len(line.body) and isinstance(block, cst.IndentedBlock | cst.Module):
                blocks.setdefault(block, set()).add(_index(line, block.body))
            else:
                self._then(line, partial(without_small, indexes=indexes))
        for block, indexes in blocks.items():
            assert isinstance(block, cst.IndentedBlock | cst.Module)
            self.comment_lost |= without_lines(block, indexes)[1]
            self._then(block, partial(_block_without, indexes))


def _beginning_with(statements: Iterable[str], loop: cst.For) -> cst.For:
    lines = [cast("cst.SimpleStatementLine | cst.BaseCompoundStatement", one) for one in loop.body.body]
    for index, one in enumerate(statements):
        insert_before(lines, index, cst.parse_statement(one))
    return loop.with_changes(body=loop.body.with_changes(body=lines))


def _block_without(indexes: set[int], block: cst.IndentedBlock | cst.Module) -> cst.CSTNode:
    return without_lines(block, indexes)[0]


def _index(node: cst.CSTNode, among: Iterable[cst.CSTNode]) -> int:
    return next(index for index, one in enumerate(among) if one is node)


def _has_effects(node: cst.BaseExpression) -> bool:
    """Return whether an expression visibly changes something: ``options.pop("x")``, ``next(values)``, ``(x := 1)``."""
    return any(
        isinstance(one, SUSPENDS_OR_BINDS) or (isinstance(one, cst.Call) and _changes(one.func)) for one in nodes(node)
    )


def _changes(called: cst.BaseExpression) -> bool:
    if isinstance(called, cst.Attribute):
        return called.attr.value in MUTATORS
    return isinstance(called, cst.Name) and called.value == "next"


def _neutral(edit: AddOption) -> Constant:
    """Return what torch takes when the option is not given; frameworks put words of their own before its name."""
    for option, default in TORCH_DEFAULTS.items():
        if edit.option == option or edit.option.endswith(f"_{option}"):
            return default
    return False if isinstance(edit.constant, bool) else None
