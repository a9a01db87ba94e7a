"""Names of a module that one function sets by ``global`` and another reads, both run by what the module calls."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

MAIN = "if __name__ == '__main__':\n    main()\n"
SETUP = "def setup():\n    global workers\n    workers = ⟦4⟧\n"
LOAD = "def load():\n    DataLoader(d, num_workers=workers)\n"


def program(text: str, first: str = "1") -> str:
    return f"workers = {first}\n{text}{MAIN}"


CASES: Cases = {
    "by itself": (
        program("def main():\n    global workers\n    workers = ⟦4⟧\n    DataLoader(d, num_workers=workers)\n"),
        {"4"},
    ),
    "by itself, afterwards": (
        program(
            "def main():\n    global workers\n    DataLoader(d, num_workers=workers)\n    workers = 4\n", first="⟦1⟧"
        ),
        {"1"},
    ),
    "by its caller": (
        program(f"{LOAD}def main():\n    global workers\n    workers = ⟦4⟧\n    load()\n"),
        {"4"},
    ),
    "by a function that is called before": (program(f"{SETUP}{LOAD}def main():\n    setup()\n    load()\n"), {"4"}),
    "by a function that is called afterwards": (
        program(f"{SETUP}{LOAD}def main():\n    load()\n    setup()\n", first="⟦1⟧").replace("⟦4⟧", "4"),
        {"1"},
    ),
    "by a function that is called in some runs": (
        program(f"{SETUP}{LOAD}def main():\n    if fast:\n        setup()\n    load()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
    "by a function that another one calls": (
        program(f"{SETUP}{LOAD}def start():\n    setup()\ndef main():\n    start()\n    load()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
    "by a function that is called before, in what is called": (
        program(f"{SETUP}{LOAD}def train():\n    setup()\n    load()\ndef main():\n    train()\n"),
        {"4"},
    ),
    "a dictionary": (
        "settings = None\ndef setup():\n    global settings\n    settings = {'workers': ⟦4⟧}\n"
        f"def main():\n    setup()\n    DataLoader(d, num_workers=settings['workers'])\n{MAIN}",
        {"4"},
    ),
    "in a loop that reads it first": (
        program(f"{SETUP}{LOAD}def main():\n    for _ in range(3):\n        load()\n        setup()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_a_name_is_when_it_is_read(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
