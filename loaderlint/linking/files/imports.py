"""Which files of a project import which, as their readers saw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from loaderlint.linking.files.parts import reached
from loaderlint.linking.files.project import Project
from loaderlint.readers.python import PythonFacts


class Imports:
    """The imports of the files that may matter; with ``further`` files, those of everything these bring in as well."""

    def __init__(self, project: Project, *, further: bool = False) -> None:
        self._project = project
        self._further = further
        self._reached: dict[str, frozenset[str]] = {}
        self._together: dict[str, frozenset[str]] = {}

    def brought_in(self, path: str) -> frozenset[str]:
        """Return a file and all that it imports, directly or not."""
        if path not in self._reached:
            self._reached[path] = reached([path], self._imported)
        return self._reached[path]

    def users(self, path: str) -> frozenset[str]:
        """Return a file and all that import it, directly or not."""
        return reached([path], self._users)

    def together(self, path: str) -> frozenset[str]:
        """Return the files that some file imports together with this one."""
        if path not in self._together:
            self._together[path] = reached(self.users(path), self._imported)
        return self._together[path]

    @cached_property
    def _imported(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        waiting = list(self._project.all_python())
        while waiting:
            facts = waiting.pop()
            if facts.source.path in found:
                continue
            found[facts.source.path] = imported = frozenset(self.imported_by(facts))
            further = (self._project.python(path) for path in sorted(imported) if self._further and path not in found)
            waiting.extend(one for one in further if one is not None)
        return found

    @cached_property
    def _users(self) -> Mapping[str, Iterable[str]]:
        found: dict[str, list[str]] = {}
        for path, imported in self._imported.items():
            for one in imported:
                found.setdefault(one, []).append(path)
        return found

    def imported_by(self, facts: PythonFacts) -> Iterator[str]:
        """Yield the files of the project that a file imports."""
        importer = facts.source.path
        for scope in facts.scopes.values():
            for bindings in scope.bindings.values():
                for one in bindings:
                    if one.kind == "import":
                        base = one.target.rpartition(".")[0]
                        for name in (one.target, base):
                            path = self._project.module(name, importer) if name else None
                            if path is not None and path != importer:
                                yield path
