from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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


def test_a_work_tree_beside_the_first_shares_the_lines_that_stand_outside_ignore_files(
    repository: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository({"a.py": LOADER, ".git/info/exclude": "made.py\n"})
    git("add", "a.py")
    git("commit", "--quiet", "--message", "a")
    git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    monkeypatch.chdir(tmp_path / "beside")
    repository({"beside/made.py": LOADER})
    assert seen() == ["a.py"]


@pytest.mark.parametrize("version", [2, 4])
def test_a_split_index_names_what_its_other_part_holds(
    version: int, repository: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{name}.py": LOADER for name in ("changed", "added", *"abcdefghijk")}
    repository({".gitignore": "*.py\n", **files})
    git("update-index", "--index-version", str(version))
    git("add", "--force", *(name for name in files if name != "added.py"))
    git("config", "splitIndex.maxPercentChange", "100")
    git("update-index", "--split-index")
    repository({"changed.py": LOADER * 2})
    git("add", "--force", "changed.py", "added.py")
    assert list(Path(".git").glob("sharedindex.*"))
    assert b"a.py" not in Path(".git/index").read_bytes()
    assert seen() == sorted(files)
    git("commit", "--quiet", "--message", "all")
    git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    monkeypatch.chdir(tmp_path / "beside")
    git("update-index", "--split-index")
    assert git("rev-parse", "--shared-index-path").strip()
    repository({"beside/.gitignore": "*.py\n"})
    assert seen() == sorted(files)


def test_names_of_objects_may_be_longer(project: WriteFiles) -> None:
    os.rmdir(".git")
    git("init", "--quiet", "--object-format=sha256")
    files = {f"{'n' * length}.py": LOADER for length in range(1, 10)}
    project({".gitignore": "*.py\n", **files, "not_tracked.py": LOADER})
    git("add", "--force", *files)
    assert seen() == sorted(files)
    git("config", "splitIndex.maxPercentChange", "100")
    git("update-index", "--split-index")
    git("add", "--force", "not_tracked.py")
    assert seen() == sorted({**files, "not_tracked.py": LOADER})


def test_an_ignored_folder_is_not_walked_for_a_tracked_file_in_no_language_of_ours(
    repository: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository({".gitignore": "data/\n", "a.py": LOADER, "data/.gitkeep": "", "data/b.py": LOADER, "data/README": ""})
    git("add", "--force", "a.py", "data/.gitkeep", "data/README")
    listed: list[str] = []
    scandir = os.scandir

    def noted(folder: str) -> Iterator[os.DirEntry[str]]:
        listed.append(os.path.basename(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", noted)
    assert seen() == ["a.py"]
    assert "data" not in listed
    git("add", "--force", "data/b.py")
    assert seen() == ["a.py", "data/b.py"]
    assert "data" in listed


@pytest.mark.skipif(sys.platform != "linux", reason="names are no bytes elsewhere")
def test_a_git_folder_may_have_any_name(project: WriteFiles, tmp_path: Path) -> None:
    os.rmdir(".git")
    elsewhere = os.fsdecode(b"git of \xff")
    git("init", "--quiet", f"--separate-git-dir={elsewhere}")
    project({".gitignore": "a.py\n", "a.py": LOADER, "b.py": LOADER, f"{elsewhere}/info/exclude": "b.py\n"})
    git("add", "--force", "a.py")
    assert seen() == ["a.py"]


@pytest.mark.parametrize("named", ["gitdir: \0\n", "gitdir: nowhere\n", "gitdir:", "", "\0", "gitdir: .\n"])
def test_a_git_file_that_names_no_folder_is_one_of_a_repository_that_tracks_nothing(
    named: str, project: WriteFiles
) -> None:
    os.rmdir(".git")
    project({".git": named, ".gitignore": "a.py\n", "a.py": LOADER, "b.py": LOADER})
    assert seen() == ["b.py"]


def test_a_common_folder_that_none_can_have_is_passed_over(repository: WriteFiles) -> None:
    repository({".gitignore": "a.py\n", "a.py": LOADER, "b.py": LOADER})
    git("add", "--force", "a.py")
    repository({".git/commondir": "\0"})
    assert seen() == ["a.py", "b.py"]


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
    assert tracked.names == sorted(os.fsencode(one) for one in listed)
    assert tracked.holds(os.path.abspath("folder/folder"), is_folder=True)
    assert not tracked.holds(os.path.abspath("folder"), is_folder=False)
    assert not tracked.holds(os.path.abspath("fold"), is_folder=True)


def with_header(body: bytes, version: int = 2, count: int = 1, signature: bytes = b"DIRC") -> bytes:
    return signature + version.to_bytes(4, "big") + count.to_bytes(4, "big") + body


A_FILE = bytes(62) + b"a.py" + bytes(6)
"""The entry of `a.py` in an index of version 2, and in one of version 4 with one byte more."""
LONG = bytes(63) + b"n" * 5000 + b"\0" + bytes(62) + b"\xa6\x08a.py\0"
"""Two entries of version 4: the second drops the 5000 bytes of the first one's name."""


@pytest.mark.parametrize(
    "index",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"DIRC", id="no more than its signature"),
        pytest.param(with_header(A_FILE, signature=b"TREE"), id="another signature"),
        pytest.param(with_header(A_FILE, version=9), id="another version"),
        pytest.param(with_header(A_FILE, count=7), id="fewer entries than it says"),
        pytest.param(with_header(A_FILE[:66]), id="a name without an end"),
        pytest.param(with_header(bytes(62) + b"\xff" * 9, 4), id="a number without an end"),
        pytest.param(with_header(bytes(62) + b"\xff" * 400_000 + b"\0a.py\0", 4), id="a long number"),
        pytest.param(with_header(bytes(62) + b"\x07a.py\0", 4), id="more dropped than there is"),
        pytest.param(with_header(LONG, 4, 2), id="a longer name than a file has"),
    ],
)
def test_nothing_is_tracked_where_the_index_is_none(index: bytes, repository: WriteFiles) -> None:
    repository({".gitignore": "a.py\n", ".git/index": index, "a.py": LOADER, "b.py": LOADER})
    assert seen() == ["b.py"]


@pytest.mark.parametrize("index", [with_header(A_FILE), with_header(bytes(63) + b"a.py\0", 4)])
def test_an_index_needs_neither_extensions_nor_a_checksum(index: bytes, repository: WriteFiles) -> None:
    repository({".gitignore": "a.py\n", ".git/index": index, "a.py": LOADER, "b.py": LOADER})
    assert seen() == ["a.py", "b.py"]


def test_nothing_is_tracked_where_the_other_part_of_the_index_is_none(repository: WriteFiles) -> None:
    link = b"link" + (20).to_bytes(4, "big") + b"\1" * 20 + bytes(20)
    repository({".gitignore": "a.py\n", ".git/index": with_header(A_FILE) + link, "a.py": LOADER, "b.py": LOADER})
    assert seen() == ["b.py"]
    repository({f".git/sharedindex.{'01' * 20}": with_header(A_FILE) + link})
    assert seen() == ["a.py", "b.py"]
