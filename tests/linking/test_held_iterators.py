"""What changes between the making of an iterator over a loader and the last place that takes from it."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

TOP = """
import itertools
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, kept):
        self.kept = kept
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return index + self.kept[0]
def cycle(loader):
    while True:
        for batch in loader:
            yield batch
def passed_on(loader):
    while True:
        yield from loader
def begin(loader):
    return iter(loader)
class Box:
    pass
def keep(box, batches):
    box.taken = batches
def grab(box):
    return next(box.taken)
def build(shared):
    return Trainer(shared)
def take(batches):
    return next(batches)
class Trainer:
    def __init__(self, shared):
        self.shared = shared
        self.loader = DataLoader(Rows(shared), num_workers=2)
        self.batches = iter(self.loader)
    def step(self):
        batch = next(self.batches)
        self.shared[0] += 1
        return batch
    def look(self):
        return next(self.batches)
class Ahead:
    def __init__(self, loader):
        self.batches = iter(loader)
        self.preload()
    def preload(self):
        self.batch = next(self.batches, None)
    def take(self):
        batch = self.batch
        self.preload()
        return batch
def train(loader):
    ahead = Ahead(loader)
    batch = ahead.take()
    while batch is not None:
        batch = ahead.take()
"""
MADE = "loader = DataLoader(Rows(shared), num_workers=2)\n"
TWICE = "print(next(batches))\nshared[0] += 1\nprint(next(batches))"
COUNTED = "for step in range(8):\n    print(next(batches))\n    shared[0] += 1"
CHANGED = {
    "a generator, counted": f"{MADE}batches = cycle(loader)\n{COUNTED}",
    "a generator that passes on, counted": f"{MADE}batches = passed_on(loader)\n{COUNTED}",
    "a generator, twice": f"{MADE}batches = cycle(loader)\n{TWICE}",
    "a helper takes": f"{MADE}batches = cycle(loader)\nfor step in range(8):\n    take(batches)\n    shared[0] += 1",
    "a helper takes from an iterator": (
        f"{MADE}batches = iter(loader)\nfor step in range(8):\n    take(batches)\n    shared[0] += 1"
    ),
    "its method": f"{MADE}batches = loader.__iter__()\n{TWICE}",
    "enumerate": f"{MADE}batches = enumerate(loader)\n{TWICE}",
    "zip": f"{MADE}batches = zip(loader, range(8))\n{TWICE}",
    "itertools.cycle": f"{MADE}batches = itertools.cycle(loader)\n{TWICE}",
    "another name": f"{MADE}first = iter(loader)\nbatches = first\n{TWICE}",
    "a name in an expression": f"{MADE}print(batches := iter(loader))\nfirst = (other := batches)\n{TWICE}".replace(
        "next(batches)", "next(first)"
    ),
    "a lazy one of it": f"{MADE}first = iter(loader)\nbatches = (one for one in first)\n{TWICE}",
    "a function keeps it": (f"{MADE}box = Box()\nkeep(box, iter(loader))\ngrab(box)\nshared[0] += 1\ngrab(box)"),
    "made in a function, taken once": "trainer = build(shared)\nshared[0] += 1\ntrainer.look()",
    "given back": f"{MADE}batches = begin(loader)\n{TWICE}",
    "a lambda takes": f"{MADE}batches = iter(loader)\ntook = lambda: next(batches)\ntook()\nshared[0] += 1\ntook()",
    "lazy, kept": f"{MADE}batches = (batch + 1 for batch in loader)\n{TWICE}",
    "lazy, in a sum": f"{MADE}sum(shared.insert(0, 1) or 1 for batch in loader)",
    "lazy, in a list": f"{MADE}every = list(shared.insert(0, 1) for batch in loader)",
    "of epochs": f"{MADE}batches = cycle(loader)\nfor epoch in range(2):\n    shared[0] = epoch\n    next(batches)",
    "by a method": "trainer = Trainer(shared)\nfor step in range(8):\n    trainer.step()",
    "beside a method": (
        "trainer = Trainer(shared)\nfor step in range(8):\n    trainer.look()\n    trainer.shared[0] += 1"
    ),
    "between two calls of a method": (
        "trainer = Trainer(shared)\ntrainer.look()\ntrainer.shared[0] += 1\ntrainer.look()"
    ),
}
SETTLED = {
    "changed before": f"{MADE}shared[0] += 1\nbatches = cycle(loader)\nprint(next(batches))",
    "changed after the last": f"{MADE}batches = enumerate(loader)\nprint(next(batches))\nshared[0] += 1",
    "changed after a loop": f"{MADE}batches = cycle(loader)\nfor step in range(8):\n    take(batches)\nshared[0] += 1",
    "one alone": f"{MADE}first = next(iter(loader))\nshared[0] += 1\nprint(first)",
    "made anew each time": (
        f"{MADE}for epoch in range(2):\n    shared[0] = epoch\n    batches = iter(loader)\n"
        "    for step in range(8):\n        take(batches)"
    ),
    "kept by what is made anew each time": f"{MADE}for epoch in range(2):\n    shared[0] = epoch\n    train(loader)",
    "lazy, in a sum": f"{MADE}total = sum(len(batch) for batch in loader)\nshared[0] += 1",
    "before and after a trainer": (
        "shared[0] += 1\ntrainer = Trainer(shared)\nfor step in range(8):\n    trainer.look()\ntrainer.shared[0] += 1"
    ),
}


def changes(main: str) -> bool:
    # What changes what is shared by itself is looked at only where it is called.
    top = TOP if "step()" in main else TOP.replace("        self.shared[0] += 1\n", "")
    lines = "".join(f"    {line}\n" for line in f"shared = [0]\n{main}".splitlines())
    loaders = loaders_of(f"{top}def main():\n{lines}if __name__ == '__main__':\n    main()\n")
    return any(loader.uses.unsettled for loader in loaders)


@pytest.mark.parametrize("main", CHANGED.values(), ids=CHANGED)
def test_a_change_while_an_iterator_is_held_reaches_its_samples(main: str) -> None:
    assert changes(main)


@pytest.mark.parametrize("main", SETTLED.values(), ids=SETTLED)
def test_a_change_outside_of_that_does_not(main: str) -> None:
    assert not changes(main)
