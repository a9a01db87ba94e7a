"""What a key of a user's choice stands for does not reach a place that asks for another key."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

_PARSED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--kind", required=True)
args = parser.parse_args()
kind = args.kind
"""
_TABLE = "workers = {'auto': 4, 'big': ⟦8⟧}[kind]\n"
_BOTH = _TABLE.replace("4", "⟦4⟧")
_LOAD = "DataLoader(data, num_workers=workers)\n"


def replaced(test: str, table: str = _TABLE) -> str:
    return _PARSED + table + f"if {test}:\n    workers = ⟦3⟧\n" + _LOAD


KEYS: Cases = {
    "a test that it is one": (replaced("kind == 'auto'"), {"8", "3"}),
    "a test that it is one, the other way round": (replaced("'auto' == kind"), {"8", "3"}),
    "a test that it is not another": (replaced("kind != 'big'"), {"8", "3"}),
    "a test that it is one of several": (replaced("kind in ('auto', 'none')"), {"8", "3"}),
    "a test that it is none of several": (replaced("kind not in ['big']"), {"8", "3"}),
    "a test with others": (replaced("kind == 'auto' or fast()"), {"8", "3"}),
    "a test before": (
        _PARSED + "if kind == 'auto':\n    raise ValueError\n" + _TABLE + _LOAD,
        {"8"},
    ),
    "an attribute": (
        replaced("args.kind == 'auto'", _TABLE.replace("[kind]", "[args.kind]")),
        {"8", "3"},
    ),
    "what get gives": (
        replaced("kind == 'auto'", _TABLE.replace("[kind]", ".get(kind, 2)").replace("2", "⟦2⟧")),
        {"8", "3", "2"},
    ),
    "in a function": (
        _PARSED
        + "def count(kind):\n    "
        + _TABLE
        + "    if kind == 'auto':\n        workers = ⟦3⟧\n    return workers\nworkers = count(kind)\n"
        + _LOAD,
        {"8", "3"},
    ),
    "a test of another name": (replaced("other() == 'auto'", _BOTH), {"4", "8", "3"}),
    "a test that says something else": (replaced("kind == 'none'", _BOTH), {"4", "8", "3"}),
    "a test of what the name is by then": (
        replaced("kind == 'auto'", _BOTH + "kind = other()\n"),
        {"4", "8", "3"},
    ),
    "a test together with others": (replaced("kind == 'auto' and fast()", _BOTH), {"4", "8", "3"}),
    "in a loop, of which another turn may ask": (
        _PARSED + "for turn in range(9):\n    " + _BOTH + "    if kind == 'auto':\n        workers = ⟦3⟧\n    " + _LOAD,
        {"4", "8", "3"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), KEYS.values(), ids=KEYS.keys())
def test_a_key_answers_what_is_asked_of_it(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
