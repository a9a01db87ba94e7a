from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, met, traced

TEST = f"import pytest\n{IMPORT}"
CLASSES = (
    f"{IMPORT}class First:\n    def __init__(self, workers):\n        self.workers = workers\n"
    "    def load(self):\n        DataLoader(1, num_workers=self.workers)\nclass Second(First): pass\n"
)


def of_test(decorators: str, parameters: str = "count") -> dict[str, str]:
    """A test with these decorators that makes a loader with as many workers as its parameter ``count`` says."""
    test = f"def test_load({parameters}):\n    DataLoader(1, num_workers=count)\n"
    return {"test_load.py": f"{TEST}{decorators}\n{test}"}


PARAMETERS: Cases = {
    "plain values": (of_test("@pytest.mark.parametrize('count', [⟦4⟧, ⟦8⟧])"), {"4", "8"}),
    "values with names": (
        of_test("@pytest.mark.parametrize('count', [⟦4⟧, pytest.param(⟦8⟧, id='many')])"),
        {"4", "8"},
    ),
    "values that stand elsewhere": (
        of_test("COUNTS = (⟦4⟧, ⟦8⟧)\n@pytest.mark.parametrize(argnames='count', argvalues=COUNTS)"),
        {"4", "8"},
    ),
    "several parameters": (
        of_test("@pytest.mark.parametrize('size, count', [(1, ⟦4⟧), pytest.param(2, ⟦8⟧, marks=[])])", "size, count"),
        {"4", "8"},
    ),
    "several parameters in a row": (
        of_test("@pytest.mark.parametrize(['size', 'count'], [[1, ⟦4⟧]])", "size, count"),
        {"4"},
    ),
    "several decorators": (
        of_test("@pytest.mark.parametrize('size', [1, 2])\n@pytest.mark.parametrize('count', [⟦4⟧])", "size, count"),
        {"4"},
    ),
    "a decorator of the class": (
        {
            "test_load.py": f"{TEST}@pytest.mark.parametrize('count', [⟦4⟧])\nclass TestLoad:\n"
            "    def test_load(self, count):\n        DataLoader(1, num_workers=count)\n"
        },
        {"4"},
    ),
    "mark imported by itself": (
        of_test("from pytest import mark\n@mark.parametrize('count', [⟦4⟧])"),
        {"4"},
    ),
    "a parameter that a fixture gives": (of_test("@pytest.mark.parametrize('size', [1])", "size, count"), {"open"}),
    "a value that a fixture makes something of": (
        of_test("@pytest.mark.parametrize('count', [4], indirect=True)"),
        {"open"},
    ),
    "rows of which nobody sees the values": (
        of_test("@pytest.mark.parametrize('size, count', rows())", "size, count"),
        {"open"},
    ),
    "rows of another length": (
        of_test("@pytest.mark.parametrize('size, count', [(1, 2, 4)])", "size, count"),
        {"open"},
    ),
    "another decorator of that name": (
        of_test("from elsewhere import mark\n@mark.parametrize('count', [4])"),
        {"open"},
    ),
    "classes": (
        {
            "data.py": CLASSES,
            "test_load.py": "import pytest\nfrom data import First, Second\n"
            "@pytest.mark.parametrize('kind', [First, pytest.param(Second, id='second')])\n"
            "def test_load(kind):\n    kind(workers=⟦1⟧).load()\n",
            "train.py": "from data import First\nFirst(⟦2⟧).load()\n",
        },
        {"1", "2"},
    ),
    "classes that a fixture may do more with": (
        {
            "data.py": CLASSES,
            "test_load.py": "import pytest\nfrom data import First\n"
            "@pytest.fixture(params=[pytest.param(First, id='first')])\n"
            "def made(request):\n    return request.param(workers=1)\n",
            "train.py": "from data import First\nFirst(⟦2⟧).load()\n",
        },
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PARAMETERS.values(), ids=PARAMETERS.keys())
def test_what_pytest_gives_a_test(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_values_of_one_row_come_together() -> None:
    files = {
        "test_load.py": f"{TEST}@pytest.mark.parametrize('count, ahead', [(4, 2), (8, 1)])\n"
        "def test_load(count, ahead):\n    DataLoader(1, num_workers=count, prefetch_factor=ahead)\n"
    }
    assert met(files) == {("4", "2"), ("8", "1")}
