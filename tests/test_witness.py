"""What real torch does with the cases of ``fixtures/rules``: the bad one fails as its rule says, the good one runs.

Other platforms are stood in for by their start method (``stand_in/sitecustomize.py``), so this runs where fork exists.
"""

from __future__ import annotations

import multiprocessing
import os
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

STAND_IN = Path(__file__).resolve().parent / "stand_in"

DEADLINE = 90.0
"""Seconds until a program counts as hung. The slowest takes about 6 on two idle cores."""

LONG_ENOUGH = 20.0
"""Seconds after which a program that says it is about to hang counts as hung; the mended ones take 3 to 6."""

WAITING_AT_ONCE = 3
"""Programs that hang side by side: they take a processor for their first seconds alone."""

WITNESSED = [case for case in cases() if case.witness is not None]

pytestmark = pytest.mark.skipif(
    multiprocessing.get_all_start_methods()[:1] != ["fork"] or sys.version_info >= (3, 14),
    reason="the other platforms are stood in for on Linux, where fork is the default",
)


def python(project: Path, witness: Witness, deadline: float = DEADLINE) -> subprocess.CompletedProcess[str]:
    """Run the one program of a case as on the witness's platform; raises `subprocess.TimeoutExpired` when it hangs.

    A notebook's cells run as its kernel runs them: in a main module that no file stands behind.
    """
    (program,) = project.glob("bad.*")
    notebook = program.suffix == NOTEBOOK
    program_words = ["-c", cells_together(program)] if notebook else [program.name]
    inherited = os.environ.get("PYTHONPATH")
    return subprocess.run(
        [sys.executable, "-u", *program_words, *witness.arguments],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(STAND_IN), *([inherited] if inherited else [])]),
            "LOADERLINT_STANDS_IN_FOR": witness.platform,
        },
        capture_output=True,
        encoding="utf-8",
        timeout=deadline,
        check=False,
    )


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


@every_case_that("error")
def test_the_bad_case_dies_with_the_words_of_its_rule(case: Case, tmp_path: Path) -> None:
    witness = witness_of(case)
    finished = python(case.bad(tmp_path / "project"), witness)
    assert finished.returncode != 0
    assert witness.error is not None
    assert witness.error in finished.stderr


Ended = Future[subprocess.CompletedProcess[str]]


def _hangs(item: pytest.Function) -> bool:
    return item.originalname == test_the_bad_case_hangs.__name__


@pytest.fixture(scope="module")
def hanging(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Ended]]:
    """What comes of the bad cases asked for that hang: several at a time, for most of theirs is waiting."""
    asked = {item.callspec.id for item in request.session.items if isinstance(item, pytest.Function) and _hangs(item)}
    with ThreadPoolExecutor(WAITING_AT_ONCE) as pool:
        chosen = [case for case in WITNESSED if str(case) in asked]
        projects = {case: case.bad(tmp_path_factory.mktemp("hanging") / "project") for case in chosen}
        yield {
            str(case): pool.submit(python, project, witness_of(case), LONG_ENOUGH) for case, project in projects.items()
        }


@every_case_that("hangs_after")
def test_the_bad_case_hangs(case: Case, hanging: Mapping[str, Ended]) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as hung:
        hanging[str(case)].result()
    # What was printed so far comes as bytes, whatever the encoding (CPython issue 87597).
    printed = hung.value.stdout if isinstance(hung.value.stdout, bytes) else b""
    assert printed.decode().splitlines()[-1:] == [witness_of(case).hangs_after]


@every_case_that("shows")
def test_the_bad_case_gives_wrong_data_without_an_error(case: Case, tmp_path: Path) -> None:
    witness = witness_of(case)
    finished = python(case.bad(tmp_path / "project"), witness)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[-1:] == [witness.shows]


@every_case_that("delivers")
def test_the_good_case_delivers_its_batches(case: Case, tmp_path: Path) -> None:
    witness = witness_of(case)
    finished = python(case.good(tmp_path / "project"), witness)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[-1:] == [witness.delivers]


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
    platform: str, default: str, available: set[str], tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text(
        "import multiprocessing as mp\n"
        "print(mp.get_start_method(allow_none=True), mp.get_start_method(), *mp.get_all_start_methods())\n"
    )
    unset, now, *methods = python(tmp_path, Witness(platform)).stdout.split()
    assert (unset, now, set(methods)) == ("None", default, available)
