"""Tests of torch's version are settled by the torch of a target."""

from __future__ import annotations

import pytest

from loaderlint.model.target import Platform, Target
from tests.linking.traced import loader_of

ASKING = """
import torch
from packaging import version
from packaging.version import Version
from importlib.metadata import version as installed
from distutils.version import LooseVersion
from pkg_resources import parse_version
TORCH_1_X = torch.__version__.startswith("1.")
NUMBERS = tuple(int(part) for part in torch.__version__.split(".")[:2])
def older(than):
    return version.parse(torch.__version__) < version.parse(than)
DataLoader(data, num_workers=2 if {test} else 4)
"""
RELEASES = {"1.6": (1, 6), "1.10": (1, 10), "1.13": (1, 13), "2.0": (2, 0), "2.10": (2, 10)}
TESTS: dict[str, tuple[str, set[str]]] = {
    "the text begins": ('torch.__version__.startswith("1.")', {"1.6", "1.10", "1.13"}),
    "one of several beginnings": (
        'torch.__version__.startswith("1.6") or torch.__version__.startswith("2.0")',
        {"1.6", "2.0"},
    ),
    "a constant": ("TORCH_1_X", {"1.6", "1.10", "1.13"}),
    "not a constant": ("not TORCH_1_X", {"2.0", "2.10"}),
    "the texts are compared": ('torch.__version__ >= "2.0"', {"2.0", "2.10"}),
    "the text compares itself as a version": ('torch.__version__ < "1.9"', {"1.6"}),
    "before that it is a text": ('torch.__version__ < "1.10"', set()),
    "a version that none comes before": ('torch.__version__ < "0.1"', set()),
    "versions are compared": ('version.parse(torch.__version__) < version.parse("1.7")', {"1.6"}),
    "versions the other way round": (
        'Version("1.13") <= Version(torch.__version__)',
        {"1.13", "2.0", "2.10"},
    ),
    "distutils": ('LooseVersion(torch.__version__) >= LooseVersion("1.7.0")', {"1.10", "1.13", "2.0", "2.10"}),
    "pkg_resources": ('parse_version(torch.__version__) >= parse_version("1.13")', {"1.13", "2.0", "2.10"}),
    "torch's own class": ('torch.torch_version.TorchVersion(torch.__version__) < "2.0"', {"1.6", "1.10", "1.13"}),
    "parts of a version": ("version.parse(torch.__version__).major == 2", {"2.0", "2.10"}),
    "the numbers of a version": ("version.parse(torch.__version__).release >= (1, 13)", {"1.13", "2.0", "2.10"}),
    "the first number": ('int(torch.__version__.split(".")[0]) < 2', {"1.6", "1.10", "1.13"}),
    "numbers under a name": ("NUMBERS < (1, 11)", {"1.6", "1.10"}),
    "numbers of a map": ('list(map(int, torch.__version__.split(".")[:2])) >= [2, 1]', {"2.10"}),
    "a letter": ('torch.__version__[0] == "1"', {"1.6", "1.10", "1.13"}),
    "a function of the project": ('older("1.11")', {"1.6", "1.10"}),
    "what is installed": ('installed("torch").startswith("1.")', {"1.6", "1.10", "1.13"}),
    "what is installed, parsed": ('version.parse(installed("torch")) >= version.parse("2.0")', {"2.0", "2.10"}),
    "what is installed is a text": ('installed("torch") < "1.2"', {"1.10", "1.13"}),
    "what a version has": ('hasattr(torch, "compile")', {"2.0", "2.10"}),
    "what a version lacks": ('not hasattr(torch, "compile")', {"1.6", "1.10", "1.13"}),
    "what the newest has": ('hasattr(torch, "accelerator")', {"2.10"}),
    "another attribute": ('torch.version.__version__ >= "2"', {"2.0", "2.10"}),
}
UNSETTLED = {
    "another library's version": 'numpy.__version__ < "1.7"',
    "another library that is installed": 'installed("numpy") < "1.7"',
    "what another library has": 'hasattr(numpy, "compile")',
    "what nobody knows torch to have": "hasattr(torch, wanted)",
    "a version that nobody sees": "version.parse(torch.__version__) < version.parse(oldest)",
    "a version of the project": "own.__version__ < torch.__version__",
    "numbers that are not all there": 'int(torch.__version__.split("+")[1]) < 2',
    "what is no version": 'version.parse(torch.__version__) < version.parse("old")',
}


def counts(test: str, torch: tuple[int, int] | None) -> set[object]:
    value = loader_of(ASKING.format(test=test)).num_workers
    return {one.constant for one in value.on(Target(Platform.LINUX, (3, 12), torch)).candidates}


@pytest.mark.parametrize(("test", "holds"), TESTS.values(), ids=TESTS.keys())
def test_the_torch_of_a_target_settles_what_its_version_is_asked(test: str, holds: set[str]) -> None:
    assert {name for name, torch in RELEASES.items() if counts(test, torch) == {2}} == holds
    assert {name for name, torch in RELEASES.items() if counts(test, torch) == {4}} == RELEASES.keys() - holds


@pytest.mark.parametrize("test", UNSETTLED.values(), ids=UNSETTLED.keys())
def test_what_else_is_asked_is_not_settled(test: str) -> None:
    assert counts(test, (2, 0)) == {2, 4}


def test_a_version_that_is_not_known_is_a_new_one() -> None:
    assert counts("TORCH_1_X", None) == {4}
    assert counts('torch.__version__ >= "2.0"', None) == {2}
    assert counts('torch.__version__ < "0.1"', None) == {4}


def test_what_hangs_on_the_last_number_is_not_settled() -> None:
    assert counts('version.parse(torch.__version__) < version.parse("1.13.1")', (1, 13)) == {2, 4}
    assert counts('version.parse(torch.__version__) < version.parse("1.13.1")', (2, 0)) == {4}


def test_tests_that_ask_the_same_are_one() -> None:
    loader = loader_of(
        "import torch\nold = torch.__version__.startswith('1.')\n"
        "DataLoader(data, num_workers=2 if old else 0, prefetch_factor=4 if torch.__version__[0] == '1' else None)\n"
    )
    for torch, expected in (((1, 13), {(2, 4)}), ((2, 0), {(0, None)})):
        target = Target(Platform.LINUX, (3, 12), torch)
        pairs = loader.together("num_workers", "prefetch_factor", target)
        assert {(one.constant, other.constant) for one, other in pairs} == expected
