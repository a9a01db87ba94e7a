"""Which written values also serve something that is no loader, so that they are not changed for a loader's sake."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from loaderlint.linking.project import Project
from loaderlint.model.loader import Loader
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import PythonFacts, dotted

_SAYS = frozenset({"print", "info", "debug", "warning", "log", "format", "add_argument"})
"""Calls that only show a value."""


def with_sharing(project: Project, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders with each candidate marked that something besides loaders uses, too.

    A name or parsed flag is shared when it is read outside the expressions that hand it on towards a loader, the
    conditions that ask about it, and the calls that print it.
    """
    every = tuple(loaders)
    ways = [
        span
        for loader in every
        for value in loader.options.values()
        for span in (value.argument, *(step.span for one in value.known for step in one.trail))
        if span is not None
    ]
    uses = _Uses(project, ways)
    return tuple(
        replace(loader, options={name: _marked(value, uses) for name, value in loader.options.items()})
        for loader in every
    )


def _marked(value: Value, uses: _Uses) -> Value:
    known = tuple(replace(one, shared=one.shared or uses.elsewhere(one)) for one in value.candidates)
    return replace(value, candidates=known)


class _Uses:
    """Where the names of each file are read, apart from the ways to loaders."""

    def __init__(self, project: Project, ways: list[Span]) -> None:
        self._project = project
        self._ways: dict[str, list[Span]] = {}
        for span in ways:
            self._ways.setdefault(span.path, []).append(span)
        self._reads: dict[str, dict[str, list[Span]]] = {}

    def elsewhere(self, candidate: Candidate) -> bool:
        """Return whether the name a written value was given is read for something that is no loader."""
        facts = self._project.python(candidate.span.path) if candidate.written else None
        name = _name_of(facts, candidate) if facts is not None else None
        if facts is None or name is None:
            return False
        ways = self._ways.get(facts.source.path, ())
        return any(not any(way.holds(read) for way in ways) for read in self._reads_in(facts).get(name, ()))

    def _reads_in(self, facts: PythonFacts) -> dict[str, list[Span]]:
        path = facts.source.path
        if path not in self._reads:
            self._reads[path] = {}
            for node, name in _reads(facts.tree):
                self._reads[path].setdefault(name, []).append(facts.span(node))
        return self._reads[path]


def _name_of(facts: PythonFacts, candidate: Candidate) -> str | None:
    """Return the name of the module that a written value is bound to, None when it stands anywhere else."""
    for name, bindings in facts.module.bindings.items():
        for one in bindings:
            if one.kind == "assign" and one.value is not None and facts.span(one.value) == candidate.span:
                return name
    return None


def _reads(tree: ast.AST) -> Iterable[tuple[ast.expr, str]]:
    """Yield the reads of names that neither a condition nor a call that shows them makes."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = dotted(node)
            if name is not None:
                yield node, name
                continue
        if isinstance(node, ast.Compare | ast.JoinedStr):
            continue
        if isinstance(node, ast.Call):
            function = node.func
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if called in _SAYS:
                continue
        waiting.extend(ast.iter_child_nodes(node))
