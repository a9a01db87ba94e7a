"""On which platforms a file can be imported: where all is there that it imports at its top, and what that imports.

A command that an imported file cannot do without at its top is a part of that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.things.possibilities import EVERY_PLATFORM
from loaderlint.readers.python import Binding, PythonFacts
from loaderlint.vocabulary.platforms import MODULES, NEEDED, UNIX, module_of_some

if TYPE_CHECKING:
    from loaderlint.linking.files.project import Project

_MOST_FILES = 150
"""Files looked through for what one file imports; what is further away is taken to be there on every platform."""


class Need(NamedTuple):
    """An import of what only some platforms have, or a call that cannot do without it."""

    facts: PythonFacts
    node: ast.stmt | ast.expr
    platforms: frozenset[str]


class Importable:
    """Answers on which platforms the files of a project can be imported.

    Imports under a condition, in a ``try`` or in a function say nothing.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._needs: dict[str, tuple[Need, ...]] = {}
        self._own: dict[str, tuple[tuple[Need, ...], tuple[str, ...]]] = {}

    def on(self, facts: PythonFacts) -> frozenset[str]:
        """Return the platforms on which a file can be imported, as far as that was seen."""
        return EVERY_PLATFORM.intersection(*(one.platforms for one in self.needs(facts)))

    def needs(self, facts: PythonFacts) -> tuple[Need, ...]:
        """Return where a file, or one that it imports, needs what not every platform has."""
        path = facts.source.path
        if path not in self._needs:
            self._needs[path] = tuple(self._found(facts))
        return self._needs[path]

    def needs_to_its_end(self, facts: PythonFacts) -> tuple[Need, ...]:
        """Return what a file needs before anybody who imports it has what it defines: its own commands, too."""
        return (*self.needs(facts), *_commands_at_the_top(facts))

    def _found(self, facts: PythonFacts) -> Iterator[Need]:
        seen = {facts.source.path}
        waiting: list[PythonFacts] = [facts]
        while waiting:
            looked_at = waiting.pop(0)
            own, imported = self._of(looked_at)
            yield from own
            # In the file itself a loader may be made before.
            yield from _commands_at_the_top(looked_at) if looked_at is not facts else ()
            for path in imported:
                if path not in seen and len(seen) < _MOST_FILES:
                    seen.add(path)
                    one = self._project.python(path)
                    waiting.extend([one] if one is not None else [])

    def _of(self, facts: PythonFacts) -> tuple[tuple[Need, ...], tuple[str, ...]]:
        """Return what a file itself needs, and the files of the project that it imports."""
        path = facts.source.path
        if path not in self._own:
            needs: list[Need] = []
            imported: list[str] = []
            for statement, one in _at_the_top(facts):
                names = [one.target, one.target.rpartition(".")[0]]
                files = [file for name in names if name.strip(".") and (file := self._project.module(name, path))]
                imported.extend(files)
                some = None if files else self._there_on(names, path)
                needs.extend([Need(facts, statement, some)] if some is not None else [])
            self._own[path] = tuple(needs), tuple(dict.fromkeys(imported))
        return self._own[path]

    def _there_on(self, names: list[str], path: str) -> frozenset[str] | None:
        for name in names:
            if (module := module_of_some(name)) is not None:
                return None if self._project.module(module, path) else MODULES[module]
            if name.rpartition(".")[2] in self._project.built_on_unix:
                return UNIX
        return None


def _at_the_top(facts: PythonFacts) -> Iterator[tuple[ast.stmt, Binding]]:
    """Yield the imports that stand at the top of a file, under nothing, with what each binds."""
    top = {id(one): one for one in facts.tree.body if isinstance(one, ast.Import | ast.ImportFrom)}
    for bindings in facts.module.bindings.values():
        for one in bindings:
            if one.kind == "import" and id(one.node) in top:
                yield top[id(one.node)], one


def _commands_at_the_top(facts: PythonFacts) -> Iterator[Need]:
    """Yield the calls at the top of a file, under nothing, that fail where a command is missing."""
    for stop in facts.module.stops:
        if stop.needed and stop.call is not None and not stop.handled and not stop.place.arms:
            yield Need(facts, stop.call, NEEDED[stop.needed])


def imports(node: ast.AST, module: str) -> bool:
    """Return whether a statement imports a module or something of it."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return any(f"{before}{one.name}.".startswith(f"{module}.") for one in node.names)
