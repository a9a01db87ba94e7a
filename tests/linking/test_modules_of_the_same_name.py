"""Several programs in one repository, each with a module of the same name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

MAIN = """
from torch.utils.data import DataLoader

class Data:
    def __init__(self, num_workers):
        self.num_workers = num_workers

    def train_dataloader(self):
        return DataLoader(dataset, num_workers=self.num_workers)
"""
CONFIGURATION = """
data:
  target: main.Data
  params:
    num_workers: 4
"""


def arrivals(capsys: pytest.CaptureFixture[str], *paths: str) -> dict[str, str]:
    """Return for each file with a finding the file of the loader that its value arrives at."""
    cli.run(["--platform", "windows", "--format", "json", *paths])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {finding["path"]: finding["loader"]["path"] for finding in report["findings"]}


@pytest.fixture
def two_programs(project: WriteFiles) -> None:
    files = {f"{name}/main.py": MAIN for name in ("first", "second")}
    project({**files, **{f"{name}/configs/train.yaml": CONFIGURATION for name in ("first", "second")}})


@pytest.mark.usefixtures("two_programs")
def test_a_configuration_names_the_module_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert arrivals(capsys) == {
        "first/configs/train.yaml": "first/main.py",
        "second/configs/train.yaml": "second/main.py",
    }


@pytest.mark.usefixtures("two_programs")
def test_a_folder_above_the_working_folder_is_farther_than_the_working_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("second")
    assert arrivals(capsys) == {"configs/train.yaml": "main.py"}


def test_a_module_that_only_one_folder_has_is_found_from_anywhere(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"source/main.py": MAIN, "configs/train.yaml": CONFIGURATION})
    assert arrivals(capsys) == {"configs/train.yaml": "source/main.py"}
