from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, met, traced

LOAD = "\ndef load(cfg):\n    return DataLoader(1, num_workers=cfg.INPUT.NUM_WORKERS)\n"

DEEP: Cases = {
    "an attribute two levels down": (
        """
        from easydict import EasyDict
        c = EasyDict()
        c.data = EasyDict()
        c.data.num_workers = ⟦4⟧
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"4"},
    ),
    "handed to a function afterwards": (
        """
        from ml_collections import ConfigDict
        def load(c):
            return DataLoader(1, num_workers=c.data.num_workers)
        c = ConfigDict()
        c.data = ConfigDict()
        c.data.num_workers = ⟦4⟧
        load(c)
        """,
        {"4"},
    ),
    "two names for one part": (
        """
        import ml_collections
        c = ml_collections.ConfigDict()
        c.data = data = ml_collections.ConfigDict()
        data.num_workers = ⟦4⟧
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"4"},
    ),
    "a name for a part": (
        """
        import ml_collections
        def base():
            c = ml_collections.ConfigDict()
            c.data = ml_collections.ConfigDict()
            c.data.num_workers = 4
            return c
        def get_config():
            c = base()
            data = c.data
            data.num_workers = ⟦2⟧
            return c
        DataLoader(1, num_workers=get_config().data.num_workers)
        """,
        {"2"},
    ),
    "a name that stands for another part by then": (
        """
        import ml_collections
        c = ml_collections.ConfigDict()
        c.data = part = ml_collections.ConfigDict()
        part.num_workers = ⟦4⟧
        c.model = part = ml_collections.ConfigDict()
        part.num_workers = 8
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"4"},
    ),
    "set under a condition": (
        """
        from easydict import EasyDict
        def load(c):
            return DataLoader(1, num_workers=c.data.num_workers)
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        if debug:
            c.data.num_workers = ⟦0⟧
        load(c)
        """,
        {"4", "0"},
    ),
    "set after it was handed over": (
        """
        from easydict import EasyDict
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        DataLoader(1, num_workers=c.data.num_workers)
        c.data.num_workers = 0
        """,
        {"4"},
    ),
    "splatted": (
        """
        from easydict import EasyDict
        def train(rank, data_loader_kwargs):
            return DataLoader(1, **data_loader_kwargs)
        def launch(c):
            train(rank=0, **c)
        c = EasyDict()
        c.data_loader_kwargs = EasyDict(pin_memory=True)
        c.data_loader_kwargs.num_workers = ⟦3⟧
        launch(c=c)
        """,
        {"3"},
    ),
    "a part that nobody sees": (
        """
        from easydict import EasyDict
        c = EasyDict()
        c.data = read()
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"open"},
    ),
    "a key of the right name in another part": (
        """
        from easydict import EasyDict
        c = EasyDict(data=EasyDict(), model=EasyDict(num_workers=4))
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"open"},
    ),
    "getattr with a default": (
        """
        from types import SimpleNamespace
        c = SimpleNamespace(batch_size=2)
        DataLoader(1, num_workers=getattr(c, 'num_workers', ⟦2⟧))
        """,
        {"2"},
    ),
}

HANDED: Cases = {
    "a function sets it": (
        """
        from easydict import EasyDict
        def tame(c):
            c.data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=4))
        tame(c)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0"},
    ),
    "a function sets it under a condition": (
        """
        from easydict import EasyDict
        def tame(c, args):
            if args.debug:
                c.data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        tame(c, read())
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0", "4"},
    ),
    "a function that leaves early": (
        """
        from easydict import EasyDict
        def tame(c, fast):
            if fast:
                return
            c.data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=4))
        tame(c, False)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0"},
    ),
    "called under a condition": (
        """
        from easydict import EasyDict
        def tame(c):
            c.data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        if debug:
            tame(c)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0", "4"},
    ),
    "only a part is handed over": (
        """
        from easydict import EasyDict
        def tame(data):
            data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=4))
        tame(c.data)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0"},
    ),
    "through a second function": (
        """
        from easydict import EasyDict
        def inner(c):
            c.data.num_workers = ⟦0⟧
        def outer(other, c):
            inner(c)
        c = EasyDict(data=EasyDict(num_workers=4))
        outer(1, c=c)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0"},
    ),
    "a function that calls itself": (
        """
        from easydict import EasyDict
        def tame(c, deep):
            if deep:
                tame(c, False)
            c.data.num_workers = ⟦0⟧
        c = EasyDict(data=EasyDict(num_workers=4))
        tame(c, True)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"0"},
    ),
    "a function that only reads it": (
        """
        from easydict import EasyDict
        def show(c):
            print(c.data.num_workers)
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        show(c)
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"4"},
    ),
    "a function that changes a copy of its own": (
        """
        from easydict import EasyDict
        def other(c):
            mine = c.copy()
            mine.num_workers = 0
            return mine
        c = EasyDict(num_workers=⟦4⟧)
        other(c)
        DataLoader(1, num_workers=c.num_workers)
        """,
        {"4"},
    ),
    "called after the loader was made": (
        """
        from easydict import EasyDict
        def tame(c):
            c.num_workers = 0
        c = EasyDict(num_workers=⟦4⟧)
        DataLoader(1, num_workers=c.num_workers)
        tame(c)
        """,
        {"4"},
    ),
    "parts of it in the function that the command line may replace": (
        """
        import argparse
        from easydict import EasyDict
        def update(c, args):
            if args.workers is not None:
                c.data.num_workers = args.workers
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int)
        c = EasyDict(data=EasyDict(num_workers=⟦4⟧))
        update(c, parser.parse_args())
        DataLoader(1, num_workers=c.data.num_workers)
        """,
        {"4", "open"},
    ),
}

CONVERTS = """
from argparse import Namespace
def convert(given):
    made = Namespace()
    for key, value in given.items():
        if isinstance(value, dict):
            new = convert(value)
        else:
            new = value
        setattr(made, key, new)
    return made
"""
HOLDER = """
        class Settings:
            def __init__(self, **kwargs):
                self.held = {}
                for key, value in kwargs.items():
                    self.held[key] = value
            def __getattr__(self, name):
                if name not in self.held:
                    raise AttributeError(name)
                return self.held[name]
            def put(self, key, value):
                self.held[key] = value
"""

CLASSES: Cases = {
    "munchify": (
        "from munch import munchify\nc = munchify({'data': {'n': ⟦4⟧}})\nDataLoader(1, num_workers=c.data.n)\n",
        {"4"},
    ),
    "Munch.fromDict": (
        "from munch import Munch\nc = Munch.fromDict({'data': {'n': ⟦4⟧}})\nDataLoader(1, num_workers=c.data.n)\n",
        {"4"},
    ),
    "ConfigBox": (
        "from box import ConfigBox\nc = ConfigBox({'data': {'n': ⟦4⟧}})\nDataLoader(1, num_workers=c.data.n)\n",
        {"4"},
    ),
    "MappingProxyType": (
        "from types import MappingProxyType\nc = MappingProxyType({'n': ⟦4⟧})\nDataLoader(1, num_workers=c['n'])\n",
        {"4"},
    ),
    "another library's munchify": (
        "from theirs import munchify\nc = munchify({'data': {'n': 4}})\nDataLoader(1, num_workers=c.data.n)\n",
        {"open"},
    ),
    "a key that a Munch lacks": (
        "from munch import munchify\nc = munchify({'data': {'n': 4}})\nDataLoader(1, num_workers=c.data.m)\n",
        {"open"},
    ),
    "a dictionary that is its own __dict__": (
        """
        class AttrDict(dict):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.__dict__ = self
        h = AttrDict({"num_workers": ⟦4⟧})
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "a dictionary that looks attributes up": (
        """
        class Settings(dict):
            def __getattr__(self, name):
                return self[name]
            def __setattr__(self, name, value):
                self[name] = value
        h = Settings(batch_size=2)
        h.num_workers = ⟦4⟧
        DataLoader(1, **h)
        """,
        {"4"},
    ),
    "a dictionary that sets its keys as any other does": (
        """
        class Plain(dict):
            def __init__(self, given):
                for key, value in given.items():
                    self[key] = value
            def __setitem__(self, key, value):
                super().__setitem__(key, value)
        DataLoader(1, num_workers=Plain({"num_workers": ⟦4⟧})["num_workers"])
        """,
        {"4"},
    ),
    "a dictionary that sets something else": (
        """
        class Positive(dict):
            def __init__(self, given):
                for key, value in given.items():
                    self[key] = value
            def __setitem__(self, key, value):
                super().__setitem__(key, max(0, value))
        DataLoader(1, num_workers=Positive({"num_workers": -2})["num_workers"])
        """,
        {"open"},
    ),
    "a dictionary that makes objects of itself of the dictionaries in it": (
        """
        class DotDict(dict):
            def __getattr__(*args):
                val = dict.get(*args)
                return DotDict(val) if type(val) is dict else val
            __setattr__ = dict.__setitem__
        h = DotDict({"train": {"num_workers": ⟦4⟧}})
        DataLoader(1, num_workers=h.train.num_workers)
        """,
        {"4"},
    ),
    "a dictionary that makes something else of what it finds": (
        """
        class DotDict(dict):
            def __getattr__(*args):
                val = dict.get(*args)
                val = val or 1
                return val
        h = DotDict({"num_workers": 4})
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object of its keywords, by a loop": (
        """
        class HParams:
            def __init__(self, **kwargs):
                for key, value in kwargs.items():
                    if type(value) == dict:
                        value = HParams(**value)
                    self[key] = value
            def __setitem__(self, key, value):
                setattr(self, key, value)
        h = HParams(**{"train": {"num_workers": ⟦4⟧}})
        DataLoader(1, num_workers=h.train.num_workers)
        """,
        {"4"},
    ),
    "an object of its keywords, by update": (
        """
        class Namespace:
            def __init__(self, **kwargs):
                self.__dict__.update(kwargs)
        h = Namespace(num_workers=⟦4⟧)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object that does more with its keywords": (
        """
        class Namespace:
            def __init__(self, **kwargs):
                self.__dict__.update(kwargs)
                self.num_workers = ⟦0⟧
        h = Namespace(num_workers=4)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"0"},
    ),
    "a function that makes a namespace of what a file holds": (
        {
            "main.py": f"{IMPORT}import yaml\n{CONVERTS}h = convert(yaml.safe_load(open('a.yaml')))\n"
            "DataLoader(1, num_workers=h.train.num_workers)\n",
            "a.yaml": "train:\n  num_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a function that makes a namespace of dictionaries": (
        CONVERTS + "h = convert({'train': {'num_workers': ⟦4⟧}})\nDataLoader(1, num_workers=h.train.num_workers)\n",
        {"4"},
    ),
    "a function that makes a namespace of dictionaries at once": (
        CONVERTS.replace("        if isinstance(value, dict):\n            new = convert(value)\n", "")
        .replace("        else:\n            new = value\n", "")
        .replace("new)", "convert(value) if isinstance(value, dict) else value)")
        + "h = convert({'train': {'num_workers': ⟦4⟧}})\nDataLoader(1, num_workers=h.train.num_workers)\n",
        {"4"},
    ),
    "a function that makes something else of a value": (
        CONVERTS.replace("new = value", "new = elsewhere(value)")
        + "h = convert({'num_workers': 4})\nDataLoader(1, num_workers=h.num_workers)\n",
        {"open"},
    ),
    "a function that adds to the namespace": (
        CONVERTS.replace("    return", "    made.num_workers = ⟦2⟧\n    return")
        + "h = convert({'num_workers': 4})\nDataLoader(1, num_workers=h.num_workers)\n",
        {"2"},
    ),
    "an object that keeps its keywords in a dictionary of its own": (
        HOLDER
        + """
        h = Settings(num_workers=⟦4⟧, weight=1)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object whose dictionary is what it is given": (
        """
        class Settings:
            def __init__(self, **kwargs):
                self.held = dict(kwargs)
            def __getattr__(self, name):
                return self.held.get(name)
        h = Settings(num_workers=⟦4⟧)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object whose dictionary gets what it is given": (
        """
        class Settings:
            def __init__(self, **kwargs):
                self.held = {}
                self.held.update(kwargs)
            def __getattr__(self, name):
                return self.held[name]
        h = Settings(num_workers=⟦4⟧)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object into whose dictionary another key is put": (
        HOLDER
        + """
        h = Settings(num_workers=⟦4⟧, weight=1)
        h.put('weight', 2)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object into whose dictionary the key is put": (
        HOLDER
        + """
        h = Settings(num_workers=4, weight=1)
        h.put('num_workers', 2)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object into whose dictionary some key is put": (
        HOLDER
        + """
        h = Settings(num_workers=4, weight=1)
        h.put(input(), 2)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object into whose dictionary the method of it puts by another name": (
        HOLDER
        + """
        h = Settings(num_workers=4, weight=1)
        write = h.put
        write('num_workers', 2)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object into whose dictionary others put something": (
        HOLDER
        + """
        h = Settings(num_workers=4, weight=1)
        h.held['num_workers'] = 2
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object whose dictionary others update": (
        HOLDER
        + """
        h = Settings(num_workers=4, weight=1)
        h.held.update(num_workers=2)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object whose dictionary others look at": (
        HOLDER
        + """
        h = Settings(num_workers=⟦4⟧, weight=1)
        print(h.held, h.held['weight'], h.held.keys())
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object beside one that changes a dictionary of that name": (
        HOLDER
        + """
        class Other:
            def __init__(self):
                self.held = {}
            def add(self, key):
                self.held[key] = 1
        h = Settings(num_workers=⟦4⟧, weight=1)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"4"},
    ),
    "an object that looks for something else in its dictionary": (
        HOLDER.replace("self.held[name]", "self.held[name.lower()]")
        + """
        h = Settings(num_workers=4)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object whose dictionary has more than it is given": (
        HOLDER.replace("self.held = {}", "self.held = {'num_workers': 0}")
        + """
        h = Settings()
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "an object whose dictionary gets something else": (
        HOLDER.replace("[key] = value\n            def __getattr__", "[key] = value or 1\n            def __getattr__")
        + """
        h = Settings(num_workers=0)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
    "a plain dictionary's subclass": (
        """
        class Registry(dict):
            def register(self, name):
                return name
        h = Registry(num_workers=4)
        DataLoader(1, num_workers=h.num_workers)
        """,
        {"open"},
    ),
}

YACS = """
from yacs.config import CfgNode as CN
_C = CN()
_C.INPUT = CN()
_C.INPUT.NUM_WORKERS = 8
_C.INPUT.BATCH_SIZE = 2
_C.SEED = 0
"""
MARKED = YACS.replace("= 8", "= ⟦8⟧")
FILES = IMPORT + "import argparse\nfrom config import _C\n" + LOAD
ARGUMENTS = "p = argparse.ArgumentParser()\np.add_argument('--cfg')\na = p.parse_args()\n"
WORKERS = "INPUT:\n  NUM_WORKERS: ⟦4⟧\n"

OUTSIDE = IMPORT + "import argparse\nfrom somewhere.config import get_cfg\n" + ARGUMENTS + "c = get_cfg()\n"
READ_OUTSIDE = "DataLoader(1, num_workers=c.INPUT.NUM_WORKERS)\n"

MERGED: Cases = {
    "an object of a library, a file by name": (
        {"main.py": f"{OUTSIDE}c.merge_from_file('configs/a.yaml')\n{READ_OUTSIDE}", "configs/a.yaml": WORKERS},
        {"4"},
    ),
    "an object of a library, a file by name and another one over it": (
        {
            "main.py": f"{OUTSIDE}c.merge_from_file('a.yaml')\nc.merge_from_file('b.yaml')\n{READ_OUTSIDE}",
            "a.yaml": WORKERS,
            "b.yaml": "INPUT:\n  SIZE: 4\n",
        },
        {"4"},
    ),
    "an object of a library, any file that can be given": (
        {
            "main.py": f"{OUTSIDE}if a.cfg:\n    c.merge_from_file(a.cfg)\nc.merge_from_list(a.opts)\n{READ_OUTSIDE}",
            "configs/a.yaml": WORKERS,
            "configs/b.yaml": "INPUT:\n  SIZE: 4\n",
        },
        {"4", "open"},
    ),
    "an object of a library that a function makes": (
        {
            "main.py": OUTSIDE.replace("c = get_cfg()\n", "")
            + "def setup(args):\n    cfg = get_cfg()\n    cfg.merge_from_file(args.cfg)\n    return cfg\nc = setup(a)\n"
            + READ_OUTSIDE,
            "a.yaml": WORKERS,
        },
        {"4", "open"},
    ),
    "an object of a library, into a part of which the project has set something": (
        {
            "main.py": OUTSIDE
            + "def add_more(cfg):\n    cfg.INPUT.CROP.SIZE = 2\nadd_more(c)\nc.merge_from_file('a.yaml')\n"
            + READ_OUTSIDE,
            "a.yaml": f"{WORKERS}  CROP:\n    TYPE: 1\n",
        },
        {"4"},
    ),
    "an object of a library, what the project has set where the file says nothing": (
        {
            "main.py": OUTSIDE
            + "def add_more(cfg):\n    cfg.INPUT.NUM_WORKERS = ⟦2⟧\nadd_more(c)\nc.merge_from_file('a.yaml')\n"
            + READ_OUTSIDE,
            "a.yaml": "INPUT:\n  SIZE: 4\n",
        },
        {"2"},
    ),
    "an object of a library, a value set after the merge": (
        {
            "main.py": f"{OUTSIDE}c.merge_from_file('a.yaml')\nc.INPUT.NUM_WORKERS = ⟦0⟧\n{READ_OUTSIDE}",
            "a.yaml": "INPUT:\n  NUM_WORKERS: 4\n",
        },
        {"0"},
    ),
    "an object of a library, another key": (
        {
            "main.py": f"{OUTSIDE}c.merge_from_file('configs/a.yaml')\n{READ_OUTSIDE.replace('INPUT', 'DATA')}",
            "configs/a.yaml": WORKERS.replace("⟦4⟧", "4"),
        },
        {"open"},
    ),
    "an object of a library, a splat of which only some keys are known": (
        {
            "main.py": f"{OUTSIDE}c.merge_from_file('a.yaml')\nDataLoader(1, **c.LOADER)\n",
            "a.yaml": "LOADER:\n  batch_size: 4\n",
        },
        {"open"},
    ),
    "an object of a library, a file of another program": (
        {
            "one/main.py": f"{OUTSIDE}c.merge_from_file(a.cfg)\n{READ_OUTSIDE}",
            "one/a.yaml": WORKERS,
            "two/b.yaml": "INPUT:\n  NUM_WORKERS: 8\n",
        },
        {"4", "open"},
    ),
    "an object of a library that no file is merged into": (
        {"main.py": OUTSIDE + READ_OUTSIDE, "configs/a.yaml": WORKERS.replace("⟦4⟧", "4")},
        {"open"},
    ),
    "the defaults": ({"config.py": MARKED, "main.py": FILES + "load(_C)"}, {"8"}),
    "a clone": ({"config.py": MARKED, "main.py": FILES + "c = _C.clone()\nload(c)"}, {"8"}),
    "a clone changed": (
        {"config.py": YACS, "main.py": FILES + "c = _C.clone()\nc.INPUT.NUM_WORKERS = ⟦0⟧\nload(c)"},
        {"0"},
    ),
    "a change of a clone does not reach the defaults": (
        {"config.py": MARKED, "main.py": FILES + "c = _C.clone()\nc.INPUT.NUM_WORKERS = 0\nload(_C)"},
        {"8"},
    ),
    "made of a dictionary": (
        {
            "config.py": "from yacs.config import CfgNode as CN\n_C = CN({'INPUT': {'NUM_WORKERS': ⟦8⟧}})\n",
            "main.py": FILES + "load(_C)",
        },
        {"8"},
    ),
    "a file by name": (
        {
            "config.py": YACS,
            "main.py": FILES + "c = _C.clone()\nc.merge_from_file('c.yaml')\nload(c)",
            "c.yaml": WORKERS,
        },
        {"4"},
    ),
    "a file by name that is opened and loaded": (
        {
            "config.py": YACS,
            "main.py": FILES
            + "c = _C.clone()\nwith open('c.yaml') as f:\n    other = c.load_cfg(f)\n"
            + "c.merge_from_other_cfg(other)\nload(c)",
            "c.yaml": WORKERS,
        },
        {"4"},
    ),
    "any file that can be given, opened wherever it is and loaded": (
        {
            "config.py": MARKED
            + "from yacs.config import CfgNode\nfrom iopath.common.file_io import PathManagerFactory\n"
            + "manager = PathManagerFactory.get()\ndef read(path):\n    with manager.open(path, 'r') as f:\n"
            + "        _C.merge_from_other_cfg(CfgNode.load_cfg(f))\n",
            "main.py": FILES + ARGUMENTS + "from config import read\nread(a.cfg)\nload(_C)",
            "configs/a.yaml": WORKERS,
            "configs/b.yaml": "SEED: 1\n",
        },
        {"8", "4", "open"},
    ),
    "text that is loaded": (
        {
            "config.py": MARKED,
            "main.py": FILES + "c = _C.clone()\nc.merge_from_other_cfg(c.load_cfg('SEED: 1'))\nload(c)",
        },
        {"8", "open"},
    ),
    "a file by name that does not set it": (
        {
            "config.py": MARKED,
            "main.py": FILES + "c = _C.clone()\nc.merge_from_file('c.yaml')\nload(c)",
            "c.yaml": "SEED: 1\n",
            "d.yaml": "INPUT:\n  NUM_WORKERS: 4\n  PREFETCH: 1\n",
        },
        {"8"},
    ),
    "a file by name that is not there": (
        {"config.py": MARKED, "main.py": FILES + "c = _C.clone()\nc.merge_from_file('c.yaml')\nload(c)"},
        {"8", "open"},
    ),
    "any file that can be given, all of which set it": (
        {
            "config.py": YACS,
            "main.py": FILES + ARGUMENTS + "c = _C.clone()\nc.merge_from_file(a.cfg)\nload(c)",
            "configs/a.yaml": WORKERS,
            "configs/b.yaml": "SEED: 1\nDATA:\n  NUM_WORKERS: ⟦2⟧\n",
        },
        {"4", "2", "open"},
    ),
    "any file that can be given, one of which does not set it": (
        {
            "config.py": MARKED,
            "main.py": FILES + ARGUMENTS + "c = _C.clone()\nc.merge_from_file(a.cfg)\nload(c)",
            "configs/a.yaml": WORKERS,
            "configs/b.yaml": "SEED: 1\n",
        },
        {"8", "4", "open"},
    ),
    "a file with a key that the object does not have": (
        {
            "config.py": MARKED,
            "main.py": FILES + ARGUMENTS + "c = _C.clone()\nc.merge_from_file(a.cfg)\nload(c)",
            "configs/a.yaml": "INPUT:\n  NUM_WORKERS: 4\n  SHAPE: 1\n",
        },
        {"8", "open"},
    ),
    "a file with a key that a function of a library may have added": (
        {
            "config.py": YACS,
            "main.py": FILES
            + "from somewhere import add_more\n"
            + ARGUMENTS
            + "c = _C.clone()\nadd_more(c)\nc.merge_from_file(a.cfg)\nload(c)",
            "configs/a.yaml": "INPUT:\n  NUM_WORKERS: ⟦4⟧\n  SHAPE: 1\n",
            "configs/b.yaml": "MORE:\n  HEAD: a\nINPUT:\n  NUM_WORKERS: ⟦2⟧\n",
            "configs/c.yaml": "INPUT:\n  NUM_WORKERS: many\n",
        },
        {"4", "2", "open"},
    ),
    "a function of a library that gets the object only after the merge, one of Python, and one that gets another": (
        {
            "config.py": MARKED,
            "main.py": FILES
            + "from somewhere import add_more\n"
            + ARGUMENTS
            + "c = _C.clone()\nprint(c)\nadd_more(a)\nc.merge_from_file(a.cfg)\nadd_more(c)\nload(c)",
            "configs/a.yaml": "INPUT:\n  NUM_WORKERS: 4\n  SHAPE: 1\n",
        },
        {"8", "open"},
    ),
    "a merge only where a file is given": (
        {
            "config.py": MARKED,
            "main.py": FILES + ARGUMENTS + "c = _C.clone()\nif a.cfg:\n    c.merge_from_file(a.cfg)\nload(c)",
            "configs/a.yaml": WORKERS,
        },
        {"8", "4", "open"},
    ),
    "a change after the merge": (
        {
            "config.py": YACS,
            "main.py": FILES + ARGUMENTS + "_C.merge_from_file(a.cfg)\n_C.INPUT.NUM_WORKERS = ⟦0⟧\nload(_C)",
            "configs/a.yaml": "INPUT:\n  NUM_WORKERS: 4\n  OTHER: 1\n",
        },
        {"0"},
    ),
    "a merge after the change": (
        {
            "config.py": YACS,
            "main.py": FILES + "_C.INPUT.NUM_WORKERS = 0\n_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": WORKERS,
        },
        {"4"},
    ),
    "a list": (
        {"config.py": YACS, "main.py": FILES + "_C.merge_from_list(['INPUT.NUM_WORKERS', ⟦2⟧, 'SEED', 1])\nload(_C)"},
        {"2"},
    ),
    "a list of text": (
        {"config.py": YACS, "main.py": FILES + "_C.merge_from_list(['INPUT.NUM_WORKERS', ⟦'2'⟧])\nload(_C)"},
        {"2"},
    ),
    "a list that the command line gives": (
        {
            "config.py": MARKED,
            "main.py": FILES
            + "p = argparse.ArgumentParser()\np.add_argument('opts', nargs='*')\na = p.parse_args()\n"
            + "_C.merge_from_list(a.opts)\nload(_C)",
        },
        {"8", "open"},
    ),
    "a list with a key that the object does not have": (
        {
            "config.py": YACS,
            "main.py": f"{IMPORT}from config import _C\n_C.merge_from_list(['NEW', 4])\n"
            "DataLoader(1, num_workers=_C.NEW)\n",
        },
        {"open"},
    ),
    "a list with a value of another type": (
        {"config.py": MARKED, "main.py": FILES + "_C.merge_from_list(['INPUT.NUM_WORKERS', '3.5'])\nload(_C)"},
        {"8", "open"},
    ),
    "a list with None": (
        {"config.py": YACS, "main.py": FILES + "_C.merge_from_list(['INPUT.NUM_WORKERS', ⟦'None'⟧])\nload(_C)"},
        {"None"},
    ),
    "a file with a value of another type": (
        {
            "config.py": MARKED,
            "main.py": FILES + ARGUMENTS + "_C.merge_from_file(a.cfg)\nload(_C)",
            "a.yaml": "INPUT:\n  NUM_WORKERS: 3.5\n",
        },
        {"8", "open"},
    ),
    "a file with text that is a tuple": (
        {
            "config.py": YACS + "_C.STEPS = (1, 2)\n",
            "main.py": FILES + "_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": "STEPS: (3, 4)\nINPUT:\n  NUM_WORKERS: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a file with text that is a number": (
        {
            "config.py": YACS,
            "main.py": FILES + "_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": "INPUT:\n  NUM_WORKERS: ⟦'4'⟧\n",
        },
        {"4"},
    ),
    "a file with new keys, where they are allowed": (
        {
            "config.py": YACS.replace("_C = CN()", "_C = CN(new_allowed=True)"),
            "main.py": FILES + "_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": "OTHER: 1\nINPUT:\n  NUM_WORKERS: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a file with new keys in a part where they are not": (
        {
            "config.py": MARKED.replace("_C = CN()", "_C = CN(new_allowed=True)"),
            "main.py": FILES + "_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": "INPUT:\n  NUM_WORKERS: 4\n  OTHER: 1\n",
        },
        {"8", "open"},
    ),
    "a file with new keys, after they were allowed": (
        {
            "config.py": YACS,
            "main.py": FILES + "_C.set_new_allowed(True)\n_C.merge_from_file('a.yaml')\nload(_C)",
            "a.yaml": "INPUT:\n  NUM_WORKERS: ⟦4⟧\n  OTHER: 1\n",
        },
        {"4"},
    ),
    "a new key that any file can bring": (
        {
            "config.py": "from yacs.config import CfgNode as CN\n_C = CN({'SEED': 1}, new_allowed=True)\n",
            "main.py": f"import argparse\n{IMPORT}from config import _C\n{ARGUMENTS}_C.merge_from_file(a.cfg)\n"
            "DataLoader(1, num_workers=_C.WORKERS)\n",
            "a.yaml": "SEED: 2\nWORKERS: ⟦4⟧\n",
            "b.yaml": "SEED: 3\n",
        },
        {"4", "open"},
    ),
    "another object": (
        {
            "config.py": YACS,
            "main.py": FILES
            + "from yacs.config import CfgNode\no = CfgNode()\no.INPUT = CfgNode()\no.INPUT.NUM_WORKERS = ⟦2⟧\n"
            + "_C.merge_from_other_cfg(o)\nload(_C)",
        },
        {"2"},
    ),
    "another object that may lack the key": (
        {
            "config.py": YACS.replace("8", "⟦8⟧"),
            "main.py": FILES
            + "from yacs.config import CfgNode\no = CfgNode({'INPUT': {}})\nif unknown():\n"
            + "    o.INPUT.NUM_WORKERS = ⟦2⟧\n_C.merge_from_other_cfg(o)\nload(_C)",
        },
        {"8", "2"},
    ),
    "another object that may be empty": (
        {
            "config.py": YACS.replace("8", "⟦8⟧"),
            "main.py": FILES
            + "from yacs.config import CfgNode\no = CfgNode()\nif unknown():\n"
            + "    o.INPUT = CfgNode({'NUM_WORKERS': ⟦2⟧})\n_C.merge_from_other_cfg(o)\nload(_C)",
        },
        {"8", "2"},
    ),
    "another object with keys that are not seen": (
        {
            "config.py": YACS.replace("8", "⟦8⟧"),
            "main.py": FILES
            + "from yacs.config import CfgNode\n"
            + "_C.merge_from_other_cfg(CfgNode({**unknown(), 'SEED': 1}))\nload(_C)",
        },
        {"8", "open"},
    ),
    "what a function does": (
        {
            "config.py": YACS
            + "def update(config, args):\n    config.defrost()\n    config.merge_from_file(args.cfg)\n"
            + "    if args.debug:\n        config.INPUT.NUM_WORKERS = ⟦0⟧\n    config.freeze()\n"
            + "def get_config(args):\n    config = _C.clone()\n    update(config, args)\n    return config\n",
            "main.py": FILES
            + "from config import get_config\n"
            + ARGUMENTS.replace("a = ", "p.add_argument('--debug', action='store_true')\na = ")
            + "load(get_config(a))",
            "a.yaml": WORKERS,
        },
        {"0", "4", "open"},
    ),
    "a base that yacs does not know": (
        {
            "config.py": MARKED,
            "main.py": FILES + ARGUMENTS + "_C.merge_from_file(a.cfg)\nload(_C)",
            "a.yaml": "_BASE_: b.yaml\nSEED: 1\n",
        },
        {"8", "open"},
    ),
    "a base that fvcore merges first": (
        {
            "config.py": YACS.replace("yacs.config", "fvcore.common.config"),
            "main.py": FILES + ARGUMENTS + "_C.merge_from_file(a.cfg)\nload(_C)",
            "configs/a.yaml": "_BASE_: base/b.yaml\nSEED: 1\n",
            "configs/base/b.yaml": WORKERS,
        },
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), DEEP.values(), ids=DEEP.keys())
def test_parts_of_an_object(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), HANDED.values(), ids=HANDED.keys())
def test_functions_that_are_handed_an_object(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CLASSES.values(), ids=CLASSES.keys())
def test_classes_of_attribute_dictionaries(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), MERGED.values(), ids=MERGED.keys())
def test_yacs(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_two_options_of_one_file_come_together_and_those_of_two_files_do_not() -> None:
    files = {
        "config.py": YACS.replace("_C.SEED = 0", "_C.INPUT.PREFETCH = None"),
        "main.py": IMPORT
        + "import argparse\nfrom config import _C\n"
        + ARGUMENTS
        + "_C.merge_from_file(a.cfg)\n"
        + "DataLoader(1, num_workers=_C.INPUT.NUM_WORKERS, prefetch_factor=_C.INPUT.PREFETCH)",
        "a.yaml": "INPUT:\n  NUM_WORKERS: 0\n",
        "b.yaml": "INPUT:\n  NUM_WORKERS: 4\n  PREFETCH: 2\n",
    }
    assert met(files) == {("0", "None"), ("4", "2")}


def test_a_value_of_a_file_is_fixed_in_the_file() -> None:
    files = {
        "config.py": YACS,
        "main.py": FILES + "_C.merge_from_file('a.yaml')\nload(_C)",
        "a.yaml": "INPUT:\n  NUM_WORKERS: 4\n",
    }
    (workers,) = loader_of(files).num_workers.candidates
    assert str(workers.span) == "a.yaml:2:16"
    assert workers.entry is None


NARROWED = """
from functools import partial
from pathlib import Path
class Base:
    registry = {}
    def __init_subclass__(cls):
        cls.registry[cls.title] = cls
    def __init__(self, name, folder=None, **given):
        self.folder = Path(folder).absolute() if folder is not None else None
        for key, value in given.items():
            setattr(self, key, value)
        self.rows = None
        self.init()
    def init(self):
        pass
    def collate(cls, batch):
        return batch
    def loader(self, **options):
        return self.made(self.rows, **options)
    def made(self, rows, **options):
        if rows is None:
            return None
        return DataLoader(rows, collate_fn=partial(self.collate), **options)
class Lists(Base):
    def init(self):
        self.cache = self.folder / self.title
    def setup(self, stage=None):
        rows, self.words = self.process()
        self.rows = rows["train"]
    def process(self):
        cache = None if self.cache is None else self.cache / self.title
        if cache is not None:
            if cache.is_dir():
                return self.load(cache)
def main(config):
    data = Base.registry[config.name](**config)
    data.setup()
    for batch in data.loader(num_workers=config.workers):
        print(batch)
"""


def test_an_attribute_that_a_test_leaves_nothing_of_may_be_set_by_a_loop_over_keywords() -> None:
    loader = loader_of(NARROWED)
    assert (loader.num_workers.candidates, loader.num_workers.open) == ((), True)
