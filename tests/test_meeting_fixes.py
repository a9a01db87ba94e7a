"""Fixes of several rules that meet in one program: whichever rule is mended first, the program ends up the same."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

WINDOWS_ALONE = ["--platform", "windows", "--python", "3.12"]
BOTH = ["--platform", "windows", "--platform", "linux", "--python", "3.12"]
LINUX = ["--platform", "linux", "--python", "3.12", "--accelerator", "cuda"]

DEPENDENT_OPTIONS = """\
import argparse

from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    train = DataLoader(range(8), num_workers=args.workers, prefetch_factor=16, persistent_workers=True)
    check = DataLoader(range(8), num_workers=0, prefetch_factor=2, persistent_workers=True)
    for batch in (*train, *check):
        print(batch)


if __name__ == "__main__":
    main()
"""

FORKED_CUDA = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3).cuda()


torch.zeros(1).cuda()
loader = DataLoader(Images(), num_workers=2, collate_fn=lambda batch: torch.stack(batch))
for batch in loader:
    print(batch)
"""

CHANGED_DATASET = """\
from torch.utils.data import DataLoader, Dataset


class Curriculum(Dataset):
    def __init__(self):
        self.difficulty = 0

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index * self.difficulty


def main():
    dataset = Curriculum()
    loader = DataLoader(dataset, num_workers=2, persistent_workers=True)
    plain = DataLoader(range(8), num_workers=2)
    for epoch in range(3):
        dataset.difficulty = epoch
        for batch in loader:
            print(batch)
        for batch in plain:
            print(batch)


if __name__ == "__main__":
    main()
"""

CONFIGURED = """\
_target_: torch.utils.data.DataLoader
num_workers: 4
prefetch_factor: 16
persistent_workers: true
"""

SPAWNED = ["--platform", "macos", "--python", "3.12", "--extend-select", "LL601"]

PROGRAMS = [
    pytest.param("train.py", CHANGED_DATASET, SPAWNED, ["LL405", "LL601"], id="persistent-or-not"),
    pytest.param("train.py", DEPENDENT_OPTIONS, WINDOWS_ALONE, ["LL101", "LL201", "LL202", "LL301"], id="windows"),
    pytest.param("train.py", DEPENDENT_OPTIONS, BOTH, ["LL101", "LL201", "LL202"], id="windows-and-linux"),
    pytest.param("train.py", FORKED_CUDA, LINUX, ["LL102", "LL103", "LL105"], id="guard-hoist-and-spawn"),
    pytest.param("train.yaml", CONFIGURED, WINDOWS_ALONE, ["LL101", "LL202", "LL301"], id="yaml"),
]


def fixed(project: WriteFiles, name: str, content: str, *runs: list[str]) -> str:
    project({name: content})
    for options in runs:
        cli.run(["--fix", "--quiet", *options])
    return Path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "content", "options", "rules"), PROGRAMS)
def test_the_order_in_which_rules_are_mended_makes_no_difference(
    name: str, content: str, options: list[str], rules: list[str], project: WriteFiles
) -> None:
    together = fixed(project, name, content, options)
    assert together != content
    assert cli.run(["--quiet", *options]) == 0
    results = {
        fixed(project, name, content, *([*options, "--select", rule] for rule in order), options)
        for order in permutations(rules)
    }
    assert results == {together}


MANY_WORKERS = """\
from torch.utils.data import DataLoader


def main():
    for batch in DataLoader(range(8), num_workers=16, prefetch_factor=8):
        print(batch)
    for batch in DataLoader(range(8), num_workers=16, prefetch_factor=2):
        print(batch)


if __name__ == "__main__":
    main()
"""


def test_a_factor_is_measured_by_the_workers_that_are_left(project: WriteFiles) -> None:
    mended = fixed(project, "train.py", MANY_WORKERS, ["--platform", "linux", "--cpus", "2"])
    assert mended == MANY_WORKERS.replace("num_workers=16", "num_workers=2").replace("factor=8", "factor=4")


def test_a_factor_is_measured_by_workers_that_nobody_mends(project: WriteFiles) -> None:
    mended = fixed(project, "train.py", MANY_WORKERS, ["--platform", "linux", "--cpus", "2", "--ignore", "LL302"])
    assert mended == MANY_WORKERS.replace("factor=8", "factor=2")
