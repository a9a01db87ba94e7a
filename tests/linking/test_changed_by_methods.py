"""Objects that their methods, functions and other names change after an attribute was set on them, or many times."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

CONFIG = """
class Config:
    def __init__(self):
        self.n = 1
    def off(self):
        self.n = ⟦0⟧
        return self
    def set(self, n):
        self.n = n
        return self
    def double(self):
        self.n *= 2
    def touch(self):
        self.seen = True
cfg = Config()
"""
KEPT = CONFIG.replace("⟦0⟧", "0")
READ = "DataLoader(data, num_workers=cfg.n)"

SET_BY_NAME_BEFORE: Cases = {
    "a method sets it again": (f"{CONFIG}cfg.n = 4\ncfg.off()\n{READ}", {"0"}),
    "a method sets another attribute": (f"{KEPT}cfg.n = ⟦4⟧\ncfg.touch()\n{READ}", {"4"}),
    "a method set it before": (f"{KEPT}cfg.off()\ncfg.n = ⟦4⟧\n{READ}", {"4"}),
    "a function sets it again": (f"{KEPT}def off(one):\n    one.n = ⟦0⟧\ncfg.n = 4\noff(cfg)\n{READ}", {"0"}),
    "another name sets it again": (f"{KEPT}cfg.n = 4\nother = cfg\nother.n = ⟦0⟧\n{READ}", {"0"}),
    "another name stands for another object": (f"{KEPT}cfg.n = ⟦4⟧\nother = Config()\nother.n = 0\n{READ}", {"4"}),
    "one of the objects that a loop goes through": (
        f"{KEPT}cfg.n = ⟦4⟧\nfor one in [cfg, Config()]:\n    one.n = 0\n{READ}",
        {"4", "open"},
    ),
    "a loop goes through other objects": (
        f"{KEPT}cfg.n = ⟦4⟧\nfor one in [Config(), Config()]:\n    one.n = 0\n{READ}",
        {"4"},
    ),
    "an object put into a list": (
        f"{KEPT}every = []\nevery.append(cfg)\ncfg.n = ⟦4⟧\nfor one in every:\n    one.n = 0\n{READ}",
        {"4", "open"},
    ),
    "a function sets it on a command line": (
        "import argparse\ndef off(args):\n    args.n = ⟦0⟧\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--n', type=int, default=2)\nargs = parser.parse_args()\nargs.n = 4\noff(args)\n"
        "DataLoader(data, num_workers=args.n)",
        {"0"},
    ),
    "a function sets it on something that was not seen": (
        "from elsewhere import cfg\ndef off(one):\n    one.n = ⟦0⟧\ncfg.n = 4\noff(cfg)\n" + READ,
        {"0"},
    ),
    "inside: a method of the object": (
        "class Run:\n    def off(self):\n        self.n = ⟦0⟧\n    def load(self):\n        self.n = 4\n"
        "        self.off()\n        return DataLoader(data, num_workers=self.n)",
        {"0"},
    ),
    "inside: a method that leaves it alone": (
        "class Run:\n    def off(self):\n        self.seen = True\n    def load(self):\n        self.n = ⟦4⟧\n"
        "        self.off()\n        return DataLoader(data, num_workers=self.n)",
        {"4"},
    ),
    "inside: a method under a condition": (
        "class Run:\n    def off(self):\n        self.n = ⟦0⟧\n    def load(self, debug):\n        self.n = ⟦4⟧\n"
        "        if debug:\n            self.off()\n        return DataLoader(data, num_workers=self.n)",
        {"4", "0"},
    ),
    "inside: a function": (
        "def off(run):\n    run.n = ⟦0⟧\nclass Run:\n    def load(self):\n        self.n = 4\n"
        "        off(self)\n        return DataLoader(data, num_workers=self.n)",
        {"0"},
    ),
}

SEVERAL_TIMES: Cases = {
    "a method works it out of what it was": (
        "class Config:\n    def __init__(self):\n        self.n = 1\n    def double(self):\n        self.n *= 2\n"
        f"cfg = Config()\nfor _ in range(3):\n    cfg.double()\n{READ}",
        {"open"},
    ),
    "a function works it out of what it was": (
        "class Config:\n    def __init__(self):\n        self.n = 1\ndef double(one):\n    one.n *= 2\n"
        f"cfg = Config()\nfor _ in range(3):\n    double(cfg)\n{READ}",
        {"open"},
    ),
    "a function works a key out of what it was": (
        "def double(one):\n    one['n'] *= 2\ncfg = {'n': 1}\nfor _ in range(3):\n    double(cfg)\n"
        "DataLoader(data, num_workers=cfg['n'])",
        {"open"},
    ),
    "a method sets it to the same every time": (
        "class Config:\n    def __init__(self):\n        self.n = ⟦1⟧\n    def off(self):\n        self.n = ⟦0⟧\n"
        f"cfg = Config()\nfor _ in range(3):\n    cfg.off()\n{READ}",
        {"1", "0"},
    ),
    "a new object at every turn": (
        f"{KEPT}for _ in range(3):\n    cfg = Config()\n    cfg.off()\n    {READ}".replace("= 0", "= ⟦0⟧"),
        {"0"},
    ),
}

CHAINS: Cases = {
    "the last method wins": (f"{CONFIG}cfg = Config().set(4).off()\n{READ}", {"0"}),
    "the other way round": (f"{KEPT}cfg = Config().off().set(⟦4⟧)\n{READ}", {"4"}),
    "made by a function": (f"{CONFIG}def make():\n    return Config().off()\ncfg = make()\n{READ}", {"0"}),
}


BASE = "class Base:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
SETS = "    def off(self):\n        self.cfg.n = 0\n"
OTHER = "    def off(self):\n        self.cfg.other = 0\n"
CFG = "class Config:\n    def __init__(self):\n        self.n = ⟦1⟧\ncfg = Config()\n"
STEPS = "def steps(cfg):\n    cfg.n = 0\n    yield\n    cfg.n = 2\n"

OUT_OF_HAND: Cases = {
    "kept by a base class": (
        f"{CFG}{BASE}class Run(Base):\n{SETS}run = Run(cfg)\nrun.off()\n{READ}",
        {"1", "open"},
    ),
    "kept by a base class, another attribute set": (
        f"{CFG}{BASE}class Run(Base):\n{OTHER}run = Run(cfg)\nrun.off()\n{READ}",
        {"1"},
    ),
    "by a generator": (f"{CFG}{STEPS}for _ in steps(cfg):\n    {READ}", {"1", "open"}),
    "by a generator that sets another attribute": (
        f"{CFG}{STEPS.replace('cfg.n', 'cfg.m')}for _ in steps(cfg):\n    {READ}",
        {"1"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OUT_OF_HAND.values(), ids=OUT_OF_HAND.keys())
def test_what_may_be_done_out_of_hand(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), SET_BY_NAME_BEFORE.values(), ids=SET_BY_NAME_BEFORE.keys())
def test_what_was_set_by_its_dotted_name_before(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), SEVERAL_TIMES.values(), ids=SEVERAL_TIMES.keys())
def test_what_a_loop_does_several_times(files: str, expected: set[str]) -> None:
    assert expected - traced(files) == set()
    assert ("open" in expected) == ("open" in traced(files))


@pytest.mark.parametrize(("files", "expected"), CHAINS.values(), ids=CHAINS.keys())
def test_what_methods_that_return_their_object_leave(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
