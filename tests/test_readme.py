"""The README: its sample output is what loaderlint prints today, and whatever it names exists.

When a block is stale, the test shows the fresh one, ready to be pasted.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

import loaderlint
from docs.generate import FAMILIES
from loaderlint import cli, reports
from loaderlint.settings import SettingsIndex
from tests.conftest import WriteFiles

CHECKOUT = Path(__file__).parent.parent
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
FRAMED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLAIN_PAGE = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}


@dataclass(frozen=True)
class Block:
    """A fenced block: ``console`` is a session that is run and compared, ``sh`` is only to be typed."""

    language: str
    text: str


BLOCKS = [Block(*found.groups()) for found in FRAMED.finditer(README)]


def texts(language: str) -> list[str]:
    return [block.text for block in BLOCKS if block.language == language]


def the_text(language: str, word: str) -> str:
    """The one block in a language with a word in it."""
    (found,) = (text for text in texts(language) if word in text)
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the fixtures in it, as a reader would have it."""
    copy = tmp_path_factory.mktemp("checkout")
    shutil.copytree(CHECKOUT / "fixtures", copy / "fixtures")
    (copy / ".git").mkdir()
    return copy


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    assert program == "loaderlint", f"only loaderlint can be run here, not {command!r}"
    return subprocess.run(
        [sys.executable, "-m", "loaderlint", *arguments],
        cwd=folder,
        env={**os.environ, **PLAIN_PAGE},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def fresh_session(session: str, folder: Path) -> str:
    """Return a console session with the output its commands have now; ``cd`` holds for the rest of the session."""
    printed: list[str] = []
    for line in session.splitlines():
        if not line.startswith("$ "):
            continue
        command = line.removeprefix("$ ")
        printed.append(f"{line}\n")
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
        else:
            done = run(command, folder)
            assert done.stderr == ""
            printed.append(done.stdout)
    return "".join(printed)


@pytest.mark.parametrize("session", texts("console"))
def test_sample_output_is_what_the_commands_print(session: str, checkout: Path) -> None:
    fresh = fresh_session(session, checkout)
    assert session == fresh, f"stale; the fresh block is\n```console\n{fresh}```"


def test_every_block_says_what_it_is() -> None:
    assert README.count("\n```") == 2 * len(BLOCKS)
    assert {block.language for block in BLOCKS} == {"console", "python", "sh", "toml", "yaml"}


def test_the_table_of_rules_names_every_family() -> None:
    rows = [f"| {prefix} | {about} |\n" for prefix, about in FAMILIES.items()]
    fresh = "".join(["| codes | what they are about |\n| --- | --- |\n", *rows])
    assert fresh in README, f"stale; the fresh table is\n{fresh}"


def test_the_first_command_shows_a_fix_and_succeeds(checkout: Path) -> None:
    install, _, command = the_text("sh", "pip install . ").strip().partition(" && ")
    done = run(command, checkout)
    assert install == "pip install ."
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("--- a/")


def test_the_second_command_is_the_one_that_the_check_script_runs() -> None:
    script = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"tests='{the_text('sh', 'pytest').strip()}'\n" in script


def test_every_option_it_names_exists() -> None:
    lint = typer.main.get_command(cli.app)
    parameters = lint.get_params(typer.Context(lint))
    exist = {name for one in parameters if not getattr(one, "hidden", False) for name in one.opts}
    ours = README.replace(the_text("sh", "pytest"), "")
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours)) <= exist


def test_every_format_it_names_exists() -> None:
    (row,) = re.findall(r"^\| `--format (\w+)` \|(.*)\|$", README, re.MULTILINE)
    assert {row[0], *re.findall(r"`(\w+)`", row[1])} <= set(reports.FORMATS)


def test_every_command_it_names_exists() -> None:
    named = set(re.findall(r"`loaderlint ([a-z]+)\b", README))
    assert named <= {command.callback.__name__ for command in cli.commands.registered_commands if command.callback}


def test_the_settings_are_accepted_and_in_force(project: WriteFiles) -> None:
    text = the_text("toml", "[tool.loaderlint]")
    project({"pyproject.toml": text})
    written = SettingsIndex().for_folder(".").written
    assert set(written) == set(re.findall(r"^([a-z-]+) =", text, re.MULTILINE)) | {"loaders"}
    assert {setting.where.partition(":")[0] for setting in written.values()} == {"pyproject.toml"}


def test_the_ignore_comment_accepts_a_finding(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    text = the_text("python", "loaderlint: ignore[")
    command = ["--platform", "windows", "--format", "concise", "train.py"]
    project({"train.py": text})
    assert cli.run(command) == 0
    project({"train.py": text.replace("loaderlint: ignore", "ignored")})
    assert cli.run(command) == 1
    assert "LL101" in capsys.readouterr().out


def loaded(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def test_the_hooks_exist_in_this_version(tmp_path: Path) -> None:
    text = the_text("yaml", "hooks:")
    (tmp_path / "hooks.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", "hooks.yaml"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0

    (repository,) = loaded(text)["repos"]
    offered = {hook["id"] for hook in loaded((CHECKOUT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert {hook["id"] for hook in repository["hooks"]} <= offered
    assert set(re.findall(r"\bloaderlint(?:-\w+)?\b", text.partition("- id:")[2])) <= offered
    assert repository["rev"] == f"v{loaderlint.__version__}"


def test_the_workflow_runs_loaderlint(checkout: Path) -> None:
    job = loaded(the_text("yaml", "runs-on:"))["jobs"]["loaderlint"]
    (command,) = (step["run"] for step in job["steps"] if step.get("run", "").startswith("loaderlint"))
    done = run(f"{command} --platform windows", checkout / "fixtures" / "projects" / "windows-sanity-check" / "before")
    assert done.stdout.startswith("::warning file=configs/train.yaml,")


def test_every_file_it_links_to_exists() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if not link.startswith("http")]
    assert links
    assert [link for link in links if not (CHECKOUT / link).exists()] == []
