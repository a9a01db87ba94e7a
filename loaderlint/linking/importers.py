"""Which names of a file the rest of the project takes from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from loaderlint.linking.files import OtherFiles
from loaderlint.linking.project import Project
from loaderlint.model.imported import Imported
from loaderlint.model.source import Language, Source
from loaderlint.readers.python_scopes import dotted

_IMPORT = re.compile(rb"\b(?:from\s+[\w.]+\s+)?import\b(?:\s*\([^)]*\)|[^\n]*)|\bimport_module\(\s*[\"'][\w.]+")
_EVERY_NAME = "*"
_NO_NAME = ""
_WORD = re.compile(rb"\w+")


class Importers:
    """The files of a project by what they import.

    A file imports whether or not it says a word of loaders, so all of them are asked; their bytes are read once.
    """

    def __init__(self, sources: Mapping[str, Source], others: OtherFiles | None) -> None:
        self._project = Project(sources, others)
        self._others = others

    def of(self, path: str) -> Imported:
        """Return what other files take from a file."""
        file = PurePosixPath(path)
        stem = file.parent.name if file.name == "__init__.py" else file.stem
        found: dict[str, str] = {}
        for other in self._mentioning.get(stem.encode(), ()):
            if other != path:
                for name in self._taken(path, other):
                    found.setdefault(name, other)
        every, alone = found.pop(_EVERY_NAME, ""), found.pop(_NO_NAME, "")
        named = re.compile(rb"(?<![\w/])(?:\w+\.)*%s(?:\s+import\s+|:)(\w+)" % re.escape(stem.encode()))
        for other, content in self._that_start_programs.items():
            for match in named.finditer(content):
                found.setdefault(match[1].decode(), other)
        return Imported(found, every, alone)

    @cached_property
    def _mentioning(self) -> Mapping[bytes, list[str]]:
        """The files that import something by a word, by the word."""
        found: dict[bytes, list[str]] = {}
        for path in self._project.paths:
            if Language.of(path) is Language.PYTHON:
                words = {word for text in _IMPORT.findall(self._content(path)) for word in _WORD.findall(text)}
                for word in words:
                    found.setdefault(word, []).append(path)
        return found

    @cached_property
    def _that_start_programs(self) -> Mapping[str, bytes]:
        """Shell scripts and TOML files, which may name an object of a module: ``train:model``."""
        languages = (Language.SHELL, Language.TOML)
        return {path: self._content(path) for path in self._project.paths if Language.of(path) in languages}

    def _content(self, path: str) -> bytes:
        source = self._project.sources.get(path)
        if source is not None:
            return source.content
        return (self._others.content(path) if self._others is not None else None) or b""

    def _taken(self, path: str, other: str) -> Iterator[str]:
        facts = self._project.python(other)
        if facts is None:
            return
        modules: set[str] = set()
        taken: set[str] = set()
        for node in ast.walk(facts.tree):
            match node:
                case ast.Import(names=names):
                    modules.update(one.asname or one.name for one in names if self._means(one.name, other, path))
                case ast.ImportFrom(module=module, names=names, level=level):
                    base = "." * level + (module or "")
                    if self._means(base, other, path):
                        taken.update(one.name for one in names)
                    inner = base if base.endswith(".") else f"{base}."
                    modules.update(
                        one.asname or one.name for one in names if self._means(inner + one.name, other, path)
                    )
                case ast.Assign(targets=[target], value=ast.Call(func=function, args=[ast.Constant(value=str(name))])):
                    if (dotted(function) or "").endswith("import_module") and self._means(name, other, path):
                        modules.add(dotted(target) or "")
        for node in ast.walk(facts.tree):
            if isinstance(node, ast.Attribute):
                owner, _, name = (dotted(node) or "").rpartition(".")
                if owner in modules:
                    taken.add(name)
        yield from sorted(taken)
        if modules and not taken and not other.endswith("__init__.py"):
            yield _NO_NAME

    def _means(self, name: str, importer: str, path: str) -> bool:
        return self._project.module(name, importer) == path
