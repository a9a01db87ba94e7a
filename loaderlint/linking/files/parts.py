"""The parts of a project that have nothing to do with each other, told apart by the text of the files alone.

A repository often holds many programs: examples, experiments, templates. No value crosses from one to another unless
some file imports both, names both, or reads a configuration that both know. Such files make one part, and each part is
followed by itself: what a part says does not depend on what else there is, and a run that names one file reads the part
it belongs to. Where the text leaves open whether two files meet, they do.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from msgspec import Struct, field

from loaderlint.linking.files.known import Files
from loaderlint.linking.files.search_path import put_on_path, upwards
from loaderlint.model.source import Language
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.imports import WORDS

_IMPORT = re.compile(
    rb"\bfrom[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)|\bimport[ \t]+((?:[\w., \t]|\\\r?\n)+)"
)
_BOUND = re.compile(
    rb"\b(?:class|def)[ \t]+(\w+)|^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*[:=]|\bimport\b(\s*\([^)]*\)|.*)", re.M
)
_NAME = re.compile(rb"[A-Za-z_]\w*(?:\.\w+)*")
_DOTTED = re.compile(rb"[A-Za-z_]\w*(?:[.:]\w+)+")
_TAKEN = re.compile(rb"([A-Za-z_]\w*|\*)(?:[ \t\\\r\n]+as[ \t\\\r\n]+\w+)?")
"""A name that an import statement takes from a module, whatever it is called here."""
_COMMENT = re.compile(rb"#[^\n]*")
_OFFERS_ANY = re.compile(rb"\bimport[ \t]*\*|\bdef[ \t]+__getattr__\b")
"""What makes a module offer names that its text does not show."""
_QUOTED = re.compile(rb"""["']([A-Za-z_.][\w./:-]*)["'{%]""")
_ANY = (b"onfig", b"CONFIG", b"cfg", b"CFG")
_READS: Mapping[Language, tuple[bytes, ...]] = {
    Language.PYTHON: (*_ANY, b"mmengine", b"mmcv"),
    Language.YAML: (*_ANY, b"yaml", b"mega", b"hydra", b"yacs", b"jsonargparse"),
    Language.JSON: (*_ANY, b"json", b"HfArgumentParser"),
    Language.TOML: (b"toml", b"dynaconf"),
    Language.INI: (b"configparser",),
}
"""A Python file without any of these words reads no configuration in the language, nor does it say where some is.

A command line interface may read some as well (`_is_interface`).
"""
_INTERFACE = re.compile(rb"CLI(?![A-Z])")
"""The end of what one is called: ``LightningCLI``, but not ``VECLIB_MAXIMUM_THREADS``."""
_STARTS = (
    b"__main__",
    b"parse",
    b"sys.argv",
    b"hydra.main",
    b"hydra import",
    b"absl",
    b"fire",
    b"click",
    b"typer",
    b"tyro",
    b"automain",
)
"""A Python file without any of these words is no program that somebody starts."""
_IS_CONFIGURATION = re.compile(
    rb"^_base_\s*=|\bread_base\b|\bdef\s+get_config\b|^(?:train_dataloader|val_dataloader|test_dataloader|data)\s*=\s*(?:dict\(|\{)",
    re.M,
)
"""Python files that are read as configuration, by their path (``mmengine.Config``, ``ml_collections.config_flags``)."""
_NAMES_SETTINGS = (b"_base_", b"read_base", b"def get_config", b"_dataloader", b"\ndata")
"""Words one of which each of these has; looking for them first takes a tenth of the time."""
_READS_SETTINGS = b"Config.fromfile("
"""What a program says that reads any Python file as configuration, whatever its settings are called (mmengine)."""
_RUNS_CODE = re.compile(rb"^(?:@|(?:async|class|def|for|if|try|while)\b)", re.M)
"""What no such file has at its top."""
_FOLDERS = ("conf", "cfg")
"""What the names of folders begin with in which projects keep such files."""
_LOADERS = tuple(sorted({name.rpartition(".")[2].encode() for name in LOADER_CALLABLES}))
_SUFFIXES = (".py", ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf")


class _Together(Struct):
    """Which files belong together: each knows another of its part, the last one only itself."""

    _other: dict[str, str] = field(default_factory=dict)

    def of(self, path: str) -> str:
        """Return the file that stands for the part a file is in."""
        known = self._other.setdefault(path, path)
        while known != self._other[known]:
            self._other[known] = self._other[self._other[known]]
            known = self._other[known]
        return known

    def join(self, paths: Iterable[str]) -> None:
        """Make all these files one part."""
        roots = sorted({self.of(path) for path in paths})
        for root in roots[1:]:
            self._other[root] = roots[0]


class Parts:
    """Which files of a project can bring in which others, and the parts they make.

    A configuration file belongs to the nearest code that reads its language: all that is below the innermost folder
    around it with such code and a program.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        every = sorted(path for path in files.paths if Language.of(path) is not Language.SHELL)
        self._python = [path for path in every if Language.of(path) is Language.PYTHON]
        self._configuration = [path for path in every if Language.of(path) is not Language.PYTHON]
        self._working_folder = _working_folder(every)
        self._all_below = self._below(self._python)
        self._bound: dict[str, Set[str]] = {}
        self._with_programs: set[str] = set()
        self._readers: dict[Language, list[str]] = {language: [] for language in _READS}
        self._brings: dict[str, set[str]] = {path: set() for path in every}
        self._shared: set[str] = set()
        self._choices: set[str] = set()
        """What stands among the files for all those of a language that the same code chooses from."""
        self._programs: list[str] = []
        """The Python files that are more than settings."""
        self.mentioned: dict[re.Pattern[bytes], bool] = {}
        """What was answered so far to `programs_mention`."""
        self._look_through()

    def _look_through(self) -> None:
        written: list[str] = []
        plain: list[str] = []
        any_read = False
        for path in self._python:
            content = self._files.content(path) or b""
            self._brings[path].update(self._named_by(path, content))
            names_settings = content.startswith(b"data") or any(word in content for word in _NAMES_SETTINGS)
            if names_settings and _IS_CONFIGURATION.search(content):
                written.append(path)
                continue
            if b"worker" in content and is_plain(path, content):
                plain.append(path)
            any_read = any_read or _READS_SETTINGS in content
            self._programs.append(path)
            is_interface = _is_interface(content)
            may_start = is_interface or any(word in content for word in _STARTS)
            # Settings that only look so: `SparseEncoder` in a model's.
            if may_start and not is_plain(path, content):
                self._with_programs.update(self._around(path))
            for language, words in _READS.items():
                if (is_interface and _ANY[0] in words) or any(word in content for word in words):
                    self._readers[language].append(path)
        self._readers_below = {language: self._below(paths) for language, paths in self._readers.items()}
        for path in (*written, *(plain if any_read else ()), *self._configuration):
            self._brings.setdefault(self._choice(path), set()).add(path)
        for path in self._configuration:
            self._brings[path].update(self._named_in(path))
            if not self._brings[path] and not self._may_make_loaders(path):
                self._shared.add(path)
        self._shared.update(choice for choice in self._choices if self._brings[choice] <= self._shared)

    @cached_property
    def all(self) -> tuple[frozenset[str], ...]:
        """The files of each part; a configuration file that holds no loader's settings may be in several."""
        together = _Together()
        for path, brought in self._brings.items():
            if path not in self._shared:
                together.join([path, *(brought - self._shared)])
        members: dict[str, set[str]] = {}
        for path, brought in self._brings.items():
            if path not in self._shared:
                offered = (one for choice in brought & self._choices for one in self._brings[choice])
                members.setdefault(together.of(path), set()).update((path, *brought, *offered))
        return tuple(frozenset(members[part] - self._choices) for part in sorted(members))

    def programs_mention(self, words: re.Pattern[bytes]) -> bool:
        """Return whether a Python file of the whole project that is more than settings holds some words, or none is."""
        if words not in self.mentioned:
            contents = (self._files.content(path) or b"" for path in self._programs)
            self.mentioned[words] = not self._programs or any(map(words.search, contents))
        return self.mentioned[words]

    def in_programs_with(self, named: Iterable[str]) -> frozenset[str]:
        """Return the files that some program brings in together with one of the named files."""
        return reached(reached(named, self._users), self._brings) - self._choices

    def brought_in(self, paths: Iterable[str]) -> frozenset[str]:
        """Return files and all that these can bring in, directly or not."""
        return reached(paths, self._brings) - self._choices

    def users(self, path: str) -> frozenset[str]:
        """Return a file and all that can bring it in, directly or not."""
        return reached([path], self._users) - self._choices

    def direct_users(self, path: str) -> frozenset[str]:
        """Return the files that can bring in a file."""
        return frozenset(self._users.get(path, ()))

    @cached_property
    def _users(self) -> Mapping[str, set[str]]:
        """The files that can bring in a file, by its path."""
        found: dict[str, set[str]] = {}
        for path, brought in self._brings.items():
            for one in brought:
                found.setdefault(one, set()).add(path)
        return found

    def _from_outside(self, path: str) -> str:
        """Return a path from the outermost folder of the project, which may be above the working folder."""
        whole = posixpath.normpath(posixpath.join(self._working_folder, path))
        return "" if whole == "." else whole

    def _around(self, path: str) -> Iterator[str]:
        """Yield the folders a file is in, the innermost first."""
        return upwards(self._from_outside(posixpath.dirname(path)))

    def _below(self, paths: Iterable[str]) -> Mapping[str, list[str]]:
        """Return the files in each folder and below it."""
        found: dict[str, list[str]] = {}
        for path in paths:
            for folder in self._around(path):
                found.setdefault(folder, []).append(path)
        return found

    # --- what a Python file names ---

    def _named_by(self, path: str, content: bytes) -> Iterator[str]:
        search = self._files.search_path
        extended = put_on_path(content)
        for module, names in _imported(content):
            if module.startswith(".") or search.may_have(module):
                yield from self._imported_from(search.modules(module, path, extended), names)
                joint = module if module.endswith(".") else f"{module}."
                for name in names:
                    yield from search.modules(joint + name, path, extended)[:1] if search.knows(name) else ()
        yield from self._initializers(path)
        by_name = any(word in content for word in WORDS)
        if by_name:
            yield from self._all_below.get(self._from_outside(self._package_of(path)), ())
        for quoted in set(_QUOTED.findall(content)):
            yield from self._quoted(quoted.decode("ascii", "replace"), path, by_name)

    def _initializers(self, path: str) -> Iterator[str]:
        """Yield what runs before a module of a package does, where there is anything to run."""
        for folder in upwards(posixpath.dirname(path)):
            initializer = posixpath.join(folder, "__init__.py")
            if initializer not in self._files.paths:
                return
            if initializer != path and (self._files.content(initializer) or b"").strip():
                yield initializer

    def _imported_from(self, modules: Sequence[str], names: Set[str]) -> Iterator[str]:
        """Yield the modules that an import can mean: the first, and for a name that it lacks the first to offer it."""
        yield from modules[:1]
        if len(modules) > 1:
            for name in names:
                yield next((module for module in modules if self._offers(module, name)), modules[0])

    def _offers(self, module: str, name: str) -> bool:
        """Return whether a name can be imported from a module, as far as its text says so."""
        content = self._files.content(module) or b""
        if name == "*" or name in self._bound_in(module) or _OFFERS_ANY.search(content):
            return True
        folder, last = posixpath.split(module)
        if last != "__init__.py":
            return False
        return f"{name}.py" in self._files.folders.get(folder, ()) or name in self._files.folders_in(folder)

    def _quoted(self, text: str, path: str, by_name: bool) -> Iterator[str]:
        if text.endswith(_SUFFIXES):
            for folder in upwards(posixpath.dirname(path)):
                named = posixpath.normpath(posixpath.join(folder, text))
                if named in self._files.paths:
                    yield named
                    return
        elif "/" not in text and ("." in text or ":" in text):
            yield from self._meant(text, path)
            if by_name and text.endswith(".") and text.strip("."):
                for module in self._files.search_path.modules(text.rstrip("."), path):
                    yield from self._all_below.get(self._from_outside(posixpath.dirname(module)), ())

    def _meant(self, dotted: str, path: str) -> Iterator[str]:
        """Yield the modules that a dotted name means: a module of that name, or one that defines the last part."""
        parts = dotted.replace(":", ".").strip(".").split(".")
        if len(parts) > 2 and self._files.search_path.knows(parts[-1]):
            yield from self._nearest_modules(".".join(parts), path)
        if len(parts) > 1 and self._files.search_path.knows(parts[-2]):
            for module in self._nearest_modules(".".join(parts[:-1]), path):
                if parts[-1] in self._bound_in(module):
                    yield module

    def _bound_in(self, module: str) -> Set[str]:
        """Return the names that a Python file binds, as far as its text says so, and some others."""
        if module not in self._bound:
            found = _BOUND.findall(self._files.content(module) or b"")
            self._bound[module] = {_text(name) for names in found for part in names for name in _NAME.findall(part)}
        return self._bound[module]

    def _nearest_modules(self, name: str, path: str) -> Iterable[str]:
        found = self._files.search_path.modules(name, path)[:1]
        return (*found, *self._files.search_path.nearest(name, path))

    def _package_of(self, path: str) -> str:
        """Return the folder of the outermost package that a file is in, or the folder it stands in."""
        folder = posixpath.dirname(path)
        while f"{posixpath.dirname(folder)}/__init__.py" in self._files.paths:
            folder = posixpath.dirname(folder)
        return folder

    # --- who reads a configuration file ---

    def _named_in(self, path: str) -> Iterator[str]:
        if _is_anybodys(path) and path not in self._files.given:
            return
        words = {word for word in (self._files.content(path) or b"").split() if b"." in word and b"/" not in word}
        for dotted in {dotted for word in words for dotted in _DOTTED.findall(word)}:
            yield from self._meant(dotted.decode("ascii", "replace"), path)

    def _may_make_loaders(self, path: str) -> bool:
        if path in self._files.given or _is_anybodys(path):
            return path in self._files.given
        content = self._files.content(path) or b""
        return any(name in content for name in _LOADERS)

    def _choice(self, path: str) -> str:
        """Return what stands for a configuration file and all others that the nearest code may choose from."""
        language = self._files.language(path) or Language.PYTHON
        below = self._readers_below[language]
        around = (one for one in self._around(path) if one in below and one in self._with_programs)
        folder = next(around, "")
        choice = f"{folder}/*.{language.value}"
        if choice not in self._choices:
            self._choices.add(choice)
            for reader in below.get(folder, ()):
                self._brings[reader].add(choice)
        return choice


def is_plain(path: str, content: bytes) -> bool:
    """Return whether a Python file stands in a folder of configurations, and does nothing but give names to values."""
    folders = path.lower().split("/")[:-1]
    return any(one.startswith(_FOLDERS) for one in folders) and _RUNS_CODE.search(content) is None


def _is_interface(content: bytes) -> bool:
    return b"CLI" in content and _INTERFACE.search(content) is not None


def _imported(content: bytes) -> set[tuple[str, frozenset[str]]]:
    """Return the dotted names that the imports of a file mean, going by its text, each with what is taken from it."""
    found: set[tuple[str, frozenset[str]]] = set()
    for base, what, plain in _IMPORT.findall(content):
        if base:
            found.add((_text(base), frozenset(map(_text, _TAKEN.findall(_COMMENT.sub(b"", what))))))
        else:
            for one in _NAME.findall(plain):
                parts = _text(one).split(".")
                found.update((".".join(parts[: length + 1]), frozenset[str]()) for length in range(len(parts)))
    return found


def _text(word: bytes) -> str:
    return word.decode("ascii", "replace")


def _is_anybodys(path: str) -> bool:
    language = Language.of(path)
    return language is not None and language.is_anybodys


def reached(start: Iterable[str], ways: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return everything that can be reached from some files, themselves included."""
    found = set(start)
    waiting = list(found)
    while waiting:
        for path in ways.get(waiting.pop(), ()):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return frozenset(found)


def _working_folder(paths: Iterable[str]) -> str:
    """Return a path for the working folder from the outermost folder that paths reach by going up from it."""
    return "/".join("*" for _ in range(max((path.count("../") for path in paths), default=0)))
