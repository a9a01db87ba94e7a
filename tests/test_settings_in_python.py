"""Files of Python each name of which is a setting: a fix asks for the platform there without giving anything a name."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import ModuleType

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

MAPPING = "train_dataloader = dict(\n    num_workers=4,\n    dataset=dict(type='Digits'),\n)\n"
HEIR = "train_dataloader = dict(persistent_workers=False, dataset=dict(type='Digits'))\n"
INHERITED = "model = dict(type='Net')\ntrain_dataloader = dict(\n    num_workers=4,\n)\n"
RUNNER = "from mmengine.runner import Runner\n"
ASKS = "0 if __import__('sys').platform == 'win32' else 4"

SETTINGS: dict[str, dict[str, str]] = {
    "of a runner": {"a.py": MAPPING},
    "of projects built on mmcv": {
        "a.py": "data = dict(\n    samples_per_gpu=1,\n    workers_per_gpu=4,\n    train=dict(type='A'))\n"
    },
    "that others inherit": {
        "a.py": INHERITED,
        "b.py": f"_base_ = ['a.py']\n{HEIR}",
    },
    "that those inherit which others inherit": {
        "a.py": INHERITED,
        "b.py": "_base_ = './a.py'\n",
        "c.py": f"_base_ = './b.py'\n{HEIR}",
    },
    "that import sys": {"a.py": f"import os, sys\n{MAPPING}"},
    "with a name of its own for the count": {"a.py": f"workers = 4\n{MAPPING.replace('4', 'workers')}"},
}


def fix() -> str:
    cli.run(["--platform", "windows", "--platform", "linux", "--fix", "--unsafe-fixes", "."])
    return Path("a.py").read_text()


@pytest.mark.parametrize("files", SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_ask_for_the_platform_without_an_import(project: WriteFiles, files: dict[str, str]) -> None:
    project({"train.py": RUNNER, **files})
    assert fix() == files["a.py"].replace("4", ASKS)


def test_nothing_but_settings_is_named_afterwards(project: WriteFiles) -> None:
    project({"train.py": RUNNER, "a.py": MAPPING})
    fix()
    # What ``Config._file2dict`` of mmcv 1.4 keeps of a file.
    named = {name: one for name, one in runpy.run_path("a.py").items() if not name.startswith("__")}
    assert not [one for one in named.values() if isinstance(one, ModuleType)]
    assert named["train_dataloader"]["num_workers"] == 4


@pytest.mark.parametrize("files", SETTINGS.values(), ids=SETTINGS.keys())
def test_a_second_run_finds_nothing(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], files: dict[str, str]
) -> None:
    project({"train.py": RUNNER, **files})
    once = fix()
    capsys.readouterr()
    assert fix() == once
    assert "No findings" in capsys.readouterr().out


ORDINARY: dict[str, dict[str, str]] = {
    "a program whose mapping is called what settings are": {
        "a.py": "from torch.utils.data import DataLoader\n"
        "data = dict(num_workers=4)\nfor batch in DataLoader(range(8), **data):\n    print(batch)\n",
    },
    "a module that settings take a number of": {
        "a.py": "workers = 4\n",
        "b.py": "from mmengine.config import read_base\nfrom a import workers\n"
        "train_dataloader = dict(num_workers=workers, dataset=dict(type='Digits'))\n",
    },
}


@pytest.mark.parametrize("files", ORDINARY.values(), ids=ORDINARY.keys())
def test_any_other_file_imports_what_it_asks(project: WriteFiles, files: dict[str, str]) -> None:
    project({"train.py": RUNNER, **files})
    fixed = fix()
    assert "import sys\n" in fixed
    assert "__import__" not in fixed
