"""The names that values come by on their ways to loaders."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from loaderlint.linking.project import Project
from loaderlint.linking.reads import last_read
from loaderlint.model.loader import Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import PythonFacts


def with_names(project: Project, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders, each worker count of which can say by which names it came, when somebody asks."""
    names = _Names(project)

    def named(value: Value) -> Value:
        known = tuple(replace(one, known_as=partial(names.of, one, value.argument)) for one in value.candidates)
        return replace(value, candidates=known)

    return tuple(
        replace(one, options={**one.options, "num_workers": named(one.num_workers)})
        if "num_workers" in one.options
        else one
        for one in loaders
    )


_ByStart = Mapping[tuple[int, int], list[tuple[tuple[int, int], frozenset[str]]]]
"""By where something starts: where it ends, and the names it has."""


class _Names:
    """What the parts of a project's Python files are called."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files: dict[str, _ByStart] = {}

    def of(self, candidate: Candidate, argument: Span | None) -> frozenset[str]:
        """Return the names, attributes, keys, parameters and flags that a candidate came by."""
        spans = (argument, *(step.span for step in candidate.trail))
        return frozenset(name for span in spans if span is not None for name in self._at(span))

    def _at(self, span: Span) -> frozenset[str]:
        inside = [one for one in self._in(span.path).get(span.start, ()) if one[0] <= span.end]
        return max(inside, key=lambda one: one[0])[1] if inside else frozenset()

    def _in(self, path: str) -> _ByStart:
        if path not in self._files:
            found: dict[tuple[int, int], list[tuple[tuple[int, int], frozenset[str]]]] = {}
            source = self._project.source(path)
            facts = self._project.python(path) if source and source.language is Language.PYTHON else None
            for span, names in _named(facts) if facts is not None else ():
                found.setdefault(span.start, []).append((span.end, names))
            self._files[path] = found
        return self._files[path]


def _named(facts: PythonFacts) -> Iterator[tuple[Span, frozenset[str]]]:
    for node in ast.walk(facts.tree):
        names: Iterable[str | None] = ()
        if isinstance(node, ast.arg):
            names = (node.arg,)
        elif isinstance(node, ast.Call):
            names = (last_read(node), *_flags(node))
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            names = (last_read(node),)
        found = frozenset(name for name in names if name is not None)
        if found:
            assert isinstance(node, ast.expr | ast.arg)
            yield facts.span(node), found


def _flags(call: ast.Call) -> Iterator[str]:
    """Yield what the flags that a call declares are called where they are read: ``n_cpu`` for ``--n-cpu``."""
    for one in call.args:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.startswith("-"):
            yield one.value.lstrip("-").replace("-", "_")
