"""Which names that a dataclass annotates are fields, and which of these its constructor takes, and how."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

HEAD = (
    "from dataclasses import KW_ONLY, InitVar, asdict, dataclass, field\nimport dataclasses\nimport typing\n"
    "from typing import ClassVar\n{}\nclass Options:\n    {}\n    n: int = {}\n"
)
READ = "DataLoader(1, num_workers=Options({}).n)\n"


def made(before: str, given: str = "⟦4⟧", default: str = "1", decorator: str = "@dataclass") -> str:
    return HEAD.format(decorator, before, default) + READ.format(given)


CASES: Cases = {
    "a field before": (made("size: int = 8", "2, ⟦4⟧"), {"4"}),
    "what is of the class": (made("size: ClassVar[int] = 8"), {"4"}),
    "what is of the class, named in full": (made("size: typing.ClassVar = 8"), {"4"}),
    "what is of the class, in a text": (made("size: 'ClassVar[int]' = 8"), {"4"}),
    "a field that is not given": (made("size: int = field(init=False, default=8)"), {"4"}),
    "a field that is said to be given": (made("size: int = field(init=True, default=8)", "2, ⟦4⟧"), {"4"}),
    "a field that goes by its keyword": (made("size: int = field(kw_only=True, default=8)"), {"4"}),
    "a field that need not go by its keyword": (made("size: int = field(kw_only=False, default=8)", "2, ⟦4⟧"), {"4"}),
    "what the constructor alone gets": (made("size: InitVar[int] = 8", "2, ⟦4⟧"), {"4"}),
    "keywords alone from here": (made("_: KW_ONLY", "n=⟦4⟧"), {"4"}),
    "a class of keywords alone": (made("size: int = 8", "n=⟦4⟧", decorator="@dataclass(kw_only=True)"), {"4"}),
    "a class below one of keywords alone": (
        "from dataclasses import dataclass\n@dataclass(kw_only=True)\nclass Base:\n    size: int = 8\n"
        "@dataclass\nclass Options(Base):\n    n: int = 1\n" + READ.format("⟦4⟧"),
        {"4"},
    ),
    "an option that is of the class": (
        "from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass\nclass Options:\n"
        "    n: ClassVar[int] = ⟦2⟧\n    size: int = 8\n" + READ.format("4"),
        {"2"},
    ),
    "a dictionary of the fields lacks what is of the class": (
        "from dataclasses import asdict, dataclass\nfrom typing import ClassVar\n@dataclass\nclass Options:\n"
        "    n: ClassVar[int] = 2\n    size: int = 8\nDataLoader(1, num_workers=asdict(Options(4)).get('n', ⟦9⟧))\n",
        {"9"},
    ),
}


@pytest.mark.parametrize(("program", "expected"), CASES.values(), ids=CASES)
def test_arguments_by_place_are_those_that_the_constructor_takes_there(program: str, expected: set[str]) -> None:
    assert traced(program) == expected
