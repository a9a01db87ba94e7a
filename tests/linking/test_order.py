"""What the same expression or statement changes before it reads, and what makes over what was read before."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

EXPRESSIONS: Cases = {
    "an entry taken away by an argument before": (
        'def load(first, given):\n    return DataLoader(data, num_workers=given.get("w", ⟦7⟧))\n'
        'given = {"w": 3}\nload(given.pop("w"), given)\n',
        {"7"},
    ),
    "an entry that another name has, taken away by an argument before": (
        'def load(first, given):\n    return DataLoader(data, num_workers=given.get("w", 7))\n'
        'given = {"w": ⟦3⟧}\nother = {"w": 3}\nload(other.pop("w"), given)\n',
        {"3"},
    ),
    "an update in an argument before": (
        'given = {"w": 2}\nDataLoader(data, given.update(w=⟦3⟧) or 1, num_workers=given["w"])\n',
        {"3"},
    ),
    "an update in an argument after": (
        'given = {"w": ⟦2⟧}\nDataLoader(data, num_workers=given["w"], batch_size=given.update(w=3) or 1)\n',
        {"2"},
    ),
    "keywords of a partial that are changed": (
        {
            "main.py": IMPORT + "from functools import partial\nmake = partial(DataLoader, data, num_workers=⟦4⟧)\n"
            'make.keywords["num_workers"] = 0\nmake()\n'
        },
        {"4", "open"},
    ),
    "a partial whose keywords nobody asks for": (
        "from functools import partial\nmake = partial(DataLoader, data, num_workers=⟦4⟧)\nmake()\n",
        {"4"},
    ),
    "a default of a lambda whose name is given another value later": (
        "workers = ⟦1⟧\nmake = lambda n=workers: DataLoader(data, num_workers=n)\nworkers = 2\nmake()\n",
        {"1"},
    ),
    "a name that a lambda reads when it is called": (
        "workers = 1\nmake = lambda: DataLoader(data, num_workers=workers)\nworkers = ⟦2⟧\nmake()\n",
        {"2"},
    ),
    "a dictionary within a spread copy": (
        'given = {"a": {"w": ⟦1⟧}}\nother = {**given}\nother["a"]["w"] = 2\n'
        'DataLoader(data, num_workers=given["a"]["w"])\n',
        {"1", "open"},
    ),
    "a dictionary beside those of a spread copy": (
        'given = {"a": {"w": ⟦1⟧}}\nother = {**given}\nother["b"] = {"w": 2}\n'
        'DataLoader(data, num_workers=given["a"]["w"])\n',
        {"1"},
    ),
    "a name of a class body in a comprehension": (
        "n = ⟦5⟧\nclass C:\n    n = 2\n    w = [n for _ in range(1)]\nDataLoader(data, num_workers=C.w[0])\n",
        {"5 shared"},
    ),
    "a name of a class body that a comprehension goes through": (
        "n = [5]\nclass C:\n    n = [⟦2⟧]\n    w = [one for one in n]\nDataLoader(data, num_workers=C.w[0])\n",
        {"2"},
    ),
    "a switch among the words in the program": (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--w", action="store_const", const=⟦4⟧, default=1)\n'
        'DataLoader(data, num_workers=parser.parse_args(["--w"]).w)\n',
        {"4"},
    ),
}

CLASSES: Cases = {
    "the base beside comes after the base above": (
        "class Top:\n    w = ⟦1⟧\nclass Left(Top):\n    pass\nclass Right:\n    w = 2\n"
        "class Low(Left, Right):\n    pass\nDataLoader(data, num_workers=Low.w)\n",
        {"1"},
    ),
    "the base above two comes after both": (
        "class Top:\n    w = 1\nclass Left(Top):\n    pass\nclass Right(Top):\n    w = ⟦2⟧\n"
        "class Low(Left, Right):\n    pass\nDataLoader(data, num_workers=Low.w)\n",
        {"2"},
    ),
    "a metaclass that is inherited": (
        "class Meta(type):\n    pass\nclass Base(metaclass=Meta):\n    pass\nclass C(Base):\n    w = 1\n"
        "DataLoader(data, num_workers=C.w)\n",
        {"open"},
    ),
    "a class that sets an attribute of its heirs": (
        "class Base:\n    def __init_subclass__(cls):\n        cls.w = 5\nclass C(Base):\n    w = 1\n"
        "DataLoader(data, num_workers=C.w)\n",
        {"open"},
    ),
    "a class that sets another attribute of its heirs": (
        "class Base:\n    def __init_subclass__(cls):\n        cls.v = 5\nclass C(Base):\n    w = ⟦1⟧\n"
        "DataLoader(data, num_workers=C.w)\n",
        {"1"},
    ),
    "a decorator that sets an attribute": (
        "def fast(cls):\n    cls.w = 5\n    return cls\n"
        "@fast\nclass C:\n    w = 1\nDataLoader(data, num_workers=C.w)\n",
        {"open"},
    ),
    "a decorator with arguments that sets an attribute": (
        "def fast(n):\n    def inner(cls):\n        setattr(cls, 'w', n)\n        return cls\n    return inner\n"
        "@fast(5)\nclass C:\n    w = 1\nDataLoader(data, num_workers=C().w)\n",
        {"open"},
    ),
    "a decorator that gives another class": (
        "def fast(cls):\n    class Fast(cls):\n        w = 5\n    return Fast\n@fast\nclass C:\n    w = 1\n"
        "DataLoader(data, num_workers=C().w)\n",
        {"open"},
    ),
    "a decorator that registers": (
        "known = {}\ndef register(name):\n    def inner(cls):\n        known[name] = cls\n        return cls\n"
        '    return inner\n@register("c")\nclass C:\n    w = ⟦1⟧\nDataLoader(data, num_workers=C().w)\n',
        {"1"},
    ),
    "one object for all calls": (
        "class C:\n    one = None\n    def __new__(cls, *given):\n        if cls.one is None:\n"
        "            cls.one = object.__new__(cls)\n        return cls.one\n    def __init__(self, w):\n"
        "        self.w = w\nfirst = C(⟦2⟧)\nC(⟦3⟧)\nDataLoader(data, num_workers=first.w)\n",
        {"2", "3"},
    ),
    "an object for each call": (
        "class C:\n    def __new__(cls, *given):\n        return object.__new__(cls)\n    def __init__(self, w):\n"
        "        self.w = w\nfirst = C(⟦2⟧)\nC(3)\nDataLoader(data, num_workers=first.w)\n",
        {"2"},
    ),
    "a copy that is worked on like the first": (
        "from dataclasses import dataclass, replace\n@dataclass\nclass C:\n    w: int = 1\n"
        "    def __post_init__(self):\n        self.w += 1\nDataLoader(data, num_workers=replace(C(2), w=5).w)\n",
        {"open"},
    ),
    "a copy in which something else is worked out": (
        "from dataclasses import dataclass, replace\n@dataclass\nclass C:\n    w: int = 1\n"
        "    def __post_init__(self):\n        self.v = 1\nDataLoader(data, num_workers=replace(C(2), w=⟦5⟧).w)\n",
        {"5"},
    ),
}

_READ = 'import os, yaml\n{}given = yaml.safe_load(open("c.yaml"))\n{}DataLoader(data, num_workers=given["w"])\n'


def _reading(before: str, after: str = "") -> str:
    return IMPORT + _READ.format(before, after)


FILES: Cases = {
    "another folder": ({"main.py": _reading('os.chdir("sub")\n'), "c.yaml": "w: 1\n"}, {"open"}),
    "another folder later": ({"main.py": _reading("", 'os.chdir("sub")\n'), "c.yaml": "w: ⟦1⟧\n"}, {"1"}),
    "the program's own folder": (
        {"main.py": _reading("os.chdir(os.path.dirname(os.path.abspath(__file__)))\n"), "c.yaml": "w: ⟦1⟧\n"},
        {"1"},
    ),
    "a star import before the name's own value": (
        {
            "main.py": IMPORT + "from other import *\nW = ⟦1⟧\nDataLoader(data, num_workers=W)\n",
            "other.py": "W = 2\n",
        },
        {"1"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), EXPRESSIONS.values(), ids=EXPRESSIONS.keys())
def test_expressions(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CLASSES.values(), ids=CLASSES.keys())
def test_classes(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES.keys())
def test_files(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
