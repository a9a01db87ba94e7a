"""What changes a value between the place where it is given and the one where it is read."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced


def _starred(value: str, source: str, **other: str) -> dict[str, str]:
    main = f"{IMPORT}W = {value}\nfrom other import *\nDataLoader(data, num_workers=W)\n"
    return {"main.py": main, "other.py": source, **{f"{name}.py": text for name, text in other.items()}}


STARS: Cases = {
    "brings the name": (_starred("1", "W = ⟦2⟧\n"), {"2"}),
    "brings it from another module": (_starred("1", "from further import *\n", further="W = ⟦2⟧\n"), {"2"}),
    "brings no such name": (_starred("⟦1⟧", "V = 2\n"), {"1"}),
    "keeps the name to itself": (_starred("⟦1⟧", "__all__ = ['V']\nV = W = 2\n"), {"1"}),
    "is read by a function": (
        {
            "main.py": IMPORT + "W = 1\nfrom other import *\ndef load(): return DataLoader(data, num_workers=W)\n",
            "other.py": "W = ⟦2⟧\n",
        },
        {"2"},
    ),
    "has a module of that name": (
        {
            "main.py": IMPORT + "class part: W = ⟦1⟧\nfrom pack import *\nDataLoader(data, num_workers=part.W)\n",
            "pack/__init__.py": "",
            "pack/part.py": "W = 2\n",
        },
        {"1"},
    ),
    "in a circle": (
        _starred("1", "from further import *\nW = ⟦2⟧\n", further="W = 3\nfrom other import *\n"),
        {"2"},
    ),
}

ARGUMENTS: Cases = {
    "an entry taken away by an argument after": (
        'def load(given, w):\n    return DataLoader(data, num_workers=given.get("w", ⟦7⟧))\n'
        'given = {"w": 3}\nload(given, given.pop("w"))\n',
        {"7"},
    ),
    "an entry taken away by a keyword after": (
        'def load(given, w):\n    return DataLoader(data, num_workers=given.get("w", ⟦7⟧))\n'
        'given = {"w": 3}\nload(given=given, w=given.pop("w"))\n',
        {"7"},
    ),
    "an entry that was read before it is taken away": (
        "def load(n, w):\n    return DataLoader(data, num_workers=n)\n"
        'given = {"w": ⟦3⟧}\nload(given["w"], given.pop("w"))\n',
        {"3"},
    ),
    "another entry taken away": (
        'def load(given, w):\n    return DataLoader(data, num_workers=given.get("w", 7))\n'
        'given = {"w": ⟦3⟧, "v": 1}\nload(given, given.pop("v"))\n',
        {"3"},
    ),
}

CALLED = 'def load(given={"w": ⟦2⟧}):\n    DataLoader(data, num_workers=given["w"])\n'
DEFAULTS: Cases = {
    "changed by each of two calls": (CALLED + '    given["w"] = 3\nload()\nload()\n', {"2", "open"}),
    "changed by the call of each turn": (
        CALLED + '    given["w"] = 3\nfor turn in range(3):\n    load()\n',
        {"2", "open"},
    ),
    "changed by the only call": (CALLED + '    given["w"] = 3\nload()\n', {"2"}),
    "changed in another entry": (CALLED + '    given["v"] = 3\nload()\nload()\n', {"2"}),
    "copied before it is changed": (
        'def load(given={"w": ⟦2⟧}):\n    given = dict(given)\n    DataLoader(data, num_workers=given["w"])\n'
        '    given["w"] = 3\nload()\nload()\n',
        {"2"},
    ),
    "changed before it is read": (
        'def load(given={}):\n    given["w"] = ⟦3⟧\n    DataLoader(data, num_workers=given["w"])\nload()\nload()\n',
        {"3"},
    ),
    "filled where something is missing": (
        'def load(given={}):\n    given.setdefault("w", ⟦3⟧)\n    DataLoader(data, num_workers=given["w"])\n'
        "load()\nload()\n",
        {"3"},
    ),
    "of a lambda that is handed on": (
        "def call(made): return made()\nworkers = ⟦1⟧\nmine = call(lambda n=workers: n)\nworkers = 2\n"
        "DataLoader(data, num_workers=mine)\n",
        {"1"},
    ),
    "of a lambda that is handed on, from a name given another value before": (
        "def call(made): return made()\nworkers = 1\nworkers = ⟦2⟧\nmine = call(lambda n=workers: n)\n"
        "DataLoader(data, num_workers=mine)\n",
        {"2"},
    ),
}

OBJECT = "class C:\n    w = 1\n    def __init__(self):\n        self.w = ⟦2⟧\n        self.v = 3\nc = C()\n"
DELETED: Cases = {
    "an attribute": (
        OBJECT.replace("⟦2⟧", "2") + "del c.w\nDataLoader(data, num_workers=c.w)\n",
        {"open"},
    ),
    "another attribute": (OBJECT + "del c.v\nDataLoader(data, num_workers=c.w)\n", {"2"}),
}

CLASS = "class C:\n    w = {}\n"
CLASS_LOADS = "def load():\n    return DataLoader(data, num_workers=C.w)\n"
SET_AT_ONCE: Cases = {
    "below the class": (CLASS.format(1) + "print(1)\nC.w = ⟦2⟧\n" + CLASS_LOADS + "load()\n", {"2"}),
    "under a condition": (
        CLASS.format("⟦1⟧") + "if input():\n    C.w = ⟦2⟧\n" + CLASS_LOADS + "load()\n",
        {"1", "2"},
    ),
    "after it was read": (
        CLASS.format("⟦1⟧") + CLASS_LOADS + "load()\nC.w = ⟦2⟧\nload()\n",
        {"1", "2"},
    ),
    "where only a program of its own runs": (
        {
            "settings.py": CLASS.format("⟦1⟧") + "if __name__ == '__main__':\n    C.w = ⟦2⟧\n",
            "main.py": IMPORT + "from settings import C\n" + CLASS_LOADS,
        },
        {"1", "2"},
    ),
    "of a class that inherits it": (
        CLASS.format("⟦1⟧") + "class D(C):\n    pass\nD.w = 2\n" + CLASS_LOADS + "load()\n",
        {"1"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), STARS.values(), ids=STARS.keys())
def test_star_imports_after_a_value(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_after_another(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_defaults_that_calls_change(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), DELETED.values(), ids=DELETED.keys())
def test_deleted_attributes(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), SET_AT_ONCE.values(), ids=SET_AT_ONCE.keys())
def test_attributes_of_a_class_set_at_once(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
