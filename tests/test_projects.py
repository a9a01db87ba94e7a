"""Whole small projects: what real torch does with them before and after, and what loaderlint makes of them.

Each folder of ``fixtures/projects`` holds a project as somebody wrote it (``before``), what ``loaderlint --fix`` must
make of it byte for byte (``after``), and the findings (``expected.json``). `story.md` there says what happened.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROJECTS = Path(__file__).resolve().parents[1] / "fixtures" / "projects"

DEADLINE = 120.0
"""Seconds until a program counts as hung. The slowest takes about 5 on two idle cores."""

Place = tuple[str, str, int]
"""A finding as ``expected.json`` gives it: code, path, line."""


@dataclass(frozen=True)
class Run:
    """One run of loaderlint over a project, and what must come of it."""

    project: str
    arguments: tuple[str, ...]
    after: str
    found: tuple[Place, ...]
    left: tuple[Place, ...]

    def __str__(self) -> str:
        return f"{self.project}/{self.after}"


def places(findings: Iterable[Mapping[str, Any]]) -> tuple[Place, ...]:
    return tuple(sorted((one["code"], one["path"], one["line"]) for one in findings))


def expected_runs() -> list[Run]:
    return [
        Run(
            project=table.parent.name,
            arguments=tuple(run["arguments"]),
            after=run["after"],
            found=places(run["found"]),
            left=places(run["left"]),
        )
        for table in sorted(PROJECTS.glob("*/expected.json"))
        for run in json.loads(table.read_text(encoding="utf-8"))["runs"]
    ]


every_run = pytest.mark.parametrize("run", expected_runs(), ids=str)
needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this platform cannot fork"
)


def copy_of(project: str, tree: str, folder: Path) -> Path:
    """Copy one tree of a project, so that no run leaves anything among the fixtures."""
    destination = folder / f"{project}-{tree}"
    shutil.copytree(PROJECTS / project / tree, destination, ignore=shutil.ignore_patterns("__pycache__"))
    return destination


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def change(path: Path, *replacements: tuple[str, str]) -> None:
    """Edit a file as a person would, and insist that there was something to edit."""
    text = path.read_text(encoding="utf-8")
    for old, new in replacements:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder; raises `subprocess.TimeoutExpired` when it hangs."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=DEADLINE,
        check=False,
    )


def delivered(finished: subprocess.CompletedProcess[str]) -> str:
    """Return the line in which a program says how many batches it got, and what it computed from them."""
    assert finished.returncode == 0, finished.stderr
    line = re.search(r"^delivered \d+ batches.*$", finished.stdout, re.MULTILINE)
    assert line is not None, finished.stdout
    return line[0]


# What real torch does.

EVALUATE = ("evaluate.py",)
TRAIN_FROM_YAML = ("main.py", "--base", "configs/train.yaml")
TRAIN_LANGUAGE_MODEL = ("train.py", "--num_workers", "2", "--steps", "4", "--no_compile")
TRAIN_DETECTOR = ("train.py", "--workers", "1")

# Runs a program as the platform named first would, and fails where it starts workers.
WITHOUT_WORKERS = """
import runpy, sys
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter
def refuse(*arguments):
    raise RuntimeError("workers were started")
_MultiProcessingDataLoaderIter.__init__ = refuse
sys.argv.pop(0)
sys.platform = sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# Prints how the two loaders of the detector start their workers.
CONTEXTS = """
import argparse, sys
import train
args = argparse.Namespace(train_images=8, val_images=8, batch_size=4, workers=int(sys.argv[1]))
contexts = [loader.multiprocessing_context for loader in train.build_loaders(args)]
print([context and context.get_start_method() for context in contexts])
"""


@pytest.mark.parametrize(
    ("project", "tree", "program", "batches"),
    [
        pytest.param("windows-sanity-check", "after", TRAIN_FROM_YAML, 6, id="the YAML"),
        pytest.param("windows-sanity-check", "after", EVALUATE, 6, id="the call, Windows alone"),
        pytest.param("windows-sanity-check", "after-windows-linux", EVALUATE, 6, id="the call, both platforms"),
        pytest.param("fork-deadlock", "after", TRAIN_LANGUAGE_MODEL, 4, id="the script", marks=needs_fork),
        pytest.param("after-validation-hang", "after", TRAIN_DETECTOR, 12, id="the detector"),
    ],
)
def test_a_fixed_program_computes_from_its_batches_what_it_did_before(
    project: str, tree: str, program: tuple[str, ...], batches: int, tmp_path: Path
) -> None:
    after = delivered(python(copy_of(project, tree, tmp_path), *program))

    assert after.startswith(f"delivered {batches} batches")
    assert after == delivered(python(copy_of(project, "before", tmp_path), *program))


def test_the_detector_can_still_be_trained_without_workers(tmp_path: Path) -> None:
    project = copy_of("after-validation-hang", "after", tmp_path)

    assert delivered(python(project, "train.py", "--workers", "0")).startswith("delivered 12 batches")


@pytest.mark.parametrize("tree", ["after", "after-windows-linux"])
def test_torch_accepts_the_fixed_call_where_the_platform_says_windows(tree: str, tmp_path: Path) -> None:
    project = copy_of("windows-sanity-check", tree, tmp_path)

    assert delivered(python(project, "-c", WITHOUT_WORKERS, "win32", *EVALUATE)).startswith("delivered 6 batches")


def test_torch_accepts_the_fixed_configuration_and_starts_no_workers(tmp_path: Path) -> None:
    project = copy_of("windows-sanity-check", "after", tmp_path)

    assert delivered(python(project, "-c", WITHOUT_WORKERS, sys.platform, *TRAIN_FROM_YAML)) == "delivered 6 batches"


def test_the_call_fixed_for_both_platforms_still_starts_workers_on_linux(tmp_path: Path) -> None:
    project = copy_of("windows-sanity-check", "after-windows-linux", tmp_path)

    finished = python(project, "-c", WITHOUT_WORKERS, "linux", *EVALUATE)

    assert finished.returncode != 0
    assert "RuntimeError: workers were started" in finished.stderr


@pytest.mark.parametrize(
    ("path", "old", "new", "program", "error"),
    [
        pytest.param(
            "configs/train.yaml",
            "num_workers: 4",
            "num_workers: 0",
            TRAIN_FROM_YAML,
            "persistent_workers option needs num_workers > 0",
            id="the YAML",
        ),
        pytest.param(
            "evaluate.py",
            "num_workers=4",
            "num_workers=0",
            EVALUATE,
            "prefetch_factor option could only be specified in multiprocessing.",
            id="the call",
        ),
    ],
)
def test_torch_refuses_zero_workers_with_the_options_that_need_them(
    path: str, old: str, new: str, program: tuple[str, ...], error: str, tmp_path: Path
) -> None:
    project = copy_of("windows-sanity-check", "before", tmp_path)
    change(project / path, (old, new))

    finished = python(project, *program)

    assert finished.returncode != 0
    assert f"ValueError: {error}" in finished.stderr


@pytest.mark.parametrize(
    ("replacements", "error"),
    [
        pytest.param(
            [('"fork"', '"spawn"')],
            r"Can't pickle .*<lambda>",
            id="the lambda does not pickle",
        ),
        pytest.param(
            [('"fork"', '"spawn"'), ("    collate_fn=lambda rows: torch.stack(rows),\n", "")],
            r"before the\s+current process has finished its bootstrapping phase",
            id="no guard",
        ),
    ],
)
def test_spawn_alone_does_not_mend_the_fork_deadlock(
    replacements: list[tuple[str, str]], error: str, tmp_path: Path
) -> None:
    project = copy_of("fork-deadlock", "before", tmp_path)
    change(project / "train.py", *replacements)

    finished = python(project, *TRAIN_LANGUAGE_MODEL)

    assert finished.returncode != 0
    assert re.search(error, finished.stderr), finished.stderr


@pytest.mark.parametrize(
    ("tree", "workers", "contexts"),
    [
        ("before", "1", "['spawn', None]"),
        ("after", "1", "['spawn', 'spawn']"),
        ("after", "0", "[None, None]"),
    ],
)
def test_the_detectors_loaders_start_their_workers_alike_once_fixed(
    tree: str, workers: str, contexts: str, tmp_path: Path
) -> None:
    project = copy_of("after-validation-hang", tree, tmp_path)

    assert python(project, "-c", CONTEXTS, workers).stdout.strip() == contexts


def test_torch_refuses_an_unconditional_start_method_without_workers(tmp_path: Path) -> None:
    project = copy_of("after-validation-hang", "after", tmp_path)
    change(
        project / "train.py",
        (
            'collate_fn=collate_boxes,\n        multiprocessing_context="spawn" if args.workers > 0 else None,',
            'collate_fn=collate_boxes,\n        multiprocessing_context="spawn",',
        ),
    )

    finished = python(project, "train.py", "--workers", "0")

    assert finished.returncode != 0
    assert "multiprocessing_context can only be used with multi-process loading" in finished.stderr


# What loaderlint makes of them.


def loaderlint(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run loaderlint over a folder as a user would; returns its exit code and its JSON report."""
    finished = python(folder, "-m", "loaderlint", *arguments, "--format", "json")
    assert finished.stdout, finished.stderr
    report: dict[str, Any] = json.loads(finished.stdout)
    assert report["errors"] == []
    return finished.returncode, report


@every_run
def test_a_project_is_found_to_have_what_was_expected_of_it(run: Run, tmp_path: Path) -> None:
    project = copy_of(run.project, "before", tmp_path)

    code, report = loaderlint(project, *run.arguments)

    assert places(report["findings"]) == run.found
    assert code == 1
    assert contents(project) == contents(PROJECTS / run.project / "before")


@every_run
def test_fixing_a_project_gives_exactly_the_expected_files(run: Run, tmp_path: Path) -> None:
    project = copy_of(run.project, "before", tmp_path)

    code, report = loaderlint(project, "--fix", *run.arguments)

    assert contents(project) == contents(PROJECTS / run.project / run.after)
    assert places(report["findings"]) == run.left
    assert code == (1 if run.left else 0)


@every_run
def test_fixing_a_fixed_project_changes_nothing(run: Run, tmp_path: Path) -> None:
    project = copy_of(run.project, run.after, tmp_path)

    _, report = loaderlint(project, "--fix", *run.arguments)

    assert contents(project) == contents(PROJECTS / run.project / run.after)
    assert places(report["findings"]) == run.left
    assert report["summary"]["fixed"] == 0


def test_the_trail_of_the_yaml_finding_leads_to_the_call_it_arrives_at(tmp_path: Path) -> None:
    project = copy_of("windows-sanity-check", "before", tmp_path)

    _, report = loaderlint(project, "--platform", "windows")

    finding = next(one for one in report["findings"] if one["path"] == "configs/train.yaml")
    call = finding["loader"]
    assert call["callee"] == "torch.utils.data.DataLoader"
    assert call["path"] == "main.py"
    assert "DataLoader(" in (project / "main.py").read_text(encoding="utf-8").splitlines()[call["line"] - 1]
    assert "main.py" in {step["path"] for step in finding["trail"]}
    assert "DataModuleFromConfig" in " ".join(step["note"] for step in finding["trail"])


def test_a_change_that_yaml_cannot_make_for_one_platform_alone_is_offered_as_unsafe(tmp_path: Path) -> None:
    project = copy_of("windows-sanity-check", "before", tmp_path)

    _, report = loaderlint(project, "--platform", "windows", "--platform", "linux")

    safety = {(one["code"], one["path"]): one["fix"]["safety"] for one in report["findings"]}
    assert safety == {
        ("LL101", "configs/train.yaml"): "unsafe",
        ("LL504", "configs/train.yaml"): "safe",
        ("LL101", "evaluate.py"): "safe",
    }
