from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.kept import Kept
from tests.linking.traced import Files, loaders_of

HEAD = """
import functools, os, random, threading, zipfile
import h5py, lmdb
import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info
"""

DATASET = """
class D(Dataset):
    def __init__(self, path, keep=False):
        MAKES
    def helper(self, path):
        HELPER
    def __getitem__(self, index):
        READS
DataLoader(D("path"), num_workers=2)
"""


def kept(text: Files) -> list[Kept]:
    files = HEAD + dedent(text) if isinstance(text, str) else text
    return [one for loader in loaders_of(files) for one in loader.payload.kept]


def in_a_dataset(makes: str, reads: str = "return index", helper: str = "pass") -> list[Kept]:
    text = DATASET
    for word, code in (("MAKES", makes), ("READS", reads), ("HELPER", helper)):
        text = text.replace(word, dedent(code).strip().replace("\n", "\n        "))
    return kept(text)


def described(found: list[Kept]) -> list[str]:
    return [f"{one.kind.name} as {one.name}" for one in found if not one.kind.grows]


MADE: dict[str, tuple[str, list[str]]] = {
    "a file": ("self.f = open(path)", ["open file as self.f"]),
    "a file opened by a path": (
        "import pathlib\nself.f = pathlib.Path(path).open('rb')",
        ["open file as self.f"],
    ),
    "through another name": ("f = h5py.File(path)\nself.f = f", ["HDF5 file as self.f"]),
    "a part of it": ("f = h5py.File(path)\nself.x = f['a']['b']", ["dataset of an HDF5 file as self.x"]),
    "a part by a name": ("self.x = h5py.File(path)[path]", ["dataset of an HDF5 file as self.x"]),
    "a part that is asked for": ("self.x = h5py.File(path).get('a')", ["dataset of an HDF5 file as self.x"]),
    "a part through a name": ("f = h5py.File(path)\nx = f['a']\nself.x = x", ["dataset of an HDF5 file as self.x"]),
    "a method of one": ("z = zipfile.ZipFile(path)\nself.read = z.read", ["zip archive as self.read"]),
    "a method of one that is made there": ("self.read = zipfile.ZipFile(path).read", ["zip archive as self.read"]),
    "a method that a partial holds": (
        "z = zipfile.ZipFile(path)\nself.read = functools.partial(z.read, pwd=None)",
        ["zip archive as self.read"],
    ),
    "what a partial keeps": (
        "read = functools.partial(print, file=open(path))\nself.read = read",
        ["open file as self.read"],
    ),
    "a method of a lock": ("self.wait = threading.Lock().acquire", ["lock as self.wait"]),
    "in a list": ("self.f = [open(p) for p in path]", ["open file as self.f"]),
    "in a list that grows": (
        "self.f = []\nfor p in path:\n    self.f.append(open(p))",
        ["open file as self.f"],
    ),
    "in a list with a name": (
        "fs = []\nfor p in path:\n    fs.append(open(p))\nself.f = fs",
        ["open file as self.f"],
    ),
    "in a dictionary": ("self.f = {p: open(p) for p in path}", ["open file as self.f"]),
    "under a key": ("self.f = {}\nself.f[path] = open(path)", ["open file as self.f"]),
    "in a tuple": ("self.f, self.n = open(path), 3", ["open file as self.f"]),
    "in one arm": ("self.f = open(path) if path else None", ["open file as self.f"]),
    "what a helper keeps": ("self.helper(path)", ["open file as self.f"]),
    "a generator": ("self.g = (x for x in path)", ["generator as self.g"]),
    "a lock": ("self.lock = threading.Lock()", ["lock as self.lock"]),
    "an archive of arrays": ("self.a = np.load('a.npz')", ["npz archive as self.a"]),
    "an archive that cannot be mapped": ("self.a = np.load('a.npz', mmap_mode='r')", ["npz archive as self.a"]),
    "a seeded generator": ("self.g = torch.Generator().manual_seed(3)", ["torch.Generator as self.g"]),
    "where an error is handled": (
        "try:\n    self.f = open(path)\nexcept OSError:\n    self.f = None",
        ["open file as self.f"],
    ),
    "among others, of which none is left out": (
        "self.f = {}\nfor i in range(3):\n    self.f[i] = open(path)",
        ["open file as self.f"],
    ),
    "among others, of which one by its name is none": (
        "self.f = {'a': None}\nself.f['b'] = open(path)\nself.f['a'] = None",
        ["open file as self.f"],
    ),
    "among others, whose places were empty before": (
        "self.f = {}\nfor i in range(3):\n    self.f[i] = None\nfor i in range(3):\n    self.f[i] = open(path)",
        ["open file as self.f"],
    ),
    "where another one is closed": (
        "self.e = open(path)\nself.f = open(path)\nself.e.close()",
        ["open file as self.f"],
    ),
}

GONE: dict[str, str] = {
    "opened in a with": "with h5py.File(path) as f:\n    self.f = f['a']",
    "opened in a with for itself": "with open(path) as self.f:\n    self.n = self.f.read()",
    "closed": "self.f = open(path)\nself.f.close()",
    "closed under another name": "f = open(path)\nself.f = f\nf.close()",
    "deleted": "self.f = open(path)\ndel self.f",
    "replaced": "self.f = open(path)\nself.f = None",
    "replaced by a helper": "self.g = open(path)\nself.helper(path)",
    "replaced one by one": (
        "self.f = {}\n"
        "for i in range(3):\n    self.f[i] = open(path)\n"
        "for i in range(3):\n    if self.f[i]:\n        self.f[i].close()\n        self.f[i] = None"
    ),
    "replaced as soon as each was read": (
        "self.f = {}\nfor i in range(3):\n    self.f[i] = open(path)\n    self.f[i].read()\n    self.f[i] = None"
    ),
    "read whole": "f = h5py.File(path)\nself.x = f['a'][:]",
    "read whole under a name": "x = h5py.File(path)['a']\nself.x = x[()]",
    "read whole by a library": "self.x = np.array(h5py.File(path)['a'])",
    "read": "self.x = open(path).read()",
    "an array of an archive": "self.x = np.load('a.npz')['a']",
    "an array of its own": "self.x = np.load('a.npy')",
    "an array of a mapped archive": "self.x = np.load('a.npz', mmap_mode='r')['a']",
    "an array that is not mapped": "self.x = np.load('a.npy', mmap_mode=None)",
    "only a name": "f = open(path)\nself.n = len(f.read())",
    "what the call does not ask for": "if keep:\n    self.f = open(path)",
    "a list of what a generator gives": "self.x = list(x for x in path)",
    "a sum of what a generator gives": "self.x = sum(x for x in path)",
    "what a method gives": "self.x = zipfile.ZipFile(path).read('a')",
    "a method of one that is closed": "with zipfile.ZipFile(path) as z:\n    self.read = z.read",
    "a partial of a method of one that is closed": (
        "with zipfile.ZipFile(path) as z:\n    self.read = functools.partial(z.read)"
    ),
    "a partial of what opens one later": "self.read = functools.partial(open, path)",
    "a partial that keeps what was read": "self.read = functools.partial(print, open(path).read())",
    "what a partial gives": "self.x = functools.partial(zipfile.ZipFile(path).read)('a')",
    "an attribute that is no method": "self.x = zipfile.ZipFile(path).filename",
    "a method of what is pickled as it is": "self.draw = np.random.default_rng(0).get",
    "a number file": "self.f = os.open(path, os.O_RDONLY)",
}


@pytest.mark.parametrize(("makes", "expected"), MADE.values(), ids=MADE.keys())
def test_what_a_constructor_keeps(makes: str, expected: list[str]) -> None:
    assert described(in_a_dataset(makes, helper="self.f = open(path)")) == expected


@pytest.mark.parametrize("makes", GONE.values(), ids=GONE.keys())
def test_what_a_constructor_does_not_keep(makes: str) -> None:
    assert described(in_a_dataset(makes, helper="self.g = None")) == []


NAMED: dict[str, tuple[str, list[str]]] = {
    "an archive": ("'a.npz'", ["npz archive as self.a"]),
    "an archive in a folder": ("os.path.join(os.environ['DATA'], 'a.npz')", ["npz archive as self.a"]),
    "an array": ("'a.npy'", []),
    "either": ("'a.npz' if os.environ.get('ALL') else 'a.npy'", []),
    "what a user types": ("os.environ['ARRAYS']", []),
}


@pytest.mark.parametrize(("path", "expected"), NAMED.values(), ids=NAMED.keys())
def test_an_archive_of_arrays_is_one_by_the_name_that_arrives(path: str, expected: list[str]) -> None:
    class_ = "class D(Dataset):\n    def __init__(self, path):\n        self.a = np.load(path)\n"
    assert described(kept(f"{HEAD}{class_}DataLoader(D({path}), num_workers=2)")) == expected


@pytest.mark.parametrize(
    "mapped",
    [
        "np.load('a.npy', mmap_mode='r')",
        "np.load('a.npy', 'r')",
        "np.memmap('a.bin')",
        "np.lib.format.open_memmap('a.npy')",
    ],
)
def test_a_memory_map_is_sent_whole(mapped: str) -> None:
    (one,) = in_a_dataset(f"self.x = {mapped}")
    assert one.kind.copied
    assert one.travels


def test_it_stands_where_it_was_made() -> None:
    (one,) = in_a_dataset("f = h5py.File(path)\nself.x = f['a']")
    assert (one.span.line, one.span.column, one.holder) == (11, 13, "D")


OPENED = """
import copyreg
from torch.utils.data import DataLoader
from other import Base
class D(Dataset):
    def __init__(self, path):
        self.file = open(path)
    def close(self):
        self.file.close()
    def __getitem__(self, index):
        return index
"""

LET_GO: dict[str, tuple[str, int]] = {
    "nothing": ("d = D('p')\nDataLoader(d, num_workers=2)", 1),
    "closed by a method": ("d = D('p')\nd.close()\nDataLoader(d, num_workers=2)", 0),
    "closed": ("d = D('p')\nd.file.close()\nDataLoader(d, num_workers=2)", 0),
    "deleted": ("d = D('p')\ndel d.file\nDataLoader(d, num_workers=2)", 0),
    "replaced": ("d = D('p')\nd.file = None\nDataLoader(d, num_workers=2)", 0),
    "where it is made": ("def f():\n    d = D('p')\n    d.close()\n    return d\nDataLoader(f(), num_workers=2)", 0),
    "before the batches": ("d = D('p')\nl = DataLoader(d, num_workers=2)\nd.close()\nfor b in l: pass", 0),
    "after the batches": ("d = D('p')\nl = DataLoader(d, num_workers=2)\nfor b in l: pass\nd.close()", 1),
    "another one": ("d = D('p')\nD('q').close()\nDataLoader(d, num_workers=2)", 1),
}


@pytest.mark.parametrize(("text", "count"), LET_GO.values(), ids=LET_GO.keys())
def test_what_the_main_process_lets_go(text: str, count: int) -> None:
    assert len(kept(f"{OPENED}{text}\n")) == count


PICKLED: dict[str, tuple[str, bool]] = {
    "as it is": ("", True),
    "by a function of copyreg": ("copyreg.pickle(D, lambda d: (D, ('p',)))\n", False),
    "another class by copyreg": ("class E: pass\ncopyreg.pickle(E, lambda d: (E, ()))\n", True),
}


@pytest.mark.parametrize(("text", "travels"), PICKLED.values(), ids=PICKLED.keys())
def test_what_a_class_may_leave_out(text: str, travels: bool) -> None:
    loader = "DataLoader(D('p'), num_workers=2)\n"
    assert [one.travels for one in kept(f"{OPENED}{text}{loader}")] == [travels]
    unseen = OPENED.replace("D(Dataset)", "D(Base)")
    assert [one.travels for one in kept(f"{unseen}{text}{loader}")] == [False]


KINDS: dict[str, tuple[str, str, bool]] = {
    "text": ("open(path)", "TypeError: cannot pickle '_io.TextIOWrapper' object", True),
    "bytes": ("open(path, 'rb')", "TypeError: cannot pickle '_io.BufferedReader' object", True),
    "bytes to change": ("open(path, mode='r+b')", "TypeError: cannot pickle '_io.BufferedRandom' object", True),
    "bytes to write": ("open(path, 'wb')", "TypeError: cannot pickle '_io.BufferedWriter' object", False),
    "text to write": ("open(path, 'a')", "TypeError: cannot pickle '_io.TextIOWrapper' object", False),
    "a mode that was not seen": ("open(path, mode())", "TypeError: cannot pickle", False),
    "LMDB": ("lmdb.open(path)", "TypeError: cannot pickle 'Environment' object", True),
    "LMDB to read": ("lmdb.open(path, readonly=True)", "TypeError: cannot pickle 'Environment' object", True),
    "LMDB without lock": ("lmdb.open(path, lock=False)", "TypeError: cannot pickle 'Environment' object", False),
    "LMDB with what was not seen": ("lmdb.open(path, **o())", "TypeError: cannot pickle 'Environment' object", False),
}


@pytest.mark.parametrize(("makes", "pickling", "shares"), KINDS.values(), ids=KINDS.keys())
def test_what_becomes_of_it(makes: str, pickling: str, shares: bool) -> None:
    (one,) = in_a_dataset(f"self.f = {makes}")
    assert (one.kind.pickling, bool(one.kind.sharing)) == (pickling, shares)


USED: dict[str, tuple[str, list[str]]] = {
    "a method of it": ("return self.f.read(3)", ["self.f.read in __getitem__"]),
    "an item of it": ("return self.f[index]", ["self.f[index] in __getitem__"]),
    "handed on": ("return decode(self.f)", ["self.f in __getitem__"]),
    "by a helper": ("return self.helper(index)", ["self.f.readline in helper"]),
    "not at all": ("return index", []),
    "only asked for": ("return index if self.f is None else 3", []),
    "only looked at": ("return self.f.fileno(), self.f.name", []),
    "in a branch that is taken": ("return self.f.read() if not self.keep else 3", ["self.f.read in __getitem__"]),
    "in a branch that is not taken": ("return self.f.read() if self.keep else 3", []),
    "by a helper in a branch that is not taken": ("if self.keep:\n    return self.helper(index)\nreturn 3", []),
    "opened anew": ("if os.getpid():\n    self.f = open(index)\nreturn self.f.read()", []),
}


@pytest.mark.parametrize(("reads", "expected"), USED.values(), ids=USED.keys())
def test_where_workers_use_it(reads: str, expected: list[str]) -> None:
    (one,) = in_a_dataset("self.f = open(path)\nself.keep = keep", reads, "return self.f.readline()")
    assert [touch.what for touch in one.used] == expected


RENEWED: dict[str, tuple[str, bool]] = {
    "drawn from": ("return self.r.random()", True),
    "seeded": ("self.r.seed(index)\nreturn self.r.random()", False),
    "asked by a worker that knows its number": ("return self.r.random() + get_worker_info().id", False),
    "made from the worker's seed": (
        "r = random.Random(torch.initial_seed())\nreturn r.random(), self.r.random()",
        False,
    ),
}


@pytest.mark.parametrize(("reads", "draws"), RENEWED.values(), ids=RENEWED.keys())
def test_whether_workers_draw_from_it_as_it_was(reads: str, draws: bool) -> None:
    (one,) = in_a_dataset("self.r = random.Random(0)", reads)
    assert bool(one.used) is draws


def test_what_decides_itself_how_it_pickles_does_not_travel() -> None:
    (one,) = kept(
        """
        class D(Dataset):
            def __init__(self):
                self.f = open("path")
            def __getstate__(self):
                return {}
            def __getitem__(self, index):
                return self.f.read()
        DataLoader(D())
        """
    )
    assert (one.travels, len(one.used)) == (False, 1)


def test_a_base_keeps_it_where_its_constructor_is_called() -> None:
    base = "class B(Dataset):\n    def __init__(self, path):\n        self.f = open(path)\n"
    called = "class D(B):\n    def __init__(self):\n        CALL\nDataLoader(D())"
    assert described(kept(base + called.replace("CALL", "super().__init__('p')"))) == ["open file as self.f"]
    assert described(kept(base + called.replace("CALL", "B.__init__(self, 'p')"))) == ["open file as self.f"]
    assert described(kept(base + called.replace("CALL", "self.n = 3"))) == []
    assert described(kept(base + "class D(B):\n    pass\nDataLoader(D('p'))")) == ["open file as self.f"]


@pytest.mark.parametrize("call", ["super().__init__('p', LAZILY)", "B.__init__(self, 'p', LAZILY)"])
def test_a_base_keeps_it_where_its_constructor_is_told_to(call: str) -> None:
    base = """
class B(Dataset):
    def __init__(self, path, lazily):
        if not lazily:
            self.f = open(path)
"""
    told = f"class D(B):\n    def __init__(self):\n        {call}\nDataLoader(D())"
    assert described(kept(base + told.replace("LAZILY", "False"))) == ["open file as self.f"]
    assert described(kept(base + told.replace("LAZILY", "True"))) == []


def test_a_part_keeps_it() -> None:
    (one,) = kept(
        """
        class Reader:
            def __init__(self, path):
                self.f = open(path)
            def read(self):
                return self.f.read()
        class D(Dataset):
            def __init__(self):
                self.reader = Reader("path")
            def __getitem__(self, index):
                return self.reader.read()
        DataLoader(D())
        """
    )
    assert (one.holder, one.name, len(one.used)) == ("Reader", "self.f", 1)


PARTS = """
class Reader:
    def __init__(self, path):
        self.f = open(path)
    def read(self):
        return self.f.read()
class D(Dataset):
    def __init__(self, paths):
        self.readers = []
        for path in paths:
            self.readers.append(Reader(path))
    def __getitem__(self, index):
        return self.readers[index].read()
DataLoader(D(["path"]))
"""
IN_PARTS: dict[str, tuple[str, list[str]]] = {
    "appended in a loop": (PARTS, ["open file as self.f"]),
    "put under a key": (
        PARTS.replace("= []", "= {}").replace(".append(Reader(path))", "[path] = Reader(path)"),
        ["open file as self.f"],
    ),
    "appended to another list": (PARTS.replace("self.readers.append", "readers.append"), []),
    "appended before the list is made anew": (
        PARTS.replace("    def __getitem__", "        self.readers = []\n    def __getitem__"),
        [],
    ),
    "what is read of it": (PARTS.replace("Reader(path))", "Reader(path).read())"), []),
}


@pytest.mark.parametrize(("project", "found"), IN_PARTS.values(), ids=IN_PARTS.keys())
def test_a_part_in_a_list_that_the_constructor_fills_keeps_it(project: str, found: list[str]) -> None:
    assert described(kept(project)) == found


MODULES: dict[str, tuple[str, int]] = {
    "read by an item": ("F = open('p')\nclass D(Dataset):\n    def __getitem__(self, i):\n        return F.read()", 1),
    "read by what collates": (
        "F = open('p')\ndef collate(b):\n    return F.read()\nclass D(Dataset):\n    pass",
        1,
    ),
    "read by the main process": ("F = open('p')\nclass D(Dataset):\n    pass\nF.read()", 0),
    "another name inside": (
        "F = open('p')\nclass D(Dataset):\n    def __getitem__(self, i):\n        F = []\n        return F[i]",
        0,
    ),
    "opened anew": (
        "F = open('p')\nclass D(Dataset):\n    def __getitem__(self, i):\n        global F\n"
        "        F = open('p')\n        return F.read()",
        0,
    ),
    "of the class": (
        "class D(Dataset):\n    F = open('p')\n    def __getitem__(self, i):\n        return self.F.read()",
        1,
    ),
}


@pytest.mark.parametrize(("text", "count"), MODULES.values(), ids=MODULES.keys())
def test_what_a_module_keeps(text: str, count: int) -> None:
    collate = ", collate_fn=collate" if "collate" in text else ""
    found = [one for one in kept(f"{text}\nDataLoader(D(){collate})") if one.used]
    assert [one.travels for one in found] == [False] * count


def test_what_another_module_keeps() -> None:
    files = {
        "store.py": "import functools, zipfile\narchive = zipfile.ZipFile('a.zip')\n",
        "main.py": """
            from torch.utils.data import DataLoader, Dataset
            from store import archive
            class D(Dataset):
                def __getitem__(self, index):
                    return archive.read("text")
            DataLoader(D(), num_workers=2)
            """,
    }
    (one,) = kept(files)
    assert (one.span.path, one.holder, one.name, len(one.used)) == ("store.py", "the module", "archive", 1)


GROWS: dict[str, tuple[str, bool]] = {
    "a comprehension": ("self.x = [p for p in path]", True),
    "a comprehension over what is written out": ("self.x = [p for p in (1, 2)]", False),
    "a comprehension over a small count": ("self.x = [p for p in range(9)]", False),
    "a comprehension over a count": ("self.x = [p for p in range(len(path))]", True),
    "a list of a generator": ("self.x = list(p.name for p in path)", True),
    "lines": ("self.x = open(path).readlines()", True),
    "lines under a name": ("lines = open(path).read().splitlines()\nself.x = lines", True),
    "sorted files": ("import glob\nself.x = sorted(glob.glob(path))", True),
    "JSON": ("import json\nself.x = json.load(open(path))", True),
    "another load": ("self.x = torch.load(path)", False),
    "appended in a loop": ("self.x = []\nfor p in path:\n    self.x.append(p)", True),
    "appended under a name": ("x = []\nfor p in path:\n    x.append(p)\nself.x = x", True),
    "appended once": ("self.x = []\nself.x.append(path)", False),
    "made an array": ("x = []\nfor p in path:\n    x.append(p)\nself.x = np.array(x)", False),
    "made an array under its name": ("x = []\nfor p in path:\n    x.append(p)\nx = np.array(x)\nself.x = x", False),
    "made a tensor": ("self.x = [p for p in path]\nself.x = torch.tensor(self.x)", False),
    "a display": ("self.x = ['a', 'b']", False),
}


@pytest.mark.parametrize(("makes", "grows"), GROWS.values(), ids=GROWS.keys())
def test_what_grows_in_a_worker(makes: str, grows: bool) -> None:
    found = [one for one in in_a_dataset(makes, "return self.x[index]") if one.kind.grows]
    assert [len(one.used) for one in found] == [1] * grows


@pytest.mark.parametrize("reads", ["return self.x[0]", "return len(self.x)", "return self.x"])
def test_what_is_not_read_by_the_index_is_not_known_to_be_large(reads: str) -> None:
    (one,) = in_a_dataset("self.x = [p for p in path]", reads)
    assert one.used == ()


def test_a_method_that_is_kept_uses_its_object_where_it_is_called() -> None:
    (found,) = in_a_dataset("self.read = zipfile.ZipFile(path).read", "return self.read(str(index))")
    assert [one.what for one in found.used] == ["self.read in __getitem__"]


LAZY = """
class D(Dataset):
    def __init__(self, path):
        self.path, self.f = path, None
        FIRST
    def open(self):
        OPENS
    def __getitem__(self, index):
        READS
        return self.f.read(index)
DataLoader(D("path"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("first", "opens", "reads", "used"),
    [
        pytest.param(first, opens, reads, used, id=f"{first} | {opens} | {reads}")
        for first, opens, reads, used in [
            ("self.open()", "if self.f is None: self.f = zipfile.ZipFile(self.path)", "self.open()", [1]),
            ("self.open()", "if not self.f: self.f = zipfile.ZipFile(self.path)", "self.open()", [1]),
            ("self.open()", "self.f = zipfile.ZipFile(self.path)", "if self.f is None: self.open()", [1]),
            ("self.open()", "self.f = zipfile.ZipFile(self.path)", "if not getattr(self, 'f', None): self.open()", [1]),
            ("if self.f is None: self.open()", "self.f = zipfile.ZipFile(self.path)", "pass", [1]),
            # Only a worker opens it, or opens it again.
            ("pass", "if self.f is None: self.f = zipfile.ZipFile(self.path)", "self.open()", []),
            ("self.open(); self.f = None", "if self.f is None: self.f = zipfile.ZipFile(self.path)", "self.open()", []),
            ("if self.f is not None: self.open()", "self.f = zipfile.ZipFile(self.path)", "pass", []),
            ("self.open()", "self.f = zipfile.ZipFile(self.path)", "self.open()", [0]),
            ("self.open()", "self.f = zipfile.ZipFile(self.path)", "if self.path is None: self.open()", [0]),
            (
                "self.open(); self.pid = os.getpid()",
                "self.f = zipfile.ZipFile(self.path)",
                "if self.f is None or self.pid != os.getpid(): self.open()",
                [0],
            ),
            (
                "self.open()",
                "self.f = zipfile.ZipFile(self.path)",
                "if get_worker_info(): self.f = None\n        if self.f is None: self.open()",
                [0],
            ),
        ]
    ],
)
def test_what_is_opened_where_it_is_missing_is_kept_where_the_constructor_had_it_opened(
    first: str, opens: str, reads: str, used: list[int]
) -> None:
    text = LAZY.replace("FIRST", first).replace("OPENS", opens).replace("READS", reads)
    assert [len(one.used) for one in kept(text) if not one.kind.grows] == used
