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

MANY = (
    "def make(workers, size=224):\n    chosen = 1 if isinstance(size, int) else workers\n"
    "    return DataLoader(1, num_workers=chosen)\n"
)
KEYS = (
    "def load(given):\n    names = [one.lower() for one in given.keys()]\n"
    "    workers = 4 if '{asked}' in names else ⟦2⟧\n    DataLoader(1, num_workers=workers)\n"
    "load({{'{first}': 1}})\nload({{'{second}': 1}})\n"
)
SIZED = "class Sized:\n    def size(self):\n        return 2\nclass Child(Sized):\n    pass\n"
SLOW = "def slow(data):\n    DataLoader(data, num_workers=⟦4⟧ if hasattr(data, 'size') else ⟦2⟧)\n"
PICTURES = """
from torchvision.datasets import CIFAR10, ImageFolder
class Pictures(ImageFolder):
    pass
def load(data):
    DataLoader(data, num_workers=⟦4⟧ if isinstance(data, ImageFolder) else 2)
"""
QUESTIONS: Cases = {
    "whether two classes of a library are one": (
        "from torch.utils.data import RandomSampler, SequentialSampler\ndef load(kind):\n"
        "    DataLoader(1, num_workers=0 if kind == RandomSampler else ⟦2⟧)\nload(SequentialSampler)\n",
        {"2"},
    ),
    "whether two classes of a library are one by another name": (
        "from numpy import DataSource, RankWarning\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦0⟧ if kind == RankWarning else ⟦2⟧)\nload(DataSource)\n",
        {"0", "2"},
    ),
    "whether classes of two modules of a library by one name are one": (
        "import torch\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦0⟧ if kind == torch.nn.Linear else ⟦2⟧)\nload(torch.nn.quantized.Linear)\n",
        {"0", "2"},
    ),
    "whether a class of the project is the one a library has by that name": (
        "import installed\nclass Sampler:\n    pass\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦2⟧ if kind == installed.Sampler else ⟦0⟧)\nload(Sampler)\n",
        {"2", "0"},
    ),
    "whether a class of a library is a class of the project": (
        "from torch.utils.data import RandomSampler\nclass Own(RandomSampler):\n    pass\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦2⟧ if RandomSampler is not kind else 0)\nload(Own)\n",
        {"2"},
    ),
    "whether a class is one by another name": (
        "import torch.utils.data.sampler\nfrom torch.utils.data import RandomSampler\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦2⟧ if kind == torch.utils.data.sampler.RandomSampler else 0)\n"
        "load(RandomSampler)\n",
        {"2"},
    ),
    "whether classes of two libraries by one name are one": (
        "import data.Sampler\nfrom torch.utils.data import Sampler\ndef load(kind):\n"
        "    DataLoader(1, num_workers=⟦2⟧ if kind == data.Sampler else ⟦0⟧)\nload(Sampler)\n",
        {"2", "0"},
    ),
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
    "a method of what all callers hand over": (
        f"{SIZED}{SLOW.replace('⟦2⟧', '2')}slow(Sized())\nslow(Child())\n",
        {"4"},
    ),
    "a method of what some callers hand over": (
        f"{SIZED}{SLOW}slow(Sized())\nslow(other)\n",
        {"4", "2"},
    ),
    "a method that no class of the object has": (
        f"{SIZED}{SLOW.replace('size', 'height')}slow(Sized())\n",
        {"4", "2"},
    ),
    "a method that a class has on some conditions": (
        f"class Sized:\n    if asked:\n        def size(self):\n            return 2\n{SLOW}slow(Sized())\n",
        {"4", "2"},
    ),
    "an attribute of something unseen": (
        "workers = ⟦4⟧ if hasattr(thing, 'workers') else ⟦2⟧\n" + LOAD,
        {"4", "2"},
    ),
    "an object of a class that descends from a library's": (
        f"{PICTURES}load(Pictures())",
        {"4"},
    ),
    "an object of a library's class": (
        f"{PICTURES}load(ImageFolder('.'))",
        {"4"},
    ),
    "an object of another class": (
        f"{PICTURES.replace('else 2', 'else ⟦2⟧')}load(CIFAR10('.'))",
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
    "a constant that is no dictionary of any kind": (
        "from typing import Mapping\nfrom omegaconf import DictConfig\ngiven = None\n"
        "workers = given if isinstance(given, (Mapping, DictConfig)) else ⟦2⟧\n" + LOAD,
        {"2"},
    ),
    "a list that is handed over": (MANY + "make(⟦8⟧, size=[1, 2])", {"8"}),
    "a list that is handed over in one of two calls": (
        MANY.replace("1 if", "⟦1⟧ if") + "make(⟦8⟧, (1, 2))\nmake(4)",
        {"8", "1"},
    ),
    "a dictionary that is handed over": (MANY + "make(⟦8⟧, size={'a': 1})", {"8"}),
    "a list of which it is asked whether it is one": (
        MANY.replace("1 if", "⟦1⟧ if").replace("int)", "(int, list))") + "make(⟦8⟧, size=[1, 2])",
        {"8", "1"},
    ),
    "what was not seen that is handed over": (MANY.replace("1 if", "⟦1⟧ if") + "make(⟦8⟧, size=sizes)", {"8", "1"}),
    "a constant that may be a row of its kind": (
        "from typing import Sequence\ngiven = 'ab'\nworkers = ⟦4⟧ if isinstance(given, Sequence) else ⟦2⟧\n" + LOAD,
        {"4", "2"},
    ),
    "whether a name is among the keys of what two calls give": (
        KEYS.format(first="one", second="two", asked="three"),
        {"2"},
    ),
    "whether a name is among the keys of what two calls give, of which both have it": (
        KEYS.format(first="one", second="one", asked="one").replace("4", "⟦4⟧").replace("⟦2⟧", "2"),
        {"4"},
    ),
    "whether a name is among the keys of what two calls give, of which one has it": (
        KEYS.format(first="one", second="two", asked="one").replace("4", "⟦4⟧"),
        {"4", "2"},
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


PASSED: Cases = {
    "not None": (
        "def load(n):\n    if n is None:\n        n = ⟦2⟧\n    DataLoader(data, num_workers=n)\n{calls}",
        {"2", "4"},
    ),
    "None alone": (
        "def load(n):\n    if n is not None:\n        return\n    DataLoader(data, num_workers=n)\n{calls}",
        {"None"},
    ),
    "and something else": (
        "def load(n):\n    if n is None and some():\n        n = ⟦2⟧\n    DataLoader(data, num_workers=n)\n{calls}",
        {"2", "4", "None"},
    ),
    "or something else": (
        "def load(n):\n    if n is None or some():\n        n = ⟦2⟧\n    DataLoader(data, num_workers=n)\n{calls}",
        {"2", "4"},
    ),
    "another number": (
        "def load(n):\n    if n == 4:\n        return\n    DataLoader(data, num_workers=n)\n{calls}",
        {"None"},
    ),
    "what was bound before the test": (
        "def load(n):\n    if n is None:\n        n = None or ⟦3⟧\n    else:\n        n = ⟦5⟧\n"
        "    DataLoader(data, num_workers=n)\n{calls}",
        {"3", "5"},
    ),
    "what was bound after another test of it": (
        "def load(n):\n    if n == 4:\n        n = ⟦3⟧\n    if n == 4:\n        return\n"
        "    DataLoader(data, num_workers=n)\n{calls}",
        {"3", "None"},
    ),
    "another name": (
        "def load(n, m=4):\n    if m is not None:\n        DataLoader(data, num_workers=n)\n{calls}",
        {"4", "None"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), PASSED.values(), ids=PASSED.keys())
def test_a_constant_does_not_pass_a_test_of_its_own_name_that_it_fails(text: str, expected: set[str]) -> None:
    marks = {value: f"⟦{value}⟧" if value in expected else value for value in ("4", "None")}
    unsure = f"given = {marks['4']} if some() else {marks['None']}\nload(given)\n"
    assert {one.replace(" shared", "") for one in traced(text.format(calls=unsure))} == expected


def test_a_constant_does_not_pass_for_another_that_was_not_seen() -> None:
    assert traced(
        """\
        import argparse
        def load(n):
            if n is None:
                n = ⟦2⟧
            DataLoader(data, num_workers=n)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=None)
        args = parser.parse_args()
        setattr(args, some(), 1)
        load(args.workers)
        """
    ) == {"2", "open"}
