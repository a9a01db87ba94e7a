from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

DATA = """
import torch
from torch.utils.data import Dataset
class Points(Dataset):
    def __init__(self, rows=()):
        self.alpha = 0
        self.hard = []
        self.rows = rows
    def __len__(self):
        return 16
    def size(self):
        return len(self.hard)
    def mined(self):
        return self.hard
    def __getitem__(self, index):
        return index + self.alpha + self.helper()
    def helper(self):
        return len(self.hard) + len(self.rows)
"""
MAIN = """
from torch.utils.data import ConcatDataset, DataLoader, Subset
from data import Points
import engine
"""
LOADER = "loader = DataLoader(data, num_workers=2)\n"
EPOCHS = "for epoch in range(3):\n    engine.start(epoch)\n    for batch in loader: pass\n"
ENGINE = "def start(epoch):\n    pass\n"


def touched(text: str, engine: str = ENGINE) -> bool:
    (loader,) = loaders_of({"data.py": DATA, "main.py": MAIN + text, "engine.py": engine})
    assert loader.payload.seen
    assert not loader.uses.payload_changes
    return loader.uses.payload_touched


PLAIN = f"data = Points()\n{LOADER}{EPOCHS}"
MADE_OF = f"rows = [1, 2]\ndata = Points(rows)\n{LOADER}"

TOUCHED: dict[str, tuple[str, str]] = {
    "an attribute through the loader of anything": (
        PLAIN,
        ENGINE + "def later(trainer):\n    trainer.loader.dataset.alpha = 1\n",
    ),
    "deep down": (PLAIN, ENGINE + "def later(trainer):\n    trainer.module.train.dataset.dataset.alpha = 1\n"),
    "by its name": (PLAIN, ENGINE + "def later(trainer):\n    setattr(trainer.data, 'alpha', 1)\n"),
    "by a name that is worked out": (PLAIN, ENGINE + "def later(trainer, name):\n    setattr(trainer.data, name, 1)\n"),
    "all attributes": (PLAIN, ENGINE + "def later(trainer):\n    vars(trainer.data).update(alpha=1)\n"),
    "all attributes at once": (PLAIN, ENGINE + "def later(data):\n    data.__dict__.update(alpha=1)\n"),
    "by its own setter": (PLAIN, ENGINE + "def later(data):\n    data.__setattr__('alpha', 1)\n"),
    "by a function made of its name": (
        PLAIN,
        "from operator import attrgetter\n" + ENGINE + "def later(data):\n    attrgetter('hard')(data).append(1)\n",
    ),
    "what an attribute holds": (PLAIN, ENGINE + "def later(data):\n    data.hard.extend([1])\n"),
    "what a method gives": (PLAIN, ENGINE + "def later(data):\n    data.mined().append(1)\n"),
    "an item": (PLAIN, ENGINE + "def later(data):\n    data.hard[0] = 1\n"),
    "another name for a part": (f"data = Points()\n{LOADER}hard = data.hard\n{EPOCHS}", ENGINE),
    "the data set as a whole": (PLAIN, ENGINE + "def later(loader):\n    change(loader.dataset)\n"),
    "what a loader collates with": (PLAIN, ENGINE + "def later(trainer):\n    trainer.loader.collate_fn.alpha = 1\n"),
    "what it was made of, by its first name": (
        f"base = [1, 2]\nrows = base\ndata = Points(rows)\n{LOADER}base[0] = 3\n{EPOCHS}",
        ENGINE,
    ),
    "what it was made of": (MADE_OF + "keep(rows)\n" + EPOCHS, ENGINE),
    "what it was made of, in a function": (
        MADE_OF + "def collect():\n    rows.append(1)\n" + EPOCHS,
        ENGINE,
    ),
    "what another object holds": (
        "class Buffer:\n    def __init__(self):\n        self.rows = []\n    def make(self):\n"
        "        data = Points(self.rows)\n        return DataLoader(data, num_workers=2)\n"
        "buffer = Buffer()\nloader = buffer.make()\n" + EPOCHS,
        ENGINE + "def later(buffer):\n    buffer.rows.append(1)\n",
    ),
    "files that are looked up": (PLAIN, "import importlib\nimportlib.import_module('plugins')\n" + ENGINE),
}

TOUCHED |= {
    "the loader, by code that was not followed": (
        "from hooks import refresh\n" + PLAIN.replace("engine.start(epoch)", "refresh(loader, epoch)"),
        ENGINE,
    ),
    "the loader, by an object that was not seen": (
        PLAIN.replace("engine.start(epoch)", "engine.start(loader, make())"),
        "def start(loader, trainer):\n    trainer.begin(train_loader=loader)\n",
    ),
    "the loader, by another name": (
        PLAIN.replace("engine.start(epoch)", "engine.start(loader)"),
        "import hooks\ndef start(train_loader):\n    hooks.refresh(train_loader)\n",
    ),
    "the data set, by code that was not followed": (
        "from hooks import refresh\n" + PLAIN.replace("engine.start(epoch)", "refresh(data)"),
        ENGINE,
    ),
}

LEFT: dict[str, tuple[str, str]] = {
    "nothing": (PLAIN, ENGINE),
    "how many there are": (f"{PLAIN}print(len(loader.dataset), len(data.hard), data.size())\n", ENGINE),
    "before the loader": (f"data = Points()\ndata.hard.append(1)\n{LOADER}{EPOCHS}", ENGINE),
    "a plain value": (f"data = Points()\n{LOADER}net = torch.nn.Linear(3, data.alpha)\n{EPOCHS}", ENGINE),
    "another object's": (
        PLAIN,
        "class Net:\n    def __init__(self):\n        self.alpha = 1\n    def step(self):\n        self.alpha += 1\n"
        "net = Net()\nnet.alpha = 3\ndef start(epoch):\n    net.step()\n",
    ),
    "another name by its name": (PLAIN, "def start(trainer):\n    setattr(trainer, 'step', 1)\n"),
    "a library's": (PLAIN, "import numpy\ndef start(epoch):\n    numpy.size([1])\n"),
    "a copy": (f"rows = [1, 2]\ndata = Points(list(rows))\nkeep(rows)\n{LOADER}{EPOCHS}", ENGINE),
    "what it was made of, only counted": (MADE_OF + "print(len(rows))\n" + EPOCHS, ENGINE),
    "what it was made of, filled before": (
        "rows = [1, 2]\nrows.append(2)\ndata = Points(rows)\n" + LOADER + EPOCHS,
        ENGINE,
    ),
    "the loader, by code of the project": (PLAIN.replace("start(epoch)", "start(loader)"), ENGINE),
    "the loader, by a progress bar": (
        "from tqdm import tqdm\n" + PLAIN.replace("in loader", "in enumerate(tqdm(loader, total=len(loader)))"),
        ENGINE,
    ),
    "the loader, in a list": (PLAIN.replace(EPOCHS, f"loaders = []\nloaders.append(loader)\n{EPOCHS}"), ENGINE),
    "another loader, by code that was not followed": (
        f"from hooks import refresh\n{PLAIN}other_loader = [1]\nrefresh(other_loader)\n",
        ENGINE,
    ),
    "parts of one": (f"data = ConcatDataset([Points(), Subset(Points(), range(2))])\n{LOADER}{EPOCHS}", ENGINE),
}


def test_an_item_that_the_data_set_keeps_touches_it() -> None:
    kept = f"{DATA}    def __setitem__(self, index, value):\n        self.rows[index] = value\n"
    text = f"{MAIN}{PLAIN}data[0] = 3\n"
    (loader,) = loaders_of({"data.py": kept, "main.py": text, "engine.py": ENGINE})
    assert loader.uses.payload_touched


@pytest.mark.parametrize(("main", "engine"), TOUCHED.values(), ids=TOUCHED.keys())
def test_what_may_change_what_the_workers_have(main: str, engine: str) -> None:
    assert touched(main, engine)


@pytest.mark.parametrize(("main", "engine"), LEFT.values(), ids=LEFT.keys())
def test_what_leaves_it_as_it_is(main: str, engine: str) -> None:
    assert not touched(main, engine)


def test_it_is_not_asked_where_something_is_said_of_persistence() -> None:
    decided = PLAIN.replace("num_workers=2", "num_workers=2, persistent_workers=False")
    assert not touched(decided, "def start(data):\n    data.hard.extend([1])\n")
