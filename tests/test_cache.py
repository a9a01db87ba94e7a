"""What an earlier run said is said again for the very same question alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loaderlint import cache
from loaderlint.cli import run
from tests.conftest import WriteFiles

MARK = "this was kept\n"
FILES: dict[str, str | bytes] = {
    "train.py": (
        "import yaml\nfrom torch.utils.data import DataLoader\nfrom sizes import WORKERS\n\n\n"
        "def load(dataset):\n"
        "    config = yaml.safe_load(open('train.yaml'))\n"
        "    yield DataLoader(dataset, num_workers=WORKERS)\n"
        "    yield DataLoader(dataset, num_workers=config['workers'])\n"
    ),
    "sizes.py": "WORKERS = 4\n",
    "train.yaml": "workers: 2\n",
    "notes.py": "TEXT = 'nobody reads this'\n",
    "requirements.txt": "torch\n",
}
Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def ask(
    project: WriteFiles,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    """A project that is linted for Windows; calling it with further arguments gives the exit code and the report."""
    monkeypatch.delenv(cache.OFF)
    monkeypatch.setenv(cache.FOLDER, str(tmp_path_factory.mktemp("kept") / "new"))
    project(FILES)

    def asked(*arguments: str) -> tuple[int, str]:
        code = run(["--platform", "windows", *arguments])
        out, err = capsys.readouterr()
        assert err == ""
        return code, out

    return asked


@pytest.fixture
def entries() -> Callable[[], list[Path]]:
    """Calling it gives the files that reports are kept in, the oldest first."""

    def found() -> list[Path]:
        folder = Path(os.environ[cache.FOLDER]) / cache.REPORTS
        kept = [one for one in folder.iterdir() if one.name != ".gitignore"] if folder.exists() else []
        return sorted(kept, key=lambda one: one.stat().st_mtime_ns)

    return found


Entries = Callable[[], list[Path]]


def mark(entries: Entries) -> None:
    """Put a text of our own into all that is kept, which nothing but what is kept can bring about."""
    for entry in entries():
        entry.write_text(json.dumps({**json.loads(entry.read_text()), "text": MARK}))


def test_the_same_question_is_answered_by_what_is_kept(ask: Ask, entries: Entries) -> None:
    first = ask()
    assert first[0] == 1
    assert "LL101" in first[1]
    assert ask() == first == ask("--no-cache")
    mark(entries)
    os.utime("train.py")
    assert ask() == (1, MARK)
    assert ask("--no-cache") == first


CHANGES: dict[str, Callable[[], object]] = {
    "a file with a loader": lambda: Path("train.py").write_text("import torch.utils.data\n"),
    "a file that is imported and says nothing of loaders": lambda: Path("sizes.py").write_text("WORKERS = 0\n"),
    "a configuration file": lambda: Path("train.yaml").write_text("workers: 0\n"),
    "a file less": lambda: Path("notes.py").unlink(),
    "a file more": lambda: Path("data.py").write_text("from train import load\n"),
    "a file that was imported is gone": lambda: Path("sizes.py").unlink(),
    "settings": lambda: Path("loaderlint.toml").write_text("ignore = ['LL101']\n"),
    "requirements": lambda: Path("requirements.txt").write_text("torch==1.12.1\n"),
    "ignored files": lambda: Path(".gitignore").write_text("train.yaml\n"),
    "a formatter's settings": lambda: Path("pyproject.toml").write_text("[tool.ruff]\nline-length = 50\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_kept_is_said_after_a_change(change: Callable[[], object], ask: Ask, entries: Entries) -> None:
    ask()
    mark(entries)
    change()
    assert ask() == ask("--no-cache")
    assert MARK not in ask()[1]


@pytest.mark.parametrize(
    "other",
    [
        ("--python", "3.9"),
        ("--platform", "linux"),
        ("--select", "LL1"),
        ("--pedantic",),
        ("--format", "json"),
        ("--quiet",),
        ("--verbose",),
        ("--statistics",),
        ("--exit-zero",),
        ("--isolated",),
        ("train.py",),
        (".", "train.py"),
    ],
)
def test_another_question_has_another_answer(other: tuple[str, ...], ask: Ask, entries: Entries) -> None:
    Path("loaderlint.toml").write_text("min-severity = 'error'\n")
    ask()
    mark(entries)
    assert ask(*other) == ask("--no-cache", *other)
    assert MARK not in ask(*other)[1]


def test_another_folder_to_work_in_is_another_question(
    ask: Ask, entries: Entries, project: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"sub/train.py": FILES["train.py"]})
    ask(".")
    mark(entries)
    monkeypatch.chdir("sub")
    assert MARK not in ask(".")[1]


def test_the_width_of_the_terminal_is_part_of_the_question(
    ask: Ask, entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    ask()
    mark(entries)
    assert ask()[1] == MARK
    monkeypatch.setenv("COLUMNS", "140")
    assert ask()[1] != MARK


@pytest.mark.parametrize("table", ["_LIBRARIES", "_CODE"])
def test_other_code_of_ours_is_not_taken_for_the_same(
    table: str, ask: Ask, entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask()
    mark(entries)
    monkeypatch.setattr(cache, table, ("json",))
    assert ask()[1] != MARK


@pytest.mark.parametrize("rewriting", ["--fix", "--diff"])
def test_what_rewrites_neither_says_what_is_kept_nor_keeps_anything(
    rewriting: str, ask: Ask, entries: Entries, capsys: pytest.CaptureFixture[str]
) -> None:
    run([rewriting, "--platform", "windows"])
    capsys.readouterr()
    assert entries() == []


def test_with_a_plugin_nothing_is_kept(ask: Ask, entries: Entries) -> None:
    Path("loaderlint.toml").write_text("plugins = ['json']\n")
    ask()
    assert entries() == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"digest": 3}', "null", '{"digest": "", "asked": {}}'], ids=repr
)
def test_what_is_broken_is_not_said(content: str, ask: Ask, entries: Entries) -> None:
    first = ask()
    (entry,) = entries()
    digest = json.loads(entry.read_text())["digest"]
    entry.write_text(content.replace('"digest": ""', f'"digest": "{digest}"'))
    assert ask() == first
    mark(entries)
    assert ask()[1] == MARK


def test_a_folder_that_nothing_can_be_kept_in_changes_no_report(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").write_text("")
    monkeypatch.setenv(cache.FOLDER, str(Path("taken").absolute()))
    assert ask() == ask("--no-cache")
    assert Path("taken").read_text() == ""


def test_a_cache_in_the_project_is_no_part_of_it(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ask("--no-cache")
    assert ask("--cache-dir", "kept") == before
    assert (Path("kept") / cache.REPORTS / ".gitignore").read_text() == "*\n"
    assert ask("--cache-dir", "kept") == before


def test_the_oldest_reports_make_room(ask: Ask, entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_KEPT", 2)
    kept = []
    for index, looks in enumerate([(), ("--quiet",), ("--verbose",)]):
        ask(*looks)
        kept.append(next(one for one in entries() if one not in kept))
        os.utime(kept[-1], (index, index))
    assert set(entries()) == set(kept[1:])


def test_what_others_keep_in_the_folder_stays(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_KEPT", 1)
    ask()
    folder = Path(os.environ[cache.FOLDER])
    theirs = [folder / "notes.txt", folder / ("a" * 40), folder / cache.REPORTS / "notes.txt"]
    for one in theirs:
        one.write_text("theirs")
        os.utime(one, (0, 0))
    for looks in ("--quiet", "--verbose"):
        ask(looks)
    assert [one.read_text() for one in theirs] == ["theirs", "theirs", "theirs"]


def test_what_a_killed_run_left_half_written_makes_room(
    ask: Ask, entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_KEPT", 1)
    ask()
    half = entries()[0].with_suffix(".half")
    half.write_text("{")
    os.utime(half, (0, 0))
    ask("--quiet")
    assert not half.exists()


def test_projects_of_the_same_shape_do_not_turn_each_other_out(
    ask: Ask, entries: Entries, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask()
    monkeypatch.chdir(tmp_path_factory.mktemp("other"))
    Path("train.py").write_text(str(FILES["train.py"]))
    ask()
    assert len(entries()) == 2


def test_a_file_that_was_asked_for_and_is_there_now_is_another_answer(
    ask: Ask, entries: Entries, project: WriteFiles
) -> None:
    Path("train.yaml").unlink()
    before = ask()
    mark(entries)
    project({"train.yaml": FILES["train.yaml"]})
    after = ask()
    assert after != before
    assert after == ask("--no-cache")


def test_a_file_that_is_passed_over_and_gone_now_is_another_answer(
    ask: Ask, entries: Entries, project: WriteFiles
) -> None:
    inherits = "_base_ = ['base.py']\ntrain_dataloader = dict(num_workers=4, dataset=dict(type='Digits'))\n"
    project({"configs/a.py": inherits, "configs/base.py": "", ".gitignore": "base.py\n"})
    before = ask()
    assert "configs/a.py" in before[1]
    mark(entries)
    Path("configs/base.py").unlink()
    after = ask()
    assert "configs/a.py" not in after[1]
    assert after == ask("--no-cache")


def test_the_environment_can_do_without(ask: Ask, entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.OFF, "1")
    ask()
    assert entries() == []


@pytest.mark.skipif(sys.platform != "linux", reason="says where caches are on Linux")
def test_reports_are_kept_where_the_user_keeps_such_things(
    ask: Ask, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.FOLDER)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    ask()
    assert len([one for one in (home / "loaderlint" / cache.REPORTS).iterdir() if one.name != ".gitignore"]) == 1
