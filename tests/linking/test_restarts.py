from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

LOADER = "loader = DataLoader(data, num_workers=2)\n"
EACH = "    for batch in loader:\n        pass\n"

RESTARTS: dict[str, tuple[str, list[str]]] = {
    "made once": (LOADER + "for e in range(3):\n" + EACH, []),
    "made again": (f"for e in range(3):\n    {LOADER}{EACH}", ["DataLoader(data, num_workers=2)"]),
    "while": (f"while wanted:\n    {LOADER}{EACH}", ["DataLoader(data, num_workers=2)"]),
    "one turn": (f"for e in range(1):\n    {LOADER}{EACH}", []),
    "over names": (f"for e in names:\n    {LOADER}{EACH}", []),
    "never iterated": (f"for e in range(3):\n    {LOADER}", []),
    "on a condition": (
        f"for e in range(3):\n    if e == 0:\n        {LOADER}{EACH}",
        [],
    ),
    "of another data set": (f"for e in range(3):\n    data = load(e)\n    {LOADER}{EACH}", []),
    "of the turn": ("for e in range(3):\n    loader = DataLoader(data, batch_size=e, num_workers=2)\n" + EACH, []),
    "of a part of the turn": ("for e in range(3):\n    loader = DataLoader(data[e], num_workers=2)\n" + EACH, []),
    "of what is made again": ("for e in range(3):\n    loader = DataLoader(Data(), num_workers=2)\n" + EACH, []),
    "of what a method changes": (f"for e in range(3):\n    data.shuffle()\n    {LOADER}{EACH}", []),
    "of what a function gets": (f"for e in range(3):\n    shuffle(data)\n    {LOADER}{EACH}", []),
    "of what is only counted": (
        f"for e in range(3):\n    print(e)\n    n = len(data)\n    {LOADER}{EACH}",
        ["DataLoader(data, num_workers=2)"],
    ),
    "of what grows": (f"data = []\nfor e in range(3):\n    data.append(e)\n    {LOADER}{EACH}", []),
    "of what another function knows": (
        f"def more():\n    data.grow()\nfor e in range(3):\n    more()\n    {LOADER}{EACH}",
        [],
    ),
    "of a number that everybody gets": (
        f"size = 8\nfor e in range(3):\n    print(size)\n    loader = DataLoader(data, size, num_workers=2)\n{EACH}",
        ["DataLoader(data, size, num_workers=2)"],
    ),
    "one batch a step": (LOADER + "for s in range(3):\n    b = next(iter(loader))\n", ["next(iter(loader))"]),
    "one batch a step by the method that iter calls": (
        LOADER + "for s in range(3):\n    b = next(loader.__iter__())\n",
        ["next(loader.__iter__())"],
    ),
    "one batch a step of a loader that keeps its workers": (
        """\
class Kept(DataLoader):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.batches = super().__iter__()
    def __iter__(self):
        while True:
            yield next(self.batches)
loader = Kept(data, num_workers=2)
for s in range(3):
    b = next(iter(loader))
""",
        [],
    ),
    "one batch a step of a loader that begins anew by itself": (
        """\
class Counted(DataLoader):
    def __iter__(self):
        self.turns = 1
        return super().__iter__()
loader = Counted(data, num_workers=2)
for s in range(3):
    b = next(iter(loader))
""",
        ["next(iter(loader))"],
    ),
    "one batch a step of a loader with a name of its own": (
        f"class Named(DataLoader):\n    name = 'train'\n{LOADER.replace('DataLoader', 'Named')}"
        "for s in range(3):\n    b = next(iter(loader))\n",
        ["next(iter(loader))"],
    ),
    "one batch without a loop": (LOADER + "b = next(iter(loader))\n", []),
    "one batch of an iterator": (LOADER + "batches = iter(loader)\nfor s in range(3):\n    b = next(batches)\n", []),
    "one batch now and then": (LOADER + "for s in range(3):\n    if s == 1:\n        b = next(iter(loader))\n", []),
    "one batch beside an epoch": (f"{LOADER}for e in range(3):\n    b = next(iter(loader))\n{EACH}", []),
    "one batch beside a function's epoch": (
        f"{LOADER}def train():\n{EACH}for e in range(3):\n    train()\n    b = next(iter(loader))\n",
        [],
    ),
    "one batch of a loader of the turn": (
        "for fold in range(3):\n    loader = DataLoader(data[fold], num_workers=2)\n    b = next(iter(loader))\n",
        [],
    ),
    "one batch in one turn": (LOADER + "for s in range(1):\n    b = next(iter(loader))\n", []),
}


@pytest.mark.parametrize(("text", "expected"), RESTARTS.values(), ids=RESTARTS.keys())
def test_what_starts_workers_in_every_turn(text: str, expected: list[str]) -> None:
    (loader,) = loaders_of(text)
    assert [one.what for one in loader.uses.restarts] == expected
