"""What all files of a project say together, and which of them one part of it is made of."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType

from loaderlint.linking.files.keys_read import KeysNamed, required
from loaderlint.linking.files.known import Basis, Files, OtherFiles, PartFiles, Readings, Seen
from loaderlint.linking.files.launches import Launches
from loaderlint.linking.files.parts import Parts
from loaderlint.linking.files.search_path import SOURCE_ROOTS, put_on_path
from loaderlint.linking.files.words import Wanted, as_bytes
from loaderlint.model.finding import Failure
from loaderlint.model.source import Language, Source
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.tree import ConfigurationFacts

_DEFINITION = re.compile(rb"\bdef\s+(\w+)")
MOST_MENTIONS = 30
"""A function whose name stands in more files than this is not looked for in them."""
MOST_MENTIONING = 150
"""More files than this are not read for a part of a project because of what they mention: the likeliest come first."""


class Project:
    """The files of a project, or of a part of it that has nothing to do with the rest.

    ``sources`` are all files that may matter; ``others`` finds a file that was not among them, such as the module an
    import names. A file that somebody names is found wherever it is; what is asked of all files is asked of the part's.
    ``readings`` are kept from one look at a project to the next.
    """

    def __init__(
        self, sources: Mapping[str, Source], others: OtherFiles | None = None, readings: Readings | None = None
    ) -> None:
        self._files = Files(sources, others, readings)
        self._read = PartFiles(self._files)
        self.launches = Launches(self._files, self._read)
        self._members: tuple[str, ...] | None = None
        self._with_words: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._python_with: dict[re.Pattern[bytes], tuple[str, ...]] = {}
        self._mentions: dict[tuple[str, ...], bool] = {}
        self._written_out: dict[frozenset[str], bool] = {}
        self._keys_read: dict[str, bool] = {}
        self._keys_named = KeysNamed()
        self._matter_named = 0
        self._definitions: dict[str, frozenset[str]] = {}
        self._extending: dict[str, tuple[str, ...] | None] = {}
        self._mentioning = 0
        self._imported_matter = False

    def parts(self, named: Set[str] | None = None) -> Iterator[frozenset[str]]:
        """Yield the files of each part of the project that may hold a loader.

        With ``named`` files they are the parts that these belong to.
        """
        named = None if named is None else named | self.launches.started_in(frozenset(named))
        for paths in self._parts.all:
            if not paths.isdisjoint(self._files.given) and (named is None or not paths.isdisjoint(named)):
                yield paths

    def part(self, paths: frozenset[str]) -> Project:
        """Return the part of the project that some files make.

        What another part reads is not known to it, so it is the same whatever was looked at before; what was `seen` of
        it is to be told (`learn`).
        """
        part = Project({})
        part._files = self._files
        part._read = PartFiles(self._files)
        part.launches = self.launches
        part._parts = self._parts
        part._members = tuple(sorted(paths))
        return part

    @cached_property
    def _parts(self) -> Parts:
        return Parts(self._files)

    def in_programs_with(self, named: Iterable[str]) -> frozenset[str]:
        """Return the files that some program brings in together with one of the named files."""
        named = frozenset(named)
        return self._parts.in_programs_with(named | self.launches.started_in(named))

    def brought_in_with(self, path: str) -> frozenset[str]:
        """Return the files that one process may bring in together with a file."""
        return self._parts.in_programs_with([path])

    def brought_in(self, paths: Iterable[str]) -> frozenset[str]:
        """Return files and all that these may bring in, directly or not, going by their text."""
        return self._parts.brought_in(paths)

    def users(self, path: str) -> frozenset[str]:
        """Return a Python file and all others that may import it, directly or not, going by their text."""
        return frozenset(one for one in self._parts.users(path) if Language.of(one) is Language.PYTHON)

    def direct_users(self, path: str) -> frozenset[str]:
        """Return the files that may import a file themselves, going by their text."""
        return self._parts.direct_users(path)

    @property
    def beside_failures(self) -> frozenset[str]:
        """The paths of the parts in which some file could not be parsed so far."""
        return frozenset[str]().union(*(paths for paths in self._parts.all if not paths.isdisjoint(self.failures)))

    @property
    def seen(self) -> Seen:
        """What was read of this part so far."""
        return self._read.seen

    def size(self, paths: Iterable[str]) -> int:
        """Return how many bytes those of some files have that may matter."""
        return sum(len(self._read.matter[path].content) for path in paths if path in self._read.matter)

    def learn(self, seen: Seen) -> None:
        """Take in what was `seen` of a part."""
        self._read.learn(seen)
        self._files.learn(seen.sources.values())

    def answers(self) -> object:
        """Return what was answered about the files besides those given, as far as somebody keeps it."""
        return self._files.answers()

    def learn_answers(self, answers: object) -> None:
        """Take in the `answers` of another process."""
        self._files.learn_answers(answers)

    @property
    def asked(self) -> frozenset[str]:
        """The paths of this part, and of all other files that something was asked of so far."""
        return frozenset(self.paths) | self._read.asked | self.launches.asked

    def basis(self, paths: Iterable[str]) -> Basis:
        """Return what is given of some files, and to start programs with."""
        return Basis({path: self._files.given.get(path) for path in paths}, self.launches.sources)

    @property
    def mentioned(self) -> Mapping[re.Pattern[bytes], bool]:
        """What was answered so far to `programs_mention`."""
        return self._parts.mentioned

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources seen so far, by path."""
        return self._read.sources

    @property
    def failures(self) -> dict[str, Failure]:
        """The files that could not be parsed so far, by path."""
        return self._read.failures

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files of this part, in order."""
        if self._members is None:
            self._members = tuple(sorted(self._files.paths))
        return self._members

    def _that_matter(self) -> Iterator[Source]:
        for path in self.paths:
            source = self._read.matter.get(path)
            if source is not None:
                yield source

    def source(self, path: str) -> Source | None:
        """Return the source at a path, read when it is first asked for."""
        source = self._read.source(path)
        self._count(path)
        return source

    def python(self, path: str) -> PythonFacts | None:
        """Return what a Python file says, None when there is no such file or it cannot be parsed."""
        self._count(path)
        return self._read.python(path)

    def _count(self, path: str) -> None:
        if self._imported_matter and path not in self._read.matter and Language.of(path) is Language.PYTHON:
            self._read.add(path)

    def python_in_passing(self, path: str) -> PythonFacts | None:
        """Return what a Python file says, as `python` does, but do not make it one that matters for that.

        Whoever goes through all files (`all_python`) does not come to it: what a library has is looked up there alone.
        """
        return self._read.python(path)

    def mentions(self, path: str, names: Iterable[str]) -> bool:
        """Return whether a file holds one of several words; it is neither parsed nor kept for it."""
        return self._read.mentions(path, names)

    def configuration_file(self, path: str, sign: str = "") -> ConfigurationFacts | None:
        """Return what a configuration file says, None when there is no such file or it cannot be parsed.

        ``sign`` is what comments in JSON begin with, where a program takes them away before it reads the file.
        """
        return self._read.configuration(path, sign)

    def read_mentions(self, names: Iterable[str], beside: Mapping[str, Set[str]] = MappingProxyType({})) -> bool:
        """Read the Python files that mention one of the names, each file's bytes once; return whether there were any.

        Some names count only ``beside`` one of other words, such as the module they are imported from. A name that many
        files mention says nothing about any of them and is passed over; those that fewest mention come first.
        """
        anywhere = frozenset({""})
        looked_for = [(Wanted(name), beside.get(name, anywhere), list[str]()) for name in names]
        others = {word: Wanted(word) for _, words, _ in looked_for for word in words}
        unread = (path for path in self.paths if path not in self._read.matter) if looked_for else ()
        for path in unread:
            content = self._files.content(path) if Language.of(path) is Language.PYTHON else None
            if content is None:
                continue
            mentioned = self._files.words(path, content)
            # Most names stand beside the same few words, and most files hold none of those.
            held = {word for word, one in others.items() if one.is_in(content, mentioned)}
            for name, words, mentioning in looked_for:
                if not held.isdisjoint(words) and name.is_in(content, mentioned):
                    mentioning.append(path)
            looked_for = [one for one in looked_for if len(one[-1]) <= MOST_MENTIONS]
        found: set[str] = set()
        for _, _, mentioning in sorted(looked_for, key=lambda one: len(one[-1])):
            if self._mentioning + len(found.union(mentioning)) > MOST_MENTIONING:
                break
            found.update(mentioning)
        self._mentioning += len(found)
        for path in sorted(found):
            self._read.add(path)
        return bool(found)

    def count(self, paths: Iterable[str]) -> bool:
        """Make some files of those that matter; return whether one of them was none so far."""
        further = sorted(path for path in paths if path not in self._read.matter)
        for path in further:
            self._read.add(path)
        return bool(further)

    def look_again(self) -> None:
        """Forget what was found out of all files that may matter: more of them may now."""
        self._mentions.clear()
        self._keys_read.clear()
        for name in ("_required", "definitions", "partials"):
            self.__dict__.pop(name, None)

    def count_imported(self) -> None:
        """Ask the modules that are imported, too, from now on wherever all files are asked.

        What loaders carry and what their workers run stands in few of them; a library has thousands. Other parts of
        the project have nothing to do with it.
        """
        self._imported_matter = True
        for path in filter(self._read.is_read, self.paths):
            self._count(path)
        self.look_again()

    @cached_property
    def has_code(self) -> bool:
        """Whether the project that this is a part of has any Python file."""
        return any(Language.of(path) is Language.PYTHON for path in self._files.paths)

    def programs_mention(self, words: re.Pattern[bytes]) -> bool:
        """Return whether Python files of the project that are more than settings hold some words, or there are none."""
        return self._parts.programs_mention(words)

    def code_mentions(self, words: tuple[str, ...]) -> bool:
        """Return whether any Python source that may matter names one of the words."""
        if words not in self._mentions:
            contents = [one.content for one in self._that_matter() if one.language is Language.PYTHON]
            self._mentions[words] = any(as_bytes(word) in content for content in contents for word in words)
        return self._mentions[words]

    def writes_out(self, names: frozenset[str]) -> bool:
        """Return whether a file of this part writes one of some dotted names as a text: for a program to look up.

        In configuration its last part is enough, which may be joined with others. What a function of Python says in
        quotes that it returns is no such text.
        """
        if names not in self._written_out:
            last = [as_bytes(name) for name in sorted({name.rpartition(".")[2] for name in names})]
            whole = b"|".join(re.escape(as_bytes(name)) for name in sorted(names))
            quoted = re.compile(b"(?<!-> )[\"'](?:%s)[\"']" % whole)
            python = (self._files.content(path) for path in self.paths if Language.of(path) is Language.PYTHON)
            self._written_out[names] = any(True for _ in self._paths_with(last)) or any(
                quoted.search(content) is not None for content in python if content is not None
            )
        return self._written_out[names]

    def configuration_files_with(self, words: tuple[str, ...], sign: str = "") -> Iterator[ConfigurationFacts]:
        """Yield what every configuration file of the project that holds one of these words says.

        A file that sets none of a loader's options may still be given to a program, which then takes its defaults.
        Nobody named such a file, so one that cannot be parsed is passed over; nor is one in INI asked, whose texts mean
        something to the program alone that reads it.
        """
        if words not in self._with_words:
            self._with_words[words] = tuple(self._paths_with([as_bytes(word) for word in words]))
        for path in self._with_words[words]:
            named = self._read.is_read(path)
            facts = self.configuration_file(path, sign)
            if facts is not None:
                yield facts
            elif not named:
                self.failures.pop(path, None)

    def _paths_with(self, words: Sequence[bytes]) -> Iterator[str]:
        """Yield the paths of the configuration files that hold one of these words, in order."""
        for path in self.paths:
            language = self._files.language(path)
            content = self._files.content(path) if language is not None and language.is_typed else None
            if content is not None and any(word in content for word in words):
                yield path

    def all_python(self) -> Iterator[PythonFacts]:
        """Yield what every Python source that may matter says, in the order of paths."""
        for source in self._that_matter():
            if source.language is Language.PYTHON:
                facts = self.python(source.path)
                if facts is not None:
                    yield facts

    def python_files_with(self, pattern: re.Pattern[bytes]) -> Iterator[PythonFacts]:
        """Yield what every Python file of the project says that holds a pattern, whether or not the file may matter.

        As nobody named such a file, one that cannot be parsed is passed over.
        """
        if pattern not in self._python_with:
            paths = (path for path in self.paths if Language.of(path) is Language.PYTHON)
            held = (path for path in paths if pattern.search(self._files.content(path) or b""))
            self._python_with[pattern] = tuple(held)
        for path in self._python_with[pattern]:
            named = self._read.is_read(path)
            facts = self.python(path)
            if facts is not None:
                yield facts
            elif not named:
                self.failures.pop(path, None)

    def all_configuration_files(self, sign: str = "") -> Iterator[ConfigurationFacts]:
        """Yield what every configuration source that may matter says, in the order of paths."""
        for source in self._that_matter():
            if source.language.is_configuration:
                facts = self.configuration_file(source.path, sign)
                if facts is not None:
                    yield facts

    def reads_key(self, key: str) -> bool:
        """Return whether some Python source that may matter cannot do without this key of some dictionary.

        It reads the key by subscript or ``pop``, formats with it, demands it, or has a parameter or field of that name
        without a default. A false answer of yes costs nothing but a neutral value that stays, so no more than the text
        and what is declared are asked.
        """
        if key not in self._keys_read:
            # Files come to matter while keys are asked for; none ceases to.
            if len(self._read.matter) != self._matter_named:
                self._matter_named = len(self._read.matter)
                for source in self._that_matter():
                    if source.language is Language.PYTHON:
                        self._keys_named.add(source)
            self._keys_read[key] = key in self._required or self._keys_named.needs(key)
        return self._keys_read[key]

    @cached_property
    def _required(self) -> frozenset[str]:
        """The names of the parameters and fields that the functions and classes of the project have no default for."""
        return frozenset(name for facts in self.all_python() for name in required(facts))

    def definitions_besides(self, read: Set[str]) -> frozenset[str]:
        """Return the names of the functions that Python files other than those read define, going by their text."""
        besides = (path for path in self.paths if path not in read and Language.of(path) is Language.PYTHON)
        return frozenset[str]().union(*(self._defined_in(path) for path in besides))

    def _defined_in(self, path: str) -> frozenset[str]:
        if path not in self._definitions:
            found = set(_DEFINITION.findall(self._files.content(path) or b""))
            self._definitions[path] = frozenset(sys.intern(name.decode("utf-8", "replace")) for name in found)
        return self._definitions[path]

    @cached_property
    def definitions(self) -> frozenset[str]:
        """The names of all functions, classes and methods in the sources that may matter."""
        return frozenset(scope.name for facts in self.all_python() for scope in facts.scopes.values() if scope.name)

    @cached_property
    def partials(self) -> frozenset[str]:
        """The names that ``partial(...)`` is bound to, of attributes the last part."""
        return frozenset(
            name.rpartition(".")[2]
            for facts in self.all_python()
            if "partial" in facts.calls
            for scope in facts.scopes.values()
            for name, bindings in scope.bindings.items()
            if any(isinstance(one.value, ast.Call) and called_name(one.value) == "partial" for one in bindings)
        )

    @cached_property
    def entry_points(self) -> frozenset[tuple[str, str]]:
        """The functions that installed commands call, each by the path of its module and its name."""
        declared = self._files.entry_points
        return frozenset((path, name) for module, name, importer in declared for path in self.modules(module, importer))

    def is_installed(self, path: str) -> bool:
        """Return whether a file is of a package that stands where a project is declared, or in a source root there."""
        folder = posixpath.dirname(path)
        if posixpath.join(folder, "__init__.py") not in self._files.paths:
            return False
        while posixpath.join(folder, "__init__.py") in self._files.paths and folder:
            folder = posixpath.dirname(folder)
        root = posixpath.dirname(folder) if posixpath.basename(folder) in SOURCE_ROOTS else folder
        return root in self._files.called

    @property
    def built_on_unix(self) -> frozenset[str]:
        """The last names of the modules that the project builds with what only a Unix compiler has."""
        return self._files.built_on_unix

    def modules(self, name: str, importer: str) -> tuple[str, ...]:
        """Return the paths of the modules that ``importer`` (a path) can mean by a dotted name, likeliest first."""
        return self._files.search_path.modules(name, importer, self._put_on_path(importer))

    def folders_put_on_path(self, importer: str) -> tuple[str, ...]:
        """Return the folders that a file puts on ``sys.path`` by their names."""
        return self._put_on_path(importer) or ()

    def _put_on_path(self, importer: str) -> tuple[str, ...] | None:
        if importer not in self._extending:
            source = self.source(importer)
            self._extending[importer] = put_on_path(source.content) if source is not None else None
        return self._extending[importer]

    def module(self, name: str, importer: str) -> str | None:
        """Return the path of the module that ``importer`` (a path) means by a dotted name, relative ones included."""
        return next(iter(self.modules(name, importer)), None)

    def answers_to(self, path: str, name: str) -> bool:
        """Return whether a file can be imported by an absolute dotted name from its own program."""
        return self._files.search_path.answers_to(path, name)

    def modules_ending(self, name: str, configuration: str) -> list[str]:
        """Return the paths of the modules that a configuration file (a path) means by a dotted name.

        Their own dotted names end with it; of several, those that share most folders with the file are meant: two
        programs in one repository each have their ``main``. ``__main__`` is whichever file is run.
        """
        if name == "__main__":
            return [one.path for one in self._that_matter() if b"__main__" in one.content]
        return self._files.search_path.nearest(name, configuration)

    def configuration(self, written: str, reader: str, sign: str = "") -> ConfigurationFacts | None:
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
            if path in self._files.paths:
                return self.configuration_file(path, sign)
            if folder in ("", "/"):
                return None
            folder = posixpath.dirname(folder)

    def text(self, path: str) -> str:
        """Return the text of a file, empty where there is none; it is neither parsed nor kept for it."""
        return (self._read.content(path) or b"").decode(errors="replace")

    def python_mentioning(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield the path and text of every Python file that mentions a word; none of them is kept."""
        for path in self.paths:
            content = self._files.content(path) if Language.of(path) is Language.PYTHON else None
            if content is not None and as_bytes(word) in content:
                yield path, content.decode(errors="replace")

    def folder(self, path: str) -> tuple[str, ...]:
        """Return the names of the files that stand in a folder, in order."""
        return self._files.folders.get(path, ())

    def exists(self, path: str) -> bool:
        """Return whether something stands at a path, one that the project's settings pass over included."""
        return self._files.exists(path)

    def has_folder(self, path: str) -> bool:
        """Return whether files stand in a folder or below it."""
        return self._files.has_folder(path)

    def folders_in(self, path: str) -> tuple[str, ...]:
        """Return the names of the folders in a folder that hold files themselves, in order."""
        return self._files.folders_in(path)
