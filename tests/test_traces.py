"""Small projects, each true to one way of handing options on: what is traced, and what really arrives at torch.

Each folder of ``fixtures/traces`` is a project with an ``expected.toml``; `fixtures/README.md` says what stands there.
The programs run under the frameworks they are written for, and a recorder writes down what the real DataLoader gets.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from loaderlint import engine
from loaderlint.discovery import ProjectFiles, discover
from loaderlint.model.assumptions import PLATFORM, holds_on
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.target import Platform, Target
from loaderlint.model.tracing import Asked
from loaderlint.model.value import Candidate, CommandLineText, CpuCount
from loaderlint.settings import SettingsIndex
from tests.recorder.record import LOG
from tests.torch_loaded import TorchLoaded

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TRACES = Path(__file__).resolve().parents[1] / "fixtures" / "traces"
RECORDER = Path(__file__).resolve().parent / "recorder"

FRAMEWORKS = ("pytorch_lightning.cli", "mmengine.runner", "transformers.hf_argparser")
"""What takes longest to load of what the programs are written for."""

DEADLINE = 60.0
"""Seconds after which a program is ended. The slowest takes about 3 on two idle cores."""

Options: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Arrival:
    """What a real DataLoader got, and where in the project the calls stand that led to it, innermost first."""

    options: Options
    places: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """One run of a fixture's program, and what its ``expected.toml`` says of it.

    ``given`` are the options whose value the command line itself gave, ``unseen`` those whose value comes from where
    nothing is followed. ``order`` names the loaders in the order they are made in, where no call of the project's own
    makes them.
    """

    command: tuple[str, ...]
    arrives: Mapping[str, Options]
    given: frozenset[str]
    unseen: frozenset[str]
    order: tuple[str, ...]


class Project:
    """A fixture, copied to a folder where it can run."""

    def __init__(self, name: str, folder: Path) -> None:
        shutil.copytree(TRACES / name, folder, ignore=shutil.ignore_patterns("__pycache__", "expected.toml"))
        self.folder = folder
        said = tomllib.loads((TRACES / name / "expected.toml").read_text(encoding="utf-8"))
        self.expected: Mapping[str, Mapping[str, Sequence[str]]] = said.get("loaders", {})
        self.unreached: Mapping[str, str] = said.get("unreached", {})
        self.runs = [
            Run(
                command=tuple(run["command"]),
                arrives=run.get("arrives", {}),
                given=frozenset(run.get("given", ())),
                unseen=frozenset(run.get("unseen", ())),
                order=tuple(run.get("order", ())),
            )
            for run in said.get("runs", ())
        ]
        self._arrivals: dict[tuple[str, ...], list[Arrival]] = {}

    @cached_property
    def loaders(self) -> Mapping[str, Loader]:
        """The loaders that are traced, by place."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            index = SettingsIndex(overrides={"platforms": [here().platform.value]})
            sources = discover(["."], index).sources
            files = ProjectFiles(index.cwd, index)
            asked = [Asked(".", frozenset(sources))]
            traced = engine.trace({**files.sources(), **sources}, asked, index.for_path, files)
        finally:
            os.chdir(before)
        assert not traced.failures
        return {place_of(one): one for one in traced.loaders}

    def arrivals(self, run: Run, recorder: Recorder) -> Mapping[str, list[Options]]:
        """Return the options that each loader really got, in order."""
        if run.command not in self._arrivals:
            self._arrivals[run.command] = recorder.run(self.folder, run.command)
        found: dict[str, list[Options]] = {}
        for turn, arrival in enumerate(self._arrivals[run.command]):
            places = run.order[turn : turn + 1] or [one for one in arrival.places if one in self.expected]
            assert places, f"{' '.join(run.command)} makes a loader at {arrival.places} that the fixture does not name"
            found.setdefault(places[0], []).append(arrival.options)
        return found

    def is_changed_by(self, candidate: Candidate, place: str, option: str, recorder: Recorder) -> bool:
        """Return whether a run gives the loader something else when another constant stands where a candidate does.

        True as well where no other constant can be put there: a call that declares a switch, a computed value.
        """
        span = candidate.span
        path = self.folder / span.path
        before = path.read_text(encoding="utf-8")
        lines = before.splitlines(keepends=True)
        line = lines[span.line - 1]
        other = another_constant(line[span.column - 1 : span.end_column - 1], candidate)
        if span.line != span.end_line or other is None:
            return True
        lines[span.line - 1] = line[: span.column - 1] + other + line[span.end_column - 1 :]
        path.write_text("".join(lines), encoding="utf-8")
        try:
            return any(
                [one.options[option] for one in recorder.run(self.folder, run.command)]
                != [one.options[option] for one in self._arrivals[run.command]]
                for run in self.runs
                if place in self.arrivals(run, recorder)
            )
        finally:
            path.write_text(before, encoding="utf-8")


class Recorder:
    """A process that has torch loaded, and writes down what each program it runs gives to it."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._runs = 0
        self._torch = TorchLoaded(RECORDER, loads=FRAMEWORKS)

    def run(self, folder: Path, command: Sequence[str]) -> list[Arrival]:
        """Run a program in a folder and return the loaders it made; a program that fails fails the test."""
        self._runs += 1
        log = self._logs / f"{self._runs}.jsonl"
        log.touch()
        finished = self._torch.run(folder, command, DEADLINE, {LOG: str(log)})
        assert finished.returncode == 0, finished.stderr
        lines = log.read_text(encoding="utf-8").splitlines()
        return [self._arrival(json.loads(line), folder) for line in lines]

    @staticmethod
    def _arrival(said: Mapping[str, Any], folder: Path) -> Arrival:
        places = [((folder / path).resolve(), line) for path, line in said["frames"]]
        root = folder.resolve()
        inside = [(path.relative_to(root), line) for path, line in places if path.is_relative_to(root)]
        return Arrival(said["options"], tuple(f"{path.as_posix()}:{line}" for path, line in inside))

    def close(self) -> None:
        """End the process."""
        self._torch.close()


def here() -> Target:
    platforms = {"win32": Platform.WINDOWS, "darwin": Platform.MACOS}
    return Target(platforms.get(sys.platform, Platform.LINUX), (3, 12), cpus=os.cpu_count())


def place_of(loader: Loader) -> str:
    return f"{loader.span.path}:{loader.span.line}"


def another_constant(written: str, candidate: Candidate) -> str | None:
    """Return another literal of the kind of the one that is written, None where that is no number or truth value."""
    others = {"True": "False", "False": "True", "true": "false", "false": "true"}
    if written in others:
        return others[written]
    constant = candidate.constant
    return str(constant + 1) if isinstance(constant, int) and written == str(constant) else None


def said(candidate: Candidate) -> str:
    """Return a candidate as ``expected.toml`` says it: the constant, where it was written, the platforms it is for."""
    constant = candidate.constant
    text = str(constant) if isinstance(constant, CpuCount | CommandLineText) else json.dumps(constant)
    if not candidate.written:
        return f"{text} torch's default"
    platforms = [
        f" on {'/'.join(sorted(one.answer))}"
        for one in candidate.assumptions
        if one.subject == PLATFORM and isinstance(one.answer, frozenset)
    ]
    return f"{text} {candidate.span.path}:{candidate.span.line}{''.join(platforms)}"


def traced(loader: Loader) -> dict[str, list[str]]:
    return {
        option: sorted({*map(said, value.candidates), *(["open"] if value.open else [])})
        for option, value in loader.options.items()
    }


def sharing_their_constant(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that arrive as another one does: what arrives does not tell them apart."""
    return [
        one
        for one in candidates
        if any(other.constant == one.constant and other.span != one.span for other in candidates) and one.written
    ]


def is_the_same(candidate: Candidate, arrived: object) -> bool:
    constant = candidate.constant
    if isinstance(constant, CommandLineText):
        return isinstance(arrived, str)
    if isinstance(constant, CpuCount):
        constant = constant.compute(os.cpu_count() or 1)
    return type(constant) is type(arrived) and constant == arrived


every_project = pytest.mark.parametrize("name", sorted(path.parent.name for path in TRACES.glob("*/expected.toml")))
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the recorder forks")


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    made = Recorder(tmp_path_factory.mktemp("logs"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Project]:
    folder = tmp_path_factory.mktemp("traces")

    class Copied(dict[str, Project]):
        def __missing__(self, name: str) -> Project:
            self[name] = Project(name, folder / name)
            return self[name]

    return Copied()


@every_project
def test_each_option_is_traced_to_the_places_where_it_was_written(name: str, projects: Mapping[str, Project]) -> None:
    project = projects[name]

    assert {place: traced(loader) for place, loader in project.loaders.items()} == {
        place: {option: sorted(values) for option, values in options.items()}
        for place, options in project.expected.items()
    }


@needs_fork
@every_project
def test_what_arrives_at_torch_was_traced(name: str, projects: Mapping[str, Project], recorder: Recorder) -> None:
    project = projects[name]
    assert project.runs
    for run in project.runs:
        arrivals = project.arrivals(run, recorder)
        for place, options in run.arrives.items():
            for option, value in options.items():
                values = list(dict.fromkeys(one[option] for one in arrivals.get(place, ())))
                assert values == (value if isinstance(value, list) else [value]), (run.command, place, option)
        for place, arrived in arrivals.items():
            for option, value in project.loaders[place].options.items():
                candidates = value.on(here()).candidates
                for one in arrived:
                    known = any(is_the_same(candidate, one[option]) for candidate in candidates)
                    left_out = not candidates and one[option] == TORCH_DEFAULTS.get(option)
                    expected = known or option in run.given or (value.open and (left_out or option in run.unseen))
                    assert expected, f"{' '.join(run.command)}: {option} of {place} is {one[option]!r}"


@needs_fork
@every_project
def test_every_candidate_arrives_in_one_of_the_runs(
    name: str, projects: Mapping[str, Project], recorder: Recorder
) -> None:
    project = projects[name]
    arrived: dict[str, list[Options]] = {}
    for run in project.runs:
        for place, several in project.arrivals(run, recorder).items():
            arrived.setdefault(place, []).extend(
                {option: value for option, value in one.items() if option not in run.given} for one in several
            )
    invented = [
        f"{place} {option} {said(candidate)}"
        for place, loader in project.loaders.items()
        for option in loader.options.keys() & TORCH_DEFAULTS.keys()
        for candidate in loader.options[option].candidates
        if holds_on(candidate.assumptions, here())
        if not any(option in one and is_the_same(candidate, one[option]) for one in arrived.get(place, ()))
    ]
    assert set(invented) == project.unreached.keys()


@needs_fork
@every_project
def test_candidates_with_the_same_constant_stand_where_they_say(
    name: str, projects: Mapping[str, Project], recorder: Recorder
) -> None:
    project = projects[name]
    idle = [
        f"{place} {option} {said(candidate)}"
        for place, loader in project.loaders.items()
        for option in loader.options.keys() & TORCH_DEFAULTS.keys()
        for candidate in sharing_their_constant(loader.options[option].on(here()).candidates)
        if f"{place} {option} {said(candidate)}" not in project.unreached
        if not project.is_changed_by(candidate, place, option, recorder)
    ]
    assert not idle
