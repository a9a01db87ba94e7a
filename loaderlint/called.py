"""What a file calls of the project's other modules and sets up by it."""

from __future__ import annotations

from dataclasses import replace

from loaderlint.linking.importers import Importers
from loaderlint.model.imported import Imported
from loaderlint.writers import set_up_when_called

_MOST_LEVELS = 4
"""Modules that import each other in a row, from the file on, that are looked into."""


class Called:
    """What the functions, classes and methods of a project's modules set up when they are called."""

    def __init__(self, importers: Importers) -> None:
        self._importers = importers
        self._known: dict[tuple[str, int], dict[str, str]] = {}

    def imported(self, path: str) -> Imported:
        """Return what other files take from a file, and what it takes from them."""
        return replace(self._importers.of(path), setting=self._by(path, _MOST_LEVELS))

    def _by(self, path: str, levels: int) -> dict[str, str]:
        """Return `Imported.setting` for a file."""
        modules = dict.fromkeys(self._importers.modules(path)) if levels else ()
        return {
            prefix + name: verb for prefix, module in modules for name, verb in self._of(module, levels - 1).items()
        }

    def _of(self, module: str, levels: int) -> dict[str, str]:
        """Return what calls of what a module holds set up, by the names that the module itself gives it."""
        key = module, levels
        if key not in self._known:
            source = self._importers.source(module)
            own = Imported(own=self._importers.own(module), setting=self._by(module, levels))
            self._known[key] = set_up_when_called(source, own) if source is not None else {}
        return self._known[key]
