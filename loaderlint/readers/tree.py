"""Configuration as a tree of mappings, sequences and scalars, whatever language it is written in.

A value that an alias repeats is one node reached twice, so the tree is really a graph; it has no cycles, because an
alias of a node that it stands in is read as an opaque scalar. Nodes compare by identity: two nodes are the same when
they are the same piece of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as LookUp
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from loaderlint.model.source import Source, Span
from loaderlint.model.value import Constant

DEEPEST = 200
"""Levels of nesting, aliases followed, beyond which a file is refused; configurations have about ten."""

MERGE = "<<"
"""The key whose value lends its entries to the mapping it stands in (https://yaml.org/type/merge.html)."""


class Scalar(Struct, frozen=True, eq=False):
    """One value.

    ``span`` is the value alone, quotes included, anchor and tag excluded. ``text`` is what the value says once quotes,
    escapes and folding are undone, and ``constant`` what a program makes of it. An ``opaque`` scalar is worked out by
    the program that reads it (a custom tag such as ``!ref <workers>``, an interpolation such as ``${data.workers}``, a
    date): its ``constant`` is its text. ``shared`` says that what is written here is also used elsewhere, through an
    alias or a merge.
    """

    constant: Constant
    span: Span
    text: str
    quoted: bool = False
    tag: str | None = None
    anchor: str | None = None
    opaque: bool = False
    shared: bool = False


class Entry(Struct, frozen=True, eq=False):
    """One key and its value.

    ``span`` runs from the start of the key to the end of the value as it is written here. Where that is an alias,
    ``alias`` is the alias's own place while ``value`` keeps the place of what it repeats.
    """

    key: str
    key_span: Span
    value: Node
    span: Span
    alias: Span | None = None
    merge: bool = False

    @property
    def shared(self) -> bool:
        """Whether the value is written elsewhere, or is also used elsewhere."""
        return self.alias is not None or self.value.shared


class Mapping(Struct, frozen=True, eq=False, dict=True):
    """Keys and values in the order they are written; a key that stands twice is there twice.

    ``flow`` is True for ``{a: 1}``. ``span`` leaves anchor and tag out.
    """

    entries: tuple[Entry, ...]
    span: Span
    tag: str | None = None
    anchor: str | None = None
    flow: bool = False
    shared: bool = False

    def get(self, key: str) -> Entry | None:
        """Return the entry a program gets for this key, or None: the last one here, else one that is merged in."""
        return self.merged.get(key)

    @cached_property
    def merged(self) -> LookUp[str, Entry]:
        """The entry a program gets for each key, merge keys followed; an entry that is merged in keeps its own place.

        The mapping's own keys win over merged ones, a later ``<<`` over an earlier one, and in a list of merged
        mappings the first (``SafeConstructor.flatten_mapping``, PyYAML 6.0).
        """
        found: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.merge:
                for lender in reversed(_lenders(entry.value)):
                    found.update(lender.merged)
        found.update((entry.key, entry) for entry in self.entries if not entry.merge)
        return found


class Sequence(Struct, frozen=True, eq=False):
    """Items in the order they are written; ``span`` leaves anchor and tag out."""

    items: tuple[Node, ...]
    span: Span
    tag: str | None = None
    anchor: str | None = None
    flow: bool = False
    shared: bool = False


Node: TypeAlias = Scalar | Mapping | Sequence


def _lenders(value: Node) -> tuple[Mapping, ...]:
    if isinstance(value, Mapping):
        return (value,)
    if isinstance(value, Sequence):
        return tuple(item for item in value.items if isinstance(item, Mapping))
    return ()


class Document(Struct, frozen=True, eq=False):
    """One document of a file; ``root`` is None when it is empty."""

    path: str
    root: Node | None


class ConfigurationFacts(Struct, frozen=True, eq=False):
    """What one configuration file says, and where its comments stand (each from its ``#`` to the end of its line)."""

    source: Source
    documents: tuple[Document, ...]
    comments: tuple[Span, ...] = ()


KeyPath: TypeAlias = tuple[str, ...]
"""The keys from the root of a document down to a node; an item of a sequence counts as its index, from 0."""


def mappings(document: Document) -> Iterator[tuple[KeyPath, Mapping]]:
    """Yield every mapping of a document once, in the order they are written, with the first path that leads to it."""
    seen: set[int] = set()
    waiting: list[tuple[KeyPath, Node]] = [] if document.root is None else [((), document.root)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, Scalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            yield path, node
            below = [((*path, entry.key), entry.value) for entry in node.entries]
        else:
            below = [((*path, str(index)), item) for index, item in enumerate(node.items)]
        waiting.extend(reversed(below))
