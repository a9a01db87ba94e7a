"""The hooks as a project runs them: by the real pre-commit, in a git repository, from `.pre-commit-hooks.yaml`.

Only the environment is not pre-commit's own, which would install loaderlint for every test: the installed one is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from ruamel.yaml import YAML

HOOKS = Path(__file__).parent.parent / ".pre-commit-hooks.yaml"
IMPORT = "from torch.utils.data import DataLoader\n"
CLEAN = IMPORT + "loader = DataLoader([], num_workers=0)\n"
FIXABLE = IMPORT + "loader = DataLoader([], num_workers=0, prefetch_factor=2)\n"
UNFIXABLE = IMPORT + "loader = DataLoader([], num_workers=-1)\n"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@dataclass(frozen=True)
class Repository:
    """A git repository whose pre-commit configuration has the hooks."""

    folder: Path
    environment: dict[str, str]

    def add(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        self._started("git", "add", "--all")

    def run(self, hook: str, *arguments: str) -> tuple[int, str]:
        """Run one hook over what is staged and return its exit code with what it printed."""
        done = self._started(sys.executable, "-m", "pre_commit", "run", hook, "--color", "never", *arguments)
        assert "Traceback" not in done.stdout + done.stderr
        return done.returncode, done.stdout

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def _started(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8", check=False
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    hooks = [{**hook, "language": "system"} for hook in YAML(typ="safe").load(HOOKS)]
    programs = Path(sys.executable).parent
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
        "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", "")]),
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "PYTHONIOENCODING": "utf-8",
    }
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, env=environment, check=True)
    made = Repository(folder, environment)
    # JSON is YAML, and needs no quoting rules of our own.
    made.add({".pre-commit-config.yaml": json.dumps({"repos": [{"repo": "local", "hooks": hooks}]})})
    return made


def test_nothing_to_look_at_is_skipped(repository: Repository) -> None:
    repository.add({"README.txt": "DataLoader(num_workers=-1)\n"})
    code, out = repository.run("loaderlint", "--files", "README.txt")
    assert code == 0
    assert "(no files to check)Skipped" in out


def test_clean_files_pass(repository: Repository) -> None:
    repository.add({"train.py": CLEAN, "setup.py": "", "train.yaml": "data:\n  num_workers: 0\n  batch_size: 8\n"})
    for hook in ("loaderlint", "loaderlint-fix"):
        code, out = repository.run(hook)
        assert (code, "Passed" in out) == (0, True)


def test_findings_fail_and_are_shown(repository: Repository) -> None:
    repository.add({"train.py": FIXABLE, "clean.py": CLEAN})
    code, out = repository.run("loaderlint")
    assert code == 1
    assert "- exit code: 1" in out
    assert "train.py:2:56: error LL201 prefetch-without-workers" in out
    assert "clean.py" not in out
    assert repository.text("train.py") == FIXABLE


def test_findings_in_yaml_fail(repository: Repository) -> None:
    repository.add({"train.yml": "data:\n  num_workers: 0\n  prefetch_factor: 4\n"})
    code, out = repository.run("loaderlint")
    assert code == 1
    assert "train.yml:3:20: error LL201" in out


def test_a_fix_changes_the_file_fails_once_and_passes_then(repository: Repository) -> None:
    repository.add({"train.py": FIXABLE})
    code, out = repository.run("loaderlint-fix")
    assert code == 1
    assert "files were modified by this hook" in out
    assert "Fixed 1 finding in 1 file" in out
    assert repository.text("train.py") == CLEAN
    repository.add({})
    assert repository.run("loaderlint-fix")[0] == 0


def test_what_cannot_be_fixed_fails_and_is_left(repository: Repository) -> None:
    repository.add({"train.py": UNFIXABLE})
    code, out = repository.run("loaderlint-fix")
    assert code == 1
    assert "files were modified" not in out
    assert "LL205" in out
    assert repository.text("train.py") == UNFIXABLE


def test_only_what_is_staged_is_judged_but_by_the_whole_project(repository: Repository) -> None:
    repository.add(
        {
            "loaderlint.toml": 'platforms = ["windows"]\n',
            "options.py": "WORKERS = 4\n",
            "train.py": IMPORT + "from options import WORKERS\nloader = DataLoader([], num_workers=WORKERS)\n",
            "other.py": UNFIXABLE,
        }
    )
    code, out = repository.run("loaderlint", "--files", "options.py")
    assert code == 1
    assert "options.py:1:11: warning LL101" in out
    assert "other.py" not in out


def test_excludes_hold_for_files_that_are_named(repository: Repository) -> None:
    repository.add({"pyproject.toml": '[tool.loaderlint]\nexclude = ["vendored/"]\n', "vendored/train.py": UNFIXABLE})
    for hook in ("loaderlint", "loaderlint-fix"):
        code, out = repository.run(hook, "--files", "vendored/train.py")
        assert (code, "Passed" in out) == (0, True)


def test_a_file_that_cannot_be_parsed_fails_with_its_place(repository: Repository) -> None:
    repository.add({"train.py": IMPORT + "def (:\n"})
    code, out = repository.run("loaderlint")
    assert code == 1
    assert "- exit code: 2" in out
    assert "train.py:2:5: error: " in out


def test_a_mistake_in_the_settings_fails_with_its_line(repository: Repository) -> None:
    repository.add({"loaderlint.toml": 'plaforms = ["linux"]\n', "train.py": CLEAN})
    code, out = repository.run("loaderlint")
    assert code == 1
    assert "loaderlint: loaderlint.toml:1: unknown key 'plaforms'; did you mean 'platforms'?" in out
