"""The names that values come by on their ways to loaders."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.read_names import flag_read, last_read
from loaderlint.model.loader import Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts


def with_names(project: Project, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders, each worker count of which can say by which names it came, when somebody asks."""
    names = Names(project)

    def named(value: Value) -> Value:
        known = tuple(replace(one, known_as=partial(names.of, one, value.argument)) for one in value.candidates)
        return replace(value, candidates=known)

    return tuple(
        replace(one, options={**one.options, "num_workers": named(one.num_workers)})
        if "num_workers" in one.options
        else one
        for one in loaders
    )


class Names:
    """What the parts of a project's Python files are called."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files: dict[str, list[tuple[Span, frozenset[str]]]] = {}
        self._called: dict[str, frozenset[Span]] = {}
        self._defined: dict[str, frozenset[Span]] = {}

    def of(self, candidate: Candidate, argument: Span | None) -> frozenset[str]:
        """Return the names, attributes, keys, parameters and flags that a candidate came by."""
        return frozenset(name for _, names in self._passed(candidate, argument) for name in names)

    def read_as(self, candidate: Candidate, argument: Span | None) -> frozenset[str]:
        """Return those of the names by which something of that name can be read: not what is called on the way."""
        return frozenset(
            name
            for span, names in self._passed(candidate, argument)
            if span not in self._called[span.path]
            for name in names
        )

    def _passed(self, candidate: Candidate, argument: Span | None) -> Iterator[tuple[Span, frozenset[str]]]:
        for span in (argument, *(step.span for step in candidate.trail)):
            first = next(iter(self._outermost(span)), None) if span is not None else None
            if span is not None and first is not None and first[0].start == span.start:
                yield first

    def inside(self, span: Span) -> frozenset[str]:
        """Return what stands in a place, of a dotted name the last part, of a declared flag that alone.

        What a function or class is made of stands in none of its ways: only what it takes does.
        """
        if span in self._definitions(span.path):
            return frozenset()
        return frozenset(name for _, names in self._outermost(span) for name in names)

    def _definitions(self, path: str) -> frozenset[Span]:
        if path not in self._defined:
            facts = self._facts(path)
            scopes = facts.scopes.values() if facts is not None else ()
            nodes = (one.node for one in scopes if isinstance(one.node, ast.ClassDef | FunctionNode))
            self._defined[path] = frozenset(facts.span(one) for one in nodes if facts is not None)
        return self._defined[path]

    def _facts(self, path: str) -> PythonFacts | None:
        source = self._project.source(path)
        return self._project.python(path) if source and source.language is Language.PYTHON else None

    def owners(self, span: Span) -> frozenset[str]:
        """Return what stands in a place, and what that is taken from: both ``train`` and ``n`` of ``cfg.train.n``."""
        return frozenset(name for _, names in self._parts(span) for name in names)

    def _outermost(self, span: Span) -> list[tuple[Span, frozenset[str]]]:
        """Return the parts of a place that stand in no others of it, with what they are called."""
        found: list[tuple[Span, frozenset[str]]] = []
        for one in self._parts(span):
            if not found or found[-1][0].end <= one[0].start:
                found.append(one)
        return found

    def _parts(self, span: Span) -> list[tuple[Span, frozenset[str]]]:
        """Return what stands in a place in its order, the longest first, with what it is called."""
        every = self._in(span.path)
        starting = every[bisect_left(every, span.start, key=_start) : bisect_left(every, span.end, key=_start)]
        return [one for one in starting if one[0].end <= span.end]

    def _in(self, path: str) -> list[tuple[Span, frozenset[str]]]:
        if path not in self._files:
            facts = self._facts(path)
            self._files[path] = sorted(_named(facts), key=_longest_first) if facts is not None else []
            sites = facts.sites.values() if facts is not None else ()
            self._called[path] = frozenset(facts.span(one.node.func) for one in sites if facts is not None)
        return self._files[path]


def _start(one: tuple[Span, frozenset[str]]) -> tuple[int, int]:
    return one[0].start


def _longest_first(one: tuple[Span, frozenset[str]]) -> tuple[tuple[int, int], int, int]:
    span, _ = one
    return span.start, -span.end_line, -span.end_column


def _named(facts: PythonFacts) -> Iterator[tuple[Span, frozenset[str]]]:
    kinds = {id(one) for node in nodes_of(facts.tree) for one in _kinds(node)}
    for node in (one for one in nodes_of(facts.tree) if id(one) not in kinds):
        names: Iterable[str | None] = ()
        if isinstance(node, ast.arg):
            names = (node.arg,)
        elif isinstance(node, ast.Call):
            names = (last_read(node), flag_read(node))
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            names = (last_read(node),)
        found = frozenset(name for name in names if name is not None)
        if found:
            assert isinstance(node, ast.expr | ast.arg)
            yield facts.span(node), found


def _kinds(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what says what kind of thing a name holds: no value comes by that."""
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield from nodes_of(node.annotation)
    elif isinstance(node, FunctionNode) and node.returns is not None:
        yield from nodes_of(node.returns)
