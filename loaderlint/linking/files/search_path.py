"""Where an import finds its module: what each file of a project means by a dotted name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import PurePath
from types import MappingProxyType

from loaderlint.vocabulary.platforms import BUILT_ON_UNIX

SOURCE_ROOTS = frozenset({"src", "lib", "python"})
"""Folders that hold a project's packages without being one (packaging.python.org, "src layout vs flat layout")."""
_NOT_SHADOWED = re.compile(r"(torch|pytorch_lightning|lightning\.(pytorch|fabric))(\.|$)")
"""Dotted names of libraries that a package's own ``torch`` or ``lightning`` does not stand for inside of it.

A script beside one could not import the library.
"""
DECLARES = ("setup.py", "pyproject.toml")
"""Files that say what the project is called whose outermost folder they stand in."""
DECLARES_BESIDE = "setup.cfg"
"""A file that declares installed commands beside one of them (setuptools, "Entry Points")."""
_SET_UP = re.compile(rb"""^\s*(?:setuptools\.)?setup\(\s*name\s*=\s*["']([A-Za-z][\w.-]*)["']""", re.M)
"""The name in the call that sets a project up: what else has a name in its file, such as an extension, is a part."""
_CALLED = re.compile(rb"""^\s*(?:setup\(\s*)?name\s*=\s*["']([A-Za-z][\w.-]*)["']""", re.M)

_ENTRY_POINT = re.compile(rb"""[\s"'=]([A-Za-z_][A-Za-z0-9_.]*):([A-Za-z_][A-Za-z0-9_]*)["'\s]""")

_EXTENDS = re.compile(rb"""\bsys\.path(?:\.(?:append|extend|insert)(?=\()|\s*\+=)""")
_PART_OF_PATH = re.compile(rb"""["']([^"'\n]*)["']""")
_LONGEST_ARGUMENT = 400
"""Bytes behind ``sys.path.append(`` that are looked through for what is put on the path."""

_EXTENSION = re.compile(rb"""\bExtension\(\s*(?:name\s*=\s*)?["'](?:[\w.]*\.)?(\w+)["']""")


class SearchPath:
    """The modules of a project by the names that importers use for them.

    ``called`` are the names of the projects that folders are the outermost of.
    """

    def __init__(self, paths: frozenset[str], called: Mapping[str, str] = MappingProxyType({})) -> None:
        self._paths = paths
        self._known: dict[tuple[str, str, tuple[str, ...] | None], tuple[str, ...]] = {}
        folders = {posixpath.dirname(path) for path in paths if path.endswith(".py")}
        self._packages = frozenset(folder for folder in folders if f"{folder}/__init__.py" in paths)
        above = {one for folder in folders for one in upwards(folder)}
        self._roots = sorted(
            folder
            for folder in above
            if posixpath.basename(folder) in SOURCE_ROOTS
            # Inside a package it is a module of that name.
            or (posixpath.join(folder, "setup.py") in paths and self._outermost(folder) in (None, folder))
        )
        packages = {root: posixpath.join(root, name.replace("-", "_")) for root, name in called.items()}
        self._called = {
            posixpath.basename(package): root for root, package in packages.items() if package in self._packages
        }

    def modules(self, name: str, importer: str, extended: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the paths of the modules that ``importer`` (a path) can mean by a dotted name, likeliest first.

        A relative name means one place. An absolute one is looked for beside the importing file and in each folder
        above it, the way a script's folder or a source root comes to be on ``sys.path``; the folders of the package
        that the file belongs to come last, because they are on the path only where a file of theirs is the script.
        Then come the source roots of the project, and where none of them has it the copy of the project that a larger
        repository keeps: there ``larger.repository.project.tools.run`` is its ``tools/run.py``. ``extended`` are the
        folders that the file puts on ``sys.path`` by their names, None where it does not change it. If it does, the
        nearest module of that name is possible wherever it is, too, but for what is inside another package than the
        file.
        """
        folder = posixpath.dirname(importer)
        key = (name, folder, None if extended is None else tuple(extended))
        if key not in self._known:
            found = tuple(dict.fromkeys(self._found(name, folder, extended)))
            self._known[key] = found or tuple(self._of_larger_repository(name, folder))
        return tuple(path for path in self._known[key] if path != importer or name.startswith("."))

    def answers_to(self, path: str, name: str) -> bool:
        """Return whether an absolute dotted name leads to a file from a folder above it that is in no package."""
        whole = f"{name.replace('.', '/')}.py"
        return f"/{path}".endswith(f"/{whole}") and path.removesuffix(whole).rstrip("/") not in self._packages

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

    def may_have(self, name: str) -> bool:
        """Return whether an absolute dotted name can mean a module of the project, going by its parts."""
        parts = name.split(".")
        return self.knows(parts[0]) or not self._called.keys().isdisjoint(parts)

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

    def _found(self, name: str, folder: str, extended: Sequence[str] | None) -> Iterator[str]:
        level = len(name) - len(name.lstrip("."))
        parts = [part for part in name.lstrip(".").split(".") if part]
        if level:
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            yield from self._module_in(folder, parts)
            return
        above = list(upwards(folder))
        inside = list(takewhile(lambda one: one in self._packages, above))
        scripts = () if _NOT_SHADOWED.match(name) else inside
        for one in (*above[len(inside) :], *scripts):
            yield from self._module_in(one, parts)
        for one in sorted(self._roots, key=lambda root: -shared_folders(f"{root}/", f"{folder}/")):
            yield from self._module_in(one, parts)
        if extended is not None and parts:
            # They are named from the folder of the file, one above it, or the one the program runs in.
            named = (
                path for one in above for put in extended for path in self._module_in(posixpath.join(one, put), parts)
            )
            nearest = next(named, None)
            yield from self._nearest(parts, folder) if nearest is None else (nearest,)

    def _of_larger_repository(self, name: str, folder: str) -> Iterator[str]:
        """Yield the module that follows the project's own name in a dotted one whose first part is not known here."""
        first, *parts = name.split(".")
        if first and not self.knows(first):
            for index, part in enumerate(parts[:-1]):
                root = self._called.get(part)
                if root is not None and root in upwards(folder):
                    yield from self._module_in(root, parts[index + 1 :])
                    return

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
            own, other = self._outermost(folder), self._outermost(posixpath.dirname(nearest[0]))
            if own is None or other in (None, own):
                yield nearest[0]

    def _outermost(self, folder: str) -> str | None:
        """Return the outermost package around a folder, which may be the folder itself; None where it is in none."""
        return max(
            takewhile(lambda one: one in self._packages, upwards(folder)), key=lambda one: -len(one), default=None
        )


def put_on_path(content: bytes) -> tuple[str, ...] | None:
    """Return the folders that a file puts on ``sys.path`` by their names; None where it does not speak of it.

    They are as they are written behind what they begin with, such as the folder of the file and those above it.
    """
    if b"sys.path" not in content:
        return None
    found: list[str] = []
    for match in _EXTENDS.finditer(content):
        if b"#" in content[content.rfind(b"\n", 0, match.start()) + 1 : match.start()]:
            continue
        argument = _argument(content[match.end() : match.end() + _LONGEST_ARGUMENT])
        texts = [text.decode("utf-8", "replace").rpartition("}")[2] for text in _PART_OF_PATH.findall(argument)]
        found.extend(texts if b"[" in argument else ["/".join(texts)])
    folders = ("/".join(part for part in text.split("/") if part not in ("", ".", "..")) for text in found)
    return tuple(dict.fromkeys(one for one in folders if one))


def _argument(text: bytes) -> bytes:
    """Return what a text begins with, up to where its first bracket is closed, or else to the end of its line."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in b"([") - (sign in b")]")
        if depth == 0 and sign in b")]\n":
            return text[:place]
    return text


def name_declared(content: bytes) -> str | None:
    """Return what a project is called, as far as the text of one of the files that say so shows it."""
    names = set(_SET_UP.findall(content)) or set(_CALLED.findall(content))
    return names.pop().decode("ascii", "replace") if len(names) == 1 else None


def built_on_unix(content: bytes) -> Iterator[str]:
    """Yield the last names of the modules that a build script makes with what only a Unix compiler has."""
    if BUILT_ON_UNIX in content:
        yield from (name.decode("ascii") for name in _EXTENSION.findall(content))


def entry_points(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield the modules and functions that installed commands call, as the text of a file that declares some has them.

    packaging.python.org, "Entry points specification": ``command = "package.module:function"``.
    """
    for module, function in _ENTRY_POINT.findall(content):
        yield module.decode("ascii"), function.decode("ascii")


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
