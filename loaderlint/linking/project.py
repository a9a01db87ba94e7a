"""The files of a project, read at most once each, and how Python and configuration name each other."""

from __future__ import annotations

import posixpath
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

from loaderlint.linking.search_path import SearchPath, shared_folders
from loaderlint.model.finding import Failure
from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers import configuration as configuration_reader
from loaderlint.readers import python as python_reader
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.tree import ConfigurationFacts

_DEFINITION = re.compile(rb"\bdef\s+(\w+)")
MOST_MENTIONS = 30
"""A function whose name stands in more files than this is not looked for in them."""


class OtherFiles(Protocol):
    """The files of the project besides those that were named."""

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all files of the project in the languages we read."""

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes, None when there is no such file."""

    def read(self, path: str) -> Source | None:
        """Return a file's source, None when there is no such file."""


class Project:
    """Sources and, on demand, what each of them says.

    ``sources`` are all files that may matter; ``others`` finds a file that was not among them, such as the module an
    import names. A configuration file found that way is kept apart: whether a program names it says nothing about the
    others. Files that cannot be parsed are kept in ``failures``.
    """

    def __init__(self, sources: Mapping[str, Source], others: OtherFiles | None = None) -> None:
        self._sources = dict(sources)
        self._opened: dict[str, Source] = {}
        self._others = others
        self._python: dict[str, PythonFacts | None] = {}
        self._configuration: dict[str, ConfigurationFacts | None] = {}
        self._with_words: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._mentions: dict[tuple[str, ...], bool] = {}
        self._keys_read: dict[str, bool] = {}
        self.failures: dict[str, Failure] = {}

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources seen so far, by path."""
        return ChainMap(self._sources, self._opened)

    @cached_property
    def _paths(self) -> frozenset[str]:
        others = self._others.paths() if self._others is not None else ()
        return frozenset(others) | frozenset(self._sources)

    def source(self, path: str) -> Source | None:
        """Return the source at a path, read when it is first asked for."""
        known = self._sources.get(path) or self._opened.get(path)
        if known is not None or path not in self._paths or self._others is None:
            return known
        source = self._others.read(path)
        if source is not None:
            (self._opened if source.language.is_configuration else self._sources)[path] = source
        return source

    def read_mentions(self, names: Iterable[str], beside: Mapping[str, Set[str]] = MappingProxyType({})) -> bool:
        """Read the Python files that mention one of the names, each file's bytes once; return whether there were any.

        Some names count only ``beside`` one of other words, such as the module they are imported from. A name that many
        files mention says nothing about any of them and is passed over.
        """
        words = {name: [word.encode() for word in beside[name]] for name in beside}
        wanted = {name: name.encode() for name in names}
        mentions: dict[str, list[str]] = {name: [] for name in wanted}
        for path in sorted(self._paths - self._sources.keys()) if wanted else ():
            content = self._others.content(path) if self._others and Language.of(path) is Language.PYTHON else None
            for name, word in wanted.items():
                if content is None or word not in content:
                    continue
                if name not in words or any(one in content for one in words[name]):
                    mentions[name].append(path)
        found = {path for paths in mentions.values() if len(paths) <= MOST_MENTIONS for path in paths}
        read = [self.source(path) for path in sorted(found)]
        return any(source is not None for source in read)

    def code_mentions(self, words: tuple[str, ...]) -> bool:
        """Return whether any Python source that may matter names one of the words."""
        if words not in self._mentions:
            contents = [one.content for one in self._sources.values() if one.language is Language.PYTHON]
            self._mentions[words] = any(word.encode() in content for content in contents for word in words)
        return self._mentions[words]

    def python(self, path: str) -> PythonFacts | None:
        """Return what a Python file says, None when there is no such file or it cannot be parsed."""
        if path not in self._python:
            source = self.source(path)
            facts = None
            if source is not None and source.language is Language.PYTHON:
                try:
                    facts = python_reader.read(source)
                except ReadError as error:
                    self.failures[path] = Failure(path, error.message, error.line, error.column)
            self._python[path] = facts
        return self._python[path]

    def configuration_file(self, path: str) -> ConfigurationFacts | None:
        """Return what a configuration file says, None when there is no such file or it cannot be parsed."""
        if path not in self._configuration:
            source = self.source(path)
            facts = None
            if source is not None and source.language.is_configuration:
                try:
                    facts = configuration_reader.read(source)
                except ReadError as error:
                    self.failures[path] = Failure(path, error.message, error.line, error.column)
            self._configuration[path] = facts
        return self._configuration[path]

    def configuration_files_with(self, words: tuple[str, ...]) -> Iterator[ConfigurationFacts]:
        """Yield what every configuration file of the project that holds one of these words says.

        A file that sets none of a loader's options may still be given to a program, which then takes its defaults.
        Nobody named such a file, so one that cannot be parsed is passed over.
        """
        if words not in self._with_words:
            self._with_words[words] = tuple(self._paths_with([word.encode() for word in words]))
        for path in self._with_words[words]:
            named = path in self._sources or path in self._opened
            facts = self.configuration_file(path)
            if facts is not None:
                yield facts
            elif not named:
                self.failures.pop(path, None)

    def _paths_with(self, words: Sequence[bytes]) -> Iterator[str]:
        """Yield the paths of the configuration files that hold one of these words, in order."""
        for path in sorted(self._paths):
            language = Language.of(path)
            if language is None or not language.is_configuration:
                continue
            source = self._sources.get(path) or self._opened.get(path)
            content = source.content if source is not None else self._others.content(path) if self._others else None
            if content is not None and any(word in content for word in words):
                yield path

    def all_python(self) -> Iterator[PythonFacts]:
        """Yield what every Python source that may matter says, in the order of paths."""
        for path in sorted(self._sources):
            if self._sources[path].language is Language.PYTHON:
                facts = self.python(path)
                if facts is not None:
                    yield facts

    def all_configuration_files(self) -> Iterator[ConfigurationFacts]:
        """Yield what every configuration source that may matter says, in the order of paths."""
        for path in sorted(self._sources):
            if self._sources[path].language.is_configuration:
                facts = self.configuration_file(path)
                if facts is not None:
                    yield facts

    def reads_key(self, key: str) -> bool:
        """Return whether some Python source that may matter reads this key of something by subscript.

        Text is asked, not the tree: a false answer of yes costs nothing but a neutral value that stays.
        """
        if key not in self._keys_read:
            read = re.compile(rf"""\[\s*(["']){re.escape(key)}\1\s*\](?!\s*=[^=])""")
            python = (one for one in self._sources.values() if one.language is Language.PYTHON)
            self._keys_read[key] = any(read.search(one.text) is not None for one in python)
        return self._keys_read[key]

    def definitions_besides(self, read: Set[str]) -> frozenset[str]:
        """Return the names of the functions that Python files other than those read define, going by their text."""
        found: set[bytes] = set()
        for path in sorted(self._paths - read):
            if Language.of(path) is Language.PYTHON:
                content = self._sources[path].content if path in self._sources else None
                if content is None and self._others is not None:
                    content = self._others.content(path)
                found.update(_DEFINITION.findall(content or b""))
        return frozenset(name.decode("utf-8", "replace") for name in found)

    @cached_property
    def definitions(self) -> frozenset[str]:
        """The names of all functions, classes and methods in the sources that may matter."""
        return frozenset(scope.name for facts in self.all_python() for scope in facts.scopes.values() if scope.name)

    @cached_property
    def _search_path(self) -> SearchPath:
        return SearchPath(self._paths)

    def modules(self, name: str, importer: str) -> tuple[str, ...]:
        """Return the paths of the modules that ``importer`` (a path) can mean by a dotted name, likeliest first."""
        source = self.source(importer)
        extended = source is not None and b"sys.path" in source.content
        return self._search_path.modules(name, importer, extended=extended)

    def module(self, name: str, importer: str) -> str | None:
        """Return the path of the module that ``importer`` (a path) means by a dotted name, relative ones included."""
        return next(iter(self.modules(name, importer)), None)

    def modules_ending(self, name: str, configuration: str) -> list[str]:
        """Return the paths of the modules that a configuration file (a path) means by a dotted name.

        Their own dotted names end with it; of several, those that share most folders with the file are meant: two
        programs in one repository each have their ``main``. ``__main__`` is whichever file is run.
        """
        if name == "__main__":
            return [path for path, one in sorted(self._sources.items()) if b"__main__" in one.content]
        tail = name.replace(".", "/")
        endings = (f"{tail}.py", f"{tail}/__init__.py")
        found = [
            path
            for path in sorted(self._paths)
            if path.endswith(endings) and any(path == one or path.endswith(f"/{one}") for one in endings)
        ]
        shared = [shared_folders(path, configuration) for path in found]
        return [path for path, count in zip(found, shared, strict=True) if count == max(shared)]

    def configuration(self, written: str, reader: str) -> ConfigurationFacts | None:
        """Return the configuration file that a program at ``reader`` opens as ``written``.

        A relative path is looked for from the working folder of the program, which is taken to be one of the folders
        above the program or its own.
        """
        wanted = posixpath.normpath(written.replace("\\", "/"))
        if wanted.startswith(("/", "..")):
            return None
        folder = posixpath.dirname(reader)
        while True:
            path = posixpath.normpath(posixpath.join(folder, wanted))
            if path in self._paths:
                return self.configuration_file(path)
            if folder in ("", "/"):
                return None
            folder = posixpath.dirname(folder)

    def folder(self, path: str) -> tuple[str, ...]:
        """Return the names of the files that stand in a folder, in order."""
        return self._folders.get(path, ())

    def has_folder(self, path: str) -> bool:
        """Return whether files stand in a folder or below it."""
        return path == "" or path in self._folders or any(one.startswith(f"{path}/") for one in self._folders)

    def folders_in(self, path: str) -> tuple[str, ...]:
        """Return the names of the folders in a folder that hold files themselves, in order."""
        return tuple(sorted(posixpath.basename(one) for one in self._folders if one and posixpath.dirname(one) == path))

    @cached_property
    def _folders(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            found.setdefault(posixpath.dirname(path), []).append(posixpath.basename(path))
        return {folder: tuple(names) for folder, names in found.items()}
