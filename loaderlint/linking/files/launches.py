"""Where programs run: services of compose files, containers of Kubernetes, ``docker run``, ``srun``, batch scripts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from msgspec import Struct

from loaderlint.linking.files import containers
from loaderlint.linking.files.commands import Commands, changing_folders, option, starter
from loaderlint.linking.files.known import Files, PartFiles
from loaderlint.model.job import Cpus, Ranks, Runner
from loaderlint.model.source import Language, Source, Span
from loaderlint.readers import shell
from loaderlint.readers.shell import Command, ShellFacts, Word
from loaderlint.readers.tree import ConfigurationFacts
from loaderlint.vocabulary.jobs import (
    CONTAINER_TOOLS,
    CPUS_OF_CONTAINERS,
    CPUS_OF_TASKS,
    RANKS,
    RANKS_IN_ALL,
    SHARED_MEMORY,
    SHARED_MEMORY_OPTIONS,
    STEP_HAS_OTHER_CPUS,
    TAKES_CPUS_OVER,
    TASKS,
    TASKS_PER_NODE,
    WHOLE_NODES,
    WRAPPERS,
)
from loaderlint.vocabulary.prefilter import may_matter, may_start_programs


class Launch(Struct, frozen=True, eq=False):
    """One start of a Python file of the project: where it stands, what it is given, and the program's own words."""

    program: str
    arguments: tuple[Word, ...]
    span: Span
    runner: Runner
    name: str = ""
    small_shm: bool = False
    cpus: Cpus | None = None
    ranks: Ranks | None = None
    settings: Span | None = None
    settings_shared: bool = False


class Launches:
    """All starts of a project's programs that its compose files, Kubernetes files and shell scripts say."""

    def __init__(self, files: Files, read: PartFiles) -> None:
        self._files, self._read = files, read
        self._commands = Commands(lambda: files.paths, read.source)

    def of(self, program: str) -> tuple[Launch, ...]:
        """Return the starts of one program."""
        return self._by_program.get(program, ())

    def started_in(self, paths: frozenset[str]) -> frozenset[str]:
        """Return the programs that are started in some of the files."""
        return frozenset(one.program for one in self._all if one.span.path in paths)

    @cached_property
    def _by_program(self) -> Mapping[str, tuple[Launch, ...]]:
        found: dict[str, tuple[Launch, ...]] = {}
        for one in self._all:
            found[one.program] = (*found.get(one.program, ()), one)
        return found

    @property
    def asked(self) -> Set[str]:
        """The paths of the files that were read on the way."""
        return self._read.asked

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources that may start programs, in the order of paths."""
        return tuple(one for _, one in sorted(self._files.given.items()) if _may_start_programs(one))

    @cached_property
    def _all(self) -> tuple[Launch, ...]:
        found: list[Launch] = []
        for source in self.sources:
            if source.language is Language.SHELL:
                found.extend(self._in_shell(source))
        found.extend(self._in_yaml([one for one in self.sources if one.language is Language.YAML]))
        return tuple(found)

    def _in_yaml(self, sources: Sequence[Source]) -> Iterator[Launch]:
        for one in containers.containers(self._facts(sources), self._beside):
            for start in self._commands.started(one.words, posixpath.dirname(one.span.path), one.folders):
                yield Launch(
                    start.program,
                    start.arguments,
                    one.span,
                    one.runner,
                    one.name,
                    one.small_shm,
                    one.cpus,
                    start.ranks,
                    one.settings,
                    one.settings_shared,
                )

    def _facts(self, sources: Iterable[Source]) -> Iterator[ConfigurationFacts]:
        facts = (self._read.configuration(source.path) for source in sources)
        return (one for one in facts if one is not None)

    def _beside(self, path: str) -> Iterator[ConfigurationFacts]:
        """Yield what other files of a compose file's folder say of services."""
        folder = posixpath.dirname(path)
        names = (posixpath.join(folder, name) for name in self._files.folders.get(folder, ()))
        others = (one for one in names if Language.of(one) is Language.YAML and one != path)
        sources = (self._read.source(one) for one in others if b"services" in (self._files.content(one) or b""))
        return self._facts(one for one in sources if one is not None)

    def _in_shell(self, source: Source) -> Iterator[Launch]:
        yield from self._in_script(source, shell.read(source))

    def _in_script(self, source: Source, facts: ShellFacts, asked: Sequence[Word] = ()) -> Iterator[Launch]:
        """Yield what a script starts; ``asked`` are the options of the ``sbatch`` that hands it to Slurm, if any."""
        near = posixpath.dirname(source.path)
        batch = _Batch(facts, asked)
        for command, folders in changing_folders(facts.commands):
            words = _unwrapped(command.words)
            name = posixpath.basename(words[0].text)
            if name in CONTAINER_TOOLS:
                yield from self._docker(words, near)
            elif name == "srun":
                yield from self._srun(command, words, batch, near, folders)
            elif name == "sbatch" and not asked:
                yield from self._sbatch(source, words, near, folders)
            elif batch.asks or any(word.text.startswith((*RANKS, *RANKS_IN_ALL)) for word in words):
                runner = Runner.SLURM if batch.asks else Runner.SHELL
                for start in self._commands.started(command.words, near, folders):
                    ranks = start.ranks
                    yield Launch(start.program, start.arguments, command.span, runner, cpus=batch.cpus, ranks=ranks)

    def _sbatch(self, source: Source, words: Sequence[Word], near: str, folders: Sequence[str]) -> Iterator[Launch]:
        wrapped = option(words, ("--wrap",))
        if wrapped is not None:
            commands = shell.commands_in(wrapped.text, wrapped.span)
            yield from self._in_script(source, ShellFacts(source, commands), words)
            return
        number = next((n for n, word in enumerate(words) if Language.of(word.text) is Language.SHELL), None)
        path = self._commands.found(words[number].text, near, folders) if number is not None else None
        script = self._read.source(path) if path is not None else None
        if number is not None and script is not None:
            yield from self._in_script(script, shell.read(script, words[number + 1 :]), words[:number])

    def _docker(self, words: Sequence[Word], near: str) -> Iterator[Launch]:
        after = [word.text for word in words[1:3]]
        runs = 1 if after[:1] == ["run"] else 2 if after == ["container", "run"] else None
        begin = starter(words[runs + 1 :]) if runs is not None else None
        if runs is None or begin is None:
            return
        options, command = words[runs + 1 : runs + 1 + begin], words[runs + 1 + begin :]
        # The last word before the command is the image, whatever it is called.
        if any(word.several for word in options[:-1]) or any(word.text == "--entrypoint" for word in options):
            return
        small = not any(word.text.startswith(SHARED_MEMORY_OPTIONS) or SHARED_MEMORY in word.text for word in options)
        span = words[0].span._replace(end_line=words[runs].span.end_line, end_column=words[runs].span.end_column)
        cpus = _cpus(option(options, CPUS_OF_CONTAINERS))
        for start in self._commands.started(command, near):
            yield Launch(
                start.program, start.arguments, span, Runner.DOCKER, small_shm=small, cpus=cpus, ranks=start.ranks
            )

    def _srun(
        self, command: Command, words: Sequence[Word], batch: _Batch, near: str, folders: Sequence[str]
    ) -> Iterator[Launch]:
        begin = starter(words[1:])
        if begin is None:
            return
        options = words[1 : 1 + begin]
        asked = option(options, CPUS_OF_TASKS)
        cpus = _cpus(asked)
        says_otherwise = any(word.several or word.text.startswith(STEP_HAS_OTHER_CPUS) for word in options)
        if asked is None and not says_otherwise and TAKES_CPUS_OVER not in command.given:
            cpus = batch.left_to(words[0].span)
        for start in self._commands.started(words[1 + begin :], near, folders):
            at, ranks = words[0].span, start.ranks
            yield Launch(start.program, start.arguments, at, Runner.SLURM, cpus=cpus, ranks=ranks)


class _Batch:
    """What the ``#SBATCH`` lines of a script ask for, and the options of ``sbatch``, which win over them."""

    def __init__(self, facts: ShellFacts, asked: Sequence[Word]) -> None:
        self._words = (*facts.directives, *asked)
        self.asks = bool(self._words)
        self._whole_node = any(word.text.startswith(WHOLE_NODES) for word in self._words)
        self._hands_over = facts.sources or TAKES_CPUS_OVER in facts.exported
        self._per_task = _cpus(option(self._words, CPUS_OF_TASKS))

    @property
    def cpus(self) -> Cpus | None:
        """The CPUs that a command of the script has by itself: those of all tasks on the first node, at most."""
        if self._per_task is None or self._whole_node:
            return None
        tasks = option(self._words, TASKS_PER_NODE) or option(self._words, TASKS)
        if tasks is None:
            return self._per_task
        count = _number(tasks.text)
        if count is None:
            return None
        number = self._per_task.number * max(count, 1)
        return Cpus(self._per_task.span, number, self._per_task.written)

    def left_to(self, span: Span) -> Cpus | None:
        """Return what a task of an ``srun`` there has that asks for no CPUs of its own.

        From Slurm 22.05 on it does not take ``--cpus-per-task`` from the script (``srun``'s manual page, under that
        option).
        """
        if self._per_task is None or self._per_task.number <= 1 or self._whole_node or self._hands_over:
            return None
        return Cpus(span, 1, self._per_task.written, self._per_task.span)


def _unwrapped(words: Sequence[Word]) -> Sequence[Word]:
    """Return a command without the words before it that only say how it is run, as far as these are plain."""
    kept = list(words)
    while len(kept) > 1 and posixpath.basename(kept[0].text) in WRAPPERS and not kept[1].text.startswith("-"):
        kept.pop(0)
    return kept


def _cpus(word: Word | None) -> Cpus | None:
    number = _number(word.text) if word is not None else None
    return None if word is None or number is None else Cpus(word.span, number, word.text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number > 0 else None


def _may_start_programs(source: Source) -> bool:
    if source.language is Language.SHELL:
        return may_matter(source.content, Language.SHELL)
    return source.language is Language.YAML and may_start_programs(source.content)
