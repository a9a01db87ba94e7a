"""Which Python file of the project a command starts, and the words its own command line gets.

``python train.py``, ``python -m pkg.train``, ``torchrun --nproc_per_node 2 train.py``, ``bash -c "..."``, a script of
the project that does one of these. A path is looked for from the folder the command stands in and each above it, an
absolute one by what it ends in: where a container keeps the project is not seen.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from loaderlint.linking.files.search_path import upwards
from loaderlint.model.job import Ranks
from loaderlint.model.source import Source
from loaderlint.readers import shell
from loaderlint.readers.shell import UNREAD, Command, Word
from loaderlint.vocabulary.jobs import (
    LAUNCHER_MODULES,
    LAUNCHERS,
    MACHINES,
    PYTHON,
    PYTHON_OPTIONS_WITH_VALUE,
    RANKS,
    RANKS_IN_ALL,
    SHELLS,
    WRAPPERS,
)

_DEEPEST_SCRIPT = 3
"""Scripts that start each other; deeper ones are not read."""
MOST_SCRIPTS = 500
"""Times that scripts are read because others start them, with the arguments they are given there."""


class Started(NamedTuple):
    """A Python file of the project that a command starts, the words behind it, and how often a launcher starts it."""

    program: str
    arguments: tuple[Word, ...]
    ranks: Ranks | None = None


class Commands:
    """What the commands of a project start; ``paths`` are its files, ``source`` reads one."""

    def __init__(self, paths: Callable[[], frozenset[str]], source: Callable[[str], Source | None]) -> None:
        self._paths = paths
        self._source = source
        self._scripts_read = 0

    def started(self, words: Sequence[Word], near: str, below: Sequence[str] = (), depth: int = 0) -> Iterator[Started]:
        """Yield what a command starts that stands in the folder ``near``.

        ``below`` are folders that the command has changed into, from there.
        """
        begin = _first_starter(words) if words and _name(words[0]) in WRAPPERS else 0
        if begin is None or begin >= len(words):
            return
        first, rest = _name(words[begin]), words[begin + 1 :]
        if first in SHELLS:
            yield from self._by_shell(rest, near, below, depth)
        elif PYTHON.fullmatch(first):
            yield from self._by_python(rest, near, below)
        elif first in LAUNCHERS:
            yield from self._by_launcher(rest, near, below)
        elif first.endswith((".py", ".sh", ".bash")):
            yield from self._file(words[begin], rest, near, below, depth)

    def started_by(
        self, commands: Iterable[Command], near: str, below: Sequence[str] = (), depth: int = 0
    ) -> Iterator[Started]:
        """Yield what the commands of a script start, one after the other."""
        for command, folders in changing_folders(commands, below):
            yield from self.started(command.words, near, folders, depth)

    def _by_shell(self, words: Sequence[Word], near: str, below: Sequence[str], depth: int) -> Iterator[Started]:
        for number, word in enumerate(words):
            if word.text.startswith("-") and word.text.endswith("c") and not word.text.startswith("--"):
                for text in words[number + 1 : number + 2]:
                    if depth < _DEEPEST_SCRIPT:
                        yield from self.started_by(shell.commands_in(text.text, text.span), near, below, depth + 1)
                return
            if not word.text.startswith("-"):
                yield from self._file(word, words[number + 1 :], near, below, depth)
                return

    def _file(
        self, word: Word, arguments: Sequence[Word], near: str, below: Sequence[str], depth: int
    ) -> Iterator[Started]:
        path = self.found(word.text, near, below)
        if path is None:
            return
        if path.endswith(".py"):
            yield Started(path, tuple(arguments))
        elif (
            depth < _DEEPEST_SCRIPT and self._scripts_read < MOST_SCRIPTS and (source := self._source(path)) is not None
        ):
            self._scripts_read += 1
            facts = shell.read(source, arguments)
            yield from self.started_by(facts.commands, posixpath.dirname(path), (), depth + 1)

    def _by_python(self, words: Sequence[Word], near: str, below: Sequence[str]) -> Iterator[Started]:
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            if word.text in ("-m", "-c"):
                if word.text == "-m" and waiting:
                    yield from self._module(waiting[0], waiting[1:], near, below)
                return
            if not word.text.startswith("-"):
                yield from self._program(word, waiting, near, below)
                return
            del waiting[: word.text in PYTHON_OPTIONS_WITH_VALUE]

    def _by_launcher(self, words: Sequence[Word], near: str, below: Sequence[str]) -> Iterator[Started]:
        for number, word in enumerate(words):
            rest = words[number + 1 :]
            if word.text in ("-m", "--module") and rest:
                started = self._module(rest[0], rest[1:], near, below)
            elif PYTHON.fullmatch(_name(word)):
                started = self._by_python(rest, near, below)
            elif word.text.endswith(".py"):
                started = self._program(word, rest, near, below)
            else:
                continue
            yield from (one._replace(ranks=_ranks(words[:number])) for one in started)
            return

    def _module(self, word: Word, arguments: Sequence[Word], near: str, below: Sequence[str]) -> Iterator[Started]:
        if word.text in LAUNCHER_MODULES:
            yield from self._by_launcher(arguments, near, below)
        elif word.read:
            base = word.text.replace(".", "/")
            found = (self.found(path, near, below) for path in (f"{base}.py", f"{base}/__main__.py"))
            path = next((one for one in found if one is not None), None)
            if path is not None:
                yield Started(path, tuple(arguments))

    def _program(self, word: Word, arguments: Sequence[Word], near: str, below: Sequence[str]) -> Iterator[Started]:
        path = self.found(word.text, near, below) if word.text.endswith(".py") else None
        if path is not None:
            yield Started(path, tuple(arguments))

    def found(self, written: str, near: str, below: Sequence[str] = ()) -> str | None:
        """Return the file of the project that a command means by a path; None where none or several can be meant."""
        paths = self._paths()
        known = written.rpartition(UNREAD)[2]
        parts = [part for part in posixpath.normpath(known).split("/") if part not in ("", ".")]
        whole = known == written and not written.startswith("/")
        for first in range(1 if whole else len(parts)):
            for folder in upwards(near):
                for inner in (*reversed(below), ""):
                    path = posixpath.normpath(posixpath.join(folder, inner, *parts[first:]))
                    if path in paths:
                        return path
        ending = "/" + "/".join(part for part in parts if part != "..")
        elsewhere = [path for path in paths if f"/{path}".endswith(ending)] if len(ending) > 1 else []
        return elsewhere[0] if len(elsewhere) == 1 else None


def changing_folders(
    commands: Iterable[Command], below: Sequence[str] = ()
) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Yield each command of a script with the folders that ``cd`` went to before it, as far as they are known."""
    folders = tuple(below)
    for command in commands:
        if command.words[0].text in ("cd", "pushd") and len(command.words) == 2 and command.words[1].read:
            folders = (*folders, command.words[1].text.strip("/"))
        yield command, folders


def starter(words: Sequence[Word]) -> int | None:
    """Return the index of the word in a command line, behind another command's options, that starts a program."""
    return _first_starter(words)


def _first_starter(words: Sequence[Word]) -> int | None:
    for number, word in enumerate(words):
        name = _name(word)
        if name in SHELLS or name in LAUNCHERS or PYTHON.fullmatch(name):
            return number
        if name.endswith((".py", ".sh", ".bash")) and "=" not in name:
            return number
    return None


def option(words: Sequence[Word], names: Sequence[str]) -> Word | None:
    """Return the value that a command line gives an option: ``--name 4``, ``--name=4``, ``-c4``; the last one wins."""
    found: Word | None = None
    for number, word in enumerate(words):
        for name in names:
            if word.text == name and number + 1 < len(words):
                following = words[number + 1]
                found = Word(following.text, following.span)
            elif word.text.startswith(f"{name}="):
                found = Word(word.text[len(name) + 1 :], word.span)
            elif not name.startswith("--") and word.text.startswith(name):
                attached = word.text[2:]
                if attached.isdigit() or UNREAD in attached:
                    found = Word(attached, word.span)
    return found


def _ranks(options: Sequence[Word]) -> Ranks | None:
    """Return how many processes a launcher with these options starts on one machine, as far as they say."""
    machines = option(options, MACHINES)
    on_one = machines is None or machines.text == "1"
    word = option(options, (*RANKS, *RANKS_IN_ALL) if on_one else RANKS)
    return Ranks(word.span, int(word.text)) if word is not None and word.text.isdecimal() else None


def _name(word: Word) -> str:
    return posixpath.basename(word.text)
