"""What the user of a command line gives and is never None: the way that a program takes for None is then not taken."""

import pytest

from tests.linking.traced import Cases, traced

_READ = "DataLoader(1, num_workers={other} if args.workers is None else args.workers)\n"


def _parsed(declared: str, other: str = "2", between: str = "") -> str:
    head = "import argparse\nparser = argparse.ArgumentParser()\n"
    parsed = f"parser.add_argument('--workers', {declared})\nargs = parser.parse_args()\n{between}"
    return f"{head}{parsed}{_READ.format(other=other)}"


def _clicked(declared: str, other: str = "2") -> str:
    head = f"import click\n@click.command()\n@click.option('--workers', {declared})\ndef main(workers):\n"
    return f"{head}    DataLoader(1, num_workers={other} if workers is None else workers)\nmain()\n"


NEVER: Cases = {
    "a type and a default": (_parsed("type=int, default=⟦4⟧"), {"4", "open"}),
    "a type that must be given": (_parsed("type=int, required=True"), {"open"}),
    "no type": (_parsed("default=⟦'4'⟧"), {"'4'", "open"}),
    "an option of click": (_clicked("type=int, default=⟦4⟧"), {"4", "open"}),
    "a branch": (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--workers', type=int, default=⟦4⟧)\ndef main():\n"
        "    if args.workers is None:\n        workers = 2\n    else:\n        workers = args.workers\n"
        "    DataLoader(1, num_workers=workers)\nargs = parser.parse_args()\nmain()\n",
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), NEVER.values(), ids=NEVER.keys())
def test_what_is_never_none(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


MAYBE: Cases = {
    "no default": (_parsed("type=int", "⟦2⟧"), {"2", "open"}),
    "None as default": (_parsed("type=int, default=None", "⟦2⟧"), {"2", "open"}),
    "a value that may be left out": (_parsed("type=int, nargs='?', default=⟦4⟧", "⟦2⟧"), {"2", "4", "open"}),
    "a type of the project's own": (_parsed("type=number, default=⟦4⟧", "⟦2⟧"), {"2", "4", "open"}),
    "an action of the project's own": (_parsed("type=int, action=Numbers, default=⟦4⟧", "⟦2⟧"), {"2", "4", "open"}),
    "more that nobody saw": (_parsed("type=int, default=⟦4⟧, **more", "⟦2⟧"), {"2", "4", "open"}),
    "set afterwards": (
        _parsed("type=int, default=⟦4⟧", "⟦2⟧", "if quick():\n    args.workers = None\n"),
        {"2", "4", "open"},
    ),
    "an option of click that is handed to a callback": (
        _clicked("type=int, default=4, callback=checked", "⟦2⟧"),
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), MAYBE.values(), ids=MAYBE.keys())
def test_what_may_be_none(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
