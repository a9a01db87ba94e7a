"""What a configuration holds until a loader is made of it may be changed: no finding rests on it as if it were sure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

HEAD = "from torch.utils.data import DataLoader\nfrom detectron2.config import LazyCall as L\n"
FUNCTION = """
def load(data, workers, factor):
    return DataLoader(data, num_workers=workers, prefetch_factor=factor)


"""
SHUFFLED = "from torch.utils.data import RandomSampler\n"


def confidences(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The confidence of each finding in a configuration, by its code."""
    cli.run(["--no-cache", "--pedantic", "--platform", "linux", "--format", "json", "conf.py"])
    return {one["code"]: one["confidence"] for one in json.loads(capsys.readouterr().out)["findings"]}


def after_fix() -> str:
    cli.run(["--no-cache", "--pedantic", "--platform", "linux", "--fix", "conf.py"])
    return Path("conf.py").read_text()


CHANGEABLE = {
    "of the loader": ("LL201", HEAD + "train = L(DataLoader)(dataset=[1], num_workers=0, prefetch_factor=3)\n"),
    "of a function": ("LL201", HEAD + FUNCTION + "train = L(load)(data=[1], workers=0, factor=3)\n"),
    "of a sampler": (
        "LL207",
        HEAD + SHUFFLED + "train = L(DataLoader)(dataset=[1], shuffle=True, sampler=RandomSampler([1]))\n",
    ),
}
SURE = {
    "of the loader": ("LL201", HEAD + "train = DataLoader([1], num_workers=0, prefetch_factor=3)\n"),
    "of a function": ("LL201", HEAD + FUNCTION + "train = load([1], workers=0, factor=3)\n"),
    "of a sampler": ("LL207", HEAD + SHUFFLED + "train = DataLoader([1], shuffle=True, sampler=RandomSampler([1]))\n"),
}


@pytest.mark.parametrize(("code", "text"), CHANGEABLE.values(), ids=CHANGEABLE)
def test_what_two_options_of_a_lazy_call_lead_to_is_possible_and_not_mended(
    code: str, text: str, project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"conf.py": text})
    assert confidences(capsys) == {code: "possible"}
    assert after_fix() == text


@pytest.mark.parametrize(("code", "text"), SURE.values(), ids=SURE)
def test_what_two_options_of_a_call_lead_to_is_certain_and_mended(
    code: str, text: str, project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"conf.py": text})
    assert confidences(capsys) == {code: "certain"}
    assert after_fix() != text


@pytest.mark.parametrize(("count", "expected"), [("-1", {"LL205": "likely"}), ("'${other.workers}'", {}), ("2", {})])
def test_what_one_option_of_a_lazy_call_says_is_likely(
    count: str, expected: dict[str, str], project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"conf.py": f"{HEAD}train = L(DataLoader)(dataset=[1], num_workers={count})\n"})
    assert confidences(capsys) == expected
