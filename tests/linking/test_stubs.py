"""Values that reach the call of a loader only in tests that put something else in the loader's place."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

LOADER = "DataLoader(rows, num_workers=workers)\n"
MODULE = f"from torch.utils.data import DataLoader\ndef load(rows, workers):\n    return {LOADER}"
ASKS = f"import torch.utils.data\ndef load(rows, workers):\n    return torch.utils.data.{LOADER}"
TEST = """
from unittest import mock
from unittest.mock import patch
import pytest
import torch
import torch.utils.data
from torch.utils.data import DataLoader
import data
given = {{}}
class Stub:
    def __init__(self, *args, **kwargs):
        given.update(kwargs)
class Counting(DataLoader):
    pass
def spy(*args, **kwargs):
    given.update(kwargs)
    return DataLoader(*args, **kwargs)
{test}
"""
LOADS = "    data.load([1], {count})\n"
BLOCK = f"def test_load():\n    with {{}}:\n    {LOADS}"
BODY = f"def test_load(monkeypatch):\n    {{}}\n{LOADS}"

STUBBED = {
    "monkeypatch.setattr": (MODULE, BODY.format('monkeypatch.setattr(data, "DataLoader", Stub)', count=2)),
    "monkeypatch.setattr of a path": (MODULE, BODY.format('monkeypatch.setattr("data.DataLoader", Stub)', count=2)),
    "a lambda": (MODULE, BODY.format('monkeypatch.setattr(data, "DataLoader", lambda *a, **k: k)', count=2)),
    "mock.patch around": (MODULE, BLOCK.format('mock.patch("data.DataLoader")', count=2)),
    "mock.patch above": (MODULE, f'@mock.patch("data.DataLoader")\ndef test_load(made):\n{LOADS.format(count=2)}'),
    "patch above a class": (
        MODULE,
        f'@patch("data.DataLoader")\nclass TestLoad:\n    def test_load(self, made):\n    {LOADS.format(count=2)}',
    ),
    "patch.object": (MODULE, BLOCK.format('patch.object(data, "DataLoader")', count=2)),
    "a fixture": (
        MODULE,
        '@pytest.fixture\ndef stubbed(monkeypatch):\n    monkeypatch.setattr(data, "DataLoader", Stub)\n'
        f"def test_load(stubbed):\n{LOADS.format(count=2)}",
    ),
    "a fixture for all": (
        MODULE,
        '@pytest.fixture(autouse=True)\ndef stubbed(monkeypatch):\n    monkeypatch.setattr(data, "DataLoader", Stub)\n'
        f"def test_load():\n{LOADS.format(count=2)}",
    ),
    "the library's, which is asked each time": (
        ASKS,
        BODY.format('monkeypatch.setattr(torch.utils.data, "DataLoader", Stub)', count=2),
    ),
    "the library's, by its path": (ASKS, BLOCK.format('patch("torch.utils.data.DataLoader")', count=2)),
}
LOADING = {
    "no replacement": (MODULE, BODY.format("pass", count="⟦2⟧")),
    "another name": (MODULE, BODY.format('monkeypatch.setattr(data, "Dataset", Stub)', count="⟦2⟧")),
    "another module's name": (MODULE, BODY.format('monkeypatch.setattr("other.DataLoader", Stub)', count="⟦2⟧")),
    "another test": (
        MODULE,
        f'def test_stub(monkeypatch):\n    monkeypatch.setattr(data, "DataLoader", Stub)\n{BODY}'.format(
            "pass", count="⟦2⟧"
        ),
    ),
    "outside of the block": (
        MODULE,
        BODY.format('with mock.patch("data.DataLoader"):\n        pass', count="⟦2⟧"),
    ),
    "a fixture that is not asked for": (
        MODULE,
        '@pytest.fixture\ndef stubbed(monkeypatch):\n    monkeypatch.setattr(data, "DataLoader", Stub)\n'
        f"def test_load():\n{LOADS.format(count='⟦2⟧')}",
    ),
    "a loader in its place": (MODULE, BODY.format('monkeypatch.setattr(data, "DataLoader", Counting)', count="⟦2⟧")),
    "a spy": (MODULE, BODY.format('monkeypatch.setattr(data, "DataLoader", spy)', count="⟦2⟧")),
    "a spy that hands on the options alone": (
        MODULE,
        "def counting(rows, **options):\n    return torch.utils.data.DataLoader(rows, **options)\n"
        + BODY.format('monkeypatch.setattr(data, "DataLoader", counting)', count="⟦2⟧"),
    ),
    "a function that makes one itself": (
        MODULE,
        "def counting(rows, num_workers):\n    return DataLoader(rows, num_workers=num_workers)\n"
        + BODY.format('monkeypatch.setattr(data, "DataLoader", counting)', count="⟦2⟧"),
    ),
    "a mock that wraps it": (
        MODULE,
        BLOCK.format('mock.patch("data.DataLoader", wraps=DataLoader)', count="⟦2⟧"),
    ),
    "the library's, which was imported before": (
        MODULE,
        BODY.format('monkeypatch.setattr(torch.utils.data, "DataLoader", Stub)', count="⟦2⟧"),
    ),
}


def files(module: str, test: str) -> dict[str, str]:
    return {
        "data.py": module,
        "tests/test_data.py": TEST.format(test=test),
        "main.py": "import data\ndata.load([1], ⟦4⟧)\n",
    }


@pytest.mark.parametrize(("module", "test"), STUBBED.values(), ids=STUBBED.keys())
def test_what_a_stub_gets_makes_no_loader(module: str, test: str) -> None:
    assert {one for one in traced(files(module, test)) if one != "open"} == {"4"}


@pytest.mark.parametrize(("module", "test"), LOADING.values(), ids=LOADING.keys())
def test_what_a_loader_gets_in_a_test_counts(module: str, test: str) -> None:
    assert {one for one in traced(files(module, test)) if one != "open"} == {"4", "2"}


FIXTURE = "@pytest.fixture{}\ndef stubbed(monkeypatch):\n    monkeypatch.setattr(data, 'DataLoader', Stub)\n"
FOR_ALL = FIXTURE.format("(autouse=True)")
ASKED = FIXTURE.format("")
LOAD = "def test_load():\n    data.load([1], {count})\n"
OF_CONFTEST: dict[str, tuple[str, str, str]] = {
    "for all": ("tests/", FOR_ALL, LOAD),
    "for all of a folder above": ("", FOR_ALL, LOAD),
    "asked for": ("tests/", ASKED, LOAD.replace("()", "(stubbed)")),
    "asked for by a fixture that is asked for": (
        "tests/",
        f"{ASKED}@pytest.fixture\ndef client(stubbed):\n    return 1\n",
        LOAD.replace("()", "(client)"),
    ),
    "asked for by a mark": ("tests/", ASKED, f"@pytest.mark.usefixtures('stubbed')\n{LOAD}"),
    "asked for by a mark of the file": ("tests/", ASKED, f"pytestmark = [pytest.mark.usefixtures('stubbed')]\n{LOAD}"),
    "asked for by a mark of the class": (
        "tests/",
        ASKED,
        "@pytest.mark.usefixtures('stubbed')\nclass TestLoad:\n    def test_load(self):\n"
        "        data.load([1], {count})\n",
    ),
}
NOT_OF_CONFTEST: dict[str, tuple[str, str, str]] = {
    "not asked for": ("tests/", ASKED, LOAD),
    "another is asked for": ("tests/", ASKED, f"@pytest.mark.usefixtures('other')\n{LOAD}"),
    "of another folder": ("tests/other/", FOR_ALL, LOAD),
    "no fixture": ("tests/", FOR_ALL.replace("@pytest.fixture(autouse=True)\n", ""), LOAD),
    "not for all": ("tests/", FIXTURE.format("(autouse=False)"), LOAD),
    "a fixture of the file takes its place": (
        "tests/",
        ASKED,
        "@pytest.fixture\ndef stubbed():\n    return 1\n" + LOAD.replace("()", "(stubbed)"),
    ),
}


def with_conftest(folder: str, fixture: str, test: str, count: str) -> dict[str, str]:
    return {
        **files(MODULE, test.format(count=count)),
        f"{folder}conftest.py": TEST.format(test=fixture),
    }


@pytest.mark.parametrize(("folder", "fixture", "test"), OF_CONFTEST.values(), ids=OF_CONFTEST.keys())
def test_a_fixture_of_a_conftest_replaces_the_loader_of_the_tests_that_get_it(
    folder: str, fixture: str, test: str
) -> None:
    assert {one for one in traced(with_conftest(folder, fixture, test, "2")) if one != "open"} == {"4"}


@pytest.mark.parametrize(("folder", "fixture", "test"), NOT_OF_CONFTEST.values(), ids=NOT_OF_CONFTEST.keys())
def test_a_fixture_of_a_conftest_replaces_no_loader_of_other_tests(folder: str, fixture: str, test: str) -> None:
    assert {one for one in traced(with_conftest(folder, fixture, test, "⟦2⟧")) if one != "open"} == {"4", "2"}


def test_a_fixture_of_a_class_replaces_the_loader_of_its_tests_alone() -> None:
    inside = "".join(f"    {line}\n" for line in (FOR_ALL + LOAD).replace("(monkey", "(self, monkey").splitlines())
    test = f"class TestStub:\n{inside.replace('test_load()', 'test_load(self)')}".format(count=3) + LOAD
    assert {one for one in traced(files(MODULE, test.format(count="⟦2⟧"))) if one != "open"} == {"4", "2"}
