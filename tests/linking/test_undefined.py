from __future__ import annotations

import ast

import pytest

from loaderlint.linking.loaders import undefined
from tests.linking.traced import IMPORT, loader_of, loaders_of

BEFORE: dict[str, tuple[str, bool]] = {
    "nothing": ("print(d)", True),
    "an argument": ("print(nowhere)", False),
    "a function": ("e = nowhere(d)", False),
    "what has the attribute": ("e = nowhere.size", False),
    "below a condition": ("if d:\n        print(nowhere)", True),
    "in one arm": ("e = d if d else nowhere", True),
    "behind an or": ("e = d or nowhere", True),
    "asserted": ("assert nowhere", False),
    "in what an assert says": ("assert d, nowhere", True),
    "before an or": ("print(nowhere)\n    e = d or 3", False),
    "in a lambda": ("e = lambda: nowhere", True),
    "in a comprehension": ("e = [nowhere for _ in d]", True),
    "where it is handled": ("try:\n        print(nowhere)\n    except NameError:\n        pass", True),
    "a builtin": ("print(len)", True),
    "a builtin of Python 2": ("print(xrange)", True),
    "the module's own": ("print(__file__)", True),
    "bound below": ("print(below)", True),
    "made global by a function": ("print(shared)", True),
    "imported below": ("print(os)", True),
    "what only another function binds": ("print(inside)", False),
}
ABOVE = """
d = [1, 2]
def load():
    {before}
    for _ in range(3):
        return DataLoader(d, num_workers=2)
def share():
    global shared
    shared = inside = 3
below = 3
import os
load()
"""


@pytest.mark.parametrize(("before", "asked_for"), BEFORE.values(), ids=BEFORE.keys())
def test_what_comes_after_a_name_that_nothing_defines_is_not_come_to(before: str, asked_for: bool) -> None:
    assert loader_of(ABOVE.format(before=before)).asked_for is asked_for


ELSEWHERE: dict[str, dict[str, str]] = {
    "every name of another": {"main.py": f"from elsewhere import *\n{IMPORT}print(nowhere)\nDataLoader(1)"},
    "set from outside": {
        "main.py": f"{IMPORT}def load():\n    print(nowhere)\n    DataLoader(1)",
        "other.py": "import main\nmain.nowhere = 3\nmain.load()",
    },
    "run by another": {
        "main.py": f"{IMPORT}print(nowhere)\nDataLoader(1)",
        "other.py": "nowhere = 3\nexec(open('main.py').read())",
    },
    "put among them by a function": {
        "main.py": f"from elsewhere import fill\n{IMPORT}fill(globals())\nprint(nowhere)\nDataLoader(1)"
    },
    "put among the local ones": {"main.py": f"{IMPORT}locals().update(d)\nprint(nowhere)\nDataLoader(1)"},
    "put among them all": {"main.py": f"{IMPORT}globals().update(vars(d))\nprint(nowhere)\nDataLoader(1)"},
}


STARRED = f"from helpers import *\n{IMPORT}print(nowhere)\nDataLoader(1)"
BROUGHT: dict[str, dict[str, str]] = {
    "the star of a module that binds it": {"helpers.py": "nowhere = 3\n"},
    "one whose function binds it": {"helpers.py": "def fill():\n    global nowhere\n    nowhere = 3\nfill()\n"},
    "one that takes it from another": {"helpers.py": "from more import *\n", "more.py": "nowhere = 3\n"},
    "one that takes what is not seen": {"helpers.py": "from unseen import *\n"},
    "one that binds whatever": {"helpers.py": "globals().update(vars(d))\n"},
    "a package": {"helpers/__init__.py": "", "helpers/nowhere.py": ""},
}
MISSING: dict[str, dict[str, str]] = {
    "the star of a module that has no such name": {"helpers.py": "here = 3\n"},
    "one that takes none from another": {"helpers.py": "from more import *\n", "more.py": "import os\n"},
    "two that take each other's": {"helpers.py": "from more import *\n", "more.py": "from helpers import *\n"},
}


@pytest.mark.parametrize(
    ("helpers", "asked_for"),
    [*((one, True) for one in BROUGHT.values()), *((one, False) for one in MISSING.values())],
    ids=[*BROUGHT, *MISSING],
)
def test_the_star_of_a_module_that_is_seen_brings_its_names_alone(helpers: dict[str, str], asked_for: bool) -> None:
    assert loader_of({"main.py": STARRED, **helpers}).asked_for is asked_for


@pytest.mark.parametrize("files", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_names_that_come_from_elsewhere_are_defined(files: dict[str, str]) -> None:
    assert loader_of(files).asked_for


def test_the_cells_of_a_notebook_may_have_run_before() -> None:
    assert loader_of({"main.ipynb": f"{IMPORT}print(nowhere)\nDataLoader(1)"}).asked_for


@pytest.mark.parametrize("loaders", [10, 40])
def test_each_statement_is_read_as_often_however_many_loaders_come_after_it(
    loaders: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[ast.stmt] = []
    names_read = undefined._names_read

    def noted(statement: ast.stmt) -> tuple[str, ...]:
        read.append(statement)
        return names_read(statement)

    monkeypatch.setattr(undefined, "_names_read", noted)
    text = "".join(f"one{place} = DataLoader(1, num_workers=2)\nif one{place}:\n    pass\n" for place in range(loaders))
    assert len(loaders_of(text)) == loaders
    # A project is linked twice: what is known of some names says which files are read besides.
    assert len(set(read)) == loaders
    assert len(read) <= 2 * loaders


NESTED = """
d = [1, 2]
def load():
    if d:
        try:
            {first}
        finally:
            {second}
    else:
        print(nowhere)
    {last}
load()
"""
WITHIN: dict[str, tuple[dict[str, str], bool]] = {
    "in its own block": ({"first": "print(nowhere); print(d)\n            DataLoader(d)"}, False),
    "after it in its own block": ({"first": "DataLoader(d)\n            print(nowhere)"}, True),
    "in another block": ({"second": "DataLoader(d)"}, True),
    "after blocks": ({"last": "DataLoader(d)"}, True),
    "after blocks and what surely runs": ({"last": "print(nowhere)\n    DataLoader(d)"}, False),
}


@pytest.mark.parametrize(("parts", "asked_for"), WITHIN.values(), ids=WITHIN.keys())
def test_what_comes_before_is_looked_at_block_by_block(parts: dict[str, str], asked_for: bool) -> None:
    text = NESTED.format(**{"first": "pass", "second": "pass", "last": "pass", **parts})
    assert loader_of(text).asked_for is asked_for
