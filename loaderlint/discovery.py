"""Which files to look at, and how their bytes become text."""

from __future__ import annotations

import ast
import io
import os
import tokenize
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, cached_property
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.grammar import refusal
from loaderlint.model.finding import Failure
from loaderlint.model.source import NOTEBOOK, STDIN, Language, Source, Span
from loaderlint.notebooks import NotebookError, as_python
from loaderlint.paths import displayed
from loaderlint.settings import Settings, SettingsIndex
from loaderlint.settings_files import OWN_FILE, PROJECT_FILE
from loaderlint.vocabulary.prefilter import may_matter, may_run_loaders
from loaderlint.walking import walk

LARGEST = 400_000
"""Bytes beyond which a JSON, TOML, INI or shell file is data and no configuration; such a file is not read at all."""
_LANGUAGES = "Python, notebooks, YAML, JSON, TOML, INI and shell"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UTF_8_MARK = b"\xef\xbb\xbf"


class Discovered(Struct, frozen=True):
    """The files a run looks at, by the path that findings use, and what could not be looked at.

    ``files_seen`` counts the files of our languages that were met; a source is one whose bytes may matter. ``stdin`` is
    the path of the source that is standard input, None when there is none, and ``given`` are the paths of the files
    that were named one by one, ``excluded`` those of them, and the named folders, that the settings exclude,
    ``running`` those that are no sources and may run a loader that another file makes. ``immaterial`` are the locations
    of the files that were read and do not matter, by the settings of the working folder either.
    """

    sources: Mapping[str, Source] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    files_seen: int = 0
    stdin: str | None = None
    given: frozenset[str] = frozenset()
    excluded: tuple[str, ...] = ()
    running: frozenset[str] = frozenset()
    immaterial: frozenset[str] = frozenset()

    def counts(self, failure: Failure) -> bool:
        """Return whether somebody wants to know of a failure: one of their own files, or one in a loader's language.

        JSON, TOML, INI and shell that were only met are mostly somebody else's: a ``tsconfig.json`` with comments.
        """
        language = Language.of(failure.path)
        return language is None or not language.is_anybodys or failure.path in self.given

    def joined(self, other: Discovered) -> Discovered:
        """Return what both of two looks found."""
        return Discovered(
            {**self.sources, **other.sources},
            tuple(dict.fromkeys((*self.failures, *other.failures))),
            self.files_seen + other.files_seen,
            self.stdin or other.stdin,
            self.given | other.given,
            tuple(dict.fromkeys((*self.excluded, *other.excluded))),
            self.running | other.running,
            self.immaterial | other.immaterial,
        )


def discover(
    paths: Sequence[str], settings: SettingsIndex, *, stdin: bytes = b"", stdin_filename: str | None = None
) -> Discovered:
    """Return what the named files and folders hold.

    ``-`` is standard input: the content ``stdin`` under the name ``stdin_filename``, or ``-`` and Python without one. A
    path that does not exist, or a file that cannot be read or decoded, is a failure. Settings' excludes hold for a file
    given by name, too: a hook names every file that changed. For failures that do not count see `Discovered.counts`.

    Raises:
        SettingsError: a settings file that holds for one of the files is wrong.
    """
    cwd = settings.cwd
    failures: list[Failure] = []
    locations: list[str] = []
    sources: dict[str, Source] = {}
    standard_input = None
    given: set[str] = set()
    excluded: list[str] = []
    for path in paths:
        location = os.path.normpath(os.path.join(cwd, path))
        if path == STDIN:
            read = _standard_input(stdin, stdin_filename, settings)
            if isinstance(read, Source):
                sources[read.path] = read
                standard_input = read.path
                given.add(read.path)
            elif isinstance(read, Failure):
                failures.append(read)
        elif os.path.isdir(location):
            inside = [*walk(location, cwd, lambda folder: settings.for_folder(folder).excludes)]
            failures.extend(one for one in inside if isinstance(one, Failure))
            locations.extend(one for one in inside if not isinstance(one, Failure))
            if not inside and settings.for_folder(location).excludes.match(location, is_folder=True):
                excluded.append(displayed(location, cwd))
        elif not os.path.exists(location):
            failures.append(Failure(displayed(location, cwd), "there is no such file or folder"))
        elif not os.path.isfile(location):
            failures.append(Failure(displayed(location, cwd), "this is neither a file nor a folder"))
        elif Language.of(location) is None:
            failures.append(
                Failure(displayed(location, cwd), f"loaderlint reads {_LANGUAGES} files; this is none of them")
            )
        elif settings.for_path(location).excludes.match(location):
            excluded.append(displayed(location, cwd))
        else:
            locations.append(location)
            given.add(displayed(location, cwd))
    once = _each_file_once(locations)
    running: set[str] = set()
    immaterial: set[str] = set()
    loaders = settings.for_folder(cwd).loaders
    for location in once:
        in_force = settings.for_path(location)
        read = _read(location, cwd, in_force)
        if read is None and in_force.loaders == loaders:
            immaterial.add(location)
        if isinstance(read, Failure):
            failures.append(read)
        elif read is not None:
            sources[read.path] = read
        elif (path := displayed(location, cwd)) in given and _may_run_loaders(location):
            running.add(path)
    ordered = {path: sources[path] for path in sorted(sources)}
    seen = len(once) + list(paths).count(STDIN)
    discovered = Discovered(
        ordered,
        (),
        seen,
        standard_input,
        frozenset(given),
        tuple(dict.fromkeys(excluded)),
        frozenset(running),
        frozenset(immaterial),
    )
    return replace(discovered, failures=tuple(one for one in failures if discovered.counts(one)))


def _standard_input(content: bytes, filename: str | None, settings: SettingsIndex) -> Source | Failure | None:
    location = os.path.normpath(os.path.join(settings.cwd, filename or STDIN))
    path = displayed(location, settings.cwd)
    language = Language.of(location)
    if language is None:
        return Failure(path, f"loaderlint reads {_LANGUAGES}; the name of standard input is none of theirs")
    in_force = settings.for_path(location)
    if in_force.excludes.match(location):
        return None
    read = decoded(content, path, location, language)
    if isinstance(read, Failure) or _may_matter(location, content, in_force):
        return read
    # Standard input is all that a run is asked about: silence would mislead where it cannot be parsed.
    if read is not None and language is Language.PYTHON:
        return _no_python(read)
    return None if language.is_anybodys else read


def _no_python(source: Source) -> Failure | None:
    """Return why the source is no Python, which takes less time than to read it as what may hold a loader."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.content, source.path)
    except SyntaxError as error:
        place = Span(source.path, error.lineno or 1, error.offset or 1, 0, 0, source.cells)
        return Failure(source.path, refusal(error), place.shown_line, place.column, place.cell)
    except (RecursionError, MemoryError, ValueError) as error:
        return Failure(source.path, f"this cannot be read: {error}")
    return None


def _each_file_once(locations: Iterable[str]) -> list[str]:
    """Return the locations without the second names of a file; a file's own name is kept before a link's."""
    by_file: dict[str, str] = {}
    # Most files of a tree are no links: what their folder really is, is asked once for all of them.
    real_folder = cache(os.path.realpath)
    for location in locations:
        folder, name = os.path.split(location)
        real = os.path.realpath(location) if os.path.islink(location) else os.path.join(real_folder(folder), name)
        real = os.path.normcase(real)
        if real not in by_file or os.path.islink(by_file[real]):
            by_file[real] = location
    return list(by_file.values())


def _read(location: str, cwd: str, settings: Settings | None) -> Source | Failure | None:
    """Return the source of a file; None when its bytes cannot matter under the settings (without any, all matter)."""
    path = displayed(location, cwd)
    language = Language.of(location)
    try:
        if language is not None and language.is_anybodys and os.path.getsize(location) > LARGEST:
            return None
        with open(location, "rb") as file:
            content = file.read()
    except OSError as error:
        return Failure(path, f"cannot read this file: {error.strerror or error}")
    if language is None or (settings is not None and not _may_matter(location, content, settings)):
        return None
    return decoded(content, path, os.path.realpath(location), language)


def _may_run_loaders(location: str) -> bool:
    if Language.of(location) is not Language.PYTHON:
        return False
    try:
        return may_run_loaders(Path(location).read_bytes())
    except OSError:
        # It was there a moment ago, and held none of our words.
        return False


def _may_matter(location: str, content: bytes, settings: Settings) -> bool:
    if os.path.basename(location) in (OWN_FILE, PROJECT_FILE):
        # They name options of loaders, but for us and not for a program.
        return False
    if content.startswith(_UTF_16):
        # What begins so may go on in another encoding, and is text in none.
        content += content.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    wrappers = (callee.rpartition(".")[2].encode() for callee in settings.loaders)
    language = Language.of(location)
    return may_matter(content, language) or (
        language is not Language.SHELL and any(wrapper in content for wrapper in wrappers)
    )


def decoded(content: bytes, path: str, location: str, language: Language) -> Source | Failure | None:
    """Return the source that bytes are, or the failure that says why they are not text.

    A Python file says its encoding itself (PEP 263); configuration is UTF-8, the only encoding that is in use for it.
    A notebook in another language than Python is none of ours.
    """
    if content.startswith(_UTF_16):
        return Failure(path, "this file is UTF-16; loaderlint reads UTF-8, so save it as UTF-8 first")
    if path.lower().endswith(NOTEBOOK):
        try:
            text = as_python(content)
        except NotebookError as error:
            return Failure(path, str(error))
        return None if text is None else Source(path, location, language, text.encode(), notebook=content)
    encoding = "utf-8"
    if language is Language.PYTHON and not content.startswith(_UTF_8_MARK):
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        except SyntaxError as error:
            # Also raised for bytes of the first two lines that are not UTF-8, which decoding names by line below.
            if "unknown encoding" in str(error):
                return Failure(path, str(error))
    try:
        if content.decode(encoding).encode(encoding) == content:
            return Source(path, location, language.as_written(content), content, encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Failure(path, f"byte 0x{content[error.start : error.start + 1].hex()} is not {encoding.upper()}", line)
    except (LookupError, UnicodeError, ValueError):
        pass
    return Failure(path, f"this file cannot be decoded as {encoding} and encoded again without loss")


def project_root(location: str) -> str:
    """Return the folder of the project that a file or folder (absolute path) belongs to.

    It is the nearest one at or above it with a ``.git`` or a ``pyproject.toml``, otherwise the folder itself.
    """
    folder = location if os.path.isdir(location) else os.path.dirname(location)
    here = folder
    while not any(os.path.exists(os.path.join(here, mark)) for mark in (".git", "pyproject.toml")):
        here, before = os.path.dirname(here), here
        if here == before:
            return folder
    return here


class ProjectFiles:
    """The files of a project besides those a run was asked about, looked for when somebody first needs one.

    A home folder, the system's folder for temporary files or the root of a file system is nobody's project: it has no
    files to offer. What was cloned into the folder of a project is another project. The settings of the working folder
    hold for all files: nobody asked about these, so what is written beside them is not read.
    """

    def __init__(self, root: str, settings: SettingsIndex) -> None:
        self.root = root
        self._settings = settings

    @cached_property
    def _locations(self) -> Mapping[str, str]:
        from tempfile import gettempdir

        cwd = self._settings.cwd
        if self.root in (os.path.expanduser("~"), gettempdir(), os.path.dirname(self.root)):
            return {}
        excludes = self._settings.for_folder(cwd).excludes
        found = walk(self.root, cwd, lambda folder: excludes, of_one_repository=True)
        locations = _each_file_once(one for one in found if isinstance(one, str))
        return {displayed(location, cwd): location for location in locations}

    def sources(self, immaterial: Set[str] = frozenset()) -> Mapping[str, Source]:
        """Return the files that may matter, by the path findings use; none of ``immaterial`` locations is read."""
        found: dict[str, Source] = {}
        settings = self._settings.for_folder(self._settings.cwd)
        for path, location in self._locations.items():
            read = _read(location, self._settings.cwd, settings) if location not in immaterial else None
            if isinstance(read, Source):
                found[path] = read
        return found

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all files of our languages, as findings name them, sorted."""
        return tuple(sorted(self._locations))

    def content(self, path: str) -> bytes | None:
        """Return the bytes of a file by the path findings use, or None when it is not of the project or unreadable."""
        # A file of another language is asked for where one of ours beside it names it.
        other = os.path.join(self._settings.cwd, path) if Language.of(path) is None and self._locations else None
        location = self._locations.get(path, other)
        try:
            return Path(location).read_bytes() if location else None
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Return whether something stands at a path as findings use it, whether or not it is of the project."""
        return os.path.exists(os.path.join(self._settings.cwd, path))

    def read(self, path: str) -> Source | None:
        """Return a file by the path findings use, or None when it is not of the project or cannot be read as text."""
        location = self._locations.get(path)
        read = _read(location, self._settings.cwd, None) if location else None
        return read if isinstance(read, Source) else None

    def answers(self) -> None:
        """Return nothing: nobody keeps what was answered here."""

    def learn(self, answers: object) -> None:
        """Take in nothing."""
