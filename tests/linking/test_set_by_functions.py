"""Names of a module that one function sets by ``global`` and another reads, both run by what the module calls."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

MAIN = "if __name__ == '__main__':\n    main()\n"
SETUP = "def setup():\n    global workers\n    workers = ⟦4⟧\n"
RESET = "def reset():\n    global workers\n    workers = 2\n"
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
        program(f"{SETUP}{LOAD}def start():\n    setup()\ndef main():\n    start()\n    load()\n"),
        {"4"},
    ),
    "by a function that another one calls in some runs": (
        program(
            f"{SETUP}{LOAD}def start():\n    if x:\n        setup()\ndef main():\n    start()\n    load()\n", "⟦1⟧"
        ),
        {"1", "4"},
    ),
    "by a function that is called between two that read it": (
        program(f"{SETUP}{LOAD}def main():\n    load()\n    setup()\n    load()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
    "by two functions, the last of which is the first in the file": (
        program(f"{SETUP}{RESET}{LOAD}def main():\n    reset()\n    setup()\n    load()\n"),
        {"4"},
    ),
    "by two functions, the last of which is called in some runs": (
        program(f"{SETUP}{RESET}{LOAD}def main():\n    setup()\n    if x:\n        reset()\n    load()\n").replace(
            "= 2", "= ⟦2⟧"
        ),
        {"2", "4"},
    ),
    "by a function that is handed on": (
        program(f"{SETUP}{LOAD}def main():\n    Thread(target=setup).start()\n    load()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
    "by a function that is handed on, and read in one that is": (
        program(f"{SETUP}{LOAD}def main():\n    for one in (load, setup):\n        one()\n", first="⟦1⟧"),
        {"1", "4"},
    ),
    "by one inside": (
        program(
            "def main():\n    def inside():\n        global workers\n        workers = ⟦4⟧\n"
            "    Thread(target=inside).start()\n    DataLoader(d, num_workers=workers)\n",
            first="⟦1⟧",
        ),
        {"1", "4"},
    ),
    "by a function that one inside calls": (
        program(
            f"{SETUP}{LOAD}def main():\n    def later():\n        setup()\n"
            "    Thread(target=later).start()\n    load()\n",
            first="⟦1⟧",
        ),
        {"1", "4"},
    ),
    "read in one inside": (
        program(
            f"{SETUP}def main():\n    setup()\n    def load():\n"
            "        DataLoader(d, num_workers=workers)\n    load()\n",
            first="⟦1⟧",
        ),
        {"1", "4"},
    ),
    "by a method": (
        program(
            "class Sets:\n    def __init__(self):\n        global workers\n        workers = ⟦4⟧\n"
            f"{LOAD}def main():\n    Sets()\n    load()\n",
            first="⟦1⟧",
        ),
        {"1", "4"},
    ),
    "by a function that calls itself": (
        program(
            "def setup(n):\n    global workers\n    if n:\n        setup(n - 1)\n    workers = ⟦4⟧\n"
            f"{LOAD}def main():\n    setup(2)\n    load()\n"
        ),
        {"4"},
    ),
    "by one of many ways": (
        program(
            f"{SETUP}{LOAD}def f0():\n    setup()\n"
            + "".join(f"def f{n + 1}():\n    f{n}()\n    f{n}()\n" for n in range(40))
            + "def main():\n    f40()\n    load()\n"
        ),
        {"4"},
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
