"""What a handler gives is there only where the key is missing that the body of its ``try`` looks up."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

LOAD = "DataLoader(1, num_workers=count)\n"
ARGUED = "import sys\nd = {'depth': 1}\nif len(sys.argv) > 1:\n    d['workers'] = ⟦2⟧\n"


def looked_up(handler: str = "KeyError", body: str = "count = d['workers']", default: str = "⟦0⟧") -> str:
    return f"try:\n    {body}\nexcept {handler}:\n    count = {default}\n"


def of_file(text: str, code: str, path: str = "'c.json'") -> dict[str, str]:
    return {"main.py": f"{IMPORT}import json, sys\nd = json.load(open({path}))\n{code}{LOAD}", "c.json": text}


THERE, NOT_FOUND, NOT_THERE = '{"workers": ⟦2⟧}', '{"workers": 2}', '{"depth": 1}'
RETURNED = "def get(d, key, default):\n    try:\n        return d[key]\n    except KeyError:\n        return default\n"
CASES: Cases = {
    "a key that is there": (of_file(THERE, looked_up(default="0")), {"2"}),
    "a key that is there, whatever error is met": (of_file(THERE, looked_up("Exception", default="0")), {"2"}),
    "a key that is there, whatever of two errors is met": (
        of_file(THERE, looked_up("(KeyError, TypeError)", default="0")),
        {"2"},
    ),
    "what may go wrong otherwise, by one of two errors": (
        of_file(THERE, looked_up("(KeyError, ValueError)", "count = int(d['workers'])")),
        {"0", "2"},
    ),
    "a key that is there, in a function": (
        of_file(THERE, f"{RETURNED}count = get(d, 'workers', 0)\n"),
        {"2"},
    ),
    "a key that is not there": (of_file(NOT_THERE, looked_up()), {"0", "open"}),
    "a key that is not there, in a function": (
        of_file(NOT_THERE, f"{RETURNED}count = get(d, 'workers', ⟦0⟧)\n"),
        {"0", "open"},
    ),
    "a key of a file that the user names": (of_file(NOT_FOUND, looked_up(), "sys.argv[1]"), {"0", "open"}),
    "a key of a dictionary nobody saw": (f"d = some()\n{looked_up()}{LOAD}", {"0", "open"}),
    "a key that may be missing": (f"{ARGUED}{looked_up()}{LOAD}", {"0", "2"}),
    "several keys that are there": (
        of_file('{"workers": ⟦2⟧, "depth": 1}', looked_up(body="count, depth = d['workers'], d['depth']", default="0")),
        {"2"},
    ),
    "what may go wrong otherwise": (
        of_file(THERE, looked_up("Exception", "count = int(d['workers'])")),
        {"0", "2"},
    ),
    "an error of another kind": (of_file(THERE, looked_up("TypeError")), {"0", "2"}),
    "a body that does more": (of_file(NOT_FOUND, looked_up(body="count = check(d['workers'])")), {"0", "open"}),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_a_handler_gives(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
