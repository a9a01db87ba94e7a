"""Values that one assignment gives several names, ``num_workers = seed = 2``, and expressions: ``(n := 2)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from loaderlint.linking.project import Project
from loaderlint.model.source import Span
from loaderlint.readers.python import PythonFacts


class NamedTwice:
    """Where the names are read that are given together with another place to go."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names: dict[str, Mapping[Span, frozenset[str]]] = {}
        self._reads: dict[str, Mapping[str, list[Span]]] = {}

    def is_read(self, span: Span, on_the_way: Callable[[Span], bool]) -> bool:
        """Return whether what is written at a place is read by a name that leads to no loader."""
        facts = self._project.python(span.path)
        if facts is None:
            return False
        if span.path not in self._names:
            self._names[span.path] = _given_together(facts)
        for name in self._names[span.path].get(span, ()):
            reads = self._reads_in(facts).get(name, [])
            if reads and not any(map(on_the_way, reads)):
                return True
        return False

    def _reads_in(self, facts: PythonFacts) -> Mapping[str, list[Span]]:
        path = facts.source.path
        if path not in self._reads:
            found: dict[str, list[Span]] = {}
            for node in ast.walk(facts.tree):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append(facts.span(node))
            self._reads[path] = found
        return self._reads[path]


def _given_together(facts: PythonFacts) -> Mapping[Span, frozenset[str]]:
    """Return the names, by where their value is written."""
    found: dict[Span, frozenset[str]] = {}
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Assign) and len(node.targets) > 1:
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        elif isinstance(node, ast.NamedExpr):
            names = [node.target.id]
        else:
            continue
        found[facts.span(node.value)] = frozenset(names)
    return found
