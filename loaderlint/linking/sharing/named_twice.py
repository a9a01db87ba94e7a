"""Values that one assignment gives several names, ``num_workers = seed = 2``, and expressions: ``(n := 2)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from loaderlint.linking.files.project import Project
from loaderlint.model.source import Span
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_NAMES


class NamedTwice:
    """Where the names are read that are given together with another place to go."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names: dict[str, Mapping[Span, frozenset[str]]] = {}
        self._used: dict[str, frozenset[Span]] = {}
        self._reads: dict[str, Mapping[str, list[Span]]] = {}

    def is_read(self, span: Span, on_the_way: Callable[[Span], bool]) -> bool:
        """Return whether what is written at a place is read by a name that leads to no loader, or where it is named."""
        facts = self._project.python(span.path)
        if facts is None:
            return False
        if span.path not in self._names:
            self._names[span.path] = _given_together(facts)
            self._used[span.path] = _used_where_named(facts)
        if span in self._used[span.path]:
            return True
        for name in self._names[span.path].get(span, ()):
            reads = self._reads_in(facts).get(name, [])
            if reads and not any(map(on_the_way, reads)):
                return True
        return False

    def _reads_in(self, facts: PythonFacts) -> Mapping[str, list[Span]]:
        path = facts.source.path
        if path not in self._reads:
            found: dict[str, list[Span]] = {}
            for node in nodes_of(facts.tree):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append(facts.span(node))
            self._reads[path] = found
        return self._reads[path]


def _used_where_named(facts: PythonFacts) -> frozenset[Span]:
    """Return where the values of named expressions are written that something but a loader or a test gets at once."""
    found: set[Span] = set()
    for node in nodes_of(facts.tree):
        asks = isinstance(node, ast.Expr | ast.If | ast.While | ast.Assert | ast.Compare | ast.keyword)
        if asks or (isinstance(node, ast.Call) and called_name(node) in LOADER_NAMES):
            continue
        parts = [one.value if isinstance(one, ast.keyword) else one for one in ast.iter_child_nodes(node)]
        found.update(facts.span(one.value) for one in parts if isinstance(one, ast.NamedExpr))
    return frozenset(found)


def _given_together(facts: PythonFacts) -> Mapping[Span, frozenset[str]]:
    """Return the names, by where their value is written."""
    found: dict[Span, frozenset[str]] = {}
    for node in nodes_of(facts.tree):
        if isinstance(node, ast.Assign) and len(node.targets) > 1:
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        elif isinstance(node, ast.NamedExpr):
            names = [node.target.id]
        else:
            continue
        found[facts.span(node.value)] = frozenset(names)
    return found
