from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.persistence import Change
from tests.linking.traced import Files, loaders_of

HEAD = """
import torch
from torch.utils.data import Dataset, DataLoader
class D(Dataset):
    def __init__(self):
        self.epoch, self.other = 0, 0
        self.part = Part()
        self.shared = torch.zeros(1)
    def set_epoch(self, epoch):
        self.epoch = epoch
        self.shared.fill_(epoch)
    def set_other(self, other):
        self.other = other
    def tell(self, epoch):
        self.shared[0] = epoch
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.epoch + self.helper() + self.shared
    def helper(self):
        return self.part.strength
class Part:
    def __init__(self):
        self.strength = 0
    def set_strength(self, strength):
        self.strength = strength
d = D()
loader = DataLoader(d, num_workers=2, persistent_workers=True)
"""


def changes(text: Files) -> list[Change]:
    files = HEAD + dedent(text) if isinstance(text, str) else text
    return [change for loader in loaders_of(files) for change in loader.uses.changes]


HEAD_IN_A_FILE = "from torch.utils.data import DataLoader\n" + HEAD


def in_each_epoch(change: str) -> str:
    return f"for epoch in range(3):\n    {change}\n    for batch in loader:\n        pass\n"


CHANGED: dict[str, tuple[str, list[str]]] = {
    "a method": (in_each_epoch("d.set_epoch(epoch)"), ["D.epoch"]),
    "a method of the loader's": (in_each_epoch("loader.dataset.set_epoch(epoch)"), ["D.epoch"]),
    "an attribute": (in_each_epoch("d.epoch = epoch"), ["D.epoch"]),
    "an attribute that grows": (in_each_epoch("d.epoch += 1"), ["D.epoch"]),
    "an attribute of the loader's": (in_each_epoch("loader.dataset.epoch = epoch"), ["D.epoch"]),
    "one set by its name": (in_each_epoch("setattr(d, 'epoch', epoch)"), ["D.epoch"]),
    "a part": (in_each_epoch("d.part.strength = epoch"), ["Part.strength"]),
    "a method of a part": (in_each_epoch("loader.dataset.part.set_strength(epoch)"), []),
    "a method of a part of what has a name": (in_each_epoch("d.part.set_strength(epoch)"), ["Part.strength"]),
    "after the batches": (
        "for epoch in range(3):\n    for batch in loader:\n        pass\n    d.set_epoch(epoch)\n",
        ["D.epoch"],
    ),
    "among the batches": (
        "for epoch in range(3):\n    for batch in loader:\n        d.epoch += 1\n",
        ["D.epoch"],
    ),
    "under a condition": (in_each_epoch("if epoch == 2: d.set_epoch(epoch)"), ["D.epoch"]),
    "a loader under another name in each epoch": (
        "for epoch in range(3):\n    d.epoch = epoch\n    batches = enumerate(loader)\n    for b in batches: pass\n",
        ["D.epoch"],
    ),
    "in a function": (
        "def one(loader, epoch):\n    loader.dataset.set_epoch(epoch)\n    for b in loader: pass\n"
        "for epoch in range(3): one(loader, epoch)\n",
        ["D.epoch"],
    ),
    "in a function of its own": (
        "def prepare(data, epoch):\n    data.set_epoch(epoch)\n" + in_each_epoch("prepare(d, epoch)"),
        ["D.epoch"],
    ),
}

SAME: dict[str, str] = {
    "nothing": in_each_epoch("pass"),
    "what no worker reads": in_each_epoch("d.other = epoch"),
    "what no worker reads, by a method": in_each_epoch("d.set_other(epoch)"),
    "an item": in_each_epoch("d.shared[0] = epoch"),
    "an item, by a method": in_each_epoch("d.tell(epoch)"),
    "once before": "d.set_epoch(3)\n" + in_each_epoch("pass"),
    "once after": in_each_epoch("pass") + "d.set_epoch(3)\n",
    "in another loop": "for n in range(3):\n    d.set_epoch(n)\n" + in_each_epoch("pass"),
    "one epoch": "for epoch in range(1):\n    d.set_epoch(epoch)\n    for batch in loader: pass\n",
    "over the folds": "for fold in folds:\n    d.set_epoch(fold)\n    for batch in loader: pass\n",
    "another object": in_each_epoch("D().set_epoch(epoch)"),
    "another object under a name": "e = D()\n" + in_each_epoch("e.set_epoch(epoch)"),
    "another class": (
        "class E:\n    def set_epoch(self, epoch):\n        self.epoch = epoch\n"
        "e = E()\n" + in_each_epoch("e.set_epoch(epoch)")
    ),
    "something unseen": in_each_epoch("make().set_epoch(epoch)"),
    "the sampler": in_each_epoch("loader.sampler.set_epoch(epoch)"),
    "a loader made anew in one of the epochs": (
        "for epoch in range(9):\n    if epoch == 5:\n        d.epoch = 1\n"
        "        loader = DataLoader(d, num_workers=2, persistent_workers=True)\n    for b in loader: pass\n"
    ),
    "a loader made anew by a function": (
        "def make():\n    return DataLoader(d, num_workers=2, persistent_workers=True)\nloader = make()\n"
        "for epoch in range(9):\n    for b in loader: pass\n    d.epoch += 1\n    loader = make()\n"
    ),
    "a loader that is deleted": (
        "def make():\n    return DataLoader(d, num_workers=2, persistent_workers=True)\nloaders = [make(), make()]\n"
        "for epoch in range(9):\n    loader = loaders.pop()\n    d.epoch = epoch\n    for b in loader: pass\n"
        "    del loader\n"
    ),
    "a loader of a trainer made anew by a method": (
        "class Trainer:\n    def __init__(self):\n        self.make()\n"
        "    def make(self):\n        self.loader = DataLoader(d, num_workers=2, persistent_workers=True)\n"
        "    def fit(self):\n        for epoch in range(9):\n            d.epoch = epoch\n            self.make()\n"
        "            for b in self.loader: pass\nTrainer().fit()\n"
    ),
    "a tensor that is added to": in_each_epoch("d.shared += 1"),
    "what never runs": "def never(epoch):\n    d.set_epoch(epoch)\n" + in_each_epoch("pass"),
}


@pytest.mark.parametrize(("text", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_what_each_epoch_changes(text: str, expected: list[str]) -> None:
    assert [f"{one.holder}.{one.attribute}" for one in changes(text)] == expected


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_what_no_epoch_changes(text: str) -> None:
    assert changes(text) == []


PICKED: dict[str, tuple[str, bool]] = {
    "every epoch": (in_each_epoch("d.set_epoch(epoch)"), False),
    "where an option says so": (in_each_epoch("if grow: d.set_epoch(epoch)"), False),
    "one epoch": (in_each_epoch("if epoch == 0: d.set_epoch(7)"), True),
    "an epoch between others": (in_each_epoch("if epoch == 1: d.set_epoch(7)"), False),
    "epochs from the second on": (in_each_epoch("if epoch >= 1: d.set_epoch(7)"), False),
    "an epoch between others that is asked for the other way": (
        in_each_epoch("if not epoch != 1:\n        d.set_epoch(7)"),
        False,
    ),
    "the only epoch that is iterated": (in_each_epoch("if epoch != 1:\n        continue\n    d.set_epoch(7)"), True),
    "an epoch between others that something unseen decides as well": (
        in_each_epoch("if epoch == 1 and input(): d.set_epoch(7)"),
        True,
    ),
    "the last epoch": (in_each_epoch("if epoch == 2: d.set_epoch(7)"), True),
    "an epoch that was not seen": (in_each_epoch("if epoch == int(input()): d.set_epoch(7)"), True),
    "an epoch of a number that was not seen": (
        "for epoch in range(int(input())):\n    if epoch == 1: d.set_epoch(7)\n    for b in loader: pass\n",
        True,
    ),
    "an epoch between others of which only some are iterated": (
        "for epoch in range(3):\n    if epoch == 1: d.set_epoch(7)\n    if epoch > 1:\n        for b in loader: pass\n",
        True,
    ),
    "one epoch, in a function": (
        "def prepare(n):\n    if n == 0:\n        d.set_epoch(n)\n" + in_each_epoch("prepare(epoch)"),
        True,
    ),
    "a function called in one epoch": (
        "def prepare():\n    d.set_epoch(4)\n" + in_each_epoch("if epoch == 0: prepare()"),
        True,
    ),
    "every other epoch is iterated": (
        "for epoch in range(3):\n    d.set_epoch(epoch)\n    if epoch % 2:\n        for b in loader: pass\n",
        True,
    ),
}


@pytest.mark.parametrize(("text", "picked"), PICKED.values(), ids=PICKED.keys())
def test_whether_only_some_epochs_change_it(text: str, picked: bool) -> None:
    assert [one.picked for one in changes(text)] == [picked]


def test_it_says_where_it_is_changed_and_where_it_is_read() -> None:
    (one,) = changes(in_each_epoch("d.set_epoch(epoch)"))
    assert (one.span.line, one.what) == (31, "d.set_epoch(epoch)")
    assert one.read is not None and one.read.line == 20


def test_it_is_looked_for_where_workers_may_persist() -> None:
    text = HEAD.replace("persistent_workers=True", "persistent_workers=PERSISTENT") + in_each_epoch("d.epoch = 3")
    for value, count in (("False", 0), ("unseen()", 0), ("True if d else False", 1)):
        assert len(changes({"main.py": text.replace("PERSISTENT", value)})) == count


IN_PLACE = """
from torch.utils.data import DataLoader, Dataset, Subset
class D(Dataset):
    def __init__(self, given=None):
        self.hard, self.given = [], given
        self.weights = {}
        self.cache = {}
    def mine(self, rows):
        self.hard.extend(rows)
    def __getitem__(self, index):
        self.cache[index] = index
        return index in self.hard, self.weights[index], self.given[index], self.cache[index]
def put(rows, row):
    rows.append(row)
def mine(data, rows):
    data.hard.extend(rows)
given = []
d = D(given)
loader = DataLoader(d, num_workers=2, persistent_workers=True)
"""
CHANGED_IN_PLACE: dict[str, tuple[str, list[str]]] = {
    "a list": ("d.hard.append(epoch)", ["D.hard"]),
    "a dictionary": ("d.weights[epoch] = 1", ["D.weights"]),
    "a list, in a function": ("mine(d, [epoch])", ["D.hard"]),
    "a list, by a method": ("d.mine([epoch])", ["D.hard"]),
    "what workers fill themselves": ("d.cache.clear()", []),
    "what was given": ("d.given.append(epoch)", []),
    "what is handed on": ("put(d.hard, epoch)", []),
    "another object's": ("D().hard.append(epoch)", []),
}


@pytest.mark.parametrize(("change", "expected"), CHANGED_IN_PLACE.values(), ids=CHANGED_IN_PLACE.keys())
def test_what_each_epoch_changes_in_place(change: str, expected: list[str]) -> None:
    found = changes({"main.py": IN_PLACE + in_each_epoch(change)})
    assert [f"{one.holder}.{one.attribute}" for one in found] == expected


AROUND: dict[str, tuple[str, str, int]] = {
    "a data set around it": ("Subset(d, [0])", "dataset.dataset", 1),
    "two around it": ("Subset(Subset(d, [0]), [0])", "dataset.dataset.dataset", 1),
    "the one around it": ("Subset(d, [0])", "dataset", 0),
    "something unseen around it": ("wrap(d)", "dataset.dataset", 0),
}


@pytest.mark.parametrize(("data", "path", "count"), AROUND.values(), ids=AROUND.keys())
def test_the_data_set_inside_another_one(data: str, path: str, count: int) -> None:
    loader = f"loader = DataLoader({data}, num_workers=2, persistent_workers=True)\n"
    text = "from torch.utils.data import Subset\n" + loader + in_each_epoch(f"loader.{path}.epoch = epoch")
    assert len(changes({"main.py": HEAD_IN_A_FILE.rpartition("loader =")[0] + text})) == count


HOOK = """
import lightning.pytorch as pl
from torch.utils.data import DataLoader, Dataset, Subset
class D(Dataset):
    def __init__(self):
        self.crop = 3
    def __getitem__(self, index):
        return self.crop
class Data(pl.LightningDataModule):
    def setup(self, stage):
        self.data = D()
        self.other, self.whole = D(), Subset(self.data, [0])
    def HOOK(self):
        return DataLoader(self.data, num_workers=2, persistent_workers=True)
    def grow(self):
        self.data.crop += 1
class Grow(BASE):
    def WHEN(self, trainer, module):
        CHANGE
"""

HOOKS: dict[str, tuple[str, int]] = {
    "every epoch": ("", 1),
    "another hook": ("WHEN=on_fit_start", 0),
    "another class": ("BASE=object", 0),
    "another loader": ("HOOK=val_dataloader", 0),
    "another data set": ("CHANGE=trainer.train_dataloader.sampler.crop = 3", 0),
    "what the data module keeps": ("CHANGE=trainer.datamodule.data.crop = 3", 1),
    "what the data module of a module's trainer keeps": ("CHANGE=self.trainer.datamodule.data.crop = 3", 1),
    "in what the data module keeps": ("CHANGE=trainer.datamodule.whole.dataset.crop = 3", 1),
    "a part that is no data set's": ("CHANGE=trainer.datamodule.whole.crop = 3", 0),
    "another that the data module keeps": ("CHANGE=trainer.datamodule.other.crop = 3", 0),
    "what something else keeps": ("CHANGE=trainer.strategy.data.crop = 3", 0),
}


def test_what_lightning_calls_where_it_makes_the_loaders_anew() -> None:
    text = HOOK.replace("HOOK", "train_dataloader").replace("BASE", "pl.Callback").replace("WHEN", "on_epoch_start")
    text = text.replace("CHANGE", "trainer.train_dataloader.dataset.crop = 3")
    trainer = "import lightning.pytorch as pl\npl.Trainer(reload_dataloaders_every_n_epochs=1)\n"
    assert len(changes({"main.py": text})) == 1
    assert changes({"main.py": text, "train.py": trainer}) == []


def test_what_the_data_module_keeps_under_the_name_of_a_loader_s_data_set() -> None:
    text = HOOK.replace("HOOK", "train_dataloader").replace("BASE", "pl.Callback").replace("WHEN", "on_epoch_start")
    text = text.replace("self.data", "self.dataset")
    assert len(changes({"main.py": text.replace("CHANGE", "trainer.datamodule.dataset.crop = 3")})) == 1
    assert changes({"main.py": text.replace("CHANGE", "trainer.datamodule.dataset.dataset.crop = 3")}) == []


def test_the_loader_that_the_data_module_keeps() -> None:
    text = HOOK.replace("HOOK", "train_dataloader").replace("BASE", "pl.Callback").replace("WHEN", "on_epoch_start")
    made = "DataLoader(self.data, num_workers=2, persistent_workers=True)"
    text = text.replace(f"return {made}", f"self.train = {made}\n        return self.train")
    assert len(changes({"main.py": text.replace("CHANGE", "trainer.datamodule.train.dataset.crop = 3")})) == 1


@pytest.mark.parametrize(("different", "count"), HOOKS.values(), ids=HOOKS.keys())
def test_what_lightning_calls_each_epoch(different: str, count: int) -> None:
    words = {
        "HOOK": "train_dataloader",
        "BASE": "pl.Callback",
        "WHEN": "on_train_epoch_start",
        "CHANGE": "trainer.train_dataloader.dataset.crop = 3",
    }
    name, _, value = different.partition("=")
    text = HOOK
    for word, code in {**words, **({name: value} if name else {})}.items():
        text = text.replace(f" {word}", f" {code}").replace(f"({word}", f"({code}")
    assert len(changes({"main.py": text})) == count
