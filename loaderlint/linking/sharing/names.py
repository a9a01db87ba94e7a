"""Where the names of files are read, apart from the ways to loaders."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable

from loaderlint.linking.files.project import Project
from loaderlint.linking.files.shown import Shows
from loaderlint.linking.following.read_names import last_read
from loaderlint.linking.sharing.ways import Hold
from loaderlint.model.cells import names_taken
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate
from loaderlint.readers.python import PythonFacts, dotted
from loaderlint.readers.python_bindings import is_globals


class ReadsOfNames:
    """Where the names of each file are read, apart from the ways to loaders."""

    def __init__(self, project: Project, shows: Shows) -> None:
        self._project = project
        self._shows = shows
        self._reads: dict[str, dict[str, list[Span]]] = {}

    def elsewhere(self, candidate: Candidate, ways: Hold) -> bool:
        """Return whether the name a written value was given is read for something else than loaders."""
        facts, name = self._project.python(candidate.span.path), self.name_of(candidate)
        if facts is None or name is None:
            return False
        if facts.source.cells is not None and name in names_taken(facts.source.text):
            return True
        return any(not ways.hold(read) for read in self._reads_in(facts).get(name, ()))

    def imported_elsewhere(self, candidate: Candidate, ways: Hold) -> bool:
        """Return whether a file that imports the name a written value was given reads it for something else."""
        name = self.name_of(candidate)
        if name is None:
            return False
        path = candidate.span.path
        module = posixpath.basename(path).removesuffix(".py")
        imported = re.compile(rf"from\s+[.\w]*\b{module}\s+import\s+(?:\*|[\w\s,(]*\b{name}\b)")
        for other, text in self._project.python_mentioning(name):
            facts = self._project.python(other) if other != path and imported.search(text) else None
            if facts is not None and any(not ways.hold(read) for read in self._reads_in(facts).get(name, ())):
                return True
        return False

    def name_of(self, candidate: Candidate) -> str | None:
        """Return the name of its module that a written value is bound to."""
        facts = self._project.python(candidate.span.path) if candidate.written else None
        return _name_of(facts, candidate) if facts is not None else None

    def _reads_in(self, facts: PythonFacts) -> dict[str, list[Span]]:
        path = facts.source.path
        if path not in self._reads:
            self._reads[path] = {}
            for node, name in _reads(facts, self._shows):
                self._reads[path].setdefault(name, []).append(facts.span(node))
        return self._reads[path]


def _name_of(facts: PythonFacts, candidate: Candidate) -> str | None:
    """Return the name of the module that a written value is bound to, None when it stands anywhere else."""
    for name, bindings in facts.module.bindings.items():
        for one in bindings:
            if one.kind == "assign" and one.value is not None and facts.span(one.value) == candidate.span:
                return name
    return None


def _reads(facts: PythonFacts, shows: Shows) -> Iterable[tuple[ast.expr, str]]:
    """Yield the reads of names that neither a condition nor a call that shows them makes."""
    waiting: list[ast.AST] = [facts.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = dotted(node)
            if name is not None:
                yield node, name
                continue
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and is_globals(node.value):
            name = last_read(node)
            if name is not None:
                yield node, name
        if isinstance(node, ast.Compare | ast.JoinedStr):
            continue
        if isinstance(node, ast.Call) and shows(node, facts):
            continue
        if isinstance(node, ast.keyword) and node.arg == "help":
            continue
        waiting.extend(ast.iter_child_nodes(node))
