"""Taking an item out of a call or dictionary, or adding one, in the layout it has.

A *gap* is the white space, with its comments, that follows a bracket or comma. An item stands between two gaps: the
first decides which line it is on, and the comment behind an item on a line of its own stands in the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from loaderlint.writers.python.places import has_comment

Item: TypeAlias = cst.Arg | cst.DictElement | cst.StarredDictElement
Bracketed: TypeAlias = cst.Call | cst.Dict
Gap: TypeAlias = cst.BaseParenthesizableWhitespace

_NOTHING = cst.SimpleWhitespace("")
_SPACE = cst.SimpleWhitespace(" ")
TIGHT_EQUAL = cst.AssignEqual(_NOTHING, _NOTHING)


class Layout(Struct, frozen=True):
    """The items between two brackets: ``gaps[0]`` follows the opening one, ``gaps[i]`` the i-th item and its comma."""

    items: tuple[Item, ...]
    gaps: tuple[Gap, ...]
    trailing_comma: bool

    @staticmethod
    def of(node: Bracketed) -> Layout:
        """Return the layout of a call's arguments or a dictionary's items."""
        items: Sequence[Item] = node.args if isinstance(node, cst.Call) else node.elements  # type: ignore[assignment]
        first = node.whitespace_before_args if isinstance(node, cst.Call) else node.lbrace.whitespace_after
        gaps = [first, *(_gap_after(item) for item in items)]
        if isinstance(node, cst.Dict):
            gaps[-1] = _both(gaps[-1], node.rbrace.whitespace_before) if items else gaps[-1]
        trailing = bool(items) and isinstance(items[-1].comma, cst.Comma)
        return Layout(tuple(items), tuple(gaps), trailing)

    def on(self, node: Bracketed) -> Bracketed:
        """Return the call or dictionary with this layout in place of its own."""
        items = [self._placed(index, isinstance(node, cst.Call)) for index in range(len(self.items))]
        if isinstance(node, cst.Call):
            return node.with_changes(args=items, whitespace_before_args=self.gaps[0])
        closing = self.gaps[-1] if items else _NOTHING
        return node.with_changes(
            elements=items,
            lbrace=node.lbrace.with_changes(whitespace_after=self.gaps[0]),
            rbrace=node.rbrace.with_changes(whitespace_before=closing),
        )

    def _placed(self, index: int, in_call: bool) -> Item:
        item, gap = self.items[index], self.gaps[index + 1]
        last = index == len(self.items) - 1
        if last and not self.trailing_comma:
            item = item.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return item.with_changes(whitespace_after_arg=gap) if in_call else item
        had_comma = isinstance(item.comma, cst.Comma)
        comma = item.comma if isinstance(item.comma, cst.Comma) else cst.Comma()
        # The gap behind a dictionary's last comma belongs to the closing brace.
        item = item.with_changes(comma=comma.with_changes(whitespace_after=_NOTHING if last and not in_call else gap))
        return item if had_comma or not in_call else item.with_changes(whitespace_after_arg=_NOTHING)

    def without(self, index: int) -> tuple[Layout, bool]:
        """Return the layout without an item, and whether a comment is lost with it."""
        last = index == len(self.items) - 1
        gap, comment_lost = _joined(self.gaps[index], self.gaps[index + 1], first=index == 0, last=last)
        if len(self.items) == 1 and not has_comment(gap):
            gap = _NOTHING
        left = replace(
            self,
            items=self.items[:index] + self.items[index + 1 :],
            gaps=(*self.gaps[:index], gap, *self.gaps[index + 2 :]),
        )
        return left, comment_lost or _has_own_comment(self.items[index])

    def with_item(self, item: Item, index: int) -> Layout:
        """Return the layout with an item inserted: on a line of its own where its neighbours are."""
        before, after = self._gaps_at_end() if index == len(self.items) else self._gaps_within(index)
        return replace(
            self,
            items=(*self.items[:index], item, *self.items[index:]),
            gaps=(*self.gaps[:index], before, after, *self.gaps[index + 1 :]),
        )

    def _gaps_at_end(self) -> tuple[Gap, Gap]:
        closing = self.gaps[-1]
        if not self.items:
            return closing, _NOTHING
        example = self.gaps[-2]
        if not isinstance(example, cst.ParenthesizedWhitespace):
            return _SPACE, closing
        line = example.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
        if not isinstance(closing, cst.ParenthesizedWhitespace):
            return line, closing
        # The comment behind the item that was the last one stays on its line.
        before = line.with_changes(first_line=closing.first_line)
        return before, closing.with_changes(first_line=cst.TrailingWhitespace())

    def _gaps_within(self, index: int) -> tuple[Gap, Gap]:
        gap = self.gaps[index]
        if not isinstance(gap, cst.ParenthesizedWhitespace):
            return gap, _SPACE
        # Comments on lines above the next item stay above it.
        return gap.with_changes(empty_lines=[]), gap.with_changes(first_line=cst.TrailingWhitespace())


def without_items(node: Bracketed, indexes: Iterable[int]) -> tuple[Bracketed, bool]:
    """Return a call or dictionary without some of its items, and whether a comment is lost with them."""
    layout, comment_lost = Layout.of(node), False
    for index in sorted(indexes, reverse=True):
        layout, lost = layout.without(index)
        comment_lost = comment_lost or lost
    return layout.on(node), comment_lost


def with_keyword(node: Bracketed, name: str, value: cst.BaseExpression, quote: str = '"') -> Bracketed:
    """Return a call with one more keyword argument, or a dictionary with one more key, before any splat."""
    if isinstance(node, cst.Call):
        item: Item = cst.Arg(value, keyword=cst.Name(name), equal=TIGHT_EQUAL)
        splats = [index for index, argument in enumerate(node.args) if argument.star == "**"]
        end = len(node.args)
    else:
        item = cst.DictElement(cst.SimpleString(f"{quote}{name}{quote}"), value)
        splats = [index for index, one in enumerate(node.elements) if isinstance(one, cst.StarredDictElement)]
        end = len(node.elements)
    return Layout.of(node).with_item(item, splats[0] if splats else end).on(node)


def has_keyword(node: Bracketed, name: str) -> bool:
    """Return whether a call gives this keyword argument, or a dictionary this key."""
    if isinstance(node, cst.Call):
        return any(argument.keyword is not None and argument.keyword.value == name for argument in node.args)
    keys = [one.key for one in node.elements if isinstance(one, cst.DictElement)]
    return any(isinstance(key, cst.SimpleString) and key.evaluated_value == name for key in keys)


def _gap_after(item: Item) -> Gap:
    if isinstance(item.comma, cst.Comma):
        return item.comma.whitespace_after
    return item.whitespace_after_arg if isinstance(item, cst.Arg) else _NOTHING


def _both(first: Gap, second: Gap) -> Gap:
    return second if isinstance(first, cst.SimpleWhitespace) and not first.value else first


def _has_own_comment(item: Item) -> bool:
    before_comma = item.comma.whitespace_before if isinstance(item.comma, cst.Comma) else _NOTHING
    bare = item.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if isinstance(bare, cst.Arg) and not isinstance(item.comma, cst.Comma):
        bare = bare.with_changes(whitespace_after_arg=_NOTHING)
    return has_comment(bare) or has_comment(before_comma)


def _joined(before: Gap, after: Gap, *, first: bool, last: bool) -> tuple[Gap, bool]:
    """Return the gap that takes the place of an item between two gaps, and whether a comment is lost."""
    if not isinstance(before, cst.ParenthesizedWhitespace):
        if first and not last and not has_comment(after):
            # The next item takes its place behind the bracket, under which the others may be aligned.
            return before, False
        # The item shared its line with what stands before it, so what follows the item now follows that.
        return (after if last or isinstance(after, cst.ParenthesizedWhitespace) else before), False
    if not isinstance(after, cst.ParenthesizedWhitespace):
        return (after if last and not has_comment(before) else before), False
    joined = after.with_changes(first_line=before.first_line, empty_lines=[*before.empty_lines, *after.empty_lines])
    return joined, after.first_line.comment is not None
