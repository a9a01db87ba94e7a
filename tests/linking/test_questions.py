from __future__ import annotations

import pytest

from tests.linking.traced import Cases, met, traced

PARSED = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--workers', type=int{})\nargs = p.parse_args()\n"
)
NONE, EIGHT = PARSED.format(""), PARSED.format(", default=⟦8⟧")
GIVEN = """
def given(name):
    if hasattr(args, name) and eval(f'args.{name}'):
        return True
    return False
"""
LOAD = "DataLoader(1, num_workers=workers)\n"

QUESTIONS: Cases = {
    "a flag asked about by its name that has no default": (
        NONE + GIVEN + "workers = ⟦2⟧\nif given('workers'):\n    workers = args.workers\n" + LOAD,
        {"2", "open"},
    ),
    "a flag asked about by its name that has a default": (
        EIGHT + GIVEN + "workers = ⟦2⟧\nif given('workers'):\n    workers = args.workers\n" + LOAD,
        {"2", "8", "open"},
    ),
    "a flag asked about by getattr in a helper": (
        NONE
        + "def given(args, name):\n    return getattr(args, name, None) is not None\n"
        + "workers = ⟦2⟧\nif given(args, 'workers'):\n    workers = args.workers\n"
        + LOAD,
        {"2", "open"},
    ),
    "a value asked about in a helper": (
        NONE
        + "def exists(value):\n    return value is not None\n"
        + "workers = ⟦2⟧\nif exists(args.workers):\n    workers = args.workers\n"
        + LOAD,
        {"2", "open"},
    ),
    "a value asked about by something that cannot be followed": (
        NONE
        + "from helpers import usable\n"
        + "workers = ⟦2⟧\nif usable(args.workers):\n    workers = args.workers\n"
        + LOAD,
        {"2", "open"},
    ),
    "a value taken where something else was asked about": (
        EIGHT + "workers = ⟦2⟧\nif usable(args.mode):\n    workers = args.workers\n" + LOAD,
        {"2", "8", "open"},
    ),
    "an attribute that the command line has": (
        EIGHT + "workers = args.workers if hasattr(args, 'workers') else 2\n" + LOAD,
        {"8", "open"},
    ),
    "an attribute that the command line lacks": (
        EIGHT.replace("⟦8⟧", "8") + "workers = args.jobs if hasattr(args, 'jobs') else ⟦2⟧\n" + LOAD,
        {"2"},
    ),
    "an attribute of something unseen": (
        "workers = ⟦4⟧ if hasattr(thing, 'workers') else ⟦2⟧\n" + LOAD,
        {"4", "2"},
    ),
    "a constant that is a number": (
        "given = ⟦4⟧\nworkers = given if isinstance(given, int) else 2\n" + LOAD,
        {"4"},
    ),
    "a constant that is none of several kinds": (
        "given = None\nworkers = given if isinstance(given, (int, str)) else ⟦2⟧\n" + LOAD,
        {"2"},
    ),
    "a constant of a kind that is not known": (
        "given = ⟦4⟧\nworkers = given if isinstance(given, Count) else ⟦2⟧\n" + LOAD,
        {"4", "2"},
    ),
    "text evaluated that is more than a name": (
        "workers = eval('4')\n" + LOAD,
        {"open"},
    ),
    "text evaluated that nobody sees": (
        "workers = eval(text)\n" + LOAD,
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), QUESTIONS.values(), ids=QUESTIONS.keys())
def test_what_a_test_lets_pass(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_one_helper_asked_about_two_names_gives_two_answers() -> None:
    text = """
    def given(name):
        return look_up(name)
    workers = 4 if given("workers") else 2
    factor = 8 if given("factor") else 3
    DataLoader(1, num_workers=workers, prefetch_factor=factor)
    """
    assert met(text) == {("4", "8"), ("4", "3"), ("2", "8"), ("2", "3")}
