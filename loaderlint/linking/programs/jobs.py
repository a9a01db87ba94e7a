"""The jobs of a loader: which commands start its program, and what worker count their words ask for.

A command line gives a flag's value, or leaves it to its default, and names the file that is read; what else the program
does with these was followed already, and says so by what its candidates assume of the flag and the file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from loaderlint.linking.following.commandlines.flags import Flag, converted, declared_flag
from loaderlint.linking.following.configurations.opened import FILE_READ
from loaderlint.linking.following.configurations.overrides import overridden
from loaderlint.linking.things.kinds import Frame, Possibility
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Answer, Assumption, Assumptions, answers_of, together
from loaderlint.model.job import Job
from loaderlint.model.source import Language
from loaderlint.model.value import Candidate, Step, Value
from loaderlint.readers.shell import UNREAD, Word

if TYPE_CHECKING:
    from loaderlint.linking.files.launches import Launch
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.model.loader import Loader

_DECLARE = ("add_argument", "option")
"""Calls that declare flags, by the last part of the callee's name (argparse, click)."""


def jobs(evaluator: Evaluator, loader: Loader, program: str, brought_in: Set[str]) -> Iterator[Job]:
    """Yield the jobs that start a program which makes the loader; ``brought_in`` are the files it imports."""
    value = _of_program(loader.num_workers, brought_in)
    for launch in evaluator.project.launches.of(program):
        yield Job(
            launch.span,
            launch.runner,
            program,
            launch.name,
            _asked_by(evaluator, launch, value, brought_in),
            launch.small_shm,
            launch.cpus,
            launch.ranks,
            launch.settings,
            launch.settings_shared,
        )


def _of_program(value: Value, brought_in: Set[str]) -> Value:
    """Return what can reach an option in one program: what is written in Python files that it imports, or elsewhere."""

    def comes_by(candidate: Candidate) -> bool:
        # What is asked at a place, such as "the file read at train.py:5:15", is asked in that place's file.
        asked_in = (one.subject.rsplit(":", 2)[0].rpartition(" at ")[2] for one in candidate.assumptions)
        return all(
            path in brought_in
            for path in (*(one.path for one in candidate.places), *asked_in)
            if Language.of(path) is Language.PYTHON
        )

    flags = frozenset(
        one for one in value.given_at if one.path in brought_in or Language.of(one.path) is not Language.PYTHON
    )
    return replace(value, candidates=tuple(filter(comes_by, value.candidates)), given_at=flags)


def _asked_by(evaluator: Evaluator, launch: Launch, value: Value, brought_in: Set[str]) -> Value:
    """Return what an option is when its program is started with these words; open where that cannot be told."""
    answers = _file_named(value, launch.arguments)
    given: list[Candidate] = []
    unanswered = False
    subjects = {one.subject for candidate in value.candidates for one in candidate.assumptions}
    flags_at = {one for one in value.given_at if Language.of(one.path) is Language.PYTHON}
    direct = {str(span) for span in flags_at}
    for flag in _flags(evaluator, subjects | direct, brought_in):
        said = _said(flag, launch.arguments)
        if said is None:
            unanswered = True
            continue
        answers |= {Assumption(flag.subject, "given" if said.spelled else "default")}
        direct.discard(str(flag.span))
        if said.spelled and flag.span in value.given_at:
            handed_over = list(_handed_over(evaluator, flag, said))
            unanswered = unanswered or not handed_over
            given.extend(handed_over)
    if value.open and not value.by_user and any(together(way, answers) is not None for way in value.unseen):
        return value
    fitting = tuple(one for one in value.candidates if together(one.assumptions, answers) is not None)
    # What gives the count and is no flag whose declaration was seen may have been given.
    unanswered = unanswered or bool(direct)
    if flags_at != value.given_at:
        replaced = overridden(evaluator.project, fitting, launch.arguments)
        fitting, unanswered = replaced or fitting, unanswered or replaced is None
    return replace(value, candidates=(*fitting, *given), open=unanswered)


def _file_named(value: Value, words: Sequence[Word]) -> Assumptions:
    """Return which of the files that the user can name a program reads: the only one that its words name, if any."""
    texts = [word.text.rpartition("=")[2] for word in words]
    named = [posixpath.normpath(text) for text in texts if (of := Language.of(text)) and of.is_configuration]
    if len(named) != 1 or not all(word.read for word in words):
        return NO_ASSUMPTIONS
    found: dict[str, set[Answer]] = {}
    for candidate in value.candidates:
        for subject, answer in candidate.assumptions:
            paths = answers_of(answer) if subject.startswith(FILE_READ) else ()
            fitting = (path for path in paths if f"/{path}".endswith(f"/{named[0]}"))
            found.setdefault(subject, set()).update(fitting)
    return frozenset(Assumption(subject, *paths) for subject, paths in found.items() if len(paths) == 1)


def _flags(evaluator: Evaluator, subjects: Set[str], paths: Set[str]) -> Iterator[Flag]:
    """Yield the flags that are declared at some places, in these files.

    Where a loop declares several at one place, an assumption says which of them it speaks of.
    """
    at_places: dict[str, list[str]] = {}
    for subject in sorted(subjects):
        before, _, column = subject.rpartition(":")
        column, _, name = column.partition(" ")
        at_places.setdefault(f"{before}:{column}", []).append(name)
    for path in sorted({place.rsplit(":", 2)[0] for place in at_places} & paths):
        facts = evaluator.project.python(path)
        for called in _DECLARE if facts is not None else ():
            assert facts is not None
            for site in facts.calls.get(called, ()):
                for name in at_places.get(str(facts.span(site.node)), ()):
                    names = (f"--{name}", f"--{name.replace('_', '-')}") if name else None
                    flag = declared_flag(site.node, Frame(facts, site.place), names)
                    if flag is not None:
                        yield flag


class _Said(NamedTuple):
    """What a command line says of a flag: how it spells it (empty: not at all), and the word it gives it, if any."""

    spelled: str = ""
    word: Word | None = None


def _said(flag: Flag, words: Sequence[Word]) -> _Said | None:
    """Return what a command line says of a flag, the last time it does.

    It is None where nobody can tell: words that were not read may hold the flag, or it is abbreviated.
    """
    found = _Said()
    unread = False
    takes_none = flag.switch is not None or (flag.action or "").startswith("store_")
    for number, word in enumerate(words):
        spelled, joined, tail = word.text.partition("=")
        if word.text == "--":
            break
        if spelled in flag.spellings:
            following = next(iter(words[number + 1 : number + 2]), None)
            value = None if takes_none else Word(tail, word.span) if joined else following
            found = _Said(spelled, value)
        elif word.text.startswith(UNREAD):
            unread = unread or word.several
        elif len(spelled) > 2 and any(one.startswith(spelled) for one in flag.spellings):
            return None
        elif not word.text.startswith("--") and any(_is_joined(word.text, one) for one in flag.spellings):
            found = _Said(word.text[:2], Word(word.text[2:], word.span))
    return None if unread and not found.spelled else found


def _is_joined(text: str, spelling: str) -> bool:
    """Return whether a word is a short flag with its value behind it, ``-j8``."""
    return len(spelling) == 2 and text.startswith(spelling) and text[2:].isdigit()


def _handed_over(evaluator: Evaluator, flag: Flag, said: _Said) -> Iterator[Candidate]:
    """Yield what a program makes of the word that its flag is given."""
    word = said.word
    if word is None or not word.read or flag.keyword("nargs") is not None:
        return
    for one in converted(evaluator, Possibility(word.text, word.span), flag):
        if isinstance(one.thing, bool | int | float | str):
            trail = (Step(word.span, f"{said.spelled} {word.text}"), Step(flag.span, flag.spelled))
            yield Candidate(one.thing, word.span, trail=trail)
