"""Whether samples are the same without workers, by what they hang on: what is not settled, and what is."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from loaderlint.model.uses import Hanging, Unsettled
from tests.linking.traced import loaders_of

IMPORTS = """
import argparse
import decimal
import logging
import sqlite3
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
"""
ROWS = """
class Rows(Dataset):
    def __init__(self, kept=None):
        self.kept = kept
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return {sample}
"""
OPTIONS = """
class Options:
    def __init__(self):
        self.scale = 1
        self.step = 0
    def harder(self):
        self.scale += 1
"""
MODEL = """
class Model:
    def __init__(self, options):
        self.options = options
    def step(self, batch):
        {does}
"""
TRAINER = """
class Callback:
    def __init__(self, options):
        self.options = options
    def on_batch_end(self, batch):
        {does}
class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks
    def fit(self, loader):
        for epoch in range(2):
            {between}
            for batch in loader:
                for callback in self.callbacks:
                    callback.on_batch_end(batch)
"""
MODES = """
class Modes(Dataset):
    def __init__(self):
        self.mode = "train"
    def set_mode(self, mode):
        self.mode = mode
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return index if self.mode == "train" else -index
class Other:
    def set_mode(self, mode):
        self.mode = mode
def evaluate(data):
    data.set_mode("test")
"""
OF_SCALE = OPTIONS + ROWS.format(sample="index * self.kept.scale")
OF_ROWS = ROWS.format(sample="self.kept[index]")
OF_MODEL = ROWS.format(sample="self.kept(torch.ones(4) * index).sum().item()")
TRAINS = "model(torch.ones(4)).sum().backward()\noptimizer.step()"
LINEAR = "model = nn.Linear(4, 4)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)"
ERROR = """
class Broken({base}):
    def __init__(self, {taken}):
        super().__init__("broken")
def broken(index):
    raise Broken({given})
"""
OPENED = "np.memmap('rows.dat', mode='{mode}')"


def pickled(methods: str) -> str:
    return ROWS.format(sample="index") + indent(dedent(methods), "    ")


def unsettled(top: str, before: str, rows: str, body: str, around: str = "") -> list[Unsettled]:
    loop = "for batch in loader:\n" + indent(body, "    ")
    loop = f"{around}\n{indent(loop, '    ')}" if around else loop
    main = f"{before}\nloader = DataLoader({rows}, num_workers=1)\nfor epoch in range(2):\n{indent(loop, '    ')}"
    (loader,) = loaders_of(f"{IMPORTS}{top}\nif __name__ == '__main__':\n{indent(main, '    ')}\n")
    return list(loader.uses.unsettled)


NOISE = """
class Noise:
    def __init__(self, rows):
        self.rows = rows
    def step(self):
        return self.rows.{does}
"""
SCALED = """
class Scale:
    def __init__(self):
        self.by = 1
    def __call__(self, row):
        return row * self.by
"""
SHARED = "shared = torch.zeros(4)\n"
SAME = """
def table(rows):
    return rows
def shift(noise):
    noise.rows.fill_(1)
def look(noise):
    return noise.rows.sum()
class Has:
    def __init__(self, noise):
        self.noise = noise
        self.rows = torch.ones(4)
    def shift(self):
        self.noise.rows.fill_(1)
    def look(self):
        self.rows.fill_(1)
        return self.noise.rows.sum()
"""
HOLDERS = """
from collections import namedtuple
from dataclasses import dataclass
Pair = namedtuple("Pair", "rows step")
@dataclass
class Kept:
    rows: object
    def shift(self):
        self.rows.fill_(1)
class Keeper:
    def shift(self):
        self.rows.mul_(2)
class Bank:
    def __init__(self, rows):
        self.groups = {}
        [self.groups.setdefault(index % 2, []).append(row) for index, row in enumerate(rows)]
    def shift(self):
        for row in self.groups[1]:
            row.fill_(1)
KEPT = []
def keep(rows):
    KEPT.append(rows)
def shift_row(row):
    row.fill_(1)
    return 1
def shift_kept(state):
    state["rows"].fill_(1)
"""
MANY = "".join(f"def show{number}(rows):\n    return rows.sum()\n" for number in range(60))
CHANGES = {
    "the same by its name in a function": (
        OF_ROWS + "def cut():\n    shared[:2] = -1\n",
        "shared = torch.zeros(4)",
        "Rows(shared)",
        "cut()",
        "shared[:2]",
    ),
    "options, by a method of a model": (
        OF_SCALE + MODEL.format(does="self.options.scale += 1"),
        "options = Options()\nmodel = Model(options)",
        "Rows(options)",
        "model.step(batch)",
        "self.options.scale += 1",
    ),
    "options, by a method of their own": (
        OF_SCALE,
        "options = Options()",
        "Rows(options)",
        "options.harder()",
        "self.scale += 1",
    ),
    "options, by a function that is handed on": (
        OF_SCALE + "options = Options()\ndef grow():\n    options.scale += 1\n",
        "hooks = [grow]",
        "Rows(options)",
        "for hook in hooks:\n    hook()",
        "options.scale += 1",
    ),
    "settings of a command line": (
        ROWS.format(sample="index * self.kept.scale"),
        "parser = argparse.ArgumentParser()\nparser.add_argument('--scale', type=int)\nargs = parser.parse_args()",
        "Rows(args)",
        "args.scale = args.scale + 1",
        "args.scale = args.scale + 1",
    ),
    "a key": (
        ROWS.format(sample="index * self.kept['scale']"),
        "settings = dict(scale=1)\nstate = {'settings': settings}",
        "Rows(settings)",
        "settings.update(scale=2)",
        "settings.update(scale=2)",
    ),
    "where a loop puts its turns": (
        OF_SCALE,
        "options = Options()",
        "Rows(options)",
        "for options.scale in range(3):\n    pass",
        "for options.scale in range(3): pass",
    ),
    "an array, by a function that is told to": (
        OF_ROWS,
        "shared = np.zeros(4)",
        "Rows(shared)",
        "total = np.add(1, 2, out=shared)",
        "out=shared",
    ),
    "an array, by one whose result nobody takes": (
        OF_ROWS,
        "shared = np.zeros(4)",
        "Rows(shared)",
        "nn.init.normal_(shared)",
        "nn.init.normal_(shared)",
    ),
    "an array, where a function of the project is handed it": (
        OF_ROWS + "def shift(rows):\n    return np.add(1, 2, out=rows)\n",
        "shared = np.zeros(4)",
        "Rows(shared)",
        "shift(shared)",
        "out=rows",
    ),
    "a data set, by name": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "",
        "Rows()",
        "setattr(loader.dataset, 'kept', 2)",
        "setattr(loader.dataset, 'kept', 2)",
    ),
    "a data set that is evaluated": (MODES, "data = Modes()", "data", "evaluate(data)", "self.mode = mode"),
    "a part of a data set": (
        OF_ROWS,
        "data = Rows(np.zeros(4))",
        "data",
        "data.kept.fill(batch)",
        "data.kept.fill(batch)",
    ),
    "an element of a data set that the loader has": (
        OF_ROWS,
        "",
        "Rows([1, 2])",
        "loader.dataset.kept[0] = 2",
        "loader.dataset.kept[0] = 2",
    ),
    "a part of a data set, by a function of the project": (
        OF_ROWS + "def shift(data):\n    data.kept.fill(0)\n",
        "data = Rows(np.zeros(4))",
        "data",
        "shift(data=data)",
        "data.kept.fill(0)",
    ),
    "what the object of options has": (
        OPTIONS
        + ROWS.format(sample="self.kept.table[index]")
        + "class Tables:\n    def __init__(self):\n        self.table = torch.zeros(4)\n"
        "    def shift(self):\n        self.table.mul_(2).add_(1)\n",
        "tables = Tables()",
        "Rows(tables)",
        "tables.shift()",
        "self.table.mul_(2)",
    ),
    "what an object has that made it": (
        OF_ROWS + "class Tables:\n    def __init__(self):\n        self.table = np.zeros(4)\n"
        "    def shift(self):\n        self.table[:] = 1\n",
        "tables = Tables()",
        "Rows(tables.table)",
        "tables.shift()",
        "self.table[:]",
    ),
    "an object whose method was sent": (
        OPTIONS + "    def now(self):\n        return self.scale\n" + ROWS.format(sample="index * self.kept()"),
        "options = Options()",
        "Rows(options.now)",
        "options.harder()",
        "self.scale += 1",
    ),
    "indices of a library's data set": (
        OF_ROWS,
        "picked = torch.utils.data.Subset(Rows([1, 2]), [0])",
        "picked",
        "picked.indices[0] = 1",
        "picked.indices[0]",
    ),
    "a part of options": (
        OPTIONS + ROWS.format(sample="self.kept.table[index]"),
        "options = Options()",
        "Rows(options)",
        "options.table.fill(0)",
        "options.table.fill(0)",
    ),
    "an attribute of a class": (
        ROWS.format(sample="index * self.scale") + "    scale = 1\n",
        "",
        "Rows()",
        "Rows.scale = 2",
        "Rows.scale = 2",
    ),
    "a transform that the data set has": (
        SCALED + ROWS.format(sample="self.kept(index)"),
        "",
        "Rows(Scale())",
        "loader.dataset.kept.by = 2",
        "loader.dataset.kept.by = 2",
    ),
    "what torch's data set is made of": (
        OF_ROWS,
        "shared = torch.zeros(4)",
        "torch.utils.data.TensorDataset(shared)",
        "shared.uniform_(0, 1)",
        "shared.uniform_(0, 1)",
    ),
    "an array that a trainer has": (
        OF_ROWS + NOISE.format(does="fill_(0)"),
        "shared = np.zeros(4)\nnoise = Noise(shared)",
        "Rows(shared)",
        "noise.step()",
        "self.rows.fill_(0)",
    ),
    "objects of a container": (
        OF_SCALE,
        "options = Options()\nlive = set()\nlive.add(options)",
        "Rows(options)",
        "for one in live:\n    one.scale += 1",
        "one.scale",
    ),
    "an attribute whose name is worked out": (
        OF_ROWS,
        "data = Rows(np.zeros(4))",
        "data",
        "getattr(data, 'ke' + 'pt')[:] = 1",
        "getattr(data, 'ke' + 'pt')[:]",
    ),
    "what sets attributes, by another name": (
        OF_SCALE,
        "options = Options()\nput = options.__setattr__",
        "Rows(options)",
        "put('scale', 2)",
        "options.__setattr__",
    ),
    "what sets attributes, for others to run": (
        "import functools\n" + OF_SCALE,
        "options = Options()\nhooks = [functools.partial(setattr, options, 'scale')]",
        "Rows(options)",
        "hooks[0](2)",
        "functools.partial(setattr, options, 'scale')",
    ),
    "what functions share that know the same": (
        "def make():\n    kept = [1]\n    def grow():\n        kept[0] += 1\n    def read():\n        return kept[0]\n"
        "    return grow, read\ngrow, read = make()\n" + ROWS.format(sample="index * read()"),
        "",
        "Rows()",
        "grow()",
        "kept[0]",
    ),
    "what a function is handed with a list beforehand": (
        "import functools\ndef times(box, row):\n    return row * box[0]\n" + ROWS.format(sample="self.kept(index)"),
        "box = [1]",
        "Rows(functools.partial(times, box))",
        "box[0] += 1",
        "box[0]",
    ),
    "what a function is handed beforehand": (
        "import functools\ndef collate(table, rows):\n    return [table[row] for row in rows]\n"
        + ROWS.format(sample="index"),
        "table = np.zeros(4)",
        "Rows(), collate_fn=functools.partial(collate, table)",
        "table += 1",
        "table += 1",
    ),
    "the dictionary of an object": (
        OPTIONS + ROWS.format(sample="vars(self.kept)['scale']") + "def see(plan):\n    vars(plan)['scale'] = 2\n",
        "options = Options()",
        "Rows(options)",
        "see(options)",
        "vars(plan)['scale'] = 2",
    ),
    "a name that is deleted": (
        OF_SCALE,
        "options = Options()",
        "Rows(options)",
        "del options.scale",
        "del options.scale",
    ),
    "keys that are worked out": (
        ROWS.format(sample="index * self.kept['scale']"),
        "settings = {'scale': 1}",
        "Rows(settings)",
        "settings[batch] = 2",
        "settings[batch]",
    ),
    "keys that another dictionary has": (
        ROWS.format(sample="index * self.kept['scale']"),
        "settings = {'scale': 1}",
        "Rows(settings)",
        "settings.update(batch)",
        "settings.update(batch)",
    ),
    "an array of a file that stays open": (
        ROWS.format(sample="np.load('rows.npy', mmap_mode='r')[index]"),
        "table = np.load('rows.npy', mmap_mode='r+')",
        "Rows()",
        "table[0] = 1",
        "np.load('rows.npy', mmap_mode='r+')",
    ),
    "a table that stays open": (
        ROWS.format(sample=OPENED.format(mode="r") + "[index]"),
        "table = " + OPENED.format(mode="w+"),
        "Rows()",
        "table[:] = 1",
        OPENED.format(mode="w+"),
    ),
    "a table by a keyword": (
        ROWS.format(sample="np.memmap(filename='rows.dat', mode='r')[index]"),
        "table = np.memmap(filename='rows.dat', mode='w+')",
        "Rows()",
        "table[:] = 1",
        "np.memmap(filename='rows.dat', mode='w+')",
    ),
    "a table whose path nobody sees": (
        ROWS.format(sample="np.load(self.kept, mmap_mode='r')[index]"),
        "path = input()\ntable = np.memmap(path, mode='r+')",
        "Rows(path)",
        "table[:] = 1",
        "np.memmap(path, mode='r+')",
    ),
    "a data set of a loader that has no name": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "loaders = {}",
        "Rows()",
        "loaders['train'] = loader\nloaders['train'].dataset.kept = 2",
        "loaders['train'].dataset",
    ),
    "what a text does": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "data = Rows()",
        "data",
        "exec('data.kept = 2')",
        "exec('data.kept = 2')",
    ),
    "what the process has for others": (
        "import os\n" + ROWS.format(sample="index * int(os.getenv('SCALE', '1'))"),
        "",
        "Rows()",
        "os.environ['SCALE'] = str(batch)",
        "os.environ['SCALE'] = str(batch)",
    ),
    "a data set that a library's keeps": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "several = torch.utils.data.ConcatDataset([Rows()])",
        "several",
        "for one in several.datasets:\n    one.kept = 2",
        "one.kept",
    ),
    "a data base": (
        ROWS.format(sample="sqlite3.connect('rows.db').execute('SELECT 1').fetchone()"),
        "table = sqlite3.connect('rows.db')",
        "Rows()",
        "table.execute('DELETE FROM rows')",
        "sqlite3.connect('rows.db')",
    ),
}
ALIASES = {
    "with a type": ("other: torch.Tensor = shared", "other += 1"),
    "under a condition": ("other = shared if len('ab') else None", "other += 1"),
    "or else nothing": ("other = shared or None", "other.fill_(1)"),
    "one of two": ("other, second = shared, 2", "other += 1"),
    "in passing": ("if (other := shared) is not None:\n    pass", "other += 1"),
    "right there": ("", "(other := shared).fill_(1)"),
    "given back": ("other = table(shared)", "other += 1"),
    "given back right there": ("", "table(shared).fill_(1)"),
    "of an object": ("holder = Noise(shared)", "holder.rows.fill_(1)"),
    "of an object, added to": ("holder = Noise(shared)", "holder.rows += 1"),
    "of an object that is handed on": ("holder = Noise(shared)", "shift(holder)"),
    "of an object that another has": ("other = Has(Noise(shared))", "other.shift()"),
    "a view": ("other = shared.view(2, 2)", "other += 1"),
    "a slice": ("other = shared[:2]", "other += 1"),
    "each of them": ("", "for row in shared:\n    row.fill_(1)"),
    "each of them, with numbers": ("", "for number, row in enumerate(shared):\n    row.fill_(1)"),
    "told to": ("", "loss = nn.functional.relu(shared, inplace=True).sum()"),
    "by its name": ("", "taken = torch.clamp_(shared, 0, 1)"),
    "by what gets the result": ("other = shared.numpy()", "total = np.add(1, batch, other)"),
    "of a dictionary": ("state = {'rows': shared, 'step': 0}", "state['rows'].fill_(1)"),
    "of a dictionary that is handed on": ("state = dict(rows=shared)", "shift_kept(state)"),
    "of a dictionary by any key": ("state = {'rows': shared}", "for row in state.values():\n    row.fill_(1)"),
    "of a dictionary that has it later": ("state = {}\nstate['rows'] = shared", "state['rows'].fill_(1)"),
    "of one that keeps several": ("groups = {}\ngroups.setdefault(0, []).append(shared)", "groups[0][0].fill_(1)"),
    "of an object that has it later": ("holder = Noise(None)\nholder.rows = shared", "shift(holder)"),
    "of a named tuple": ("pair = Pair(shared, 1)\nrows, _ = pair", "rows.fill_(1)"),
    "of an object without a constructor": ("kept = Kept(shared)", "kept.shift()"),
    "of what a library makes": ("kept = argparse.Namespace(rows=shared)", "kept.rows.fill_(1)"),
    "each of them, by what is run on it": ("", "total = sum(map(shift_row, shared))"),
    "what changes it": ("fill = shared.fill_", "fill(1)"),
    "what changes it, by another name": ("shuffle = np.random.shuffle", "shuffle(shared)"),
    "what changes it, for others to run": ("", "pool.submit(target=shared.fill_)"),
    "a part of it": ("first, second = torch.chunk(shared, 2)", "second += 1"),
    "a part of a part": ("last = shared.reshape(2, 2)[1]", "last += 1"),
    "of an object that made it": ("keeper = Keeper()\nkeeper.rows = shared", "keeper.shift()"),
    "of a list of the module": ("keep(shared)", "KEPT[0].fill_(1)"),
    "kept by what is handed it, in groups": ("bank = Bank(shared)", "bank.shift()"),
    "in a list of results": ("", "done = [row.fill_(1) for row in shared]"),
}
LOOKS = {
    "with a type": ("other: torch.Tensor = shared", "other = other + 1"),
    "one of two": ("other, second = shared, 2", "second += 1"),
    "given back": ("other = table(shared)", "print(other.sum())"),
    "something new": ("other = table(shared.sum())", "other += 1"),
    "of an object": ("holder = Noise(shared)", "print(holder.rows.sum())"),
    "of an object that is handed on": ("holder = Noise(shared)", "look(holder)"),
    "of an object that another has": ("other = Has(Noise(shared))", "other.look()"),
    "of another object": ("holder = Noise(torch.ones(4))", "noise = holder.rows\nnoise = noise + 1"),
    "each of them": ("kept = []", "for row in shared:\n    kept.append(row)"),
    "not told to": ("", "loss = nn.functional.relu(shared, inplace=False).sum()"),
    "by another name": ("", "taken = torch.clamp(shared, 0, 1)"),
    "added up": ("other = shared.numpy()", "total = np.add(other, 1, batch)"),
    "of a dictionary": ("state = {'rows': shared, 'noise': torch.ones(4)}", "state['noise'].fill_(1)"),
    "of a dictionary that changes": ("state = {'rows': shared, 'step': 0}", "state['step'] = 1\nstate.update(step=2)"),
    "of a named tuple": ("pair = Pair(shared, 1)", "print(pair.rows.sum())"),
    "of an object without a constructor": ("kept = Kept(torch.ones(4))", "kept.shift()\nprint(shared)"),
    "each of them, by what is run on it": ("", "total = sum(map(len, shared))"),
    "what changes it, before": ("fill = shared.fill_\nfill(1)", "print(shared)"),
    "what looks at it": ("show = shared.sum", "show()"),
    "after many names": ("", "\n".join(f"show{number}(shared)" for number in range(60))),
}
STAYS = {
    "what the process has for others, by another name": (
        "import os\n" + ROWS.format(sample="index * int(os.environ['SCALE'])"),
        "",
        "Rows()",
        "os.environ['STEP'] = str(batch)",
    ),
    "samples that a library's data set gives": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "several = torch.utils.data.ConcatDataset([Rows()])",
        "several",
        "for one in several:\n    one.kept = 2",
    ),
    "rows that are read before": (
        OF_ROWS,
        "rows = []\nfor number in range(3):\n    rows.append(number)",
        "Rows(rows)",
        "model.step(batch)",
    ),
    "another thing by its name in a function": (
        OF_ROWS + "def cut(rows):\n    shared = rows.clone()\n    shared[:2] = -1\n    return shared\n",
        "shared = torch.zeros(4)",
        "Rows(shared)",
        "print(cut(batch))",
    ),
    "options, in what samples do not read": (
        OF_SCALE + MODEL.format(does="self.options.step += 1"),
        "options = Options()\nmodel = Model(options)",
        "Rows(options)",
        "model.step(batch)",
    ),
    "other options": (
        OF_SCALE + MODEL.format(does="self.options.scale += 1"),
        "options, others = Options(), Options()\nmodel = Model(others)",
        "Rows(Options())",
        "print(batch)",
    ),
    "options that nothing of the loop changes": (OF_SCALE, "options = Options()", "Rows(options)", "print(batch)"),
    "an array that is asked": (
        OF_ROWS,
        "shared = np.zeros(4)",
        "Rows(shared)",
        "print(shared.mean(), len(shared))\nloss = torch.dot(batch, shared)\nprint(shared[0])",
    ),
    "an array that a trainer looks at": (
        OF_ROWS + NOISE.format(does="sum()"),
        "shared = np.zeros(4)\nnoise = Noise(shared)",
        "Rows(shared)",
        "noise.step()",
    ),
    "a data set that is handed on": (
        OF_ROWS,
        "data = Rows(np.zeros(4))",
        "data",
        "log(data)\nprint(data.kept.mean(), data[0], len(loader.dataset))",
    ),
    "a name that a model has as well": (
        OF_SCALE + "class Net(nn.Module):\n    def forward(self, rows):\n        self.scale = 2\n        return rows\n",
        "net = Net()",
        "Rows(Options())",
        "net(batch)",
    ),
    "a number that is added to": (ROWS.format(sample="self.kept"), "step = int('3')", "Rows(step)", "step += 1"),
    "an element that is a number": (OF_ROWS, "rows = [1, 2]", "Rows(rows)", "best = rows[0]\nbest += 1"),
    "what adding two data sets up changes": (
        OF_ROWS + "    def __add__(self, other):\n        self.kept = self.kept + other.kept\n        return self\n",
        "both = Rows([1]) + Rows([2])",
        "both",
        "print(batch + 1)",
    ),
    "a key that samples do not read": (
        ROWS.format(sample="index * self.kept['scale']"),
        "settings = {'scale': 1}",
        "Rows(settings)",
        "settings['step'] = 2\nsettings.update(step=3)\nprint(settings['scale'])",
    ),
    "an array that a function of the project is handed": (
        OF_ROWS + "def show(rows):\n    return rows.sum()\n",
        "shared = np.zeros(4)",
        "Rows(shared)",
        "show(shared)",
    ),
    "another object of a method of the same name": (
        MODES,
        "data, other = Modes(), Other()",
        "data",
        "other.mode = batch",
    ),
    "a copy of parameters": (OF_ROWS, LINEAR, "Rows(model.weight.tolist())", TRAINS),
    "a name that another object without one has": (
        ROWS.format(sample="index * (self.kept or 1)"),
        "models = [argparse.Namespace(), argparse.Namespace()]",
        "Rows()",
        "models[0].kept = 2",
    ),
    "another kind of table": (
        "import h5py\n" + ROWS.format(sample="np.load(self.kept, mmap_mode='r')[index]"),
        "path = input()\ntable = h5py.File(path, 'a')",
        "Rows(path)",
        "table['rows'] = 1",
    ),
    "a table of which the other is not seen": (
        ROWS.format(sample="np.load('rows.npy', mmap_mode='r')[index]"),
        "table = np.memmap(input(), mode='w+')",
        "Rows()",
        "table[:] = 1",
    ),
    "a table of another name": (
        ROWS.format(sample="np.memmap('others.dat', mode='r')[index]"),
        "table = np.memmap('rows.dat', mode='w+')",
        "Rows()",
        "table[:] = 1",
    ),
    "a table that is read": (
        ROWS.format(sample="np.memmap('rows.dat', mode='r')[index]"),
        "table = np.memmap('rows.dat', mode='r')",
        "Rows()",
        "print(table[0])",
    ),
    "a table that is written before": (
        ROWS.format(sample="np.memmap('rows.dat', mode='r')[index]"),
        "written = np.memmap('rows.dat', mode='w+')",
        "Rows()",
        "print(batch)",
    ),
}


@pytest.mark.parametrize(("top", "before", "rows", "body", "what"), CHANGES.values(), ids=CHANGES)
def test_what_a_program_changes_is_not_settled(top: str, before: str, rows: str, body: str, what: str) -> None:
    found = unsettled(top, before, rows, body)
    assert (found[0].what, found[0].hanging) == (what, Hanging.CHANGED)


@pytest.mark.parametrize(("top", "before", "rows", "body"), STAYS.values(), ids=STAYS)
def test_what_stays_as_it_is_is_settled(top: str, before: str, rows: str, body: str) -> None:
    assert unsettled(top, before, rows, body) == []


OF_A_LIBRARY = """
from transformers import Trainer, TrainerCallback, TrainingArguments
class Harder(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        {does}
arguments = TrainingArguments("out", dataloader_num_workers=1)
Trainer(model, arguments, train_dataset=Rows(), callbacks=[Harder()]).train()
"""


@pytest.mark.parametrize(
    ("does", "changes"),
    [
        ("self.dataset.scale = 2", True),
        ("data.scale = 2", False),
        ("kwargs['train_dataloader'].dataset.scale = 2", True),
        ("self.scale = 2", False),
        ("control.scale = 2", False),
    ],
)
def test_a_data_set_that_a_library_is_handed_elsewhere_is_known_by_its_name(does: str, changes: bool) -> None:
    rows = ROWS.format(sample="index * self.scale")
    (loader,) = loaders_of(IMPORTS + rows + OF_A_LIBRARY.format(does=does))
    assert bool(loader.uses.unsettled) is changes


BY_A_TRAINER = """
from pytorch_lightning import LightningDataModule, Trainer
class Data(LightningDataModule):
    def setup(self, stage=None):
        self.parts = []
        for name in "ab":
            self.parts.append(self.read(name))
    def read(self, name):
        rows = []
        for line in open(name):
            rows.append(line)
        return Rows(rows)
    def train_dataloader(self):
        return DataLoader(self.parts[0], num_workers=1)
class Model:
    def training_step(self, batch):
        {does}
Trainer().fit(Model(), Data())
"""


@pytest.mark.parametrize(
    ("does", "changes"), [("print(batch)", False), ("self.trainer.train_dataloader.dataset.kept = 2", True)]
)
def test_what_is_made_before_a_trainer_asks_for_it_is_settled(does: str, changes: bool) -> None:
    (loader,) = loaders_of(f"{IMPORTS}{OF_ROWS}{BY_A_TRAINER.format(does=does)}")
    assert bool(loader.uses.unsettled) is changes


GIVEN = """
def fit(rows, report):
    for batch in DataLoader(Rows(rows), num_workers=1):
        {does}
"""


@pytest.mark.parametrize(
    ("does", "changes"), [("rows[0] = 1", True), ("rows.append(1)", True), ("rows.info(1)", False)]
)
def test_what_is_handed_on_unseen_changes_where_that_is_known(does: str, changes: bool) -> None:
    (loader,) = loaders_of(IMPORTS + OF_ROWS + GIVEN.format(does=does))
    assert bool(loader.uses.unsettled) is changes


UNKNOWN = """
class Options:
    def harder(self):
        self.scale += 1
plan = {made}
def fit(picked, options):
    for batch in DataLoader(Rows(picked), num_workers=1):
        options.harder()
"""


@pytest.mark.parametrize(("made", "changes"), [("Options()", True), ("open('plan')", False)])
def test_what_samples_read_of_something_unseen_is_known_by_its_name(made: str, changes: bool) -> None:
    rows = ROWS.format(sample="index * self.plan.scale").replace("kept", "plan")
    (loader,) = loaders_of(IMPORTS + rows + UNKNOWN.format(made=made))
    assert bool(loader.uses.unsettled) is changes


WHOLE = (
    "hasattr(self.kept, 'step')",
    "vars(self.kept)",
    "sum(self.kept.__dict__.values())",
    "getattr(self.kept, self.names[index])",
    "str(self.kept)",
    "f'{self.kept}'",
)
ONE = (
    "hasattr(self.kept, 'scale')",
    "vars(self.kept)['scale']",
    "self.kept.__dict__['scale']",
    "vars(self.kept).get('scale')",
    "getattr(self.kept, 'scale', 1)",
    "str(self.kept.scale)",
)


@pytest.mark.parametrize(("sample", "changes"), [*((one, True) for one in WHOLE), *((one, False) for one in ONE)])
def test_samples_may_read_all_of_an_object(sample: str, changes: bool) -> None:
    top = OPTIONS + ROWS.format(sample=sample)
    assert bool(unsettled(top, "options = Options()", "Rows(options)", "options.step += 1")) is changes
    assert unsettled(top, "options, others = Options(), Options()", "Rows(options)", "others.step += 1") == []


@pytest.mark.parametrize("kept", ["'rows.dat'", "pathlib.Path('rows.dat')", "args.scale"])
def test_texts_of_numbers_and_paths_stay(kept: str) -> None:
    top = "import pathlib\n" + ROWS.format(sample="f'{self.kept}/{index}' + str(self.kept)")
    before = "args = argparse.ArgumentParser().parse_args()\nargs.scale = 2"
    assert unsettled(top, before, f"Rows({kept})", "args.step = 2") == []


@pytest.mark.parametrize(("before", "body"), ALIASES.values(), ids=ALIASES)
def test_an_array_is_changed_by_all_its_names(before: str, body: str) -> None:
    top = OF_ROWS + NOISE.format(does="sum()") + SAME + HOLDERS + MANY
    found = unsettled(top, SHARED + before, "Rows(shared)", body)
    assert [one.hanging for one in found] == [Hanging.CHANGED]


@pytest.mark.parametrize(
    ("rows", "body", "changes"),
    [
        ("shared.view(2, 2)", "base.fill_(1)", True),
        ("[shared[0], base]", "base.fill_(1)", True),
        ("view", "base += 1", True),
        ("view if base is None else None", "base += 1", True),
        ("view.clone()", "base += 1", False),
        ("view", "base = base + 1", False),
        ("[view, base]", "loss = base.sum()", False),
    ],
)
def test_an_array_is_changed_by_what_it_is_a_view_of(rows: str, body: str, changes: bool) -> None:
    before = "base = torch.zeros(4)\nshared = base\nview = shared[1:]"
    assert bool(unsettled(OF_ROWS, before, f"Rows({rows})", body)) is changes


@pytest.mark.parametrize(("before", "body"), LOOKS.values(), ids=LOOKS)
def test_an_array_is_only_looked_at_by_all_its_names(before: str, body: str) -> None:
    top = OF_ROWS + NOISE.format(does="sum()") + SAME + HOLDERS + MANY
    assert unsettled(top, SHARED + before, "Rows(shared)", body) == []


OWNED = """
class Clock:
    def __init__(self):
        self.scale = 1
    def tick(self):
        self.scale += 1
class Owned(Dataset):
    def __init__(self, owner):
        self.owner = owner
    {decorated}
    def scale(self):
        return self.owner.clock.scale
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return index * self.scale{called}
class Trainer:
    def __init__(self):
        self.clock = Clock()
        self.rows = Owned(self)
    def fit(self):
        for batch in DataLoader(self.rows, num_workers=1):
            {does}
trainer = Trainer()
if __name__ == "__main__":
    trainer.fit()
"""


@pytest.mark.parametrize(
    ("decorated", "called", "does", "changes"),
    [
        ("@property", "", "self.clock.tick()", True),
        ("@functools.cached_property", "", "self.clock.tick()", True),
        ("", "()", "self.clock.tick()", True),
        ("@property", "", "print(batch)", False),
    ],
)
def test_samples_read_what_their_owner_has(decorated: str, called: str, does: str, changes: bool) -> None:
    text = OWNED.format(decorated=decorated, called=called, does=does)
    (loader,) = loaders_of(f"import functools\n{IMPORTS}{text}")
    assert bool(loader.uses.unsettled) is changes


@pytest.mark.parametrize(("body", "between", "changes"), [("scale", "step", True), ("step", "scale", False)])
def test_what_changes_between_epochs_is_there_before_the_next_workers(body: str, between: str, changes: bool) -> None:
    trainer = TRAINER.format(does=f"self.options.{body} += 1", between=f"self.callbacks[0].options.{between} += 1")
    text = f"{IMPORTS}{OF_SCALE}{trainer}if __name__ == '__main__':\n    options = Options()\n"
    fit = "    loader = DataLoader(Rows(options), num_workers=1)\n    Trainer([Callback(options)]).fit(loader)\n"
    (loader,) = loaders_of(text + fit)
    assert bool(loader.uses.unsettled) is changes


ONE_BY_ONE = """
    batches = iter(loader)
    while True:
        batch = next(batches)
        options.scale += 1
"""
PASSED_ON = """
    def passed_on(batches):
        yield from batches
    for batch in passed_on(loader):
        options.scale += 1
"""
STARTED = """
    class Watcher(threading.Thread):
        def run(self):
            options.scale += 1
    for batch in loader:
        Watcher().start()
"""
RUN_OTHERWISE = """
    class Watcher:
        def run(self):
            options.scale += 1
    for batch in loader:
        print(batch)
"""
GOES_ON = """
    def plan():
        while True:
            yield
            options.scale += 1
    steps = plan()
    for batch in loader:
        next(steps)
"""
HELD_BETWEEN = """
    batches = iter(loader)
    options.harder()
    for batch in batches:
        print(batch)
"""
HELD_BEFORE = """
    batches = iter(loader)
    for batch in batches:
        print(batch)
    options.harder()
"""
HOOKS = (
    "__lt__",
    "__str__",
    "backward",
    "lr_scheduler_step",
    "transfer_batch_to_device",
    "batch_end",
    "before_train_iter",
    "__iadd__",
)
ASKED_ITSELF = """
    batches = iter(loader)
    while True:
        batch = batches.__next__()
        options.scale += 1
"""
WITHOUT_A_NAME = """
    model = nn.Linear(4, 4)
    model.register_forward_hook(lambda *_: setattr(options, "scale", 2))
    for batch in loader:
        model(batch)
"""
BY_A_WORD = """
    model = nn.Linear(4, 4)
    model.register_forward_hook(lambda *_: options.harder())
    for batch in loader:
        model(batch)
"""
SORTED = """
    for name in sorted("ab", key=lambda one: one.lower()):
        options.scale += 1
    for batch in loader:
        print(batch)
"""
REGISTERED = """
    @trainer.on("step")
    def grow(engine):
        options.scale += 1
    for batch in loader:
        trainer.step(batch)
"""
ONLY_WRAPPED = """
    @torch.no_grad()
    def grow():
        options.scale += 1
    for batch in loader:
        print(batch)
"""
AROUND = """
    @timed
    def run():
        options.scale += 1
        for batch in loader:
            print(batch)
    run()
"""
HOOK = """
    class Hooks:
        def {name}(self, loss):
            options.scale += 1
    hooks = Hooks()
    for batch in loader:
        hooks += batch
"""
BETWEEN = """
    for epoch in range(2):
        options.scale = epoch
        for batch in loader:
            print(batch)
"""


@pytest.mark.parametrize(
    ("loop", "option", "changes"),
    [
        (ONE_BY_ONE, "num_workers=1", True),
        (PASSED_ON, "num_workers=1", True),
        (ASKED_ITSELF, "num_workers=1", True),
        (STARTED, "num_workers=1", True),
        (RUN_OTHERWISE, "num_workers=1", False),
        (GOES_ON, "num_workers=1", True),
        (HELD_BETWEEN, "num_workers=1", True),
        (HELD_BEFORE, "num_workers=1", False),
        (WITHOUT_A_NAME, "num_workers=1", True),
        (BY_A_WORD, "num_workers=1", True),
        (SORTED, "num_workers=1", False),
        (REGISTERED, "num_workers=1", True),
        (ONLY_WRAPPED, "num_workers=1", False),
        (AROUND, "num_workers=1", False),
        *((HOOK.format(name=one), "num_workers=1", True) for one in HOOKS),
        (HOOK.format(name="harder_yet"), "num_workers=1", False),
        (BETWEEN, "num_workers=1", False),
        (BETWEEN, "num_workers=1, persistent_workers=True", True),
    ],
    ids=[
        *(
            "one by one",
            "by a generator",
            "by its method",
            "started",
            "never started",
            "goes on",
            "held",
            "held before",
        ),
        *("without a name", "by a word without a name", "sorted"),
        *("registered", "wrapped", "around", *HOOKS, "no hook"),
        *("between epochs", "between epochs of workers that are kept"),
    ],
)
def test_what_runs_while_a_loader_is_iterated(loop: str, option: str, changes: bool) -> None:
    made = f"options = Options()\n    loader = DataLoader(Rows(options), {option})"
    (loader,) = loaders_of(f"{IMPORTS}{OF_SCALE}if __name__ == '__main__':\n    {made}{loop}")
    assert bool(loader.uses.unsettled) is changes


MAKES = """
class Made(Dataset):
    def __init__(self, paths):
        self.rows = self.parse(paths)
    def parse(self, paths):
        rows = {}
        for path in paths:
            rows["first"] = path
            self.size = 2
        return rows
    def __getitem__(self, index):
        return self.rows["first"], self.size
def loader():
    return DataLoader(Made("ab"), num_workers=1)
"""


@pytest.mark.parametrize(("called", "changes"), [("len", False), ("data.parse", True)])
def test_what_a_data_set_makes_itself_is_settled_where_nobody_makes_it_again(called: str, changes: bool) -> None:
    elsewhere = f"def fit(data, batches):\n    for batch in batches:\n        {called}(batch)\n"
    (loader,) = loaders_of(IMPORTS + MAKES + elsewhere)
    assert bool(loader.uses.unsettled) is changes


@pytest.mark.parametrize(
    "view",
    [
        "list(model.parameters())",
        "[one for one in model.parameters()]",
        "model.state_dict()['weight']",
        "np.asarray(model.weight.data)",
        "model.weight.detach().numpy()[0]",
    ],
)
def test_parameters_are_never_settled(view: str) -> None:
    (found,) = unsettled(OF_ROWS, LINEAR, f"Rows({view})", TRAINS)
    assert found.hanging is Hanging.LAYERS


@pytest.mark.parametrize(
    ("top", "rows"),
    [
        (OF_MODEL, "Rows(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)))"),
        ("net = nn.Linear(4, 4)\n" + ROWS.format(sample="net(torch.ones(4))"), "Rows()"),
    ],
    ids=["sent", "of the module"],
)
def test_layers_are_never_settled(top: str, rows: str) -> None:
    assert Hanging.LAYERS in {one.hanging for one in unsettled(top, "", rows, "print(batch)")}


COPIES = {
    "a state of its own": ('def __getstate__(self):\n    return {"kept": [0]}\n', True),
    "what it is made of": ("def __reduce__(self):\n    return Rows, (2,)\n", True),
    "what it sets": ("def __setstate__(self, state):\n    self.kept = 2\n", True),
    "all it has": ("def __getstate__(self):\n    return self.__dict__.copy()\n", False),
    "all but a handle": (
        'def __getstate__(self):\n    state = dict(self.__dict__)\n    state["file"] = None\n    return state\n'
        "def __setstate__(self, state):\n    self.__dict__.update(state)\n    self.file = open(self.path)\n",
        False,
    ),
    "one by one": (
        'def __getstate__(self):\n    return {"kept": self.kept}\n'
        'def __setstate__(self, state):\n    self.kept = state["kept"]\n',
        False,
    ),
    "its own arguments": ("def __reduce__(self):\n    return type(self), (self.kept,)\n", False),
}


@pytest.mark.parametrize(("methods", "other"), COPIES.values(), ids=COPIES)
def test_copies_may_be_other_than_what_they_are_copies_of(methods: str, other: bool) -> None:
    found = unsettled(pickled(methods), "", "Rows()", "print(batch)")
    assert [one.hanging for one in found] == ([Hanging.COPIED] if other else [])


ERRORS = {
    "two arguments": ("Exception", "index, why", "index, ''", "RuntimeError", True),
    "its own name": ("Exception", "index, why", "index, ''", "Broken", True),
    "none": ("ValueError", "", "", "ValueError", True),
    "one argument": ("Exception", "index", "index", "RuntimeError", False),
    "one that may be left out": ("Exception", "index, why=None", "index", "RuntimeError", False),
    "any error": ("Exception", "index, why", "index, ''", "Exception", False),
    "both": ("RuntimeError", "index, why", "index, ''", "RuntimeError", False),
    "neither": ("ValueError", "index, why", "index, ''", "OSError", False),
}


@pytest.mark.parametrize(("base", "taken", "given", "caught", "other"), ERRORS.values(), ids=ERRORS)
def test_errors_come_out_of_workers_as_others(base: str, taken: str, given: str, caught: str, other: bool) -> None:
    top = ERROR.format(base=base, taken=taken, given=given) + ROWS.format(sample="broken(index)")
    handled = f"def handled():\n    try:\n        raise ValueError\n    except {caught}:\n        pass\n"
    found = unsettled(top + handled, "", "Rows()", "handled()")
    assert [one.hanging for one in found] == ([Hanging.RAISED] if other else [])


STORES = {
    "h5py": ("h5py", "File('rows', 'r')['x'][index]", "File('rows', 'a')"),
    "lmdb": ("lmdb", "open('rows').begin().get(index)", "open('rows')"),
    "shelve": ("shelve", "open('rows', 'r')[str(index)]", "open('rows')"),
    "zarr": ("zarr", "open('rows', 'r')[index]", "open('rows', 'a')"),
}


@pytest.mark.parametrize(("library", "read", "opened"), STORES.values(), ids=STORES)
def test_a_store_may_be_written_while_samples_read_it(library: str, read: str, opened: str) -> None:
    top = f"import {library}\n" + ROWS.format(sample=f"{library}.{read}")
    (found,) = unsettled(top, f"store = {library}.{opened}", "Rows()", "store['x'] = 1")
    assert (found.what, found.hanging) == (f"{library}.{opened}", Hanging.CHANGED)
    assert unsettled(top, f"store = {library}.{opened}".replace("'rows'", "'others'"), "Rows()", "store['x'] = 1") == []


DIVIDES = ROWS.format(sample="float(decimal.Decimal(1) / decimal.Decimal(3 + index))")
MODED = {
    "digits": (DIVIDES, "decimal.getcontext().prec = 3", "", True),
    "gradients": (
        ROWS.format(sample="torch.ones(1, requires_grad=True).mul(2).requires_grad"),
        "",
        "with torch.no_grad():",
        True,
    ),
    "gradients, by another name": (
        ROWS.format(sample="torch.ones(1, requires_grad=True).mul(2).requires_grad"),
        "",
        "with torch.inference_mode():",
        True,
    ),
    "words of a language": (
        "import locale\n" + ROWS.format(sample="locale.atof(str(index))"),
        "locale.setlocale(locale.LC_ALL, 'de_DE')",
        "",
        True,
    ),
    "precision": (ROWS.format(sample="torch.matmul(a, b)"), "", "with torch.autocast('cpu'):", True),
    "precision, by an operator": (ROWS.format(sample="a @ b"), "", "with torch.autocast('cpu'):", True),
    "warnings that are errors": (
        "import warnings\n" + ROWS.format(sample="load(index)"),
        "warnings.simplefilter('error')",
        "",
        True,
    ),
    "warnings that nobody sees": (
        "import warnings\n" + ROWS.format(sample="load(index)"),
        "warnings.simplefilter('ignore')",
        "",
        False,
    ),
    "how tables are shown": (
        "import pandas\n" + ROWS.format(sample="pandas.get_option('display.width')"),
        "pandas.set_option('display.width', 9)",
        "",
        True,
    ),
    "how tables are shown to others": (
        "import pandas\n" + ROWS.format(sample="pandas.read_csv(index)"),
        "pandas.set_option('display.width', 9)",
        "",
        False,
    ),
    "how deep it goes": (
        "import sys\n" + ROWS.format(sample="index < sys.getrecursionlimit()"),
        "sys.setrecursionlimit(9000)",
        "",
        True,
    ),
    "errors of numbers": (ROWS.format(sample="np.log(index)"), "np.seterr(all='raise')", "", True),
    "digits of others": (ROWS.format(sample="index"), "decimal.getcontext().prec = 3", "", False),
    "no gradients at all": (ROWS.format(sample="torch.ones(1) * 2"), "", "with torch.no_grad():", False),
    "precision on CUDA": (ROWS.format(sample="torch.matmul(a, b)"), "", "with torch.autocast('cuda'):", False),
    "warnings of numbers": (ROWS.format(sample="np.log(index)"), "np.seterr(all='ignore')", "", False),
    "digits that workers set as well": (f"decimal.getcontext().prec = 3\n{DIVIDES}", "", "", False),
}


@pytest.mark.parametrize(("top", "before", "around", "other"), MODED.values(), ids=MODED)
def test_samples_compute_by_the_modes_of_their_process(top: str, before: str, around: str, other: bool) -> None:
    found = unsettled(top, before, "Rows()", "print(batch)", around)
    assert [one.hanging for one in found] == ([Hanging.MODE] if other else [])


@pytest.mark.parametrize(
    ("sample", "read"), [("len(__name__)", True), ("logging.getLogger(__name__)", False)], ids=["read", "for a report"]
)
def test_the_main_file_has_another_name_in_workers(sample: str, read: bool) -> None:
    found = unsettled(ROWS.format(sample=sample), "", "Rows()", "print(batch)")
    assert [one.hanging for one in found] == ([Hanging.NAMED] if read else [])


OPENS = ROWS.format(sample="open(f'{index}.txt').read()")


@pytest.mark.parametrize(
    ("top", "before", "does", "changes"),
    [
        (OPENS, "", "os.chdir('..')", True),
        (OPENS, "", "save(batch)", True),
        (OPENS, "os.chdir('..')", "print(batch)", False),
        (OPENS, "", "os.listdir('..')", False),
        (ROWS.format(sample="index"), "", "os.chdir('..')", False),
    ],
    ids=["in the loop", "in a function", "before", "looked at", "read by no sample"],
)
def test_paths_begin_where_the_process_stands(top: str, before: str, does: str, changes: bool) -> None:
    save = "import os\ndef save(batch):\n    os.chdir('results')\n"
    assert bool(unsettled(top + save, before, "Rows()", does)) is changes
