from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, loader_of

RUNS = f"{IMPORT}BATCHES = [one for one in DataLoader(data, num_workers=2)]\n"
A_TEST = "def test_batch():\n    assert BATCHES\n"
A_GUARD = 'if __name__ == "__main__":\n    test_batch()\n'

IMPORTED: dict[str, tuple[str, str]] = {
    "tests": ("tests/test_loader.py", A_TEST),
    "tests named at the end": ("loader_test.py", A_TEST),
    "tests of a class": ("test_loader.py", "class TestLoader:\n    def test_batch(self):\n        pass\n"),
    "tests of unittest": (
        "test_loader.py",
        "import unittest\nclass Loading(unittest.TestCase):\n    def test_batch(self):\n        pass\n",
    ),
    "a fixture": ("test_loader.py", "import pytest\n@pytest.fixture(scope='module')\ndef batches():\n    pass\n"),
    "what tests share": ("tests/conftest.py", ""),
}


@pytest.mark.parametrize("case", IMPORTED)
def test_no_worker_imports_a_file_of_tests(case: str) -> None:
    path, more = IMPORTED[case]
    loader = loader_of({path: RUNS + more})
    assert not loader.unguarded
    assert loader.program.guarded


RUN: dict[str, tuple[str, str]] = {
    "a script with no test": ("test_loader.py", "def evaluate():\n    pass\n"),
    "a script that calls its own": ("test_loader.py", "def test_batch():\n    pass\ntest_batch()\n"),
    "a file of another name": ("loading.py", A_TEST),
}


@pytest.mark.parametrize("case", RUN)
def test_workers_import_a_script(case: str) -> None:
    path, more = RUN[case]
    assert [one.brought_in for one in loader_of({path: RUNS + more}).unguarded] == [None]


def test_a_file_of_tests_with_a_guard_may_be_a_script_too() -> None:
    loader = loader_of({"tests/test_loader.py": RUNS + A_TEST + A_GUARD})
    assert [one.brought_in is not None and one.brought_in.what for one in loader.unguarded] == ["pytest"]
