"""Fields that a program may read without their names: of a named tuple, or of a dataclass that is taken apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from loaderlint.linking.files.project import Project
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.python_calls import called_name

_MAKES_TUPLES = frozenset({"NamedTuple", "namedtuple"})
_TAKES_APART = r"\bastuple\b"
"""The function of ``dataclasses`` (and of ``attrs``) that makes a tuple of the fields."""
_PATTERN = r"\bcase\b[^\n]*\b{}\s*\("
"""A class pattern of ``match``, by the name of the class."""


class ByPosition:
    """The places of values in classes whose fields are read by where they stand, or by a pattern."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._read: dict[str, tuple[Span, ...]] = {}
        self._said: dict[str, bool] = {}

    def is_read(self, span: Span) -> bool:
        """Return whether what is written at a place is the default of such a field."""
        facts = self._project.python(span.path)
        if facts is None:
            return False
        if span.path not in self._read:
            self._read[span.path] = tuple(self._classes(facts))
        return any(one.holds(span) for one in self._read[span.path])

    def _classes(self, facts: PythonFacts) -> Iterator[Span]:
        for name in _MAKES_TUPLES:
            yield from (facts.span(site.node) for site in facts.calls.get(name, ()))
        for scope in facts.scopes.values():
            node = scope.node
            if isinstance(node, ast.ClassDef) and (_is_tuple(node) or self._is_taken_apart(node)):
                yield facts.span(node)

    def _is_taken_apart(self, node: ast.ClassDef) -> bool:
        """Return whether a class has fields and the project makes tuples of some, or a pattern names the class."""
        fields = any(isinstance(one, ast.AnnAssign) and one.value is not None for one in node.body)
        return fields and (self._says(_TAKES_APART) or self._says(_PATTERN.format(re.escape(node.name)), node.name))

    def _says(self, pattern: str, word: str = "astuple") -> bool:
        """Return whether a file of the project that mentions a word says what a pattern matches."""
        if pattern not in self._said:
            texts = (text for _, text in self._project.python_mentioning(word))
            self._said[pattern] = any(re.search(pattern, text) is not None for text in texts)
        return self._said[pattern]


def _is_tuple(node: ast.ClassDef) -> bool:
    bases = (called_name(one) if isinstance(one, ast.Call) else last_name(one) for one in node.bases)
    return not _MAKES_TUPLES.isdisjoint(bases)
