from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

OBJECT = "from easydict import EasyDict\ncfg = EasyDict(data=EasyDict(num_workers={}))\n"
SURE, MARKED = OBJECT.format("4"), OBJECT.format("⟦4⟧")
LOAD = "def load():\n    return DataLoader(1, num_workers=cfg.data.num_workers)\n"
MAIN = "def main():\n    cfg.data.num_workers = ⟦0⟧\n    load()\nmain()\n"
SETUP = "def setup():\n    cfg.data.num_workers = ⟦0⟧\n"

OBJECTS: Cases = {
    "changed by the function that calls the reader": (SURE + LOAD + MAIN, {"0"}),
    "changed under a condition": (
        MARKED + LOAD + "def main():\n    if debug():\n        cfg.data.num_workers = ⟦0⟧\n    load()\nmain()\n",
        {"4", "0"},
    ),
    "changed by a function called before in the same function": (
        SURE + SETUP + "def main():\n    setup()\n    DataLoader(1, num_workers=cfg.data.num_workers)\nmain()\n",
        {"0"},
    ),
    "changed by a function called before in the same function under a condition": (
        MARKED + SETUP + "def main():\n    if debug():\n        setup()\n"
        "    DataLoader(1, num_workers=cfg.data.num_workers)\nmain()\n",
        {"4", "0"},
    ),
    "changed by the reader itself, then by a function": (
        SURE + SETUP + "def main():\n    cfg.data.num_workers = 1\n    setup()\n"
        "    DataLoader(1, num_workers=cfg.data.num_workers)\nmain()\n",
        {"0"},
    ),
    "changed by a function, then by the reader itself": (
        SURE + SETUP.replace("⟦0⟧", "0") + "def main():\n    setup()\n    cfg.data.num_workers = ⟦1⟧\n"
        "    DataLoader(1, num_workers=cfg.data.num_workers)\nmain()\n",
        {"1"},
    ),
    "changed by the caller, then by a function": (
        SURE + LOAD + SETUP + "def main():\n    cfg.data.num_workers = 1\n    setup()\n    load()\nmain()\n",
        {"0"},
    ),
    "changed by a function, then by the module": (
        SURE + SETUP.replace("⟦0⟧", "0") + "setup()\ncfg.data.num_workers = ⟦1⟧\n"
        "DataLoader(1, num_workers=cfg.data.num_workers)\n",
        {"1"},
    ),
    "changed by the module, then by a function": (
        SURE + SETUP + "cfg.data.num_workers = 1\nsetup()\nDataLoader(1, num_workers=cfg.data.num_workers)\n",
        {"0"},
    ),
    "changed under its other name": (SURE + "config = cfg\n" + LOAD.replace("cfg", "config") + MAIN, {"0"}),
    "read under its other name in another file": (
        {
            "settings.py": SURE.replace("cfg", "_C") + "cfg = _C\ndef setup():\n    _C.data.num_workers = ⟦0⟧\n",
            "main.py": IMPORT + f"from settings import cfg as c, setup\n{LOAD.replace('cfg', 'c')}setup()\nload()\n",
        },
        {"0"},
    ),
    "its name stands for another object as well": (
        SURE + "config = cfg\nif debug():\n    config = EasyDict(data=EasyDict(num_workers=⟦2⟧))\n"
        "def load():\n    return DataLoader(1, num_workers=config.data.num_workers)\nload()\n",
        {"4 at main.py:3:42", "2"},
    ),
    "changed after the reader was called": (
        MARKED + LOAD + "def main():\n    load()\n    cfg.data.num_workers = 0\nmain()\n",
        {"4"},
    ),
    "changed by each of two callers": (
        SURE + LOAD + MAIN + MAIN.replace("main", "test").replace("0", "1"),
        {"0", "1"},
    ),
    "changed between two calls of the reader": (MARKED + LOAD + "load()\n" + MAIN, {"4", "0"}),
    "changed before the reader is called again": (SURE + LOAD + MAIN + "load()\n", {"0"}),
    "changed by a function called before": (
        SURE + LOAD + SETUP + "def main():\n    setup()\n    load()\nmain()\n",
        {"0"},
    ),
    "changed by a function called before at the top": (SURE + LOAD + SETUP + "setup()\nload()\n", {"0"}),
    "changed by a function called before under a condition": (
        MARKED + LOAD + SETUP + "if debug():\n    setup()\nload()\n",
        {"4", "0"},
    ),
    "changed by a function and read at the top": (
        SURE + SETUP + "setup()\nDataLoader(1, num_workers=cfg.data.num_workers)\n",
        {"0"},
    ),
    "changed by a function that is not seen to run": (
        MARKED + LOAD + SETUP.replace("⟦0⟧", "0") + "load()\n",
        {"4", "open"},
    ),
    "something else changed by a function that is not seen to run": (
        MARKED + LOAD + "def setup():\n    cfg.data.batch_size = 2\nload()\n",
        {"4"},
    ),
    "a name of a function's own": (
        MARKED + LOAD + "def setup():\n    cfg = EasyDict(data=EasyDict())\n    cfg.data.num_workers = 0\nload()\n",
        {"4"},
    ),
    "changed in another file": (
        {
            "config.py": SURE,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "main.py": "from config import cfg\nfrom data import load\n" + MAIN,
        },
        {"0"},
    ),
    "changed at the top of another file, under another name": (
        {
            "config.py": SURE.replace("cfg", "_C"),
            "data.py": IMPORT + "from config import _C as cfg\n" + LOAD,
            "main.py": "from config import _C as conf\nfrom data import load\nconf.data.num_workers = ⟦0⟧\nload()\n",
        },
        {"0"},
    ),
    "another module's object of the same name": (
        {
            "config.py": MARKED,
            "other.py": SURE,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "main.py": "from other import cfg\nfrom data import load\n" + MAIN.replace("⟦0⟧", "0"),
        },
        {"4"},
    ),
    "a file merged by the caller": (
        {
            "config.py": "from yacs.config import CfgNode as CN\ncfg = CN()\ncfg.data = CN()\n"
            "cfg.data.num_workers = 4\n",
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "main.py": "from config import cfg\nfrom data import load\n"
            "def main():\n    cfg.merge_from_file('a.yaml')\n    load()\nmain()\n",
            "a.yaml": "data:\n  num_workers: ⟦2⟧\n",
        },
        {"2"},
    ),
    "changed by another program": (
        {
            "config.py": MARKED,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "train.py": "from data import load\nload()\n",
            "test.py": "from config import cfg\ncfg.data.num_workers = 0\n",
        },
        {"4"},
    ),
    "changed by a function of another program": (
        {
            "config.py": MARKED,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "train.py": "from data import load\nload()\n",
            "test.py": "from config import cfg\ndef quick():\n    cfg.data.num_workers = 0\nquick()\n",
        },
        {"4"},
    ),
    "changed by what some program brings in as well": (
        {
            "config.py": MARKED,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "quick.py": "from config import cfg\ncfg.data.num_workers = 0\n",
            "train.py": "import quick\nfrom data import load\nload()\n",
        },
        {"4", "open"},
    ),
    "changed by a program that brings it in": (
        {
            "config.py": SURE,
            "data.py": IMPORT + "from config import cfg\n" + LOAD,
            "train.py": "from config import cfg\nfrom data import load\ncfg.data.num_workers = ⟦0⟧\nload()\n",
            "test.py": "from config import cfg\nfrom data import load\ncfg.data.num_workers = ⟦1⟧\nload()\n",
        },
        {"0", "1"},
    ),
    "a parsed command line": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--workers', type=int, default=4)\n"
        "args = p.parse_args()\ndef load():\n    DataLoader(1, num_workers=args.workers)\n"
        "def main():\n    args.workers = ⟦0⟧\n    load()\nmain()\n",
        {"0"},
    ),
    "functions that call each other": (
        MARKED
        + "def load(again):\n    if again:\n        main()\n    DataLoader(1, num_workers=cfg.data.num_workers)\n"
        + "def main():\n    cfg.data.num_workers = ⟦0⟧\n    load(False)\nload(True)\n",
        {"4", "0"},
    ),
}

GET = "def get_cfg():\n    return cfg\n"
LOADED = "def load():\n    got = get_cfg()\n    return DataLoader(1, num_workers=got.data.num_workers)\n"
RETURNED: Cases = {
    "set by a function that got it": (
        MARKED
        + GET
        + LOADED
        + "def main():\n    mine = get_cfg()\n    mine.data.num_workers = 0\n    load()\nmain()\n",
        {"4", "open"},
    ),
    "set by a function that got it, read by its name": (
        MARKED + GET + LOAD + "def main():\n    mine = get_cfg()\n    mine.data.num_workers = 0\n    load()\nmain()\n",
        {"4", "open"},
    ),
    "set otherwise by a function that got it": (
        MARKED + GET + LOADED + "def main():\n    mine = get_cfg()\n    mine.data.seed = 0\n    load()\nmain()\n",
        {"4"},
    ),
    "set by the reader itself": (
        SURE + GET + LOADED.replace("    return", "    got.data.num_workers = ⟦0⟧\n    return"),
        {"0"},
    ),
    "set after it was read": (
        MARKED + GET + LOADED.replace("return", "loader =") + "    got.data.num_workers = 0\n",
        {"4"},
    ),
    "a copy of it": (
        MARKED
        + GET.replace("cfg\n", "EasyDict(cfg)\n")
        + LOAD
        + "def main():\n    mine = get_cfg()\n    mine.data = EasyDict(num_workers=0)\n    load()\nmain()\n",
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OBJECTS.values(), ids=OBJECTS.keys())
def test_objects_of_a_module_that_functions_change(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), RETURNED.values(), ids=RETURNED.keys())
def test_objects_of_a_module_that_functions_return(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
