"""Objects of dataclasses whose attributes ``vars`` or ``__dict__`` hands over as a dictionary."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

FIELDS = """
from dataclasses import dataclass, field
@dataclass
class Settings:
    num_workers: int = {default}
    batch_size: int = 8
"""


def program(text: str, default: str = "⟦4⟧") -> str:
    return FIELDS.format(default=default) + text


CASES: Cases = {
    "vars": (program("DataLoader(d, **vars(Settings()))\n"), {"4"}),
    "__dict__": (
        program("settings = Settings(⟦8⟧)\nDataLoader(d, **settings.__dict__)\n", default="4"),
        {"8"},
    ),
    "in a namespace": (
        program(
            "import argparse\nargs = argparse.Namespace(**vars(Settings()))\n"
            "DataLoader(d, num_workers=args.num_workers)\n"
        ),
        {"4"},
    ),
    "set afterwards": (
        program("settings = Settings()\nsettings.num_workers = ⟦2⟧\nDataLoader(d, **vars(settings))\n", default="4"),
        {"2"},
    ),
    "a class that is none of fields": (
        "class Settings:\n    num_workers: int = 4\nDataLoader(d, **vars(Settings()))\n",
        {"open"},
    ),
    "an object with keys of its own": (
        program("    def keys(self):\n        return names\nDataLoader(d, **Settings())\n", default="4"),
        {"open"},
    ),
    "a method that adds to it": (
        program("    def more(self):\n        self.timeout = 5\nDataLoader(d, **vars(Settings()))\n"),
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_attributes_are_keys(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_what_a_method_adds_may_be_an_option() -> None:
    text = program("    def more(self):\n        self.timeout = 5\nDataLoader(d, **vars(Settings()))\n", default="4")

    assert traced(text, "timeout") == {"open"}
    assert traced(program("DataLoader(d, **vars(Settings()))\n", default="4"), "timeout") == {"0 unwritten"}
