"""Keeps what runs said: the same question about the same files is not worked out a second time.

What is kept is a finished report, as text, with the exit code. It is said again only where all that it can depend on
is the same: loaderlint and the libraries it reads with, what was asked for, the settings in force, the names of the
project's files, the bytes of those that may matter, and the bytes of every other file the run asked for on its way.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.model.source import Source

if TYPE_CHECKING:
    from loaderlint.linking.files.known import OtherFiles

OFF = "LOADERLINT_NO_CACHE"
"""The environment's way to say ``--no-cache``."""
FOLDER = "LOADERLINT_CACHE_DIR"
"""The environment's way to say ``--cache-dir``."""
MOST_KEPT = 500
"""Reports that are kept, the oldest of which go first."""
REPORTS = "reports"
"""The folder, in the one for what is kept, that is ours alone: people name folders that hold more."""
_OURS = re.compile(r"[0-9a-f]{40}(\..*)?")
"""The names of what is kept, and of what was being written when a run was ended."""
_CODE = ("loaderlint", "loaderlint.rules")
_LIBRARIES = ("libcst", "packaging", "pathspec", "rich", "ruamel.yaml", "_ruamel_yaml", "tomli")
"""What reads and writes for us: another version may say something else."""


class Said(Struct, frozen=True):
    """What a run printed, and the exit code it ended with."""

    text: str
    code: int


class Question(Struct, frozen=True):
    """What a run was asked: ``name`` is that of the place its answer is kept in, ``digest`` all it is known by."""

    name: str
    digest: str


def question(asked: Mapping[str, object], sources: Mapping[str, Source], circumstances: Iterable[object]) -> Question:
    """Return what a run is asked.

    ``asked`` is what the command line says and where, which is the same while files change; ``sources`` are the files
    that may matter, and ``circumstances`` what else the answer depends on, all with a ``repr`` that tells them apart.
    """
    files = [
        (path, one.location, one.language, one.encoding, _digest(one.content), _digest(one.notebook or b""))
        for path, one in sorted(sources.items())
    ]
    here = repr(sorted(asked.items()))
    everything = (here, sys.version, [*_code()], files, [*circumstances])
    return Question(_digest(here.encode(errors="surrogatepass")), _digest(repr(everything).encode(errors="replace")))


class Watched:
    """The files of a project, and in ``asked`` those that somebody asked for with what was in them.

    In ``there`` are the paths of which somebody only asked whether something is there, with the answer.
    """

    def __init__(self, files: OtherFiles) -> None:
        self._files = files
        self.asked: dict[str, str | None] = {}
        self.there: dict[str, bool] = {}

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all files of the project in the languages we read."""
        return self._files.paths()

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes, None when there is no such file."""
        content = self._files.content(path)
        self.asked[path] = None if content is None else _digest(content)
        return content

    def read(self, path: str) -> Source | None:
        """Return a file's source, None when there is no such file."""
        source = self._files.read(path)
        if source is None:
            self.content(path)
        else:
            self.asked[path] = _digest(source.content if source.notebook is None else source.notebook)
        return source

    def exists(self, path: str) -> bool:
        """Return whether something stands at a path, one that the project's settings pass over included."""
        self.there[path] = self._files.exists(path)
        return self.there[path]

    def answers(self) -> object:
        """Return what was asked so far, with the answers, for `learn` in another process."""
        return self.asked, self.there

    def learn(self, answers: object) -> None:
        """Take in the `answers` of another process."""
        if isinstance(answers, tuple):
            asked, there = answers
            self.asked.update(asked)
            self.there.update(there)


class Cache:
    """The reports that are kept below a folder, each in a file of its own.

    A folder that cannot be read or written keeps nothing, and several processes can use one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / REPORTS

    def said(self, question: Question, files: OtherFiles) -> Said | None:
        """Return what a run said that was asked the same while ``files`` were as they are now, None without one."""
        try:
            kept = json.loads((self._folder / question.name).read_bytes())
            if kept["digest"] != question.digest:
                return None
            now = Watched(files)
            for path in kept["asked"]:
                now.content(path)
            for path in kept["there"]:
                now.exists(path)
            same = now.asked == kept["asked"] and now.there == kept["there"]
            return Said(str(kept["text"]), int(kept["code"])) if same else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, question: Question, files: Watched, said: Said) -> None:
        """Keep what a run said that asked for some files besides those its question names."""
        entry = {
            "digest": question.digest,
            "asked": files.asked,
            "there": files.there,
            "text": said.text,
            "code": said.code,
        }
        with suppress(OSError):
            if not self._folder.is_dir():
                self._folder.mkdir(parents=True)
                (self._folder / ".gitignore").write_text("*\n")
            self._write(question.name, json.dumps(entry).encode())
            self._make_room()

    def _write(self, name: str, content: bytes) -> None:
        handle, temporary = tempfile.mkstemp(prefix=f"{name}.", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, self._folder / name)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def _make_room(self) -> None:
        ours = (one for one in os.scandir(self._folder) if _OURS.fullmatch(one.name))
        kept = sorted((one.stat().st_mtime, one.path) for one in ours)
        for _, path in kept[: max(len(kept) - MOST_KEPT, 0)]:
            os.unlink(path)


def is_off() -> bool:
    """Return whether the environment says that nothing is to be kept."""
    return bool(os.environ.get(OFF))


def place(folder: str | None) -> Path:
    """Return the folder for what is kept: the one that is named, else the environment's, else the user's for caches."""
    named = folder or os.environ.get(FOLDER)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("loaderlint")


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=20).hexdigest()


def _code() -> Iterator[tuple[str, int, int]]:
    """Yield the files that we are made of, as well as a pair of eyes sees that one is another: by size and time."""
    for name in _CODE:
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield from _files(folder)
    for name in _LIBRARIES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None and os.path.exists(spec.origin):
            status = os.stat(spec.origin)
            yield spec.origin, status.st_size, status.st_mtime_ns


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _files(entry.path)
        else:
            status = entry.stat()
            yield entry.path, status.st_size, status.st_mtime_ns
