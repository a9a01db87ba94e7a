"""Where an import finds its module: what each file of a project means by a dotted name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile
from pathlib import PurePath

_SOURCE_ROOTS = frozenset({"src", "lib", "python"})
"""Folders that hold a project's packages without being one (packaging.python.org, "src layout vs flat layout")."""


class SearchPath:
    """The modules of a project by the names that importers use for them."""

    def __init__(self, paths: frozenset[str]) -> None:
        self._paths = paths
        self._known: dict[tuple[str, str, bool], tuple[str, ...]] = {}
        folders = {posixpath.dirname(path) for path in paths if path.endswith(".py")}
        self._packages = frozenset(folder for folder in folders if f"{folder}/__init__.py" in paths)
        above = {one for folder in folders for one in upwards(folder)}
        self._roots = sorted(
            folder
            for folder in above
            if posixpath.basename(folder) in _SOURCE_ROOTS or posixpath.join(folder, "setup.py") in paths
        )

    def modules(self, name: str, importer: str, *, extended: bool = False) -> tuple[str, ...]:
        """Return the paths of the modules that ``importer`` (a path) can mean by a dotted name, likeliest first.

        A relative name means one place. An absolute one is looked for beside the importing file and in each folder
        above it, the way a script's folder or a source root comes to be on ``sys.path``; the folders of the package
        that the file belongs to come last, because they are on the path only where a file of theirs is the script.
        Then come the source roots of the project. ``extended`` says that the file changes ``sys.path``, which makes the
        nearest module of that name possible wherever it is.
        """
        folder = posixpath.dirname(importer)
        key = (name, folder, extended)
        if key not in self._known:
            self._known[key] = tuple(dict.fromkeys(self._found(name, folder, extended)))
        return tuple(path for path in self._known[key] if path != importer or name.startswith("."))

    def ending(self, name: str) -> list[str]:
        """Return the paths of the modules whose own dotted names end with a name, in order."""
        tail = name.replace(".", "/")
        endings = (f"/{tail}.py", f"/{tail}/__init__.py")
        return [path for path in self._by_last_name.get(posixpath.basename(tail), ()) if f"/{path}".endswith(endings)]

    def nearest(self, name: str, other: str) -> list[str]:
        """Return those of the modules `ending` with a name that share most folders with another file.

        Two programs in one repository each have their ``main``.
        """
        found = self.ending(name)
        shared = [shared_folders(path, other) for path in found]
        return [path for path, count in zip(found, shared, strict=True) if count == max(shared)]

    def knows(self, name: str) -> bool:
        """Return whether some module or folder of modules has a name (the last part of a dotted one)."""
        return name in self._by_last_name or name in self._folder_names

    @cached_property
    def _by_last_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            if path.endswith(".py"):
                for last in {posixpath.basename(path.removesuffix("/__init__.py")), posixpath.basename(path)}:
                    found.setdefault(last.removesuffix(".py"), []).append(path)
        return found

    @cached_property
    def _folder_names(self) -> frozenset[str]:
        above = {one for path in self._paths if path.endswith(".py") for one in upwards(posixpath.dirname(path))}
        return frozenset(posixpath.basename(one) for one in above)

    def _found(self, name: str, folder: str, extended: bool) -> Iterator[str]:
        level = len(name) - len(name.lstrip("."))
        parts = [part for part in name.lstrip(".").split(".") if part]
        if level:
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            yield from self._module_in(folder, parts)
            return
        above = list(upwards(folder))
        inside = list(takewhile(lambda one: one in self._packages, above))
        for one in (*above[len(inside) :], *inside):
            yield from self._module_in(one, parts)
        for one in sorted(self._roots, key=lambda root: -shared_folders(f"{root}/", f"{folder}/")):
            yield from self._module_in(one, parts)
        if extended and parts:
            yield from self._nearest(parts, folder)

    def _module_in(self, folder: str, parts: list[str]) -> Iterator[str]:
        base = posixpath.join(folder, *parts) if parts else folder
        # The import system takes a package before a module of the same name (importlib/_bootstrap_external.py).
        for path in (posixpath.join(base, "__init__.py"), f"{base}.py"):
            if path in self._paths:
                yield path
                return

    def _nearest(self, parts: list[str], folder: str) -> Iterator[str]:
        nearest = self.nearest(".".join(parts), f"{folder}/")
        if len(nearest) == 1:
            yield nearest[0]


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, up to the working folder or the root of the file system."""
    while True:
        yield folder
        if folder in ("", "/"):
            return
        folder = posixpath.dirname(folder)


def shared_folders(path: str, other: str) -> int:
    """Return how many folders, from the outermost, two paths have in common; the working folder counts as one."""
    pairs = zip(_folders(path), _folders(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _folders(path: str) -> tuple[str, ...]:
    folders = PurePath(posixpath.dirname(path))
    return folders.parts if folders.is_absolute() else (".", *folders.parts)
