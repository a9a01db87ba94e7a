"""What the engine makes of what the rules say: one finding for each place, in the files that were asked about."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from loaderlint.engine import Linted
from loaderlint.model.edit import Drop, SetValue
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.target import Platform
from tests.conftest import WriteFiles
from tests.running import BOTH, found, linted

IMPORT = "from torch.utils.data import DataLoader\n"
WORKERS = IMPORT + "loader = DataLoader([], num_workers=4)\n"
CONTRADICTION = IMPORT + "loader = DataLoader([], num_workers=0, prefetch_factor=2)\n"
OPTIONS = "WORKERS = 4\n"
TRAIN = IMPORT + "from options import WORKERS\nloader = DataLoader([], num_workers=WORKERS, prefetch_factor=2)\n"
MODULE = (
    IMPORT
    + """

class Data:
    def __init__(self, num_workers=None):
        self.num_workers = num_workers

    def train_dataloader(self):
        return DataLoader([], num_workers=self.num_workers, prefetch_factor=2)
"""
)
CONFIGURATION = "data:\n  target: main.Data\n  params:\n    num_workers: 4\n"


def only(linted: Linted) -> Finding:
    (finding,) = linted.findings
    return finding


# One finding for each place


def test_one_place_on_several_platforms_is_one_finding_on_all_of_them(project: WriteFiles) -> None:
    project({"train.py": CONTRADICTION})
    finding = only(linted(platforms=("linux", "windows", "macos")))
    assert (finding.code, finding.platforms) == ("LL201", frozenset(Platform))
    assert finding.fix is not None
    assert all(isinstance(edit, Drop) and edit.platforms is None for edit in finding.fix.edits)


UNGUARDED = IMPORT + "for batch in DataLoader([], num_workers=2):\n    print(batch)\n"


@pytest.mark.parametrize(
    ("platforms", "python", "said"),
    [
        (("windows", "macos", "linux"), "3.14", "by spawn (Windows, macOS) or forkserver (Linux) raises"),
        (("linux", "windows"), "3.14", "by forkserver (Linux) or spawn (Windows) raises"),
        (("windows", "macos"), "3.14", "by spawn raises"),
        (("linux",), "3.14", "by forkserver raises"),
        (("windows", "linux"), "3.13", "by spawn raises"),
    ],
)
def test_the_ways_workers_start_are_told_apart_by_platform_where_they_differ(
    platforms: tuple[str, ...], python: str, said: str, project: WriteFiles
) -> None:
    project({"train.py": UNGUARDED})
    finding = only(linted(platforms=platforms, python=python, select=["LL102"]))
    assert finding.message.startswith(f"starting 2 workers {said}: each")


TRAINING = """
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
train_loader = DataLoader(ImageFolder("train"), num_workers=0)
for batch in train_loader:
    print(batch)
"""


def test_a_rule_of_every_target_says_nothing_that_holds_on_some(project: WriteFiles) -> None:
    project({"train.py": TRAINING})
    assert found(linted(platforms=("linux",), select=["LL603"])) == ["LL603 train.py:4"]
    assert found(linted(platforms=BOTH, select=["LL603"])) == []


@pytest.mark.parametrize("platforms", [("linux",), BOTH])
def test_an_ignore_of_such_a_rule_is_used_on_any_target(project: WriteFiles, platforms: tuple[str, ...]) -> None:
    project({"train.py": TRAINING.replace("=0)", "=0)  # loaderlint: ignore[LL603]")})
    assert found(linted(platforms=platforms, select=["LL603", "LL901"])) == []


def test_several_versions_of_python_are_no_several_findings(project: WriteFiles) -> None:
    project({"train.py": CONTRADICTION})
    assert found(linted(python=["3.10", "3.12", "3.14"])) == ["LL201 train.py:2"]


def test_two_rules_at_one_place_are_two_findings(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "loader = DataLoader([], num_workers=0 if debug else 2, prefetch_factor=16)\n"})
    first, second = linted(platforms=("linux",)).findings
    assert (first.code, second.code) == ("LL201", "LL301")
    assert first.span == second.span


def test_a_value_that_several_loaders_read_is_one_finding_that_mends_all_of_them(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "one.py": TRAIN, "other.py": TRAIN.replace("prefetch_factor=2", "timeout=60")})
    finding = only(linted())
    assert (finding.code, finding.span.path) == ("LL101", "options.py")
    assert finding.fix is not None
    assert {(type(edit), edit.span.path) for edit in finding.fix.edits} == {
        (SetValue, "options.py"),
        (Drop, "one.py"),
        (Drop, "other.py"),
    }


def test_loaders_in_files_that_were_not_named_are_mended_with_the_value_they_read(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "one.py": TRAIN, "other.py": TRAIN})
    fix = only(linted("one.py")).fix
    assert fix is not None
    assert {edit.span.path for edit in fix.edits} == {"options.py", "one.py", "other.py"}


# Narrowing


def test_a_fix_is_for_the_platforms_of_its_finding_alone(project: WriteFiles) -> None:
    project({"train.py": WORKERS})
    finding = only(linted(platforms=BOTH))
    assert finding.platforms == {Platform.WINDOWS}
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert isinstance(edit, SetValue)
    assert edit.platforms == frozenset({Platform.WINDOWS})
    assert finding.fix.safe


def test_what_holds_on_every_platform_is_not_narrowed(project: WriteFiles) -> None:
    project({"train.py": WORKERS})
    fix = only(linted(platforms=("windows",))).fix
    assert fix is not None
    assert [edit.platforms for edit in fix.edits if isinstance(edit, SetValue)] == [None]


def test_a_language_without_conditionals_has_no_safe_narrow_fix(project: WriteFiles) -> None:
    project({"main.py": MODULE, "train.yaml": CONFIGURATION})
    fix = only(linted(platforms=BOTH)).fix
    assert fix is not None
    assert not fix.safe
    assert "train.yaml has no conditionals" in fix.reason
    assert "keep a second file or an override for Windows" in fix.reason
    everywhere = only(linted(platforms=("windows",))).fix
    assert everywhere is not None
    assert everywhere.safe


def test_a_value_that_arrives_on_its_platform_alone_is_set_outright(project: WriteFiles) -> None:
    count = "import sys\n" + IMPORT + "COUNT = 8 if sys.platform == 'win32' else 4\n"
    project({"train.py": count + "loader = DataLoader([], num_workers=COUNT, prefetch_factor=2)\n"})
    fix = only(linted(platforms=BOTH)).fix
    assert fix is not None
    assert [edit.platforms for edit in fix.edits if isinstance(edit, SetValue)] == [None]
    assert [edit.platforms for edit in fix.edits if isinstance(edit, Drop)] in ([], [frozenset({Platform.WINDOWS})])


def test_the_platforms_of_the_loader_count_where_the_value_stands_in_a_folder_with_fewer(project: WriteFiles) -> None:
    project(
        {
            "loaderlint.toml": 'platforms = ["linux", "windows"]\n',
            "settings/loaderlint.toml": 'platforms = ["windows"]\n',
            "settings/options.py": OPTIONS,
            "train.py": TRAIN.replace("from options", "from settings.options"),
        }
    )
    fix = only(linted_by_files()).fix
    assert fix is not None
    assert {edit.platforms for edit in fix.edits if isinstance(edit, SetValue | Drop)} == {
        frozenset({Platform.WINDOWS})
    }


def linted_by_files() -> Linted:
    """Lint everything by what the settings files say about platforms."""
    from loaderlint import engine
    from loaderlint.discovery import discover
    from loaderlint.settings import SettingsIndex

    settings = SettingsIndex()
    sources = discover(["."], settings).sources
    return engine.lint(sources, frozenset(sources), settings.for_path, None)


# Which findings are asked for


def test_a_finding_in_a_named_file_is_reported_although_its_loader_stands_elsewhere(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "train.py": TRAIN})
    assert found(linted("options.py")) == ["LL101 options.py:1"]


def test_a_finding_elsewhere_is_reported_when_its_loader_stands_in_a_named_file(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "train.py": TRAIN})
    assert found(linted("train.py")) == ["LL101 options.py:1"]


def test_a_finding_that_has_nothing_to_do_with_the_named_files_is_not_reported(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "train.py": TRAIN, "other.py": WORKERS})
    assert found(linted("other.py")) == ["LL101 other.py:2"]
    assert found(linted("train.py")) == ["LL101 options.py:1"]


def test_a_default_that_a_configuration_overrides_is_judged_by_it_whatever_is_named(project: WriteFiles) -> None:
    project({"main.py": MODULE, "configs/train.yaml": CONFIGURATION})
    for named in ((), ("main.py",), ("configs/train.yaml",), ("main.py", "configs/train.yaml")):
        assert found(linted(*named)) == ["LL101 configs/train.yaml:4"]


def test_the_result_does_not_depend_on_the_order_of_the_files(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "a.py": TRAIN, "b.py": TRAIN, "main.py": MODULE, "train.yaml": CONFIGURATION})
    names = ("options.py", "a.py", "main.py", "train.yaml")
    results = {linted(*order, platforms=BOTH).findings for order in permutations(names)}
    assert len(results) == 1
    assert {one.span.path for one in results.pop()} == {"options.py", "train.yaml"}


def test_findings_come_by_place(project: WriteFiles) -> None:
    project({"b.py": WORKERS + WORKERS, "a.py": WORKERS})
    assert found(linted("b.py", "a.py")) == ["LL101 a.py:2", "LL101 b.py:2", "LL101 b.py:4"]


def test_only_a_named_file_that_cannot_be_parsed_is_a_failure(project: WriteFiles) -> None:
    project({"broken.py": IMPORT + "def (:\n", "train.py": WORKERS})
    assert [one.path for one in linted("train.py").failures] == []
    result = linted("broken.py", "train.py")
    assert [(one.path, one.line) for one in result.failures] == [("broken.py", 2)]
    assert found(result) == ["LL101 train.py:2"]


# What is shown


def test_a_finding_below_the_least_severity_is_held_back_and_counted(project: WriteFiles) -> None:
    project({"train.py": WORKERS + CONTRADICTION})
    result = linted(min_severity="error")
    assert {one.severity for one in result.findings} == {Severity.ERROR}
    assert result.held_back == 1
    assert linted(min_severity="warning").held_back == 0


def test_what_is_only_possible_is_held_back_unless_asked_for(project: WriteFiles) -> None:
    project(
        {
            "train.py": IMPORT + "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"
            "if __name__ == '__main__':\n    for batch in DataLoader([], num_workers=2):\n        model(batch)\n"
        }
    )
    quiet = linted(platforms=("linux",), accelerator="cuda")
    assert (quiet.findings, quiet.held_back) == ((), 1)
    pedantic = linted(platforms=("linux",), accelerator="cuda", pedantic=True)
    assert only(pedantic).confidence is Confidence.POSSIBLE
    assert pedantic.held_back == 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["LL101 train.py:2", "LL201 train.py:4"]),
        ({"select": ["LL1"]}, ["LL101 train.py:2"]),
        ({"select": ["prefetch-without-workers"]}, ["LL201 train.py:4"]),
        ({"ignore": ["LL2"]}, ["LL101 train.py:2"]),
        ({"select": ["LL1"], "extend_select": ["LL201"]}, ["LL101 train.py:2", "LL201 train.py:4"]),
        ({"per_file_ignores": {"train.py": ["LL101"]}}, ["LL201 train.py:4"]),
        ({"per_file_ignores": {"other/**": ["LL101"]}}, ["LL101 train.py:2", "LL201 train.py:4"]),
    ],
)
def test_rules_are_on_and_off_by_the_settings(
    settings: dict[str, Any], expected: list[str], project: WriteFiles
) -> None:
    project({"train.py": WORKERS + CONTRADICTION})
    result = linted(**settings)
    assert found(result) == expected
    assert (result.held_back, result.suppressed) == (0, 0)


def test_rules_are_off_where_the_finding_stands_not_where_its_loader_does(project: WriteFiles) -> None:
    project({"options.py": OPTIONS, "train.py": TRAIN})
    assert found(linted(per_file_ignores={"train.py": ["LL101"]})) == ["LL101 options.py:1"]
    assert found(linted(per_file_ignores={"options.py": ["LL101"]})) == []


def test_the_targets_are_those_of_the_named_files(project: WriteFiles) -> None:
    project({"train.py": WORKERS})
    assert [one.platform.value for one in linted(platforms=BOTH).targets] == list(BOTH)
