"""Which settings get a value that is written once in a configuration file and repeated by aliases and merges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from loaderlint.linking.files.project import Project
from loaderlint.model.source import Span
from loaderlint.readers.tree import Entry, Node, Scalar, Sequence
from loaderlint.readers.tree import Mapping as TreeMapping

_MOST_NODES = 10_000
"""Nodes of a file, each as often as an alias repeats it; of a file with more it is not known what reads them."""


class Way(NamedTuple):
    """The entries that lead from the root of a document to a value, as programs get them.

    ``repeats`` says that an alias or a merge is one of them: the value is written elsewhere.
    """

    entries: tuple[Entry, ...] = ()
    repeats: bool = False

    def to(self, entry: Entry, *, repeats: bool) -> Way:
        """Return the way that goes on to an entry of where this one leads."""
        return Way((*self.entries, entry), self.repeats or repeats or entry.alias is not None)


class Repeated:
    """Where programs find the values of configuration files."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files: dict[str, Mapping[Span, list[Way]] | None] = {}
        self._mentioned: dict[str, bool] = {}

    def ways(self, span: Span) -> list[Way] | None:
        """Return the ways to what is written at a place, each without what is common to all; None where not known."""
        if span.path not in self._files:
            self._files[span.path] = self._read(span.path)
        found = self._files[span.path]
        ways = found.get(span) if found is not None else None
        if ways is None:
            return None
        together = zip(*([entry.key for entry in way.entries] for way in ways), strict=False)
        common = sum(1 for _ in takewhile(lambda keys: len(set(keys)) == 1, together))
        return [way._replace(entries=way.entries[common:]) for way in ways]

    def reach_others(self, span: Span, is_expected: Callable[[Way], bool]) -> bool:
        """Return whether a value that stands in several places of its file may be read in one that is not expected.

        Others must be written to be repeated alone.
        """
        ways = self.ways(span)
        return not ways or any(self._is_read(way) and not is_expected(way) for way in ways)

    def _is_read(self, way: Way) -> bool:
        """Return whether a program may read what a way leads to.

        What is written to be repeated, such as a mapping that others merge, need not be read: no file mentions its key.
        """
        return way.repeats or all(self._is_mentioned(entry.key) for entry in way.entries)

    def _is_mentioned(self, key: str) -> bool:
        if key not in self._mentioned:
            word = re.compile(rf"\b{re.escape(key)}\b")
            self._mentioned[key] = any(word.search(text) for _, text in self._project.python_mentioning(key))
        return self._mentioned[key]

    def _read(self, path: str) -> Mapping[Span, list[Way]] | None:
        facts = self._project.configuration_file(path)
        found: dict[Span, list[Way]] = {}
        roots = [one.root for one in facts.documents if one.root is not None] if facts is not None else []
        for count, (node, way) in enumerate(_nodes(roots)):
            if count > _MOST_NODES or _may_refer(node):
                return None
            if isinstance(node, Scalar):
                found.setdefault(node.span, []).append(way)
        return found


def _may_refer(node: Node) -> bool:
    """Return whether a node may say what stands elsewhere: ``!ref <workers>``, ``${workers}``, ``%(workers)s``.

    ``!!int 4`` does not.
    """
    if isinstance(node, Scalar):
        return node.opaque and (node.tag is not None or "${" in node.text or "%(" in node.text)
    return node.tag is not None


def _nodes(roots: list[Node]) -> Iterator[tuple[Node, Way]]:
    waiting: list[tuple[Node, Way]] = [(root, Way()) for root in reversed(roots)]
    while waiting:
        node, way = waiting.pop()
        yield node, way
        if isinstance(node, TreeMapping):
            own = frozenset(node.entries)
            waiting += [(one.value, way.to(one, repeats=one not in own)) for one in node.merged.values()]
        elif isinstance(node, Sequence):
            waiting += [(item, way) for item in node.items]
