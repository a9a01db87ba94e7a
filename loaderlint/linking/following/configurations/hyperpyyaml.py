"""HyperPyYAML: what ``load_hyperpyyaml`` makes of a file.

``!ref <key>`` stands for another value of the file, or for what is worked out from several, and ``!include:`` for
another file; both are settled from the top of the file to its end, before anything is made (``hyperpyyaml/core.py``,
1.2: ``resolve_references``). What ``!new:``, ``!name:`` and ``!apply:`` make is something outside the project, and a
``!PLACEHOLDER`` is what the user has to give.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things.kinds import UNSEEN, Items, Possibilities, Possibility, Row, Thing
from loaderlint.linking.things.operations import arithmetic, computed
from loaderlint.linking.things.possibilities import choice, combined, irremovable, under, unseen
from loaderlint.readers.tree import Document, Entry, Node, Scalar, mappings
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.files.project import Project

_REFERENCE = re.compile(r"<[^>]*>")
_REFERENCES = ("!ref", "!copy")
_OLD_NUMBER = re.compile(r"[-+]?0[0-9_]+|[-+]?0b.*|.*:.*")
"""What YAML 1.1 and 1.2 read as different numbers."""
_INCLUDE = "!include:"
_MADE = ("!new:", "!name:", "!apply:", "!applyref:", "!module:", "!tuple")
DEEPEST_INCLUDES = 4
"""Files that include each other; a longer way than this is unseen."""


def settings(
    project: Project, root: TreeMapping, subject: str | None, replaced: Mapping[str, Possibilities] | None = None
) -> Items | None:
    """Return the dictionary that a file becomes, None where a key stands twice, which is an error.

    ``subject`` names what the user can override, key by key, with other values; None where nobody can. ``replaced`` are
    the values that the program itself puts in the place of the file's.
    """
    if any_key_twice(root):
        return None
    return _File(project, root, subject, replaced or {}, 0).items


def any_key_twice(root: TreeMapping) -> bool:
    """Return whether a key stands twice in any mapping of a file."""
    own = [
        [entry.key for entry in mapping.entries if not entry.merge]
        for _, mapping in mappings(Document(root.span.path, root))
    ]
    return any(len(keys) > len(set(keys)) for keys in own)


class _File:
    """One file while it is settled, in the order it is written."""

    def __init__(
        self,
        project: Project,
        root: TreeMapping,
        subject: str | None,
        replaced: Mapping[str, Possibilities],
        depth: int,
    ) -> None:
        self._project = project
        self._root = root
        self._subject = subject
        self._replaced = replaced
        self._depth = depth
        self._settled: dict[int, Possibilities] = {}
        self._referring = _referring(root)
        own = {key: self._overridden(key, self._top(key, entry)) for key, entry in root.merged.items()}
        self.items = Items({**replaced, **own})

    def _top(self, key: str, entry: Entry) -> Possibilities:
        values = self._entry(entry)
        given = self._replaced.get(key)
        if given is None:
            return values
        joined = any(isinstance(one.thing, Items) for one in values)
        return unseen(entry.span) if joined else given

    def _overridden(self, key: str, values: Possibilities) -> Possibilities:
        if self._subject is None or not values:
            return values
        subject = f"{self._subject} {key}"
        return (*under(values, choice(subject, "default")), *unseen(values[0].span, choice(subject, "given")))

    def _entry(self, entry: Entry) -> Possibilities:
        removable = None if id(entry.value) in self._referring else entry.span
        return tuple(
            replace(one, entry=removable, shared=one.shared or entry.shared) if one.span == entry.value.span else one
            for one in self._node(entry.value)
        )

    def _node(self, node: Node) -> Possibilities:
        known = self._settled.get(id(node))
        if known is None:
            known = self._settled[id(node)] = self._settle(node)
        return known

    def _settle(self, node: Node) -> Possibilities:
        tag = node.tag or ""
        if tag.startswith(_INCLUDE):
            return self._included(node, tag.removeprefix(_INCLUDE))
        if tag.startswith(_MADE):
            for inner in _below(node):
                self._node(inner)
            return unseen(node.span)
        if isinstance(node, Scalar):
            if tag in _REFERENCES:
                return self._reference(node)
            shared = len(self._referring.get(id(node), ())) > 1
            return (Possibility(_constant(node), node.span, shared=shared),)
        if isinstance(node, TreeMapping):
            return (Possibility(Items({key: self._entry(one) for key, one in node.merged.items()}), node.span),)
        return (Possibility(Row(tuple(self._node(item) for item in node.items)), node.span),)

    def _reference(self, scalar: Scalar) -> Possibilities:
        """Return what ``!ref <key>`` stands for, or what arithmetic with references gives."""
        text = scalar.text
        if _REFERENCE.fullmatch(text):
            found = self._referred(text) or unseen(scalar.span)
            return irremovable(one.step(scalar.span, f"!ref {text}") if one.constant else one for one in found)
        names = _REFERENCE.findall(text)
        operands = [self._referred(name) or unseen(scalar.span) for name in names]
        results: list[Possibility] = []
        for values, assumptions, places in combined(*operands) if operands else ():
            things = [one.thing for one in values]
            thing = computed(things, lambda given: _worked_out(text, given), f"!ref {text}")
            trail = () if thing is UNSEEN else tuple(step for one in values for step in one.trail)
            results.append(Possibility(thing, scalar.span, trail=trail, assumptions=assumptions, sources=places))
        return tuple(results) or unseen(scalar.span)

    def _referred(self, reference: str) -> Possibilities:
        """Return what a reference names, `()` where there is no such key; what comes later is not settled yet."""
        first, *rest = (part.strip("]") for part in reference.strip("<>").split("["))
        entry = self._root.get(first)
        if "." in reference or (entry is None and first not in self._replaced):
            return ()
        if entry is None or first in self._replaced:
            return _inside(self._replaced[first], rest)
        node: Node = entry.value
        while rest and id(node) not in self._settled and isinstance(node, TreeMapping) and node.tag is None:
            inner = node.get(rest.pop(0))
            if inner is None:
                return ()
            node = inner.value
        if id(node) not in self._settled and not (isinstance(node, Scalar) and node.tag is None):
            return ()
        return self._overridden(first, _inside(self._node(node), rest))

    def _included(self, node: Node, written: str) -> Possibilities:
        """Return what an included file becomes, its values replaced by those written under the tag."""
        folder = posixpath.dirname(self._root.span.path)
        facts = self._project.configuration_file(posixpath.normpath(posixpath.join(folder, written)))
        root = facts.documents[0].root if facts is not None and facts.documents else None
        if not isinstance(root, TreeMapping) or self._depth >= DEEPEST_INCLUDES:
            return unseen(node.span)
        above = node.merged if isinstance(node, TreeMapping) else {}
        replaced = {key: self._entry(entry) for key, entry in above.items()}
        return (Possibility(_File(self._project, root, None, replaced, self._depth + 1).items, node.span),)


def _inside(values: Possibilities, path: list[str]) -> Possibilities:
    """Return what stands at the end of a path of keys, `()` where one of them is not there."""
    for key in path:
        values = tuple(
            way
            for one in values
            if isinstance(one.thing, Items)
            for way in under(one.thing.entries.get(key, ()), one.assumptions)
        )
    return values


def _constant(scalar: Scalar) -> Thing:
    """Return what ruamel.yaml makes of a scalar: YAML 1.2, where ``yes`` is a string and ``010`` is ten."""
    if scalar.opaque or (not scalar.quoted and _OLD_NUMBER.fullmatch(scalar.text)):
        return UNSEEN
    is_old_boolean = isinstance(scalar.constant, bool) and scalar.text.lower() not in ("true", "false")
    return scalar.text if is_old_boolean else scalar.constant


def _at(root: TreeMapping, path: list[str]) -> Node | None:
    node: Node = root
    for key in path:
        entry = node.get(key) if isinstance(node, TreeMapping) else None
        if entry is None:
            return None
        node = entry.value
    return node


def _below(node: Node) -> Iterator[Node]:
    if isinstance(node, TreeMapping):
        yield from (entry.value for entry in node.merged.values())
    elif not isinstance(node, Scalar):
        yield from node.items


def _referring(root: TreeMapping) -> dict[int, set[str]]:
    """Return under which keys each value of a file is referred to, by the value's identity."""
    found: dict[int, set[str]] = {}
    waiting: list[tuple[str, Node]] = [("", root)]
    seen: set[int] = set()
    while waiting:
        key, node = waiting.pop()
        if isinstance(node, Scalar):
            for name in _REFERENCE.findall(node.text) if node.tag in _REFERENCES else ():
                target = _at(root, [part.strip("]") for part in name.strip("<>").split("[")])
                if target is not None:
                    found.setdefault(id(target), set()).add(key)
        elif id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, TreeMapping):
                waiting.extend((entry.key, entry.value) for entry in node.entries)
            else:
                waiting.extend((key, item) for item in node.items)
    return found


def _worked_out(text: str, values: list[object]) -> object:
    """Return what a text with references gives: a number where it is arithmetic, else the text with values in it.

    Raises ArithmeticError for arithmetic that is not followed.
    """
    rest = iter(values)
    filled = _REFERENCE.sub(lambda _: str(next(rest)), text)
    try:
        body = ast.parse(filled, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return filled
    return _calculated(body) if _is_arithmetic(body) else filled


def _is_arithmetic(node: ast.expr) -> bool:
    """Return whether HyperPyYAML calculates (``_ast_eval``): binary operators on constants, no signs, no calls."""
    if isinstance(node, ast.BinOp):
        return _is_arithmetic(node.left) and _is_arithmetic(node.right)
    return isinstance(node, ast.Constant)


def _calculated(node: ast.expr) -> object:
    if not isinstance(node, ast.BinOp):
        return node.value if isinstance(node, ast.Constant) else None
    try:
        return arithmetic(node.op, [_calculated(node.left), _calculated(node.right)])
    except TypeError as error:
        raise ArithmeticError from error
