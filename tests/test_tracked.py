from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loaderlint.discovery import discover
from loaderlint.settings import SettingsIndex
from loaderlint.tracked import TrackedFiles
from tests.conftest import WriteFiles

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

LOADER = "from torch.utils.data import DataLoader\n"


def git(*arguments: str) -> str:
    given = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(given, check=True, capture_output=True, encoding="utf-8").stdout


@pytest.fixture
def repository(project: WriteFiles) -> WriteFiles:
    """The empty repository of `project`, which git knows as one."""
    os.rmdir(".git")
    git("init", "--quiet")
    return project


def seen(*paths: str) -> list[str]:
    return list(discover(paths or (".",), SettingsIndex()).sources)


def test_a_tracked_file_is_looked_at_whatever_the_ignore_file_says(repository: WriteFiles) -> None:
    repository({".gitignore": "data/\nmade.py\n", "src/data/loaders.py": LOADER, "made.py": LOADER, "train.py": LOADER})
    assert seen() == ["train.py"]
    git("add", "--force", "src/data/loaders.py", "made.py")
    assert seen() == ["made.py", "src/data/loaders.py", "train.py"]
    assert seen("src") == ["src/data/loaders.py"]


def test_what_stands_beside_a_tracked_file_in_an_ignored_folder_stays_ignored(repository: WriteFiles) -> None:
    repository({".gitignore": "data/\n", "data/a.py": LOADER, "data/b.py": LOADER, "data/deep/c.py": LOADER})
    repository({"data/.gitignore": "!b.py\n"})
    git("add", "--force", "data/a.py")
    assert seen() == ["data/a.py"]


def test_a_folder_that_a_tracked_name_only_begins_like_stays_ignored(repository: WriteFiles) -> None:
    repository({".gitignore": "*\n", "data.py": LOADER, "data/a.py": LOADER, "data.pyi": LOADER})
    git("add", "--force", "data.py")
    assert seen() == ["data.py"]


def test_a_work_tree_beside_the_first_has_an_index_of_its_own(
    repository: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository({".gitignore": "*.py\n", "a.py": LOADER})
    git("add", "--force", ".gitignore", "a.py")
    git("commit", "--quiet", "--message", "a")
    git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    monkeypatch.chdir(tmp_path / "beside")
    repository({"beside/b.py": LOADER})
    assert seen() == ["a.py"]
    git("rm", "--quiet", "--cached", "a.py")
    assert seen() == []


@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_index_is_read_as_git_reads_it(version: int, repository: WriteFiles) -> None:
    names = [f"{'folder/' * depth}{'n' * length}.py" for depth in range(3) for length in range(1, 18)]
    names += [f"{'long' * 50}/{one}.py" for one in ("a", "ä", "tail ")] + [f"other/{'x' * 180}.py"]
    repository(dict.fromkeys(names, LOADER))
    git("add", "--all")
    if version == 3:
        # Only a file that is announced has the flags that version 3 is for.
        repository({"announced.py": LOADER})
        git("add", "--intent-to-add", "announced.py")
    else:
        git("update-index", "--index-version", str(version))
    assert int.from_bytes(Path(".git/index").read_bytes()[4:8], "big") == version
    listed = git("ls-files", "-z").split("\0")[:-1]
    tracked = TrackedFiles(str(Path.cwd()))
    assert len(listed) >= len(names)
    assert all(tracked.holds(os.path.abspath(one), is_folder=False) for one in listed)
    assert len(tracked._names) == len(listed)
    assert tracked.holds(os.path.abspath("folder/folder"), is_folder=True)
    assert not tracked.holds(os.path.abspath("folder"), is_folder=False)
    assert not tracked.holds(os.path.abspath("fold"), is_folder=True)


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"DIRC",
        b"TREE" + bytes(100),
        b"DIRC" + (9).to_bytes(4, "big") + bytes(100),
        b"DIRC" + (2).to_bytes(4, "big") + (7).to_bytes(4, "big") + bytes(90),
        b"DIRC" + (4).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(62) + b"\xff" * 9,
    ],
)
def test_nothing_is_tracked_where_the_index_is_none(index: bytes, repository: WriteFiles) -> None:
    repository({".gitignore": "a.py\n", ".git/index": index, "a.py": LOADER, "b.py": LOADER})
    assert seen() == ["b.py"]
