"""What real torch does with the cases of ``fixtures/rules``: the bad one fails as its rule says, the good one runs.

Other platforms are stood in for by their start method (``stand_in/sitecustomize.py``), so this runs where fork exists.
"""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from loaderlint.model.source import NOTEBOOK
from loaderlint.notebooks import as_python
from tests.rule_cases import Case, Witness, cases
from tests.torch_loaded import TorchLoaded

STAND_IN = Path(__file__).resolve().parent / "stand_in"

DEADLINE = 90.0
"""Seconds until a program counts as hung. The slowest takes about 6 on two idle cores."""

LONG_ENOUGH = 20.0
"""Seconds after which a program that says it is about to hang counts as hung; the mended ones take 3 to 6."""

AT_ONCE = 3
"""Programs that run side by side: most of what they do is waiting for each other's start, those that hang only wait."""

WITNESSED = [case for case in cases() if case.witness is not None]

pytestmark = pytest.mark.skipif(
    multiprocessing.get_all_start_methods()[:1] != ["fork"] or sys.version_info >= (3, 14),
    reason="the other platforms are stood in for on Linux, where fork is the default",
)


class Platforms:
    """Processes that have torch loaded and stand in for a platform each; several threads may ask for programs."""

    def __init__(self) -> None:
        self._idle: dict[str, list[TorchLoaded]] = {}
        self._all: list[TorchLoaded] = []

    def run(self, project: Path, witness: Witness, deadline: float = DEADLINE) -> subprocess.CompletedProcess[str]:
        """Run the one program of a case as on the witness's platform; raises `subprocess.TimeoutExpired` when it hangs.

        A notebook's cells run as its kernel runs them: in a main module that no file stands behind.
        """
        (program,) = project.glob("bad.*")
        notebook = program.suffix == NOTEBOOK
        program_words = ["-c", cells_together(program)] if notebook else [program.name]
        idle = self._idle.setdefault(witness.platform, [])
        if idle:
            process = idle.pop()
        else:
            process = TorchLoaded(STAND_IN, {"LOADERLINT_STANDS_IN_FOR": witness.platform})
            self._all.append(process)
        try:
            return process.run(project, [*program_words, *witness.arguments], deadline)
        finally:
            idle.append(process)

    def close(self) -> None:
        """End them all, once none runs anything."""
        for process in self._all:
            process.close()


def witness_of(case: Case) -> Witness:
    assert case.witness is not None
    return case.witness


NO_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device on this machine")


def every_case_that(fails_or_delivers: str) -> pytest.MarkDecorator:
    """Return the mark that runs a test for every case whose witness says this of it."""
    chosen = [case for case in WITNESSED if getattr(witness_of(case), fails_or_delivers) is not None]
    marks = [[pytest.mark.gpu, NO_GPU] if witness_of(case).gpu else [] for case in chosen]
    cases = [pytest.param(case, marks=mark, id=str(case)) for case, mark in zip(chosen, marks, strict=True)]
    return pytest.mark.parametrize("case", cases)


def cells_together(notebook: Path) -> str:
    text = as_python(notebook.read_bytes())
    assert text is not None
    return text


@pytest.fixture(scope="module")
def platforms() -> Iterator[Platforms]:
    made = Platforms()
    yield made
    made.close()


Ended = Future[subprocess.CompletedProcess[str]]


def _program(item: pytest.Item) -> Case | None:
    """Return the case whose program a test waits for; None where it waits for none, or is skipped."""
    case = item.callspec.params.get("case") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
    if not isinstance(case, Case) or item.path != Path(__file__):
        return None
    return None if witness_of(case).gpu and not torch.cuda.is_available() else case


@pytest.fixture(scope="module")
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, platforms: Platforms
) -> Iterator[Mapping[str, Ended]]:
    """The programs that the tests asked for wait for, by the names of these."""
    asked = {item.name: case for item in request.session.items if (case := _program(item)) is not None}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = {}
        for name, case in asked.items():
            project = tmp_path_factory.mktemp("witness") / "project"
            delivers = name.startswith(test_the_good_case_delivers_its_batches.__name__)
            deadline = LONG_ENOUGH if name.startswith(test_the_bad_case_hangs.__name__) else DEADLINE
            written = (case.good if delivers else case.bad)(project)
            ended[name] = pool.submit(platforms.run, written, witness_of(case), deadline)
        yield ended
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def ended(request: pytest.FixtureRequest, started: Mapping[str, Ended]) -> Ended:
    """What comes of the program that a test waits for."""
    return started[request.node.name]


@every_case_that("error")
def test_the_bad_case_dies_with_the_words_of_its_rule(case: Case, ended: Ended) -> None:
    finished = ended.result()
    error = witness_of(case).error
    assert finished.returncode != 0
    assert error is not None
    assert error in finished.stderr


@every_case_that("hangs_after")
def test_the_bad_case_hangs(case: Case, ended: Ended) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as hung:
        ended.result()
    printed = hung.value.stdout
    assert isinstance(printed, str)
    assert printed.splitlines()[-1:] == [witness_of(case).hangs_after]


@every_case_that("shows")
def test_the_bad_case_gives_wrong_data_without_an_error(case: Case, ended: Ended) -> None:
    finished = ended.result()
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[-1:] == [witness_of(case).shows]


@every_case_that("delivers")
def test_the_good_case_delivers_its_batches(case: Case, ended: Ended) -> None:
    finished = ended.result()
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[-1:] == [witness_of(case).delivers]


@pytest.mark.parametrize(
    ("platform", "default", "available"),
    [
        ("windows", "spawn", {"spawn"}),
        ("macos", "spawn", {"spawn", "fork", "forkserver"}),
        ("linux", "fork", {"fork", "spawn", "forkserver"}),
        ("linux-3.14", "forkserver", {"forkserver", "fork", "spawn"}),
    ],
)
def test_a_platform_is_stood_in_for_by_what_its_multiprocessing_says(
    platform: str, default: str, available: set[str], tmp_path: Path, platforms: Platforms
) -> None:
    (tmp_path / "bad.py").write_text(
        "import multiprocessing as mp\n"
        "print(mp.get_start_method(allow_none=True), mp.get_start_method(), *mp.get_all_start_methods())\n"
    )
    unset, now, *methods = platforms.run(tmp_path, Witness(platform)).stdout.split()
    assert (unset, now, set(methods)) == ("None", default, available)
