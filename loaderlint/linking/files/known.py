"""The files of a project: what is known of each, read at most once, and how they name each other."""

from __future__ import annotations

import posixpath
from collections import ChainMap
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from loaderlint.linking.files.search_path import (
    DECLARES,
    DECLARES_BESIDE,
    SearchPath,
    built_on_unix,
    entry_points,
    name_declared,
)
from loaderlint.linking.files.words import as_bytes, words_of
from loaderlint.model.finding import Failure
from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers import configuration as configuration_reader
from loaderlint.readers import python as python_reader
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.tree import ConfigurationFacts
from loaderlint.vocabulary.prefilter import may_matter, may_start_programs


class OtherFiles(Protocol):
    """The files of the project besides those that were named."""

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all files of the project in the languages we read."""

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes, None when there is no such file."""

    def read(self, path: str) -> Source | None:
        """Return a file's source, None when there is no such file."""

    def exists(self, path: str) -> bool:
        """Return whether something stands at a path, one that the project's settings pass over included."""

    def answers(self) -> object:
        """Return what was answered so far, as far as somebody keeps it, to be told to those of another process."""

    def learn(self, answers: object) -> None:
        """Take in the `answers` of another process."""


class Readings:
    """What sources say, each read once however often a project is looked at: between two rounds of fixes few change."""

    def __init__(self) -> None:
        self._python: dict[Source, PythonFacts] = {}
        self._configuration: dict[tuple[Source, str], ConfigurationFacts] = {}

    def python(self, source: Source) -> PythonFacts:
        """Return what a Python file says; raises `ReadError` when it cannot be parsed."""
        if source not in self._python:
            self._python[source] = python_reader.read(source)
        return self._python[source]

    def configuration(self, source: Source, sign: str = "") -> ConfigurationFacts:
        """Return what a configuration file says, see `configuration.read`; raises `ReadError` when it is no such."""
        if (source, sign) not in self._configuration:
            self._configuration[source, sign] = configuration_reader.read(source, sign)
        return self._configuration[source, sign]


class Files:
    """The files there are, whichever part of the project they are of: what is asked of them is the same for all parts.

    ``given`` are the sources that may matter before anybody looks at what they say.
    """

    def __init__(
        self, sources: Mapping[str, Source], others: OtherFiles | None = None, readings: Readings | None = None
    ) -> None:
        self.given = dict(sources)
        self.readings = readings
        self._others = others
        self._opened: dict[str, Source] = {}
        self._words: dict[str, bytes] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files in the languages we read."""
        others = self._others.paths() if self._others is not None else ()
        return frozenset(others) | frozenset(self.given)

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes, None when there is no such file; a file that was not read so far is not kept."""
        known = self.given.get(path) or self._opened.get(path)
        if known is not None:
            return known.content
        return self._others.content(path) if self._others is not None else None

    def language(self, path: str) -> Language | None:
        """Return the language of a file, for which only one that is named as INI is opened (`Language.as_written`)."""
        language = Language.of(path)
        return language.as_written(self.content(path) or b"") if language is Language.INI else language

    def words(self, path: str, content: bytes) -> bytes:
        """Return the words of a file with this content (`words_of`), which are kept: several rounds look for names."""
        if path not in self._words:
            self._words[path] = words_of(content)
        return self._words[path]

    def mentions(self, path: str, names: Iterable[str]) -> bool:
        """Return whether a file holds one of several words, in a longer word or not."""
        content = self.content(path)
        words = self.words(path, content) if content is not None else b""
        return any(as_bytes(name) in words for name in names)

    def exists(self, path: str) -> bool:
        """Return whether something stands at a path, one that the project's settings pass over included."""
        return path in self.paths or (self._others is not None and self._others.exists(path))

    def source(self, path: str) -> Source | None:
        """Return the source at a path, read when it is first asked for."""
        known = self.given.get(path) or self._opened.get(path)
        if known is not None or path not in self.paths or self._others is None:
            return known
        source = self._others.read(path)
        if source is not None:
            self._opened[path] = source
        return source

    def answers(self) -> object:
        """Return what was answered about the files besides those given, for `learn` in another process."""
        return self._others.answers() if self._others is not None else None

    def learn_answers(self, answers: object) -> None:
        """Take in the `answers` of another process."""
        if self._others is not None:
            self._others.learn(answers)

    def learn(self, sources: Iterable[Source]) -> None:
        """Take in sources that were read, maybe by another process."""
        self._opened.update((one.path, one) for one in sources)

    @cached_property
    def search_path(self) -> SearchPath:
        """Where imports find their modules."""
        return SearchPath(self.paths, self.called)

    @cached_property
    def called(self) -> Mapping[str, str]:
        """The names of the projects that folders are the outermost of."""
        declaring = (path for path in sorted(self.paths) if posixpath.basename(path) in DECLARES)
        names = ((posixpath.dirname(path), name_declared(self.content(path) or b"")) for path in declaring)
        return {root: name for root, name in names if name is not None}

    @cached_property
    def entry_points(self) -> frozenset[tuple[str, str, str]]:
        """What installed commands call: the name of a module, that of a function in it, and the file that says so."""
        declaring = {path for path in self.paths if posixpath.basename(path) in DECLARES}
        declaring |= {posixpath.join(posixpath.dirname(path), DECLARES_BESIDE) for path in declaring}
        return frozenset((*one, path) for path in declaring for one in entry_points(self.content(path) or b""))

    @cached_property
    def built_on_unix(self) -> frozenset[str]:
        """The last names of the modules that scripts called ``setup…`` build with what only a Unix compiler has."""
        building = (path for path in self.paths if posixpath.basename(path).startswith("setup"))
        contents = (self.content(path) or b"" for path in building if path.endswith(".py"))
        return frozenset(name for content in contents for name in built_on_unix(content))

    @cached_property
    def folders(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the files in each folder that holds some, in order."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(posixpath.dirname(path), []).append(posixpath.basename(path))
        return {folder: tuple(names) for folder, names in found.items()}

    @cached_property
    def _folders_in(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for folder in self.folders:
            if folder:
                found.setdefault(posixpath.dirname(folder), []).append(posixpath.basename(folder))
        return {folder: tuple(sorted(names)) for folder, names in found.items()}

    def folders_in(self, path: str) -> tuple[str, ...]:
        """Return the names of the folders in a folder that hold files themselves, in order."""
        return self._folders_in.get(path, ())

    @cached_property
    def _every_folder(self) -> frozenset[str]:
        found = {""}
        for path in self.folders:
            folder = path
            while folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def has_folder(self, path: str) -> bool:
        """Return whether files stand in a folder or below it."""
        return path in self._every_folder


class Basis(Struct, frozen=True):
    """What is said about a part of a project depends on: its own files, and others that were asked for on the way.

    ``given`` is by path what of these is given; ``starting`` are the sources given that may start programs.
    """

    given: Mapping[str, Source | None]
    starting: tuple[Source, ...]


class Seen(Struct, frozen=True):
    """What was read on the way through a part of a project: sources besides those given, and what cannot be parsed."""

    sources: Mapping[str, Source]
    failures: Mapping[str, Failure]


class PartFiles:
    """Sources of a part of a project and, on demand, what each of them says.

    ``matter`` are the sources that may matter. A file that is only asked for, such as a module that is imported, is
    kept apart: that somebody reads one name of it says nothing about all the others. Files that cannot be parsed are
    kept in ``failures``. What was read for another part is not known here: parts are looked at in any order.
    ``asked`` are the paths that somebody asked for something of, of this part or not.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._readings = files.readings or Readings()
        self.matter = dict(files.given)
        self.failures: dict[str, Failure] = {}
        self.asked: set[str] = set()
        self._opened: dict[str, Source] = {}
        self._python: dict[str, PythonFacts | None] = {}
        self._configuration: dict[tuple[str, str], ConfigurationFacts | None] = {}
        self._commented: set[str] = set()
        """The files of JSON that could be read once their comments were taken away, as some program does."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources seen so far, by path."""
        return ChainMap(self.matter, self._opened)

    @property
    def seen(self) -> Seen:
        """What was read so far."""
        read = {path: one for path, one in self.sources.items() if path not in self._files.given}
        return Seen(read, self.failures)

    def learn(self, seen: Seen) -> None:
        """Take in what was read on the way through one of the parts."""
        self._opened.update(seen.sources)
        self.failures.update(seen.failures)

    def source(self, path: str) -> Source | None:
        """Return the source at a path, read when it is first asked for."""
        self.asked.add(path)
        known = self.matter.get(path) or self._opened.get(path)
        source = self._files.source(path) if known is None else known
        if known is None and source is not None:
            self._opened[path] = source
        return source

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes, see `Files.content`."""
        self.asked.add(path)
        return self._files.content(path)

    def mentions(self, path: str, names: Iterable[str]) -> bool:
        """Return whether a file holds one of several words, in a longer word or not."""
        self.asked.add(path)
        return self._files.mentions(path, names)

    def add(self, path: str) -> None:
        """Make a file one of those that matter, if there is such a file."""
        source = self.source(path)
        if source is not None:
            self.matter[path] = source

    def python(self, path: str) -> PythonFacts | None:
        """Return what a Python file says, None when there is no such file or it cannot be parsed."""
        if path not in self._python:
            source = self.source(path)
            facts = None
            if source is not None and source.language is Language.PYTHON:
                try:
                    facts = self._readings.python(source)
                except ReadError as error:
                    self.failures[path] = Failure(path, error.message, error.line, error.column)
            self._python[path] = facts
        return self._python[path]

    def configuration(self, path: str, sign: str = "") -> ConfigurationFacts | None:
        """Return what a configuration file says, None when there is no such file or it cannot be parsed.

        ``sign`` is what its comments begin with, where a program takes them away before it reads JSON.
        """
        source = self.source(path)
        if source is None or as_bytes(sign) not in source.content:
            sign = ""
        if (path, sign) not in self._configuration:
            facts = None
            if source is not None and source.language.is_configuration:
                try:
                    facts = self._readings.configuration(source, sign)
                except ReadError as error:
                    # A template of a chart is no YAML, and nobody's mistake.
                    counts = may_matter(source.content) or not may_start_programs(source.content)
                    if counts and not sign and path not in self._commented:
                        self.failures[path] = Failure(path, error.message, error.line, error.column)
            if sign and facts is not None:
                self._commented.add(path)
                self.failures.pop(path, None)
            self._configuration[path, sign] = facts
        return self._configuration[path, sign]

    def is_read(self, path: str) -> bool:
        """Return whether somebody named a file or asked for it before."""
        return path in self.matter or path in self._opened
