"""Whether worker code may change what its process keeps."""

from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.worker_code import WorkerCode
from tests.linking.traced import loaders_of

CHANGES = {
    "a file that is opened once": "self.lines = self.lines or open(self.path)",
    "a queue that is emptied": "item = self.items.pop()",
    "a cache that is filled": "self.cache[index] = index",
    "a count": "self.count += 1",
    "a list under another name": "cache = self.cache\ncache.append(index)",
    "an iterator": "item = next(self.items)",
    "a name of the module": "global SEEN\nSEEN = index",
    "by name": "setattr(self, 'seen', index)",
    "in a helper": "self.note(index)",
}
KEEPS = {
    "a look at it": "item = self.items[index]",
    "a sample of its own": "sample = {}\nsample['number'] = index",
    "a list of its own": "found: int = 0\nrows = []\nrows.append(self.items[index])",
}


def code(body: str, collate: str = "pass") -> WorkerCode:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    (loader,) = loaders_of(
        "import random\n"
        "from torch.utils.data import DataLoader, Dataset\n"
        "import functools\n"
        "STORE = {}\n"
        "FILLED = unknown()\n"
        "@functools.lru_cache\n"
        "def history():\n"
        "    return []\n"
        "def collect(index, found=[]):\n"
        "    found.append(index)\n"
        "    return len(found)\n"
        "def enlarge(row):\n"
        "    row.append(1)\n"
        "class Scale:\n"
        "    def __call__(self, row):\n"
        "        row *= 2\n"
        "        return row\n"
        "class Numbers(Dataset):\n"
        "    def __init__(self):\n"
        "        self.scale = Scale()\n"
        "        self.stream = map(int, open('rows'))\n"
        "        self.items = [1]\n"
        "    def note(self, index):\n"
        "        self.seen = index\n"
        "    def look(self):\n"
        "        return self.seen\n"
        "    def enlarge(self, row):\n"
        "        row += 1\n"
        "    def find(self, index):\n"
        "        return self.items[index]\n"
        "    def make(self, index):\n"
        "        return self.items[index] * 2\n"
        "    def seed(self, index):\n"
        "        random.seed(index)\n"
        f"    def __getitem__(self, index):\n{lines}\n        return index\n"
        "def collate(batch):\n"
        f"    {collate}\n"
        "    return batch\n"
        "loader = DataLoader(Numbers(), num_workers=2, collate_fn=collate)\n"
    )
    return loader.payload.code


@pytest.mark.parametrize("body", CHANGES.values(), ids=CHANGES)
def test_code_that_changes_what_is_kept(body: str) -> None:
    assert code(body).changes


@pytest.mark.parametrize("body", KEEPS.values(), ids=KEEPS)
def test_code_that_leaves_it_as_it_is(body: str) -> None:
    assert not code(body).changes


REMEMBERS = {
    "a count that is looked at": "self.count += 1\nindex = index * self.count",
    "an iterator": "item = next(self.items)",
    "a queue that is emptied": "item = self.items.pop()",
    "a list that grows": "self.items.append(index)\nindex = len(self.items)",
    "how much it keeps": "self.cache[index] = index\nindex = len(self.cache)",
    "all that it keeps": "self.cache[index] = index\nindex = sum(self.cache)",
    "a list of the module": "SEEN.append(index)\nindex = len(SEEN)",
    "a number of the module": "global COUNT\nCOUNT += 1\nindex = COUNT",
    "a count of another object": "self.state.count += 1\nindex = self.state.count",
    "a count that is stored anew": "self.count = self.count + 1\nindex = index * self.count",
    "the sample before": "step = index - self.last\nself.last = index\nindex = step",
    "the sample before, by another name": "row = self.items[index]\nindex = row - self.last\nself.last = row",
    "the sample before, read beside this one": "before, self.last = self.last, index\nindex = index - before",
    "a count in a dictionary": "self.seen['n'] += 1\nindex = self.seen['n']",
    "a count of the class": "Numbers.count += 1\nindex = Numbers.count",
    "a sample that is changed where it is kept": "row = self.items[index]\nrow += 1\nindex = row",
    "a part of one": "row = self.items[index]\nrow[0] += 1\nindex = row",
    "a label of one": "row = self.items[index]\nrow['label'] = row['label'] + 1\nindex = row",
    "a list in one": "boxes = self.items[index]['boxes']\nboxes.append(index)\nindex = boxes",
    "a tensor, in place": "index = self.items[index].mul_(2)",
    "what a function writes to": "row = self.items[index]\nnumpy.multiply(row, 2, out=row)\nindex = row",
    "one of several": "row, label = self.items[index]\nrow -= 1\nindex = row",
    "one beside another": "row, label = self.items[index], 1\nrow -= label\nindex = row",
    "each that one has": "for box in self.items[index]:\n    box['x'] = box['x'] * 2\nindex = self.items[index]",
    "an order that is shuffled": "random.shuffle(self.items)\nindex = self.items[0]",
    "one that a helper changes": "row = self.items[index]\nself.enlarge(row)\nindex = row",
    "one that a function changes": "row = self.items[index]\nenlarge(row)\nindex = row",
    "one that a helper finds": "row = self.find(index)\nrow += 1\nindex = row",
    "one that an object changes": "index = self.scale(self.items[index])",
    "one of two ways": "row = self.items[index]\nif index:\n    row = row.copy()\nrow += 1\nindex = row",
    "a view of one": "import numpy\nrow = numpy.asarray(self.items[index])\nrow[0] += 1\nindex = row",
    "one that is drawn on": "import cv2\nrow = self.items[index]\ncv2.circle(row, (3, 3), 1, 255)\nindex = row",
    "holes in one": "row = self.items[index]\nrow[index : index + 2] = 0\nindex = row",
    "a part of a copy": "row = self.items[index].copy()\nrow['boxes'].append(index)\nindex = row",
    "one of those that match": "row = [one for one in self.items if one][0]\nrow += 1\nindex = row",
    "one that is found by going through all": "for place, row in enumerate(self.items):\n    row += place\nindex = row",
    "one that was looked at before": "row = self.items[index]\nold = row['x']\nrow['x'] = old * 2\nindex = old",
    "one that is taken to pieces": "row = self.items[index]\ndel row['x']\nindex = row",
    "what something unknown gives back": "row = self.unknown(self.items[index])\nrow += 1\nindex = row",
    "an iterator that is gone through": "for row in self.stream:\n    break\nindex = row",
    "one that goes along with another": "for row, place in zip(self.items, [1]):\n    row *= place\nindex = row",
    "one that is counted": "for place, row in enumerate(self.items):\n    row += place\nindex = row",
    "one in a dictionary": "row = dict(x=self.items[index])\nrow['x'] += 1\nindex = row",
    "a heap": "import heapq\nheapq.heappush(self.items, index)\nindex = self.items[0]",
    "what a function stores": "import operator\noperator.setitem(self.seen, 'n', index)\nindex = self.seen['n']",
    "an attribute that is set by a method of all": "object.__setattr__(self, 'at', self.at + 1)\nindex = self.at",
    "an attribute that is set by name": "setattr(self, 'at', self.at + 1)\nindex = self.at",
    "a list that is made once": "found = history()\nfound.append(index)\nindex = len(found)",
    "a list that every call gets": "index = collect(index)",
    "a count of a sample": "self.seen[index] = self.seen[index] + 1\nindex = self.seen[index]",
    "a count beside something else": "old, self.seen[index] = 1, self.seen[index] + 1\nindex = self.seen[index]",
    "a count of a sample that the module keeps": "STORE[index] = STORE.get(index, 0) + 1\nindex = STORE[index]",
    "one under a name of its own": "seen = STORE.get(index, 0)\nSTORE[index] = seen + 1\nindex = seen",
    "one that is worked out before it is stored": "n = self.seen.get(index, 0) + 1\nself.seen[index] = n\nindex = n",
    "one that is worked out in two steps": (
        "old = self.seen.get(index, 0)\nnew = old + 1\nself.seen[index] = new\nindex = new"
    ),
    "one that is counted up under its name": ("n = self.seen.get(index, 0)\nn += 1\nself.seen[index] = n\nindex = n"),
    "a cache of what was drawn": (
        "if index not in self.cache:\n    self.cache[index] = index + random.random()\nindex = self.cache[index]"
    ),
    "one that a helper fills": (
        "import torch\nif index not in STORE:\n    row = self.make(index) + torch.rand(1)\n    STORE[index] = row\n"
        "index = STORE[index]"
    ),
    "two counts": "self.a, self.b = self.a + 1, self.b + 1\nindex = self.a",
    "a count that a helper looks at": "self.seen += 1\nself.note(index)\nindex = self.look()",
}
FORGETS = {
    "a copy of a sample": "row = self.items[index].copy()\nrow += 1\nindex = row",
    "a sample that is copied before": "row = self.items[index]\nrow = row.copy()\nrow += 1\nindex = row",
    "a new value of a sample": "row = self.items[index] / 255\nrow += 1\nindex = row",
    "a text that becomes longer": "path = self.items[index]\npath += '.png'\nindex = path",
    "what is stored from other keys": "row = self.items[index]\nrow['image'] = open(row['path'])\nindex = row",
    "a copy that a helper changes": "row = self.items[index].copy()\nself.enlarge(row)\nindex = row",
    "a sample of its own that a helper changes": "row = [index]\nself.enlarge(row)\nindex = row",
    "a deep copy": "import copy\nrow = copy.deepcopy(self.items[index])\nrow['boxes'].append(index)\nindex = row",
    "one that either way is new": (
        "row = self.items[index]\nif index:\n    row = row.copy()\nelse:\n    row = row / 2\nrow += 1\nindex = row"
    ),
    "what something unknown is called on": "row = self.items[index].unknown()\nrow += 1\nindex = row",
    "a list that is gone through": "for row in self.items:\n    break\nindex = row",
    "what becomes new in a call that takes a constant": (
        "import torch\nrow = torch.zeros(3).sub_(torch.as_tensor(self.mean)).div_(2)\nindex = row"
    ),
    "what goes along with a constant": "for row, mean in zip([[1]], self.items):\n    row *= mean\nindex = row",
    "what is counted": "for row, mean in enumerate(self.items):\n    row += mean\nindex = row",
    "a dictionary of what is there": "row = dict(x=[1], y=self.items[index])\nx = row['x'].copy()\nx += 1\nindex = x",
    "an image that is read": "import cv2\nrow = cv2.imread(self.items[index])\nrow[0] = 0\nindex = row",
    "one that a helper makes": "row = self.make(index)\nrow += 1\nindex = row",
    "columns of a copy": "row = self.items[index].copy()\nrow[:, 1] *= 2\nindex = row",
    "a new list of them": "rows = [one for one in self.items]\nrows.append(index)\nindex = rows",
    "what is loaded where it is missing": (
        "row = self.items[index]\nif row['x'] is None:\n    row['x'] = open(row['path'])\nindex = row['x']"
    ),
    "a number of the object": "start = self.start\nstart += index\nindex = start",
    "an order of its own": "order = list(self.items)\nrandom.shuffle(order)\nindex = order[0]",
    "a tensor that needs a gradient": "index = self.items[index].requires_grad_()",
    "a count that nothing looks at": "self.count += 1",
    "a cache": "if index not in self.cache:\n    self.cache[index] = index\nindex = self.cache[index]",
    "a cache of the module": "if index not in STORE:\n    STORE[index] = index * 2\nindex = STORE[index]",
    "a cache that is looked into": (
        "row = STORE.get(index)\nif row is None:\n    row = open(index)\n    STORE[index] = row\nindex = row"
    ),
    "a cache that is made in two steps": (
        "row = self.cache.get(index)\nif row is None:\n    path = self.items[index]\n    row = open(path)\n"
        "    self.cache[index] = row\nindex = row"
    ),
    "a cache of what has another name": (
        "found = self.cache.get(index)\nif found is not None:\n    return found\nnew = open(index)\n"
        "self.cache[index] = new\nindex = new"
    ),
    "a cache of what is not drawn": (
        "import torch\nif index not in self.cache:\n    self.cache[index] = torch.zeros(3)\nindex = self.cache[index]"
    ),
    "what is drawn and not kept": "row = {}\nrow['x'] = random.random()\nindex = row",
    "a file that is opened once": "self.lines = self.lines or open(self.path)",
    "a file that is opened where there is none": (
        "self.lines = self.lines if self.lines is not None else open(self.path)\nindex = self.lines"
    ),
    "a file that a condition opens": (
        "if self.lines is None:\n    self.lines = open(self.path)\nindex = len(self.lines) + index"
    ),
    "what is stored before it is looked at": "self.row = index\nindex = self.row",
    "a cache that is bounded": (
        "if len(self.cache) < 9:\n    self.cache[index] = load(index)\nindex = self.cache.get(index)"
    ),
    "how many there are": "self.cache[index] = load(index)\nindex = len(self.items)",
    "a list of its own": "rows = []\nrows.append(index)\nindex = len(rows)",
    "a number of its own": "total = 0\ntotal += index\nindex = total",
    "what a list of its own gives back": "rows = [index]\nindex = rows.pop()",
    "a log": "self.seen.append(index)",
    "an iterator of its own": "found = iter(self.items)\nindex = next(found)",
    "what it gave back and nobody took": "self.items.pop()",
}


@pytest.mark.parametrize("body", REMEMBERS.values(), ids=REMEMBERS)
def test_code_whose_samples_depend_on_those_before(body: str) -> None:
    assert code(body).remembers


@pytest.mark.parametrize("body", FORGETS.values(), ids=FORGETS)
def test_code_whose_samples_do_not(body: str) -> None:
    assert not code(body).remembers


CHANGES_BATCH = "for row, label in batch: row *= label"


PARTS = {
    "a decorator that counts": (
        "def counted(function):\n    def wrapper(self, index):\n        wrapper.calls += 1\n"
        "        return function(self, index) + wrapper.calls\n    wrapper.calls = 0\n    return wrapper\n",
        "@counted",
        "rows",
        True,
    ),
    "a decorator that only calls": (
        "def plain(function):\n    def wrapper(self, index):\n        return function(self, index)\n"
        "    return wrapper\n",
        "@plain",
        "rows",
        False,
    ),
    "a collate_fn that is told what to fill up with": (
        "def numbered(batch, tokenizer):\n    rows = tokenizer(batch)\n    rows[rows == 0] = -100\n    return rows\n",
        "# none",
        "1",
        False,
    ),
    "a vocabulary that grows": (
        "from collections import defaultdict\nWORDS = defaultdict(lambda: len(WORDS))\n",
        "# none",
        "WORDS[index]",
        True,
    ),
    "a dictionary of lists": ("from collections import defaultdict\nWORDS = defaultdict(list)\n", "# none", "1", False),
    "a collate_fn that counts in what a partial binds": (
        "def numbered(state, batch):\n    state['n'] = state.get('n', 0) + 1\n    return state['n'], batch\n",
        "# none",
        "1",
        True,
    ),
}


@pytest.mark.parametrize(("above", "decorator", "sample", "remembers"), PARTS.values(), ids=PARTS)
def test_what_stands_around_the_dataset(above: str, decorator: str, sample: str, remembers: bool) -> None:
    bound = "tokenizer=unknown" if "tokenizer" in above else "{}"
    collate = f", collate_fn=functools.partial(numbered, {bound})" if "numbered" in above else ""
    (loader,) = loaders_of(
        f"import functools\nfrom torch.utils.data import DataLoader, Dataset\n{above}"
        f"class Numbers(Dataset):\n    {decorator}\n    def __getitem__(self, index):\n        return {sample}\n"
        f"loader = DataLoader(Numbers(), num_workers=2{collate})\n"
    )
    assert loader.payload.code.remembers == remembers


def test_a_collate_fn_may_change_samples_where_they_are_kept() -> None:
    assert code("return self.items[index], 1", CHANGES_BATCH).remembers


@pytest.mark.parametrize("body", ["return self.items[index].copy(), 1", "return [index], self.items[index]"])
def test_a_collate_fn_that_changes_new_samples_changes_none_that_is_kept(body: str) -> None:
    assert not code(body, CHANGES_BATCH if "copy" in body else "batch.append(batch[0])").remembers


PROCESS_WIDE = {
    "a seed for each sample": ("import torch\ntorch.manual_seed(index)", "torch.manual_seed(index)"),
    "a seed by another name": ("import numpy.random as draws\ndraws.seed(index)", "draws.seed(index)"),
    "a seed of a library's": ("from transformers import set_seed\nset_seed(index)", "set_seed(index)"),
    "gradients": ("import torch\ntorch.set_grad_enabled(False)", "torch.set_grad_enabled(False)"),
    "a number type": ("import torch\ntorch.set_default_dtype(torch.half)", "torch.set_default_dtype(torch.half)"),
    "the folder": ("import os\nos.chdir(self.path)", "os.chdir(self.path)"),
    "an alarm": ("import signal\nsignal.alarm(5)", "signal.alarm(5)"),
    "in a helper": ("self.seed(index)", "random.seed(index)"),
    "gradients, as autograd has them": (
        "import torch\ntorch.autograd.set_grad_enabled(False)",
        "torch.autograd.set_grad_enabled(False)",
    ),
    "checks of gradients": (
        "import torch\ntorch.autograd.set_detect_anomaly(True)",
        "torch.autograd.set_detect_anomaly(True)",
    ),
    "gradients by another name": ("import torch\nswitch = torch.set_grad_enabled\nswitch(False)", "switch(False)"),
    "gradients by an imported name": ("from torch import set_grad_enabled as switch\nswitch(False)", "switch(False)"),
    "threads of OpenCV": ("import cv2\ncv2.setNumThreads(0)", "cv2.setNumThreads(0)"),
    "what a library's function says that it sets": (
        "import soundfile\nsoundfile.set_backend('a')",
        "soundfile.set_backend('a')",
    ),
    "what one says by another name": ("from lib import register_opener as opener\nopener()", "opener()"),
    "what a lambda sets": ("import lib\n(lambda: lib.set_mode(1))()\nlib.set_mode(2)", "lib.set_mode(2)"),
    "how torch computes": (
        "import torch\ntorch.backends.cudnn.benchmark = False",
        "torch.backends.cudnn.benchmark = False",
    ),
    "how torch computes, by another name": (
        "from torch.backends import cudnn\ncudnn.enabled, index = False, 1",
        "cudnn.enabled, index = False, 1",
    ),
    "what Pillow reads": (
        "from PIL import ImageFile\nImageFile.LOAD_TRUNCATED_IMAGES = True",
        "ImageFile.LOAD_TRUNCATED_IMAGES = True",
    ),
    "an environment variable": ("import os\nos.environ['A'] = ''", "os.environ['A'] = ''"),
    "environment variables": ("import os\nos.environ.update(A='1')", "os.environ.update(A='1')"),
    "one where there is none": ("from os import environ\nenviron.setdefault('A', '1')", "environ.setdefault('A', '1')"),
    "one that goes": ("import os\nindex = os.environ.pop('A', index)", "os.environ.pop('A', index)"),
    "what a library registers": ("from lib import readers\nreaders.update(a=index)", "readers.update(a=index)"),
    "one that is deleted": ("import os\ndel os.environ['A']", "del os.environ['A']"),
    "one by another name": ("import os\nvariables = os.environ\nvariables['A'] = ''", "variables['A'] = ''"),
    "one by another name of the module": ("import os as o\no.environ['A'] = ''", "o.environ['A'] = ''"),
    "one, as C has it": ("import os\nos.putenv('A', '1')", "os.putenv('A', '1')"),
    "where modules are looked for": ("import sys\nsys.path.insert(0, 'a')", "sys.path.insert(0, 'a')"),
    "where else they are": ("import sys\nsys.path += ['a']", "sys.path += ['a']"),
    "an end": ("import sys\nif index == 5:\n    sys.exit(3)", "sys.exit(3)"),
    "an end by another name": ("from os import _exit as leave\nleave(3)", "leave(3)"),
    "an end that somebody may take": ("raise SystemExit(3)", "SystemExit(3)"),
    "an end that is not called": ("raise SystemExit", "SystemExit"),
    "where every worker comes": (
        "import torch\nif torch.utils.data.get_worker_info() is not None:\n    torch.manual_seed(index)",
        "torch.manual_seed(index)",
    ),
}
OF_ITS_OWN = {
    "a generator of its own": "import torch\ndraws = torch.Generator()\ndraws.manual_seed(index)",
    "a generator of NumPy": "import numpy\ndraws = numpy.random.RandomState()\ndraws.seed(index)",
    "gradients for a block": "import torch\nwith torch.set_grad_enabled(False):\n    index = index + 1",
    "an attribute of its own": "import torch\nself.backends.benchmark = torch.half",
    "an attribute of what it made": "import lib\nreader = lib.Reader()\nreader.backend = 1\nreader.table['a'] = 1",
    "an item of a dictionary of its own": "environ = {}\nenviron['A'] = ''\nenviron.update(B='')",
    "a copy of the variables": "import os\nvariables = dict(os.environ)\nvariables['A'] = ''",
    "a look at the variables": "import os\nindex = os.environ.get('A', index)\nindex = os.environ['B']",
    "a look at how torch computes": "import torch\nindex = torch.backends.cudnn.benchmark",
    "a set": "index = set([index])",
    "what gives back what it set": "import lib\nindex = lib.set_values(index)",
    "an object whose class is called so": "import lib\nlib.SetCriterion(index)",
    "how numbers are printed": "import numpy\nnumpy.set_printoptions(3)",
    "what no library is called to set": "import numpy\nindex = numpy.append([index], 1)\nindex = numpy.add(index, 1)",
    "how a library reports": "import matplotlib\nmatplotlib.rcParams['figure.dpi'] = 3",
    "what a name stands for that is given": "def show(torch):\n    torch.backends.x = 1",
    "what else is called an end": "self.tools.exit(3)\ndef quit(): pass\nquit()",
    "a method of that name": "self.tools.chdir(self.path)",
    "where no worker comes": (
        "import torch\nif torch.utils.data.get_worker_info() is None:\n    torch.manual_seed(index)"
    ),
}


@pytest.mark.parametrize(("body", "call"), PROCESS_WIDE.values(), ids=PROCESS_WIDE)
def test_code_that_changes_all_of_its_process(body: str, call: str) -> None:
    change = code(body).process_wide()
    assert change is not None
    assert change.what == call


@pytest.mark.parametrize("body", OF_ITS_OWN.values(), ids=OF_ITS_OWN)
def test_code_that_changes_only_what_it_made_or_what_it_takes_back(body: str) -> None:
    assert code(body).process_wide() is None


PROCESS_TOLD = {
    "a name": (
        "import multiprocessing\nif multiprocessing.current_process().name == 'MainProcess':\n    return 0",
        "multiprocessing.current_process().name == 'MainProcess'",
    ),
    "a number": ("import os\nself.make(index if os.getpid() == self.main else 0)", "os.getpid() == self.main"),
    "a number under a name": ("import os\nme = os.getpid()\nif me != self.main:\n    index = 0", "me != self.main"),
    "what is given": ("from os import getpid\nreturn index + getpid()", "index + getpid()"),
    "what is refused": (
        "import os\nif os.getpid() == self.main:\n    raise ValueError(index)",
        "os.getpid() == self.main",
    ),
}
NOT_TOLD = {
    "a file for each process": "import os\nif self.pid != os.getpid():\n    self.file = open('a')\n"
    "    self.pid = os.getpid()",
    "files by the process": "import os\nme = os.getpid()\nif me not in self.files:\n    self.files[me] = open('a')\n"
    "return self.files[me].read(index)",
    "a report": "import os\nprint(os.getpid(), index)",
    "a report of one process": "import os\nif os.getpid() == self.main:\n    print(index)",
    "another object's": "index = self.tools.getpid()\nif index:\n    return 0",
}


@pytest.mark.parametrize(("body", "what"), PROCESS_TOLD.values(), ids=PROCESS_TOLD)
def test_code_whose_samples_hang_on_the_process(body: str, what: str) -> None:
    told = code(body).told_process()
    assert told is not None
    assert told.what == what


@pytest.mark.parametrize("body", NOT_TOLD.values(), ids=NOT_TOLD)
def test_code_whose_samples_hang_on_no_process(body: str) -> None:
    assert code(body).told_process() is None


LOGS = """
    from torch.utils.data import DataLoader, Dataset
    class Rows(Dataset):
        def __init__(self):
            self.log, self.seen, self.rows, self.file = [], 0, [1], None
        def __len__(self):
            return len(self.rows)
        def __getitem__(self, index):
            if self.file is None:
                self.file = open("rows")
            self.log.append(index)
            self.seen += 1
            self.last = index
            return index
        def count(self):
            return self.seen
        def close(self):
            self.file.close()
        def forget(self):
            self.log.clear()
    rows, others = Rows(), Rows()
    loader = DataLoader(rows, num_workers=2)
    for batch in loader:
        pass
"""


@pytest.mark.parametrize(
    ("after", "what"),
    [
        ("print(rows.log)", "rows.log"),
        ("def show():\n    print(len(rows.log))", "rows.log"),
        ("print(rows.last)", "rows.last"),
        ("print(loader.dataset.log)", "loader.dataset.log"),
        ("print(loader.rows.log, loader.dataset.rows)", None),
        ("print(rows.count())", "self.seen"),
        ("print(others.log, rows.rows, len(rows))", None),
        ("rows.forget()\nrows.log = []\nrows.log.append(1)", None),
        ("rows.close()", None),
        ("", None),
    ],
)
def test_what_workers_change_of_their_copies_the_program_may_read(after: str, what: str | None) -> None:
    (loader,) = loaders_of(dedent(LOGS) + after + "\n")
    read = loader.payload.code.read_back()
    assert (read.what if read is not None else None) == what


@pytest.mark.parametrize(
    ("body", "tensors"),
    [
        ("self.count[index] += 1", True),
        ("self.buffer[0] = index", True),
        ("self.buffer.mul_(2)", True),
        ("self.scale(index, out=self.buffer)", True),
        ("self.items[index] = 1", False),
        ("self.seen = None\nself.seen = self.scale(index)\nself.seen[0] = 1", True),
        ("STORE[index] = 1", False),
        ("FILLED[index] = 1", True),
        ("row = index * 2\nrow += 1", False),
        ("self.file = open('rows')", False),
        ("row = self.buffer.clone()\nrow[0] = 1", False),
        ("self.buffer.__len__()", False),
    ],
)
def test_code_that_writes_into_what_may_be_a_tensor(body: str, tensors: bool) -> None:
    assert code(body).changes_tensors is tensors


def test_what_is_kept_by_the_number_of_a_sample_and_counts_on_remembers() -> None:
    assert code("self.seen[index] = self.seen.get(index, 0) + 1").remembers
    assert not code("if index not in self.seen:\n    self.seen[index] = index").remembers
