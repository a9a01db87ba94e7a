from __future__ import annotations

from textwrap import dedent

import pytest

from tests.linking.traced import loaders_of

HEAD = """
import itertools
from torch.utils.data import DataLoader
loader = DataLoader(data, num_workers=2, persistent_workers=True)
"""


def together(text: str) -> list[str]:
    loaders = loaders_of(HEAD + dedent(text))
    return [f"{one.what} at {one.span.line}" for loader in loaders for one in loader.uses.together]


AGAIN = "loader = DataLoader(data, num_workers=1)\nfor c in loader: pass"
BOTH: dict[str, tuple[str, list[str]]] = {
    "zip": ("for a, b in zip(loader, loader): pass", ["loader at 6"]),
    "zip of what goes on": ("list(zip(loader, itertools.cycle(loader)))", ["itertools.cycle(loader) at 6"]),
    "zip with numbers": ("for a, b in zip(enumerate(loader), loader): pass", ["loader at 6"]),
    "zip of what gets another name later": (
        f"for a, b in zip(loader, loader): pass\n{AGAIN}",
        ["loader at 6"],
    ),
    "a loop in a loop over what gets another name later": (
        f"for a in loader:\n    for b in loader: pass\n{AGAIN}",
        ["loader at 7"],
    ),
    "three": ("for a, b, c in zip(loader, range(3), loader): pass", ["loader at 6"]),
    "a loop in a loop": ("for a in loader:\n    for b in loader: pass", ["loader at 7"]),
    "a numbered loop": (
        "for i, a in enumerate(loader):\n    for j, b in enumerate(loader): pass",
        ["enumerate(loader) at 7"],
    ),
    "a comprehension in a loop": ("for a in loader:\n    [b for b in loader]", ["loader at 7"]),
    "the first batch in a loop": ("for a in loader:\n    b = next(iter(loader))", ["loader at 7"]),
    "in one of the turns": ("for a in loader:\n    if a:\n        for b in loader: pass", ["loader at 8"]),
    "a function in a loop": (
        "def every(batches):\n    for b in batches: pass\nfor a in loader:\n    every(loader)",
        ["batches at 7"],
    ),
    "a function in a loop by name": (
        "def every(n, batches):\n    for b in batches: pass\nfor a in loader:\n    every(3, batches=loader)",
        ["batches at 7"],
    ),
    "all of it in a loop": ("for a in loader:\n    b = list(loader)", ["loader at 7"]),
    "a turn that may go on": (
        "for a in loader:\n    for b in loader:\n        break\n    if a: break",
        ["loader at 7"],
    ),
    "a turn that goes on by itself": (
        "for a in loader:\n    for b in loader: pass\n    if a: continue\n    break",
        ["loader at 7"],
    ),
    "two iterators": ("a = iter(loader)\nb = iter(loader)\nprint(next(a), next(b))", ["loader at 7"]),
    "two iterators in a loop": (
        "a = iter(loader)\nb = iter(loader)\nfor i in range(3):\n    print(next(a), next(b))",
        ["loader at 7"],
    ),
    "one iterator in a loop over the other": (
        "a = iter(loader)\nb = iter(loader)\nfor one in a:\n    print(next(b))",
        ["loader at 7"],
    ),
}

ONE: dict[str, str] = {
    "one loop": "for a in loader: pass",
    "one loop after the other": "for a in loader: pass\nfor b in loader: pass",
    "epochs": "for epoch in range(3):\n    for a in loader: pass",
    "a loop after the batches": "for a in loader: pass\nelse:\n    for b in loader: pass",
    "one turn": "for a in loader:\n    for b in loader: pass\n    break",
    "one turn of those that do": "for a in loader:\n    if a:\n        for b in loader: pass\n        break",
    "one turn on either path": (
        "for a in loader:\n    for b in loader: pass\n    if a: break\n    else: raise ValueError(a)"
    ),
    "a return": "def f():\n    for a in loader:\n        if a: return next(iter(loader))\nf()",
    "a function before a return": (
        "def every():\n    for b in loader: pass\n"
        "def f():\n    for a in loader:\n        every()\n        return a\nf()"
    ),
    "what a list holds": "for a in list(loader):\n    for b in loader: pass",
    "what a list has under a name": "batches = list(loader)\nfor a in batches:\n    for b in loader: pass",
    "what a comprehension holds": "for a in [x for x in loader]:\n    for b in loader: pass",
    "what is sorted": "for i, a in enumerate(sorted(loader)):\n    for b in loader: pass",
    "zip of lists": "for a, b in zip(list(loader), list(loader)): pass",
    "zip of a list": "for a, b in zip(list(loader), loader): pass",
    "zip of comprehensions": "for a, b in zip([x for x in loader], [y for y in loader]): pass",
    "iterators of lists": "a = iter(list(loader))\nb = iter(list(loader))\nprint(next(a), next(b))",
    "zip with another": "other = DataLoader(data, num_workers=2)\nfor a, b in zip(loader, other): pass",
    "zip of one iterator": "it = iter(loader)\nfor a, b in zip(it, it): pass",
    "one after the other": "for a in itertools.chain(loader, loader): pass",
    "the first one is done": "a = iter(loader)\nnext(a)\nb = iter(loader)\nnext(b)",
    "the second one is not used": "a = iter(loader)\nb = iter(loader)\nnext(a)",
    "an iterator that is made again": "a = iter(loader)\nnext(a)\na = iter(loader)\nnext(a)",
    "how many there are": "for a in loader:\n    print(len(loader), loader.dataset)",
    "two of one function": (
        "def make(): return DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "a, b = make(), make()\nc = make()\nd = make()\nfor x in a:\n    for y in b: pass\nlist(zip(c, d))"
    ),
    "two of one list": (
        "every = [DataLoader(one, num_workers=2, persistent_workers=True) for one in data]\n"
        "for a, b in zip(every[0], every[1]): pass"
    ),
    "a function that gets another": (
        "def every(batches):\n    for b in batches: pass\n"
        "other = DataLoader(data, num_workers=2, persistent_workers=True)\nfor a in loader:\n    every(other)"
    ),
    "a name that changes in the loop": (
        "other = DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "for a in loader:\n    loader = other\n    for b in loader: pass"
    ),
    "a name that a function changes in the loop": (
        "other = DataLoader(data, num_workers=2, persistent_workers=True)\ndef change():\n    global loader\n"
        "    loader = other\nfor a in loader:\n    change()\n    for b in loader: pass"
    ),
    "one and what the name stands for later": (
        "first = loader\nloader = DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "for a, b in zip(first, loader): pass"
    ),
    "a name that changes": (
        "for n in range(3):\n    loader = DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "    for a in loader:\n        loader = DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "        for b in loader: pass"
    ),
}


@pytest.mark.parametrize(("text", "expected"), BOTH.values(), ids=BOTH.keys())
def test_where_a_loader_is_gone_through_twice_at_once(text: str, expected: list[str]) -> None:
    assert together(text) == expected


@pytest.mark.parametrize("text", ONE.values(), ids=ONE.keys())
def test_where_it_is_gone_through_once_at_a_time(text: str) -> None:
    assert together(text) == []


TRAINER = """
class Trainer:
    def __init__(self):
        self.loader = DataLoader(data, num_workers=2, persistent_workers=True)
        self.other = DataLoader(data, num_workers=2, persistent_workers=True)
    def fit(self):
        for batch in self.loader:
            self.check()
    def check(self):
        for batch in self.WHICH: pass
Trainer().fit()
"""


@pytest.mark.parametrize(("which", "count"), [("loader", 1), ("other", 0)])
def test_a_method_that_iterates_the_loader_of_its_object(which: str, count: int) -> None:
    assert len(together(TRAINER.replace("WHICH", which))) == count


def test_it_says_where_the_first_iterator_is_made() -> None:
    (one,) = [
        one
        for loader in loaders_of(HEAD + "for a in loader:\n    for b in loader: pass\n")
        for one in loader.uses.together
    ]
    assert one.other is not None and (one.other.line, one.span.line) == (6, 7)
