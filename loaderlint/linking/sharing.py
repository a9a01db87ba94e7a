"""Which written values also serve something that is no loader, so that they are not changed for a loader's sake."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.project import Project
from loaderlint.linking.things import External, Frame
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import CallSite, PythonFacts, dotted
from loaderlint.vocabulary.callables import LOADER_CALLABLES

_SAYS = frozenset({"print", "info", "debug", "warning", "log", "format", "add_argument"})
"""Calls that only show a value."""


def with_sharing(evaluator: Evaluator, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders with each candidate marked that something besides loaders uses, too.

    A name or parsed flag is shared when it is read outside the expressions that hand it on towards a loader, the
    conditions that ask about it, and the calls that print it. Whatever else a value is written as (a flag's default, a
    field, a key of a file, a parameter's default) is shared when a call of another library is given it, too.
    """
    every = tuple(loaders)
    ways = [
        span
        for loader in every
        for value in loader.options.values()
        for span in (
            value.argument,
            *(span for one in value.known for span in (one.entry, *(step.span for step in one.trail))),
        )
        if span is not None
    ]
    uses = _Uses(evaluator.project, ways)
    given = _GivenAway(evaluator, ways)
    return tuple(
        replace(loader, options={name: _marked(name, value, uses, given) for name, value in loader.options.items()})
        for loader in every
    )


def _marked(option: str, value: Value, uses: _Uses, given: _GivenAway) -> Value:
    def is_shared(one: Candidate) -> bool:
        return one.shared or uses.elsewhere(one) or (option in _MENDED and given.elsewhere(one, value.argument))

    return replace(value, candidates=tuple(replace(one, shared=is_shared(one)) for one in value.candidates))


_MENDED = frozenset({"num_workers", *WORKER_OPTIONS, "pin_memory"})
"""The options that fixes change at their source."""


class _GivenAway:
    """What calls of other libraries are given, apart from loaders and from the ways to them."""

    def __init__(self, evaluator: Evaluator, ways: list[Span]) -> None:
        self._evaluator = evaluator
        self._ways = ways
        self._known: dict[Span, bool] = {}

    def elsewhere(self, candidate: Candidate, argument: Span | None) -> bool:
        """Return whether a written value also arrives at a call of another library, under a name of its way."""
        if not candidate.written:
            return False
        if candidate.span not in self._known:
            steps = [span for span in (argument, *(step.span for step in candidate.trail)) if span is not None]
            names = {name for span in steps for name in self._names(span)}
            self._known[candidate.span] = any(self._is_given(name, candidate) for name in sorted(names))
        return self._known[candidate.span]

    def _names(self, span: Span) -> Iterable[str]:
        source = self._evaluator.project.source(span.path)
        if source is None or source.language is not Language.PYTHON or span.line != span.end_line:
            return ()
        return _IDENTIFIER.findall(source.at(span))

    @cached_property
    def _arguments(self) -> Mapping[str, list[tuple[PythonFacts, CallSite, ast.expr]]]:
        """The arguments of calls, by the last part of what they read."""
        found: dict[str, list[tuple[PythonFacts, CallSite, ast.expr]]] = {}
        for facts in self._evaluator.project.all_python():
            for called, sites in facts.calls.items():
                for site in sites if called not in _SAYS | _KEEPS else ():
                    for argument in (*site.node.args, *(one.value for one in site.node.keywords)):
                        name = _last_read(argument)
                        if name is not None:
                            found.setdefault(name, []).append((facts, site, argument))
        return found

    def _is_given(self, name: str, candidate: Candidate) -> bool:
        return any(
            self._arrives(facts, site, argument, candidate)
            for facts, site, argument in self._arguments.get(name, ())[:_MOST_ARGUMENTS]
        )

    def _arrives(self, facts: PythonFacts, site: CallSite, argument: ast.expr, candidate: Candidate) -> bool:
        span = facts.span(argument)
        if any(way.holds(span) for way in self._ways):
            return False
        frame = Frame(facts, site.place)
        with self._evaluator.steps(_STEPS):
            if not any(one.span == candidate.span for one in self._evaluator.evaluate(argument, frame)):
                return False
            callees = [one.thing for one in self._evaluator.evaluate(site.node.func, frame)]
        return any(isinstance(one, External) and one.name not in LOADER_CALLABLES for one in callees)


_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_MOST_ARGUMENTS = 40
_STEPS = 150
_KEEPS = frozenset(
    {
        *("dict", "update", "setdefault", "partial", "getattr", "setattr", "vars", "Namespace", "SimpleNamespace"),
        *("EasyDict", "int", "bool", "min", "max", "isinstance", "field", "Field", "Option", "option", "set_defaults"),
        *("replace", "deepcopy", "copy", "cast", "tuple", "list"),
    }
)
"""Calls that hand a value on, or make another of it, and do nothing with it themselves."""


def _last_read(node: ast.expr) -> str | None:
    """Return the name, attribute or key that an expression reads, None when it is none of these."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    return None


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
