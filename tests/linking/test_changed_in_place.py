"""Dictionaries and lists that are changed in place: deep inside, under another name, or by methods of theirs."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

CFG = "cfg = {'loader': {'num_workers': 2}}\n"
SET = "cfg = {'loader': {'num_workers': ⟦2⟧}}\n"
UNMARKED_SET = "cfg = {'loader': {'num_workers': 2}}\n"
LOAD = "\nDataLoader(data, **cfg['loader'])\n"
FLAT = "kw = {'num_workers': 2, 'batch_size': 4}\n"
SPLAT = "\nDataLoader(data, **kw)\n"

INSIDE: Cases = {
    "an item of an item": (f"{CFG}cfg['loader']['num_workers'] = ⟦4⟧{LOAD}", {"4"}),
    "an item of another item": (f"{SET}cfg['other'] = {{}}\ncfg['other']['num_workers'] = 4{LOAD}", {"2"}),
    "an item of an item that is worked out": (f"{SET}cfg[key]['num_workers'] = 4{LOAD}", {"2", "open"}),
    "an item of what get gives": (f"{CFG}cfg.get('loader')['num_workers'] = ⟦4⟧{LOAD}", {"4"}),
    "an item of what setdefault gives": (
        f"cfg = {{}}\ncfg.setdefault('loader', {{}})['num_workers'] = ⟦4⟧{LOAD}",
        {"4"},
    ),
    "an update of an item": (f"{CFG}cfg['loader'].update(num_workers=⟦4⟧){LOAD}", {"4"}),
    "an update of an item with other keys": (f"{SET}cfg['loader'].update(timeout=4){LOAD}", {"2"}),
    "an item that is taken out of an item": (f"{CFG}del cfg['loader']['num_workers']{LOAD}", {"0 unwritten"}),
    "an update of an item of a file": (
        {
            "c.json": '{"loader": {"num_workers": 6}}',
            "main.py": f"{IMPORT}import json\nc = json.load(open('c.json'))\nc['loader'].update(num_workers=⟦2⟧)\n"
            "DataLoader(data, **c['loader'])\n",
        },
        {"2"},
    ),
}


def read_and(code: str, number: str = "'2'") -> dict[str, str]:
    """Return a program that reads settings from a file, then does something with them."""
    main = f"{IMPORT}import json\nkw = json.load(open('c.json'))\n{code}{SPLAT}"
    settings = f'{{"num_workers": {number}, "timeout": "0"}}'
    return {"c.json": settings.replace("'", '"'), "main.py": main}


IN_LOOPS: Cases = {
    "each item anew": (read_and("for k in kw:\n    kw[k] = eval(kw[k])"), {"open"}),
    "each of its keys anew": (read_and("for k in list(kw.keys()):\n    kw[k] = read(k)"), {"open"}),
    "each item anew by its value": (read_and("for k, v in kw.items():\n    kw[k] = eval(v)"), {"open"}),
    "each that is no dictionary, in a function": (
        read_and(
            "def read(c):\n    for k in c:\n        if type(c[k]) != dict:\n            c[k] = eval(c[k])\nread(kw)"
        ),
        {"open"},
    ),
    "those that a test picks": (
        read_and("for k, v in kw.items():\n    if v == 'None':\n        kw[k] = None", "⟦2⟧"),
        {"2", "open"},
    ),
    "items of another": (read_and("for k in other:\n    kw[k] = other[k]", "⟦2⟧"), {"2", "open"}),
}

NAMES: Cases = {
    "another name for an item": (f"{CFG}d = cfg['loader']\nd['num_workers'] = ⟦4⟧{LOAD}", {"4"}),
    "another name for a copy": (f"{SET}d = dict(cfg['loader'])\nd['num_workers'] = 4{LOAD}", {"2"}),
    "another name, which stands for something else by then": (
        f"{SET}d = cfg['loader']\nd = {{}}\nd['num_workers'] = 4{LOAD}",
        {"2"},
    ),
    "another name, which may stand for something else by then": (
        f"{SET}d = cfg['loader']\nif other():\n    d = {{}}\nd['num_workers'] = 4{LOAD}",
        {"2", "open"},
    ),
    "a name that may be another one": (
        f"{SET}d = cfg['loader'] if own() else {{}}\nd['num_workers'] = 4{LOAD}",
        {"2", "open"},
    ),
    "a name that may be an item which is not there yet": (
        f"{SET}d = cfg['later']\nif other():\n    d = {{}}\nd['num_workers'] = 4\ncfg.update(read()){LOAD}",
        {"2", "open"},
    ),
    "a name that may be an item which is never there": (
        f"{SET}d = cfg['later']\nif other():\n    d = {{}}\nd['num_workers'] = 4{LOAD}",
        {"2"},
    ),
    "the thing of which a name is an item": (
        f"{CFG}d = cfg['loader']\ncfg['loader']['num_workers'] = ⟦4⟧\nDataLoader(data, **d)\n",
        {"4"},
    ),
    "the thing of which a name was an item": (
        f"{SET}d = cfg['loader']\ncfg['loader'] = {{}}\ncfg['loader']['num_workers'] = 4\nDataLoader(data, **d)\n",
        {"2"},
    ),
    "the name that a name was given": (
        "d = {'num_workers': 2}\ne = d\nd['num_workers'] = ⟦9⟧\nDataLoader(data, **e)\n",
        {"9"},
    ),
    "a dictionary that stands in another one": (
        "d = {'num_workers': 2}\ncfg = {'loader': d}\nd['num_workers'] = ⟦4⟧" + LOAD,
        {"4"},
    ),
    "a dictionary by way of the list it stands in": (
        "kw = {'num_workers': 2}\nrows = [kw]\nrows[0]['num_workers'] = ⟦4⟧" + SPLAT,
        {"4"},
    ),
    "a dictionary that was put into another one": (
        "cfg = {}\nd = {'num_workers': 2}\ncfg['loader'] = d\nd['num_workers'] = ⟦4⟧" + LOAD,
        {"4"},
    ),
    "an item that is handed to a function": (
        f"def fill(d):\n    d['num_workers'] = ⟦5⟧\n{CFG}fill(cfg['loader']){LOAD}",
        {"5"},
    ),
    "another item that is handed to a function": (
        f"def fill(d):\n    d['num_workers'] = 5\n{SET}fill(cfg['other']){LOAD}",
        {"2"},
    ),
    "two names given at once": (
        "a = b = {'num_workers': 1}\nb['num_workers'] = ⟦6⟧\nDataLoader(d, **a)\n",
        {"6"},
    ),
    "two names that change places": (
        "kw = {'num_workers': 2}\nkw, other = {'num_workers': ⟦5⟧}, kw\nother['num_workers'] = 9"
        + "\nDataLoader(d, **kw)\n",
        {"5"},
    ),
    "a name that is given a part of itself": (
        "cfg = {'num_workers': 2, 'cfg': {'num_workers': ⟦3⟧}}\ncfg = cfg['cfg']\ncfg['cfg'] = {}\n"
        "cfg['cfg']['num_workers'] = 4\nDataLoader(d, **cfg)\n",
        {"3"},
    ),
    "a function inside the one that reads": (
        "def load():\n    kw = {'num_workers': ⟦2⟧}\n    def quick():\n        kw['num_workers'] = 0\n    quick()\n"
        "    return DataLoader(d, **kw)\n",
        {"2", "open"},
    ),
    "a function inside the one that reads, with a name of its own": (
        "def load():\n    kw = {'num_workers': ⟦2⟧}\n    def quick(kw):\n        kw['num_workers'] = 0\n"
        "    return DataLoader(d, **kw)\n",
        {"2"},
    ),
    "a context manager": (
        "from contextlib import contextmanager\nkw = {'num_workers': ⟦2⟧}\n@contextmanager\ndef quick():\n"
        "    kw['num_workers'] = 0\n    yield\nwith quick():\n    DataLoader(d, **kw)\n",
        {"2", "open"},
    ),
    "a function that is called by another one": (
        "kw = {'num_workers': ⟦2⟧}\ndef quick():\n    kw['num_workers'] = 0\ndef main():\n    quick()\nmain()\n"
        "DataLoader(d, **kw)\n",
        {"2", "open"},
    ),
    "a function that nobody calls": (
        "kw = {'num_workers': ⟦2⟧}\ndef quick():\n    kw['num_workers'] = 0\nDataLoader(d, **kw)\n",
        {"2"},
    ),
    "more names from the end than there are elements": (
        "kw = {'num_workers': 2}\nrow, *_, height, width, last = *size, 1\nkw['num_workers'] = ⟦3⟧\n"
        "DataLoader(d, **kw)\n",
        {"3"},
    ),
    "the rest that an unpacking names": (
        "rows = [{}, {'num_workers': ⟦2⟧}]\nfirst, *rest = rows\nrest[0]['num_workers'] = 6\n"
        "DataLoader(d, **rows[1])\n",
        {"2", "open"},
    ),
    "elements that an unpacking names": (
        "rows = [{'num_workers': 1}, {}]\nfirst, second = rows\nfirst['num_workers'] = ⟦5⟧\nDataLoader(d, **rows[0])\n",
        {"5"},
    ),
}

METHODS: Cases = {
    "clear": (f"{FLAT}kw.clear(){SPLAT}", {"0 unwritten"}),
    "clear of another one": (f"{FLAT.replace('2', '⟦2⟧')}other.clear(){SPLAT}", {"2"}),
    "clear under a condition": (
        f"{FLAT.replace('2', '⟦2⟧')}if fresh():\n    kw.clear(){SPLAT}",
        {"2", "0 unwritten"},
    ),
    "popitem": (f"{FLAT.replace('2', '⟦2⟧')}kw.popitem(){SPLAT}", {"2 shared", "open"}),
    "an item by its method": (f"{FLAT}kw.__setitem__('num_workers', ⟦4⟧){SPLAT}", {"4"}),
    "an item by operator.setitem": (f"import operator\n{FLAT}operator.setitem(kw, 'num_workers', ⟦4⟧){SPLAT}", {"4"}),
    "dict.update": (f"{FLAT.replace('2', '⟦2⟧')}dict.update(kw, given){SPLAT}", {"2", "open"}),
}

UNMARKED_ROWS = "rows = [{'num_workers': 2}, {'num_workers': 3}]\n"
ROWS = "rows = [{'num_workers': ⟦2⟧}, {'num_workers': 3}]\n"
LISTS: Cases = {
    "an item of an element": (
        f"{ROWS.replace('⟦2⟧', '2')}rows[0]['num_workers'] = ⟦4⟧\nDataLoader(data, **rows[0])\n",
        {"4"},
    ),
    "an item of another element": (f"{ROWS}rows[1]['num_workers'] = 4\nDataLoader(data, **rows[0])\n", {"2"}),
    "an element": (f"{ROWS.replace('⟦2⟧', '2')}rows[0] = {{'num_workers': ⟦4⟧}}\nDataLoader(data, **rows[0])\n", {"4"}),
    "every element in a loop": (
        f"{UNMARKED_ROWS}for one in rows:\n    one['num_workers'] = ⟦4⟧\nDataLoader(data, **rows[0])\n",
        {"4"},
    ),
    "another key of every element in a loop": (
        f"{ROWS}for one in rows:\n    one['timeout'] = 4\nDataLoader(data, **rows[0])\n",
        {"2"},
    ),
    "every element in a loop, by a function": (
        f"def fill(d):\n    d['num_workers'] = 4\n{ROWS}for one in rows:\n    fill(one)\nDataLoader(data, **rows[0])\n",
        {"2", "open"},
    ),
    "every element in a loop that only reads": (
        f"def show(d):\n    print(d)\n{ROWS}for one in rows:\n    show(one)\nDataLoader(data, **rows[0])\n",
        {"2"},
    ),
    "every value of a dictionary in a loop": (
        f"{UNMARKED_SET}for name, one in cfg.items():\n    one['num_workers'] = ⟦4⟧{LOAD}",
        {"4"},
    ),
    "one more": ("x = [1]\nx.append(⟦3⟧)\nDataLoader(data, num_workers=x[-1])\n", {"3"}),
    "one more, before one that is read": ("x = [⟦1⟧]\nx.append(3)\nDataLoader(data, num_workers=x[0])\n", {"1"}),
    "one more under a condition": (
        "x = [⟦1⟧]\nif y:\n    x.append(⟦3⟧)\nDataLoader(data, num_workers=x[-1])\n",
        {"1", "3"},
    ),
    "one more under a condition, before a loop over all": (
        "x = [⟦1⟧]\nif 3 not in x:\n    x.append(⟦3⟧)\nfor one in x:\n    DataLoader(data, num_workers=one)\n",
        {"1 shared", "3 shared"},
    ),
    "one more under a condition that does not hold": (
        "x = [⟦1⟧]\nif 1 not in x:\n    x.append(3)\nfor one in x:\n    DataLoader(data, num_workers=one)\n",
        {"1"},
    ),
    "another one under a condition": (
        "x = [⟦1⟧]\nif y:\n    x[0] = ⟦3⟧\nDataLoader(data, num_workers=x[0])\n",
        {"1", "3"},
    ),
    "one more at every turn": (
        "x = [1]\nfor y in z:\n    x.append(3)\nDataLoader(data, num_workers=x[-1])\n",
        {"open"},
    ),
    "sorted": ("x = [3, 1]\nx.sort()\nDataLoader(data, num_workers=x[0])\n", {"open"}),
}


EVERY = {**INSIDE, **IN_LOOPS, **NAMES, **METHODS, **LISTS}


KEEPS = "class Trainer:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
READ = "DataLoader(data, num_workers=cfg['w'])"

KEPT: Cases = {
    "a method changes what the constructor kept": (
        f"{KEEPS}    def setup(self):\n        self.cfg['w'] = 2\ncfg = {{'w': ⟦4⟧}}\nTrainer(cfg).setup()\n{READ}",
        {"4", "open"},
    ),
    "a method updates what the constructor kept": (
        f"{KEEPS}    def setup(self):\n        self.cfg.update(w=2)\n"
        f"cfg = {{'w': ⟦4⟧}}\nt = Trainer(cfg)\nt.setup()\n{READ}",
        {"4", "open"},
    ),
    "a method sets another key of what the constructor kept": (
        f"{KEEPS}    def setup(self):\n        self.cfg['other'] = 2\ncfg = {{'w': ⟦4⟧}}\nTrainer(cfg).setup()\n{READ}",
        {"4"},
    ),
    "a method reads what the constructor kept": (
        f"{KEEPS}    def setup(self):\n        return self.cfg['w']\ncfg = {{'w': ⟦4⟧}}\nTrainer(cfg).setup()\n{READ}",
        {"4"},
    ),
    "the constructor keeps a copy": (
        f"{KEEPS.replace('= cfg', '= dict(cfg)')}    def setup(self):\n        self.cfg['w'] = 2\n"
        f"cfg = {{'w': ⟦4⟧}}\nTrainer(cfg).setup()\n{READ}",
        {"4"},
    ),
}

OBJECT = "class S:\n    def __init__(self):\n        self.n = 4\n"

SURE_AND_UNSURE: Cases = {
    "a sure change before an unsure one": (
        f"{OBJECT}s = S()\nother = s\nfor x in y:\n    other = S()\ns.n = ⟦2⟧\nother.m = 3\n"
        "def load(s):\n    return DataLoader(data, num_workers=s.n)\nload(s)",
        {"2"},
    ),
    "another name that was given under a condition": (
        f"{OBJECT.replace('4', '⟦4⟧')}s = S()\nother = S()\nif unknown():\n    other = s\nother.n = 3\n"
        "def load(s):\n    return DataLoader(data, num_workers=s.n)\nload(s)",
        {"4", "open"},
    ),
    "another name that was given and changed under one condition": (
        f"{OBJECT.replace('4', '⟦4⟧')}s = S()\nif unknown():\n    other = s\n    other.n = ⟦3⟧\n"
        "def load(s):\n    return DataLoader(data, num_workers=s.n)\nload(s)",
        {"4", "3"},
    ),
}

DEEP = "".join(f"def f{turn}(s):\n    f{turn + 1}(s)\n" for turn in range(8)) + "def f8(s):\n    s.{} = 1\n"
USED = "s = S()\n{}(s)\nDataLoader(data, num_workers=s.n)\n"

OUT_OF_SIGHT: Cases = {
    "an object, by a function far away": (
        f"{OBJECT.replace('4', '⟦4⟧')}{DEEP.format('n')}{USED.format('f0')}",
        {"4", "open"},
    ),
    "another attribute of an object, by a function far away": (
        f"{OBJECT.replace('4', '⟦4⟧')}{DEEP.format('m')}{USED.format('f0')}",
        {"4"},
    ),
    "an object, by a function that may have another one": (
        f"{OBJECT.replace('4', '⟦4⟧')}def f(s):\n    if not s:\n        s = S()\n    s.n = 1\n{USED.format('f')}",
        {"4", "open"},
    ),
    "another attribute of an object, by a function that may have another one": (
        f"{OBJECT.replace('4', '⟦4⟧')}def f(s):\n    if not s:\n        s = S()\n    s.m = 1\n{USED.format('f')}",
        {"4"},
    ),
    "an object, by a function that goes on with another one": (
        f"{OBJECT.replace('4', '⟦4⟧')}def f(s):\n    s = S()\n    s.n = 1\n{USED.format('f')}",
        {"4"},
    ),
    "a dictionary, by a function that may have another one": (
        "def f(s=None):\n    if s is None:\n        s = {}\n    s['n'] = 1\n"
        "s = {'n': ⟦4⟧}\nf(s)\nDataLoader(data, num_workers=s['n'])\n",
        {"4", "open"},
    ),
    "a dictionary, by a function that copies it first": (
        "def f(s):\n    s = dict(s)\n    s['n'] = 1\ns = {'n': ⟦4⟧}\nf(s)\nDataLoader(data, num_workers=s['n'])\n",
        {"4"},
    ),
}


@pytest.mark.parametrize("case", [*KEPT, *SURE_AND_UNSURE, *OUT_OF_SIGHT])
def test_what_is_changed_by_another_way(case: str) -> None:
    files, expected = {**KEPT, **SURE_AND_UNSURE, **OUT_OF_SIGHT}[case]
    assert traced(files) == expected


def test_what_was_asked_before_changes_nothing() -> None:
    calls = "def f(cfg):\n    g(cfg)\n    cfg['n'] = ⟦2⟧\ndef g(cfg):\n    if unknown():\n        f(cfg)\n"
    read = "cfg = {'n': ⟦4⟧}\ng(cfg)\nDataLoader(data, num_workers=cfg['n'])\n"
    assert traced(calls + read) == traced(f"{calls}other = {{'n': 1}}\nf(other)\n{read}")


@pytest.mark.parametrize(("files", "expected"), EVERY.values(), ids=EVERY.keys())
def test_what_is_changed_in_place(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


FILL = "def fill(d):\n    d['num_workers'] = min(d['num_workers'], len(data))\n"
FILLED = "d = {{'num_workers': 6}}\n{}\nDataLoader(data, **d)\n"

KEYS: Cases = {
    "a function of the project sets another key": (
        f"{FILL}    return d\n{FILLED.format('d = fill(d)')}",
        {"0 unwritten"},
    ),
    "a function of the project hands what is under another key on": (
        f"{FILL}    workers = d['num_workers']\n    check(workers)\n{FILLED.format('fill(d)')}",
        {"0 unwritten"},
    ),
    "a function of the project sets it": ("def fill(d):\n    d['timeout'] = ⟦3⟧\n" + FILLED.format("fill(d)"), {"3"}),
    "a function of the project hands the dictionary on": (
        f"{FILL}    one = d\n    check(one)\n{FILLED.format('fill(d)')}",
        {"open"},
    ),
    "a function of the project keeps the dictionary": (
        f"{FILL}    KEPT.all = d\n{FILLED.format('fill(d)')}",
        {"open"},
    ),
    "a function of the project asks for its kind": (
        f"{FILL}    if isinstance(d, dict) and hasattr(d, 'timeout') and bool(d):\n        pass\n"
        f"{FILLED.format('fill(d)')}",
        {"0 unwritten"},
    ),
    "a function of the project hands it to a method with the name of Python's": (
        f"{FILL}    found.any(d)\n{FILLED.format('fill(d)')}",
        {"open"},
    ),
    "a function that is not seen": (FILLED.format("fill(d)"), {"open"}),
    "one of two functions, of which one is not seen": (
        f"from elsewhere import other\n{FILL}{FILLED.format('(fill if x else other)(d)')}",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), KEYS.values(), ids=KEYS.keys())
def test_keys_that_a_dictionary_may_get(files: str, expected: set[str]) -> None:
    assert traced(files, "timeout") == expected
