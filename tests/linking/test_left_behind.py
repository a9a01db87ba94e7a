"""Where a program changes what its workers read, after its modules were imported."""

from __future__ import annotations

import pytest

from tests.linking.traced import loader_of

PROGRAM = """
import torch
import shared
from torch.utils.data import DataLoader, Dataset
from shared import TABLE
SCALE = 1
CACHE = []
OTHER = 0
⟨above⟩
class Numbers(Dataset):
    scale = 1
    def __init__(self):
        self.kept = 1
    def __len__(self):
        return 4
    def __getitem__(self, index):
        ⟨inside⟩
        return index * self.scale * SCALE + len(CACHE) + shared.offset + TABLE["a"] + self.kept
def main():
    ⟨before⟩
    for batch in DataLoader(Numbers(), num_workers=2):
        print(batch)
if __name__ == "__main__":
    ⟨guarded⟩
    main()
"""
PARTS = ("above", "inside", "before", "guarded")
WORDS = """
class Words:
    def __init__(self):
        self.known = {}
    def __call__(self, word):
        return self.known.setdefault(word, len(self.known))
words = Words()
"""
OPERATIONS = """
class Operations(dict):
    def __call__(self, name):
        def note(function):
            self[name] = function
            return function
        return note
OPERATIONS = Operations()
"""
NOTES = """
class Notes:
    def __init__(self):
        self.known = []
    def __call__(self, function):
        self.known.append(function)
        return function
NOTES = Notes()
"""
SHARED = f"offset = 0\nTABLE = {{'a': 1}}\n{WORDS}MORE = Words()\n"


def changed(**parts: str) -> str:
    text = PROGRAM
    for part in PARTS:
        text = text.replace(f"⟨{part}⟩", parts.get(part, "" if part == "above" else "pass"))
    found = loader_of({"main.py": text, "shared.py": SHARED}).payload.code.left_behind()
    return found.what if found is not None else ""


LEFT_BEHIND = {
    "a global": ({"before": "global SCALE; SCALE = 2"}, "SCALE = 2"),
    "under the guard": ({"guarded": "SCALE = 2"}, "SCALE = 2"),
    "by the dictionary of all names": ({"before": "globals()['SCALE'] = 2"}, "globals()['SCALE'] = 2"),
    "by names that are worked out": ({"before": "globals()[name] = 2"}, "globals()[name]"),
    "by many names at once": ({"before": "globals().update(vars(options))"}, "globals().update(vars(options))"),
    "by a name among others": ({"before": "globals().update(SCALE=2)"}, "globals().update(SCALE=2)"),
    "a function of a kind of its own": (
        {
            "above": "from functools import singledispatch\n@singledispatch\ndef scale(row):\n    return row\n",
            "inside": "index = scale(index)",
            "before": "scale.register(int, lambda row: row + 1)",
        },
        "scale.register(int, lambda row: row + 1)",
    ),
    "what a test puts in its place": (
        {"above": "from unittest import mock\n", "before": "mock.patch('shared.offset', 2).start()"},
        "mock.patch('shared.offset', 2)",
    ),
    "a list that a function fills": (
        {"above": "def fill():\n    CACHE.append(1)", "before": "fill()"},
        "CACHE.append(1)",
    ),
    "a variable of the environment that a module reads": (
        {"above": "import os\nSCALE = os.environ.get('MODE', 1)", "before": "os.environ['MODE'] = '2'"},
        "os.environ['MODE'] = '2'",
    ),
    "a variable that a class of the module reads": (
        {
            "above": "from os import getenv\nimport os\nclass Sizes:\n    size = getenv('SIZE')",
            "inside": "print(Sizes.size)",
            "before": "os.environ.setdefault('SIZE', '5')",
        },
        "os.environ.setdefault('SIZE', '5')",
    ),
    "the words of the command line": (
        {"above": "import sys\nSCALE = '-v' in sys.argv", "before": "sys.argv.append('-v')"},
        "sys.argv.append('-v')",
    ),
    "an object that is called": (
        {"above": WORDS, "inside": "words.known", "before": "for word in 'ab':\n        words(word)"},
        "words(word)",
    ),
    "an object that is called and has another name for a part of it": (
        {
            "above": WORDS.replace("return self.known.set", "known = self.known\n        return known.set"),
            "inside": "words.known",
            "before": "words('a')",
        },
        "words('a')",
    ),
    "an object of another module that is called": (
        {"inside": "print(shared.MORE)", "before": "shared.MORE('a')"},
        "shared.MORE('a')",
    ),
    "an object that decorates": (
        {
            "above": OPERATIONS,
            "inside": "OPERATIONS['a'](index)",
            "before": "@OPERATIONS('a')\n    def a(i):\n        pass",
        },
        "OPERATIONS('a')",
    ),
    "an object that decorates by itself": (
        {"above": NOTES, "inside": "NOTES.known", "before": "@NOTES\n    def a(i):\n        pass"},
        "NOTES",
    ),
    "a list that is the default of a parameter": (
        {"above": "def fill(rows=CACHE):\n    rows.append(1)", "before": "fill()"},
        "rows.append(1)",
    ),
    "a list that a default grows by": (
        {"above": "def fill(rows=CACHE):\n    rows += [1]", "before": "fill()"},
        "rows += [1]",
    ),
    "a list that is an attribute of a class as well": (
        {
            "above": "class Store:\n    rows = CACHE\n    def add(self, row):\n        self.rows.append(row)",
            "before": "Store().add(1)",
        },
        "self.rows.append(row)",
    ),
    "an attribute of the class": ({"before": "Numbers.scale = 2"}, "Numbers.scale = 2"),
    "an attribute of a module": ({"before": "shared.offset = 2"}, "shared.offset = 2"),
    "an attribute of a module that the function imports": (
        {"before": "import shared; shared.offset = 2"},
        "shared.offset = 2",
    ),
    "the same by another name": ({"before": "import shared as own; own.offset = 2"}, "own.offset = 2"),
    "what a function imports from a module": (
        {"before": "from shared import TABLE as own; own['a'] = 2"},
        "own['a'] = 2",
    ),
    "an item of what is imported": ({"before": "TABLE['a'] = 2"}, "TABLE['a'] = 2"),
    "what a function adds to what is imported": ({"before": "TABLE.update(a=2)"}, "TABLE.update(a=2)"),
    "the same by its module": ({"before": "shared.TABLE.update(a=2)"}, "shared.TABLE.update(a=2)"),
    "the default type": (
        {"before": "torch.set_default_dtype(torch.float64)"},
        "torch.set_default_dtype(torch.float64)",
    ),
}
LEFT_BEHIND |= {
    "what is imported under the guard": ({"guarded": "import math as SCALE"}, "import math as SCALE"),
    "what is imported in a function": ({"before": "global SCALE; import math as SCALE"}, "import math as SCALE"),
    "what is defined under the guard": ({"guarded": "class SCALE: pass"}, "class SCALE: pass"),
    "what is taken away": ({"before": "global SCALE; del SCALE"}, "del SCALE"),
    "a class by a method of its own": (
        {"inside": "pass\n    @classmethod\n    def scaled(cls):\n        cls.scale = 2"},
        "cls.scale = 2",
    ),
    "an object by a method": (
        {"above": "CACHE = make()", "before": "CACHE.merge_from_list(['a', 1])"},
        "CACHE.merge_from_list(['a', 1])",
    ),
    "an object of another module by a method": (
        {"before": "shared.TABLE.freeze()"},
        "shared.TABLE.freeze()",
    ),
    "an imported object by a method": ({"before": "TABLE.freeze()"}, "TABLE.freeze()"),
    "an order that is drawn at import": (
        {"above": "import numpy as np\nSCALE = np.random.permutation(8)"},
        "np.random.permutation(8)",
    ),
    "what is shuffled at import": ({"above": "import random\nrandom.shuffle(CACHE)"}, "random.shuffle(CACHE)"),
    "a folder that is made at import": (
        {"above": "import tempfile, random\nrandom.seed(0)\nSCALE = len(tempfile.mkdtemp())"},
        "tempfile.mkdtemp()",
    ),
    "what a set gives": ({"above": "CACHE = list({'a', 'b'})"}, "list({'a', 'b'})"),
    "numbers by what a set gives": (
        {"above": "CACHE = {name: place for place, name in enumerate(set('ab'))}"},
        "{name: place for place, name in enumerate(set('ab'))}",
    ),
    "a table of the class": (
        {"inside": "pass\n    rows = {}\n    def load(self):\n        self.rows[1] = 2"},
        "self.rows[1] = 2",
    ),
    "a list of the class": (
        {"inside": "pass\n    rows = []\n    def load(self):\n        self.rows.append(1)"},
        "self.rows.append(1)",
    ),
    "a list by another name": ({"before": "found = CACHE; found.append(1)"}, "found = CACHE"),
    "a list in another one": ({"before": "found = [CACHE, 1]"}, "found = [CACHE, 1]"),
    "a list that a function of the program gets": (
        {"above": "def fill(rows):\n    rows.append(1)", "before": "fill(CACHE)"},
        "fill(CACHE)",
    ),
    "a list that a function of a library changes": (
        {"above": "import random", "before": "random.shuffle(CACHE)"},
        "random.shuffle(CACHE)",
    ),
    "what a function of a library writes to": (
        {"above": "import numpy", "before": "numpy.multiply(1, 2, out=CACHE)"},
        "numpy.multiply(1, 2, out=CACHE)",
    ),
    "a list that is given away": ({"above": "def found():\n    return CACHE"}, "CACHE"),
    "an object of a module that a method gets": (
        {"before": "unknown.fill(shared.TABLE)"},
        "unknown.fill(shared.TABLE)",
    ),
    "by its name": ({"before": "setattr(shared, 'TABLE', {})"}, "setattr(shared, 'TABLE', {})"),
    "what a library is told to load": (
        {"before": "torch.serialization.add_safe_globals([1])"},
        "torch.serialization.add_safe_globals([1])",
    ),
    "what a library is told to use": (
        {"above": "import soundfile", "before": "soundfile.set_backend('sox')"},
        "soundfile.set_backend('sox')",
    ),
    "how images are read": (
        {"above": "from PIL import ImageFile", "before": "ImageFile.LOAD_TRUNCATED_IMAGES = True"},
        "ImageFile.LOAD_TRUNCATED_IMAGES = True",
    ),
    "a limit of the process": (
        {"above": "import sys", "before": "sys.setrecursionlimit(10000)"},
        "sys.setrecursionlimit(10000)",
    ),
    "the default device": (
        {"before": "torch.set_default_device('cuda')"},
        "torch.set_default_device('cuda')",
    ),
}
CHANGED_BY_WORKERS = {
    "a default that it fills": (
        "def note(row=0, rows=[]):\n    rows.append(row)\n    return len(rows)",
        "rows.append(row)",
    ),
    "a global that it counts": (
        "def note(row=0):\n    global OTHER\n    OTHER += 1\n    return OTHER",
        "OTHER += 1",
    ),
    "a number for what is new": (
        "def note(row=0, rows={}):\n    rows[row] = len(rows)\n    return rows[row]",
        "rows[row] = len(rows)",
    ),
    "a default that keeps what it draws": (
        "def note(row=0, rows={}):\n    if row not in rows:\n        rows[row] = torch.rand(1)\n    return rows[row]",
        "rows[row] = torch.rand(1)",
    ),
    "the result that was drawn": (
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef note(row=0):\n    return torch.rand(1)",
        "torch.rand(1)",
    ),
    "the next of an iterator": (
        "import itertools\nCOUNT = itertools.count()\ndef note(row=0):\n    return next(COUNT)",
        "next(COUNT)",
    ),
    "the next of an iterator that is kept as a result": (
        "from functools import cache\nCOUNT = iter(range(9))\n@cache\ndef note(row=0):\n    return next(COUNT)",
        "next(COUNT)",
    ),
    "a count of the results": (
        "import functools\n@functools.cache\ndef note(row=0):\n    CACHE.append(row)\n    return len(CACHE)",
        "CACHE.append(row)",
    ),
}
BOX = "class Box:\n    n = 0\n    table = None\nBOX = Box()\n"
CHANGED_BY_WORKERS |= {
    what: (f"{BOX}def note(row=0):\n    {statement}\n    return BOX.n", statement.partition("; ")[0])
    for what, statement in {
        "an attribute that is counted": "BOX.n = BOX.n + 1",
        "an attribute that is set": "BOX.n = 3",
        "an attribute that is set by its name": "setattr(BOX, 'n', 3)",
        "an attribute of a class that is set by its name": "setattr(Box, 'n', 3)",
        "an attribute that is set among others": "BOX.n, other = 3, 4",
        "an attribute that is set in a row": "other = [BOX.n] = [3]",
        "an attribute that is added to": "BOX.n += 1",
        "an attribute with its type": "BOX.n: int = row",
        "an attribute that is taken away": "del BOX.n",
        "an attribute that is taken away by its name": "delattr(BOX, 'n')",
        "the attribute of a loop": "for BOX.n in range(row): pass",
        "the attribute of a block": "with open('f') as BOX.n: pass",
        "what is called on it": "BOX.grow()",
        "a global in an expression": "global OTHER; print(OTHER := OTHER + 1)",
        "the last of an item": "TABLE['last'] = row",
        "another name that is added to": "rows = CACHE; rows.append(row)",
        "what is imported that adds": "from heapq import heappush as push; push(CACHE, row)",
        "what is imported": "TABLE.merge(row)",
        "an item beside how many there are": "TABLE[row] = 1; print(len(TABLE))",
        "an item of how many there are": "count = len(TABLE); TABLE[row] = count",
    }.items()
}
CHANGED_BY_WORKERS["what is imported that adds"] = (
    CHANGED_BY_WORKERS["what is imported that adds"][0],
    "push(CACHE, row)",
)
CHANGED_BY_WORKERS["a global in an expression"] = (
    CHANGED_BY_WORKERS["a global in an expression"][0],
    "OTHER := OTHER + 1",
)
CHANGED_BY_WORKERS["an item of how many there are"] = (
    CHANGED_BY_WORKERS["an item of how many there are"][0],
    "TABLE[row] = count",
)
CHANGED_BY_WORKERS["a global that is what the first call was handed"] = (
    "FIRST = None\ndef note(row=0):\n    global FIRST\n    if FIRST is None:\n        FIRST = row\n    return FIRST",
    "FIRST = row",
)
CHANGED_BY_WORKERS["an attribute that is what the first call was handed"] = (
    f"{BOX}def note(row=0):\n    if BOX.table is None:\n        BOX.table = load(row)\n    return BOX.table",
    "BOX.table = load(row)",
)
CHANGED_BY_WORKERS["an item that is what the first call was handed"] = (
    "def note(row=0):\n    TABLE.setdefault('first', row)\n    return TABLE['first']",
    "TABLE.setdefault('first', row)",
)
CHANGED_BY_WORKERS["a list that a function adds to"] = (
    "def add(rows, row):\n    rows.append(row)\ndef note(row=0):\n    add(CACHE, row)\n    return len(CACHE)",
    "add(CACHE, row)",
)
CHANGED_BY_WORKERS |= {
    "an item of a default": (
        "def note(row=0, rows={}):\n    if row not in rows:\n        rows[row] = row + 1\n    return rows[row]",
        "rows[row] = row + 1",
    ),
    "an item of a default where there is none": (
        "def note(row=0, rows={}):\n    return rows.setdefault(row, row + 1)",
        "rows.setdefault(row, row + 1)",
    ),
    "an attribute where there is none": (
        f"{BOX}def note(row=0):\n    if BOX.table is None:\n        BOX.table = load(BOX.n)\n    return BOX.table",
        "BOX.table = load(BOX.n)",
    ),
    "an attribute that it did not have": (
        f"{BOX}def note(row=0):\n    if not hasattr(BOX, 'rows'):\n        BOX.rows: list = [1]\n    return BOX.rows",
        "BOX.rows: list = [1]",
    ),
    "an item by its name where there is none": (
        "def note(row=0):\n    if 'rows' not in TABLE:\n        TABLE['rows'] = load(1)\n    return TABLE['rows']",
        "TABLE['rows'] = load(1)",
    ),
    "what is handed on to what is not seen": ("def note(row=0):\n    return unseen(CACHE)", "unseen(CACHE)"),
    "what is handed on by what it is handed to": (
        "def add(rows):\n    unseen(rows)\ndef note(row=0):\n    add(CACHE)\n    return 1",
        "add(CACHE)",
    ),
    "another name that is handed on": ("def note(row=0):\n    rows = CACHE\n    return rows", "rows = CACHE"),
    "another name that an item of is changed": (
        "def note(row=0):\n    rows = CACHE\n    rows[0].append(1)\n    return 1",
        "rows = CACHE",
    ),
    "what is handed to one of several parameters that is changed": (
        "def add(row, rows):\n    rows[row] = 1\ndef note(row=0):\n    add(row, rows=CACHE)\n    return 1",
        "add(row, rows=CACHE)",
    ),
}
MADE_ONCE = "MADE = None\ndef note(row=0):\n    global MADE\n    if MADE is None:\n        ⟨line⟩\n    return MADE[row]"
FILLED = "FILLED = {}\ndef note(row=0):\n    if row not in FILLED:\n        ⟨line⟩\n    return FILLED[row]"
MADE_ALIKE = {
    "what is made of constants": MADE_ONCE.replace("⟨line⟩", "MADE = load('rows')"),
    "what is made of the top level": MADE_ONCE.replace("⟨line⟩", "MADE = load(OTHER)"),
    "what is made of a key": FILLED.replace("⟨line⟩", "FILLED[row] = load(row, OTHER)"),
    "the result": "from functools import cache\n@cache\ndef note(row=0):\n    return row + 1",
}
IN_OTHER_SPELLINGS = (
    (MADE_ONCE, "what is made of what it is handed", "MADE = load(row)"),
    (MADE_ONCE, "what is made of itself", "MADE = load(MADE)"),
    (MADE_ONCE, "what is made with another value before", "MADE = 1\n        MADE = 2"),
    (MADE_ONCE, "what is made where it looks", "MADE = load(1)\n        return -1"),
    (MADE_ONCE, "what is made of what is drawn", "MADE = torch.rand(8)"),
    (FILLED, "what is filled by itself", "FILLED[row] = len(FILLED)"),
    (FILLED, "what is filled by another key", "FILLED[0] = load(row)"),
    (FILLED, "what is filled and looked at", "FILLED[row] = 1\n    print(len(FILLED))"),
    (FILLED, "what is filled where it looks", "FILLED[row] = 1\n        return -1"),
)
CHANGED_BY_WORKERS |= {
    name: (around.replace("⟨line⟩", lines), lines.partition("\n")[0]) for around, name, lines in IN_OTHER_SPELLINGS
}
CHANGED_BY_WORKERS |= {
    "what is filled by a key that is worked out": (
        FILLED.replace("    if", "    row = row % 4\n    if").replace("⟨line⟩", "FILLED[row] = row"),
        "FILLED[row] = row",
    ),
    "what is filled by less than it is made of": (
        FILLED.replace("    if", "    key = row % 4\n    if")
        .replace("row not", "key not")
        .replace("⟨line⟩", "FILLED[key] = row"),
        "FILLED[key] = row",
    ),
    "what is filled and looked at before": (
        FILLED.replace("    if", "    known = row in FILLED\n    if").replace("⟨line⟩", "FILLED[row] = row"),
        "FILLED[row] = row",
    ),
    "what is made and looked at before": (
        MADE_ONCE.replace("    if", "    known = MADE\n    if").replace("⟨line⟩", "MADE = load(1)"),
        "MADE = load(1)",
    ),
    "what is made and looked at elsewhere": (
        MADE_ONCE.replace("def note", "def known():\n    return MADE is None\ndef note")
        .replace("return MADE", "known()\n    return MADE")
        .replace("⟨line⟩", "MADE = load(1)"),
        "MADE = load(1)",
    ),
    "what is made in two ways": (
        MADE_ONCE.replace("    return", "    if MADE is None:\n        MADE = 2\n    return").replace(
            "⟨line⟩", "MADE = 1"
        ),
        "MADE = 1",
    ),
}
LOOKED_AT = {
    "what a function is handed that looks": (
        "def look(rows, row):\n    found = rows.copy(); found[row] = 1\n    return rows[row]\n"
        "def note(row=0):\n    return look(CACHE, row)"
    ),
    "what has another name": "def note(row=0):\n    rows = CACHE\n    return rows[row:]",
    "what has another name and is gone through": (
        "def note(row=0):\n    rows = CACHE\n    return len(rows) + sum(rows) + [one for one in rows][row]"
    ),
    "what is handed to a library": "import math\ndef note(row=0):\n    return math.fsum(CACHE)",
    "the next of an iterator of its own": "def note(row=0):\n    rows = iter([row])\n    return next(rows)",
    "what is drawn each time": "def note(row=0):\n    return torch.rand(1)",
}
READ = "import json\nfrom pathlib import Path\nFILE = Path('c.json')\nSCALE = "
WRITES = "open('c.json', 'w')"
LEFT_BEHIND |= {
    "a file": ({"above": f"{READ}json.load(open('c.json'))", "before": f"json.dump(1, {WRITES})"}, WRITES),
    "a file by its name": (
        {"above": f"{READ}json.loads(FILE.read_text())", "before": "FILE.write_text('2')"},
        "FILE.write_text('2')",
    ),
    "a file that a function reads": (
        {"above": f"def load():\n    with open('c.json') as file:\n        return int(file.read())\n{READ}load()"}
        | {"before": "Path('c.json').write_text('2')"},
        "Path('c.json').write_text('2')",
    ),
    "a file that is open": (
        {"above": "with open('c.json') as file:\n    SCALE = int(file.read())", "guarded": "open('c.json', mode='a')"},
        "open('c.json', mode='a')",
    ),
    "a file that a function is told to write": (
        {"above": f"def save(path):\n    open(path, 'w')\n{READ}int(open('c.json').read())"}
        | {"before": "save('c.json')"},
        "save('c.json')",
    ),
    "a file that another is put in the place of": (
        {"above": f"import os\n{READ}load('c.json')", "before": "os.replace('d.json', 'c.json')"},
        "os.replace('d.json', 'c.json')",
    ),
    "numbers that are saved": (
        {"above": "import numpy as np\nSCALE = np.load('a.npy')", "before": "np.save('a.npy', 1)"},
        "np.save('a.npy', 1)",
    ),
    "a file whose content is kept": (
        {"above": f"from functools import cache\n@cache\ndef told():\n    return load('c.json')\n{READ}1"}
        | {"inside": "told()", "before": WRITES},
        WRITES,
    ),
}
ROOT = "from pathlib import Path\nROOT = Path(__file__).parent\nFILE = ROOT / 'c.json'\nimport json\n"
READ_OF_ROOT = f"{ROOT}SCALE = json.loads((ROOT / 'c.json').read_text())"
WRITTEN = {
    "by keywords": ("open(file='c.json', mode='w')", ""),
    "in a mode that is not seen": ("open('c.json', mode())", ""),
    "by flags": ("os.open('c.json', os.O_WRONLY | os.O_CREAT)", "import os"),
    "by the keyword of a library": ("torch.save(1, f='c.json')", ""),
    "a path that is worked out": ("(ROOT / 'c.json').write_text('2')", ROOT),
    "a path that is opened": ("(ROOT / 'c.json').open('w')", ROOT),
    "a path that is opened by a keyword": ("FILE.open(mode='w')", ROOT),
    "a path in another place": ("open(unseen() / 'c.json', 'w')", ""),
    "a path that is joined": ("open(os.path.join(unseen(), 'c.json'), 'w')", "import os"),
    "a path in a text": ("open(f'{unseen()}/c.json', 'w')", ""),
    "a path that another is moved to": ("Path('d.json').replace('c.json')", ROOT),
    "a path that is moved away": ("os.rename('c.json', 'd.json')", "import os"),
    "a path that is moved by keywords": ("o.replace(src='d.json', dst='c.json')", "import os as o"),
    "a copy by another name": ("cp('d.json', 'c.json')", "from shutil import copyfile as cp"),
    "a module by another name": ("o.remove('c.json')", "import os as o"),
    "what is saved by another name": ("keep(1, 'c.json')", "from torch import save as keep"),
    "what is opened by another name": ("start('c.json', 'w')", "from io import open as start"),
    "a file of a library": ("File('c.json', 'a')", "from h5py import File"),
    "a path of which too little is seen": ("open(f'{unseen()}.json', 'w')", ""),
    "a path that is not seen": ("torch.save(1, unseen())", ""),
    "a folder that is filled": ("archive.extractall('./')", ""),
    "the folder that is filled where none is named": ("archive.extractall()", ""),
    "a folder that is not seen": ("shutil.unpack_archive('a.zip', unseen())", "import shutil"),
    "what is loaded from elsewhere": ("get('http://a', 'c.json')", "from urllib.request import urlretrieve as get"),
    "another program": ("run(['make'])", "from subprocess import run"),
    "a file that a function saves": ("save(1, unseen())", "def save(what, path):\n    open(path, 'w')"),
}
NOT_WRITTEN = {
    "by keywords, to be read": ("open(file='c.json', mode='r')", ""),
    "another file by keywords": ("open(file='d.json', mode='w')", ""),
    "by flags, to be read": ("os.open('c.json', os.O_RDONLY)", "import os"),
    "another file by the keyword of a library": ("torch.save('c.json', f='d.json')", ""),
    "another path that is worked out": ("(ROOT / 'd.json').write_text('2')", ROOT),
    "a path that is opened to be read": ("(ROOT / 'c.json').open(); FILE.open('rb')", ROOT),
    "a path that ends otherwise": ("open(f'{unseen()}.txt', 'w')", ""),
    "a file that another function keeps": ("keep(unseen(), 'd.json')", "def keep(what, path):\n    open(path, 'w')"),
    "a function of a library that starts nothing": ("subprocess.list2cmdline([])", "import subprocess"),
    "an open file": ("with open('d.json', 'w') as file: json.dump(1, file)", "import json"),
    "a path that is made": ("print(os.path.join('c.json', 'd'), Path('c.json'))", f"import os\n{ROOT}"),
    "a part of a text": ("'c.json'.replace('c.json', 'd.json')", ""),
    "another copy by another name": ("cp('c.json', 'd.json')", "from shutil import copyfile as cp"),
    "another function by the same name": ("cp('d.json', 'c.json')", "from math import comb as cp"),
    "a picture that is opened": ("Image.open(FILE)", f"from PIL import Image\n{ROOT}"),
}
AT_IMPORT = {
    "a file that is written anew": ({"above": WRITES, "before": "open('c.json', 'a')"}, "open('c.json', 'a')"),
    "a log that is opened anew": ({"above": "LOG = open('log', 'w')", "before": "LOG.write('1')"}, "open('log', 'w')"),
    "a file that worker code writes": (
        {"above": f"{READ}load('c.json')", "inside": WRITES},
        WRITES,
    ),
}
NOT_AT_IMPORT = {
    "a file that is written alone": {"above": WRITES, "before": "open('c.json')"},
    "another file": {"above": WRITES, "before": "open('d.json', 'w')", "inside": "open('e.json', 'w')"},
    "a file that is kept to be read": {"above": "TEXT = open('log')", "before": "TEXT.read()"},
    "a log of the program alone": {"guarded": "LOG = open('log', 'w'); LOG.write('1')"},
}
LEFT_BEHIND |= {
    "what worker code asks of its module": ({"inside": "print(__name__ == '__main__')"}, "__name__ == '__main__'"),
    "what is chosen by the name of the module": (
        {"above": "SCALE = 2 if __name__ != '__mp_main__' else 1"},
        "__name__ != '__mp_main__'",
    ),
    "the name of the module": (
        {"above": "NAME = __name__", "inside": "print(NAME == '__main__')"},
        "NAME = __name__",
    ),
    "what the main module has": (
        {"above": "import sys", "inside": "print(sys.modules['__main__'].OTHER)"},
        "sys.modules['__main__']",
    ),
    "the main module": ({"above": "import __main__", "inside": "print(__main__.OTHER)"}, "__main__"),
    "the process that imports it": (
        {"above": "from multiprocessing import current_process as process\nSCALE = len(process().name)"},
        "process()",
    ),
}
LEFT_BEHIND |= {
    "a global that has the name of an attribute of the class": (
        {"above": "kept = 1\nscale = [1]", "inside": "print(scale)", "before": "scale.append(2)"},
        "scale.append(2)",
    ),
}
COUNTER = "class Counter:\n    n = 0\n    def count(self):\n        self.n += 1\nCOUNTER = Counter()"
LEFT_BEHIND |= {
    "a method that is called as those that look": (
        {"above": COUNTER, "inside": "print(COUNTER.n)", "before": "COUNTER.count()"},
        "COUNTER.count()",
    ),
    "an attribute of the class that its objects set": (
        {"inside": "print(1)\n    def set(self):\n        self.__class__.scale += 2"},
        "self.__class__.scale += 2",
    ),
    "an attribute of the class by its type": (
        {"inside": "print(1)\n    def set(self):\n        type(self).scale = 2"},
        "type(self)",
    ),
    "the folder": ({"above": "import os\nSCALE = len(os.getcwd())", "before": "os.chdir('/')"}, "os.chdir('/')"),
    "the folder, by a path that a root stands in": (
        {"above": "import os\nROWS = 'rows'\nSCALE = len(open(f'{ROWS}/scale.txt').read())", "before": "os.chdir('/')"},
        "os.chdir('/')",
    ),
    "the folder, by a path that is put together": (
        {"above": "import os\nROWS = 'rows'\nSCALE = len(open(ROWS + '/scale.txt').read())", "before": "os.chdir('/')"},
        "os.chdir('/')",
    ),
    "what is in the folder": (
        {"above": "import os\nSCALE = len(os.listdir('.'))", "before": "os.chdir('/')"},
        "os.chdir('/')",
    ),
    "a path in the folder": (
        {
            "above": "import os\nfrom pathlib import Path\nSCALE = str(Path('rows').resolve())",
            "before": "os.chdir('/')",
        },
        "os.chdir('/')",
    ),
    "the folder of a path": (
        {"above": "import os\nSCALE = os.path.abspath('rows')", "before": "os.chdir('/')"},
        "os.chdir('/')",
    ),
    "a count of the samples that were read": ({"inside": "global SCALE; SCALE += 1"}, "SCALE += 1"),
    "a list that worker code adds to": ({"inside": "CACHE.append(1)"}, "CACHE.append(1)"),
    "an object that worker code calls": ({"above": WORDS, "inside": "words(index)"}, "words(index)"),
    "a count of the samples that an heir read": (
        {"inside": "global SCALE; SCALE += 1", "before": "class More(Numbers): pass\n    More()[0]"},
        "SCALE += 1",
    ),
}
NOT_LEFT_BEHIND = {
    "another name among all": {"before": "globals()['OTHER'] = 2"},
    "other names at once": {"before": "globals().update(OTHER=2)"},
    "all names that are looked at": {"before": "print(globals()['SCALE'])"},
    "a method of the project that looks": {
        "above": COUNTER.replace("self.n += 1", "return self.n"),
        "inside": "print(COUNTER.n)",
        "before": "COUNTER.count()",
    },
    "an attribute of an object": {"inside": "print(1)\n    def set(self):\n        self.scale = type(self).scale + 1"},
    "the folder of the file": {
        "above": "import os\nSCALE = os.path.abspath(__file__)",
        "before": "os.chdir('/')",
    },
    "another folder": {"above": "import os\nSCALE = os.getcwd()", "before": "os.mkdir('rows')"},
    "a file by its whole path": {"above": "SCALE = len(open(f'/rows/{1}.txt').read())", "before": "os.chdir('/')"},
    "a folder by its whole path": {"above": "import os\nSCALE = os.listdir('/rows')", "before": "os.chdir('/')"},
    "an object that is called and stays the same": {
        "above": "class Scale:\n    by = 2\n    def __call__(self, x):\n        return x * self.by\nscale = Scale()",
        "inside": "scale(index)",
        "before": "scale(1)",
    },
    "another object that is called": {
        "above": f"{WORDS}others = Words()\n",
        "inside": "words.known.get(1)",
        "before": "others(1)",
    },
    "the name of a log": {"above": "import logging\nLOG = logging.getLogger(__name__)", "inside": "LOG.info(__name__)"},
    "another module": {"above": "import sys", "inside": "print(sys.modules['shared'].offset)"},
    "the process that runs it": {
        "above": "import multiprocessing",
        "inside": "print(multiprocessing.current_process().name)",
    },
    "what no worker reads of the name": {"above": "OTHER = __name__ == '__main__'"},
    "another file": {"above": f"{READ}json.load(open('c.json'))", "before": "open('d.json', 'w')"},
    "a file of which the last part of its path alone is the same": {
        "above": f"{READ}json.load(open('c.json'))",
        "before": "(unseen() / 'more' / 'c.json').write_text('2')",
    },
    "a file that is read again": {"above": f"{READ}json.load(open('c.json'))", "before": "json.load(open('c.json'))"},
    "a file that is written at import": {"above": f"{WRITES}\n{READ}json.load(open('c.json'))"},
    "a file that no worker reads": {"above": f"{READ}1\nMORE = json.load(open('c.json'))", "before": WRITES},
    "a file that workers read each time": {
        "above": f"def told():\n    return load('c.json')\n{READ}1",
        "inside": "told()",
        "before": WRITES,
    },
    "a text that a list has no more": {
        "above": f"{READ}load('c.json')",
        "before": "names = []; names.remove('c.json')",
    },
    "a pattern that is matched": {"before": "TABLE.match('a').group(1); shared.TABLE.sub('b', 'c')"},
    "a method that looks": {"before": "TABLE.get('a'); CACHE.copy(); shared.TABLE.items()"},
    "a table of an object": {"inside": "pass\n    def load(self):\n        self.rows[1] = 2"},
    "a list of an object": {"inside": "pass\n    def load(self):\n        self.rows.append(1)"},
    "a function of a library that is called as methods of lists are": {
        "inside": "torch.sort(torch.zeros(3))",
        "before": "torch.sort(torch.ones(3)); print(torch.clear(1))",
    },
    "a module that is imported again": {"above": "import math", "guarded": "import math"},
    "a local of worker code": {"guarded": "data = 1", "inside": "data = index; print(data)"},
    "what makes the program faster": {"before": "torch.set_float32_matmul_precision('high')"},
    "what is set for a block": {"before": "with torch.enable_grad():\n        pass"},
    "a result that somebody takes": {"before": "found = torch.set_result(1)"},
    "what is in a set": {"above": "SCALE = {'a', 'b'}\nCACHE = sorted({'a', 'b'})"},
    "another variable of the environment": {
        "above": "import os\nSCALE = os.environ.get('MODE', 1)\nOTHER = os.environ['PATH']",
        "before": "os.environ['SIZE'] = '2'; print(os.environ['MODE'])",
    },
    "a variable that is set at import": {"above": "import os\nos.environ['MODE'] = '2'\nSCALE = os.environ['MODE']"},
    "a default that is a number": {"above": "def fill(n=SCALE):\n    n += 1; return n", "before": "fill()"},
    "a default that a copy stands for": {
        "above": "def fill(rows=CACHE):\n    rows = list(rows); rows.append(1)",
        "before": "fill()",
    },
    "a default that is looked at": {"above": "def fill(rows=CACHE, n=1):\n    n += 1; print(len(rows), n)"},
    "what is looked at": {
        "above": "import json, math",
        "before": "print(CACHE, len(CACHE)); json.dumps(TABLE); math.prod(CACHE); sorted(shared.TABLE)",
    },
    "a number that is handed on": {"before": "unknown(SCALE, shared.offset); scale = SCALE"},
    "a list that no worker reads": {"above": "MORE = []", "before": "unknown(MORE); more = MORE"},
    "what a library is told that concerns no sample": {
        "above": "import wandb, warnings, logging",
        "before": "wandb.init(); warnings.filterwarnings('ignore'); logging.disable(1); torch.cuda.set_device(0)",
    },
    "a method of a local": {"before": "CACHE = []; CACHE.freeze()"},
    "a function of a module": {"before": "shared.report(); torch.manual_seed(1)"},
    "an order that is drawn from a seed at import": {
        "above": "import random\nrandom.seed(0)\nrandom.shuffle(CACHE)\nSCALE = random.random()"
    },
    "what is drawn in a function": {"above": "import random\ndef draw():\n    order = [1]\n    random.shuffle(order)"},
    "what is drawn and no worker reads": {"above": "import time\nSTART = time.time()"},
    "a class that is looked up": {"above": "import importlib", "before": "importlib.import_module('shared')"},
    "nothing": {},
    "at import": {"above": "SCALE = 2\nCACHE.append(1)\nshared.offset = 2\ntorch.set_default_dtype(torch.float64)"},
    "what no worker reads": {"before": "global OTHER; OTHER = 2", "guarded": "unknown = 1"},
    "a local of the same name": {"before": "SCALE, CACHE = 2, []; CACHE.append(1)"},
    "a parameter of the same name": {"above": "def fill(CACHE):\n    CACHE.append(1)", "before": "fill([])"},
    "what travels with the data": {"before": "data = Numbers(); data.kept = 2; data.scale = 3"},
    "what is only read": {"before": "global SCALE; print(SCALE, shared.offset, TABLE['a'])"},
}


@pytest.mark.parametrize(("parts", "what"), LEFT_BEHIND.values(), ids=LEFT_BEHIND.keys())
def test_what_workers_read_is_changed_after_import(parts: dict[str, str], what: str) -> None:
    assert changed(**parts) == what


@pytest.mark.parametrize("parts", NOT_LEFT_BEHIND.values(), ids=NOT_LEFT_BEHIND.keys())
def test_what_a_new_process_finds_as_well_is_not_left_behind(parts: dict[str, str]) -> None:
    assert changed(**parts) == ""


@pytest.mark.parametrize(("above", "what"), CHANGED_BY_WORKERS.values(), ids=CHANGED_BY_WORKERS.keys())
def test_what_worker_code_changes_is_left_behind_whoever_ran_it_before(above: str, what: str) -> None:
    assert changed(above=above, inside="note(index)") == what
    assert changed(above=above, inside="note(index)", before="note(1)") == what


@pytest.mark.parametrize("above", (MADE_ALIKE | LOOKED_AT).values(), ids=(MADE_ALIKE | LOOKED_AT).keys())
def test_what_each_process_makes_alike_or_looks_at_is_not_left_behind(above: str) -> None:
    assert changed(above=above, inside="note(index)") == ""
    assert changed(above=above, inside="note(index)", before="note(1)") == ""


@pytest.mark.parametrize(("write", "above"), WRITTEN.values(), ids=WRITTEN.keys())
@pytest.mark.parametrize("reads", [f"{READ}load(open('c.json'))", READ_OF_ROOT])
def test_a_file_is_written_that_modules_read(write: str, above: str, reads: str) -> None:
    above = f"{above}\n{reads}"
    assert changed(above=above, before=write) == write
    assert read_anew(above=above, before=write) == write
    assert changed(above=f"{above}\n{write}") == ""


@pytest.mark.parametrize(("write", "above"), NOT_WRITTEN.values(), ids=NOT_WRITTEN.keys())
@pytest.mark.parametrize("reads", [f"{READ}load(open('c.json'))", READ_OF_ROOT])
def test_another_file_is_written_than_modules_read(write: str, above: str, reads: str) -> None:
    assert changed(above=f"{above}\n{reads}", before=write) == ""
    assert read_anew(above=f"{above}\n{reads}", before=write) == ""


@pytest.mark.parametrize(("parts", "what"), AT_IMPORT.values(), ids=AT_IMPORT.keys())
def test_what_an_import_writes_is_lost_or_written_over(parts: dict[str, str], what: str) -> None:
    assert changed(**parts) == what
    assert read_anew(**parts) == what


@pytest.mark.parametrize("parts", NOT_AT_IMPORT.values(), ids=NOT_AT_IMPORT.keys())
def test_what_an_import_writes_is_the_same_each_time(parts: dict[str, str]) -> None:
    assert changed(**parts) == ""
    assert read_anew(**parts) == ""


def test_the_first_of_several_changes_is_named() -> None:
    assert changed(before="CACHE.append(1); CACHE.append(2)") == "CACHE.append(1)"


def test_nothing_is_left_behind_where_nothing_was_seen_to_run_in_workers() -> None:
    loader = loader_of(
        """
        import torch
        from torch.utils.data import DataLoader
        def main(rows):
            torch.set_default_dtype(torch.float64)
            for batch in DataLoader(rows, num_workers=2):
                print(batch)
        """
    )
    assert loader.payload.code.left_behind() is None


READ_ANEW = {
    "the environment": (
        {"above": "import os", "inside": "print(os.environ['MODE'])", "before": "os.environ['MODE'] = '2'"},
        "os.environ['MODE'] = '2'",
    ),
    "a variable of it that is not seen": (
        {"above": "import os", "inside": "print(os.getenv('MODE'))", "before": "os.environ.update(unseen())"},
        "os.environ.update(unseen())",
    ),
    "what a module reads of it": (
        {"above": "import os\nSCALE = int(os.environ.get('MODE', 1))", "before": "os.environ['MODE'] = '2'"},
        "os.environ['MODE'] = '2'",
    ),
    "a file that a module reads": ({"above": f"{READ}json.load(open('c.json'))", "before": WRITES}, WRITES),
}
NOT_READ_ANEW = {
    "another variable": {
        "above": "import os",
        "inside": "print(os.environ['MODE'])",
        "before": "os.environ['SIZE'] = '2'",
    },
    "a variable that is set at import": {
        "above": "import os\nos.environ['MODE'] = '2'",
        "inside": "print(os.environ['MODE'])",
    },
    "a variable that the program alone reads": {"above": "import os", "before": "os.environ['MODE'] = '2'"},
    "a global": {"before": "global SCALE; SCALE = 2"},
}


READS_MODE = "import os\nSCALE = os.environ.get('MODE', 1)"
SETS_MODE = {
    "by another name of the module": ("o.environ['MODE'] = '2'", "import os as o"),
    "by another name of it": ("env['MODE'] = '2'", "from os import environ as env"),
    "by another name that it is given": ("env['MODE'] = '2'", "import os\nenv = os.environ"),
    "by a method by another name": ("env.update(MODE='2')", "import os as o\nenv = o.environ"),
    "by a function by another name": ("put('MODE', '2')", "from os import putenv as put"),
    "taken away": ("del os.environ['MODE']", "import os"),
    "taken away by another name": ("del env['MODE']", "from os import environ as env"),
    "taken away, whichever it is": ("os.environ.popitem()", "import os"),
    "by what is laid over": ("os.environ |= {'MODE': '2'}", "import os"),
    "among others": ("os.environ['MODE'], other = '2', 3", "import os"),
    "by a loop": ("for os.environ['MODE'] in 'ab': pass", "import os"),
    "by its method": ("os.environ.__setitem__('MODE', '2')", "import os"),
    "by a file": ("load('.env')", "from dotenv import load_dotenv as load"),
}
SETS_ANOTHER = {
    "by another name of the module": ("o.environ['SIZE'] = '2'", "import os as o"),
    "by another name of it": ("env['SIZE'] = '2'", "from os import environ as env"),
    "by another name that it is given": ("env['SIZE'] = '2'", "import os\nenv = os.environ"),
    "of a dictionary": ("environ['MODE'] = '2'", "environ = {}"),
    "of a copy": ("env['MODE'] = '2'", "import os\nenv = dict(os.environ)"),
    "of another module": ("environ['MODE'] = '2'", "from settings import environ"),
    "taken away": ("del os.environ['SIZE']", "import os"),
    "by another name alone": ("env = os.environ", "import os"),
}


@pytest.mark.parametrize(("change", "above"), SETS_MODE.values(), ids=SETS_MODE.keys())
def test_the_environment_is_changed_whatever_it_is_called(change: str, above: str) -> None:
    what = change.partition(":")[0] if change.startswith("for") else change
    assert changed(above=f"{READS_MODE}\n{above}", before=change).startswith(what)
    assert read_anew(above=f"{READS_MODE}\n{above}", before=change).startswith(what)
    asks = "import os as system; print(system.environ['MODE'])"
    assert read_anew(above=above, inside=asks, before=change).startswith(what)


@pytest.mark.parametrize(("change", "above"), SETS_ANOTHER.values(), ids=SETS_ANOTHER.keys())
def test_another_variable_is_changed(change: str, above: str) -> None:
    assert changed(above=f"{READS_MODE}\n{above}", before=change) == ""
    assert read_anew(above=f"{READS_MODE}\n{above}", before=change) == ""


def read_anew(**parts: str) -> str:
    text = PROGRAM
    for part in PARTS:
        text = text.replace(f"⟨{part}⟩", parts.get(part, "" if part == "above" else "pass"))
    found = loader_of({"main.py": text, "shared.py": SHARED}).payload.code.read_anew()
    return found.what if found is not None else ""


@pytest.mark.parametrize(("parts", "what"), READ_ANEW.values(), ids=READ_ANEW.keys())
def test_what_each_new_worker_reads_is_changed(parts: dict[str, str], what: str) -> None:
    assert read_anew(**parts) == what


@pytest.mark.parametrize("parts", NOT_READ_ANEW.values(), ids=NOT_READ_ANEW.keys())
def test_what_each_new_worker_reads_stays_as_it_is(parts: dict[str, str]) -> None:
    assert read_anew(**parts) == ""


SET = "os.environ['MODE'] = '2'"
READ = "SCALE = int(os.environ.get('MODE', 1))"


def set_after_read(**parts: str) -> str:
    text = PROGRAM
    for part in PARTS:
        text = text.replace(f"⟨{part}⟩", parts.get(part, "" if part == "above" else "pass"))
    found = loader_of({"main.py": text, "shared.py": SHARED}).payload.code.set_after_read()
    return found.what if found is not None else ""


@pytest.mark.parametrize(
    ("above", "what"),
    [
        (f"import os\n{READ}\n{SET}", SET),
        (f"import os\nraw = os.environ.get('MODE', 1)\nSCALE = int(raw)\n{SET}", SET),
        (f"import os\n{READ}\nos.environ.update(unseen())", "os.environ.update(unseen())"),
        (f"import os\nSCALE = len(os.path.expandvars('$MODE/a'))\n{SET}", SET),
        (f"import os\nSCALE = len(os.path.expandvars('${{MODE}}/a'))\n{SET}", SET),
        (f"from os.path import expandvars as full\nimport os\nSCALE = len(full(ROOT))\n{SET}", SET),
        ("import os\nSCALE = len(os.path.expanduser('~'))\nos.environ['HOME'] = 'b'", "os.environ['HOME'] = 'b'"),
        (
            "import os, pathlib\nSCALE = len(str(pathlib.Path('~').expanduser()))\nos.environ.clear()",
            "os.environ.clear()",
        ),
        (f"import os\nSCALE = len(os.path.expandvars('$SIZE/a'))\n{SET}", ""),
        (f"import os\nSCALE = len(os.path.expandvars('a/b'))\n{SET}", ""),
        (f"import os\nSCALE = len(os.path.expanduser('~'))\n{SET}", ""),
        (f"import os\n{SET}\nSCALE = len(os.path.expandvars('$MODE/a'))", ""),
        ("import sys\nSCALE = len(sys.argv)\nsys.argv = sys.argv[:1]", "sys.argv = sys.argv[:1]"),
        (f"import os\n{SET}\n{READ}", ""),
        (f"import os\n{READ}\n{SET.replace('MODE', 'SIZE')}", ""),
        (f"import os\n{READ.replace('SCALE', 'UNREAD')}\n{SET}", ""),
        (f"import os\nos.environ.setdefault('MODE', '1')\n{SET}", ""),
        ("import os\nSCALE = len(open('a').read())\nos.chdir('b')", ""),
        ("", ""),
    ],
)
def test_a_file_may_set_what_it_read_before(above: str, what: str) -> None:
    assert set_after_read(above=above, inside="print(os.sep)") == what


def test_what_is_set_under_the_guard_is_another_matter() -> None:
    assert set_after_read(above=f"import os\n{READ}", guarded=SET) == ""
