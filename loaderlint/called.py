"""What a file calls of the project's other modules and sets up by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from loaderlint.linking.files.importers import Importers
from loaderlint.model.imported import Imported, SettingUp
from loaderlint.writers import set_up_when_called

_MOST_LEVELS = 6
"""Modules that import each other in a row, from the file on, that are looked into."""
_MOST_MODULES = 80
"""Modules that are looked into for one file, the nearest first."""

_Seen: TypeAlias = dict[tuple[str, frozenset[str], frozenset[tuple[str, SettingUp]]], dict[str, SettingUp]]
"""What names of a module set up, given what the module takes from others: many files call the same."""


class Called:
    """What the functions, classes and methods of a project's modules set up when a file calls them.

    Those alone are looked into that the file names, and what these name in turn.
    """

    def __init__(self, importers: Importers) -> None:
        self._importers = importers
        self._known: dict[str, Imported] = {}
        self._seen: _Seen = {}

    def imported(self, path: str) -> Imported:
        """Return what other files take from a file, and what it takes from them."""
        if path not in self._known:
            setting = _Following(self._importers, path, self._seen).setting(path)
            self._known[path] = replace(self._importers.of(path), setting=setting)
        return self._known[path]


class _Following:
    """The modules that one file calls, directly or not, each with the names that are called of it."""

    def __init__(self, importers: Importers, path: str, seen: _Seen) -> None:
        self._importers, self._seen = importers, seen
        self._names: dict[str, set[str]] = {path: set(importers.words(path))}
        self._taken: dict[str, list[tuple[str, str]]] = {}
        self._found: dict[str, dict[str, SettingUp]] = {}
        reached = {path}
        for _ in range(_MOST_LEVELS):
            reached = {module for one in sorted(reached) for module in self._further(one)}

    def _further(self, path: str) -> Iterator[str]:
        """Yield the modules of which more is called than was known before, because a file calls it."""
        words = self._importers.words(path, self._names[path])
        taken = self._taken[path] = []
        for leading, module, names in self._importers.modules(path, words):
            if module != path and (module in self._names or len(self._names) < _MOST_MODULES):
                known = self._names.setdefault(module, set())
                taken.append((leading, module))
                if not names <= known:
                    known |= names
                    yield module

    def setting(self, path: str) -> dict[str, SettingUp]:
        """Return `Imported.setting` for a file."""
        taken = dict.fromkeys(self._taken.get(path, ()))
        return {leading + name: verb for leading, one in taken for name, verb in self._of(one).items()}

    def _of(self, module: str) -> dict[str, SettingUp]:
        """Return what calls of what a module holds set up, by the names that the module itself gives it."""
        if module not in self._found:
            # Modules that import each other: what leads back to this one adds nothing to it.
            self._found[module] = {}
            self._found[module] = self._looked_up(module, self.setting(module))
        return self._found[module]

    def _looked_up(self, module: str, setting: dict[str, SettingUp]) -> dict[str, SettingUp]:
        names = frozenset(self._importers.words(module, self._names[module]))
        asked = module, names, frozenset(setting.items())
        if asked not in self._seen:
            source = self._importers.source(module)
            own = Imported(own=self._importers.own(module), setting=setting)
            self._seen[asked] = set_up_when_called(source, own, names) if source is not None else {}
        return self._seen[asked]
