"""Settings that an object repairs itself, while it is made or before it loads: it calls methods that set them anew."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, met, traced

KEEPS = """
class Config:
    def __init__(self, n=0, factor=4):
        self.n = n
        self.factor = factor
"""
CALLS = f"{KEEPS}        self.fix()\n"
FIX = """
    def fix(self):
        if self.n == 0:
            self.factor = None
"""
LOAD = """
    def load(self):
        return DataLoader(data, num_workers=self.n, prefetch_factor=self.factor)
"""
READ = "DataLoader(data, num_workers=cfg.n, prefetch_factor=cfg.factor)\n"
FIELDS = """
from dataclasses import dataclass
@dataclass
class Config:
    n: int = 0
    factor: int = 4
    def __post_init__(self):
        self.fix()
"""
ARGUMENTS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=0)
parser.add_argument("--factor", type=int, default=4)
class Run:
    def __init__(self, args):
        self.args = args
        CALL
    def check(self):
        if self.args.n == 0:
            self.args.factor = None
    def load(self):
        return DataLoader(data, num_workers=self.args.n, prefetch_factor=self.args.factor)
Run(parser.parse_args()).load()
"""

OFF, AHEAD, NOT_AHEAD = ("0", "None"), ("2", "4"), ("0", "4")

REPAIRED: dict[str, tuple[Files, set[tuple[str, str]]]] = {
    "read outside": (f"{CALLS}{FIX}cfg = Config()\n{READ}", {OFF}),
    "read outside, nothing to repair": (f"{CALLS}{FIX}cfg = Config(2)\n{READ}", {AHEAD}),
    "read inside": (f"{CALLS}{FIX}{LOAD}Config().load()\nConfig(2).load()\n", {OFF, AHEAD}),
    "never called": (f"{KEEPS}{FIX}cfg = Config()\n{READ}", {OFF, NOT_AHEAD}),
    "called under a condition that holds": (
        f"{KEEPS}        if n < 1:\n            self.fix()\n{FIX}cfg = Config()\n{READ}",
        {OFF},
    ),
    "called under a condition that nobody sees": (
        f"{KEEPS}        if ask():\n            self.fix()\n{FIX}cfg = Config()\n{READ}",
        {OFF, NOT_AHEAD},
    ),
    "called before the values are set": (
        "class Config:\n    def __init__(self):\n        self.fix()\n        self.n = 2\n        self.factor = 4\n"
        f"    def fix(self):\n        self.n = self.factor = 0\ncfg = Config()\n{READ}",
        {AHEAD},
    ),
    "after the fields": (f"{FIELDS}{FIX}cfg = Config()\n{READ}", {OFF}),
    "after the fields, inside": (f"{FIELDS}{FIX}{LOAD}Config().load()\nConfig(2).load()\n", {OFF, AHEAD}),
    "after the fields, which are set there": (
        f"{FIELDS.replace('self.fix()', 'self.n = 0')}        self.fix()\n{FIX}{LOAD}Config(2).load()\n",
        {OFF},
    ),
    "by a method that another one calls": (
        f"{CALLS.replace('fix', 'check')}    def check(self):\n        self.all()\n    def all(self):\n"
        f"        self.fix()\n{FIX}cfg = Config()\n{READ}",
        {OFF},
    ),
    "where another method says what there is": (
        f"{CALLS}    def has_workers(self):\n        return self.n > 0\n    def fix(self):\n"
        f"        if not self.has_workers():\n            self.factor = None\ncfg = Config()\n{READ}",
        {OFF},
    ),
    "by one method after another": (
        f"{CALLS.replace('fix', 'fill')}        self.fix()\n    def fill(self):\n        if self.factor:\n"
        f"            self.n = 2\n{FIX}cfg = Config()\n{READ}",
        {AHEAD},
    ),
    "by one method after another, after the fields": (
        f"{FIELDS.replace('fix', 'fill')}        self.fix()\n    def fill(self):\n        if self.factor:\n"
        f"            self.n = 2\n{FIX}cfg = Config()\n{READ}",
        {AHEAD},
    ),
    "by a method that a subclass brings": (
        f"{CALLS}    def fix(self):\n        pass\nclass Own(Config):\n{FIX}cfg = Own()\n{READ}",
        {OFF},
    ),
    "by a method that a subclass brings, but not to this object": (
        f"{CALLS}    def fix(self):\n        pass\nclass Own(Config):\n{FIX}cfg = Config()\n{READ}",
        {NOT_AHEAD},
    ),
    "by a method that a subclass goes on with": (
        f"{CALLS}{FIX}class Own(Config):\n    def fix(self):\n        super().fix()\n        self.m = 1\n"
        f"cfg = Own()\n{READ}",
        {OFF},
    ),
    "by the constructor of a subclass": (
        f"{KEEPS}{FIX}class Own(Config):\n    def __init__(self):\n        super().__init__(0)\n        self.fix()\n"
        f"cfg = Own()\n{READ}",
        {OFF},
    ),
    "by a function": (
        f"def fix(one):\n    if one.n == 0:\n        one.factor = None\n{CALLS.replace('self.fix()', 'fix(self)')}"
        f"cfg = Config()\n{READ}",
        {OFF},
    ),
    "in the hyperparameters that it saves": (
        "import lightning\nclass Data(lightning.LightningDataModule):\n    def __init__(self, n=0, factor=4):\n"
        "        super().__init__()\n        self.save_hyperparameters()\n        self.check()\n    def check(self):\n"
        "        if self.hparams.n == 0:\n            self.hparams.factor = None\n    def train_dataloader(self):\n"
        "        return DataLoader(data, num_workers=self.hparams.n, prefetch_factor=self.hparams.factor)\nData()\n",
        {OFF},
    ),
    "in what the object holds": (ARGUMENTS.replace("CALL", "self.check()"), {OFF}),
    "in what the object holds, never called": (ARGUMENTS.replace("CALL", "pass"), {OFF, NOT_AHEAD}),
}

CALLED = LOAD.replace("        return", "        self.fix()\n        return")
LOADED = "        loader = DataLoader(data, num_workers=self.n, prefetch_factor=self.factor)\n"

WHERE_IT_LOADS: dict[str, tuple[Files, set[tuple[str, str]]]] = {
    "before": (f"{KEEPS}{FIX}{CALLED}Config().load()\nConfig(2).load()\n", {OFF, AHEAD}),
    "before, in what the object holds": (
        ARGUMENTS.replace("CALL", "pass").replace("        return", "        self.check()\n        return"),
        {OFF},
    ),
    "before, where it sets something else": (
        f"{KEEPS}    def fix(self):\n        self.m = 3\n{CALLED}Config().load()\n",
        {NOT_AHEAD},
    ),
    "before, under a condition": (
        f"{KEEPS}{FIX}{CALLED.replace('self.fix()', 'if ask(): self.fix()')}Config().load()\n",
        {OFF, NOT_AHEAD},
    ),
    "after": (
        f"{KEEPS}{FIX}    def load(self):\n{LOADED}        self.fix()\n        return loader\nConfig().load()\n",
        {OFF, NOT_AHEAD},
    ),
}

FILLED: Cases = {
    "a count for 0": (
        f"import os\n{KEEPS}        self.fill()\n    def fill(self):\n        if not self.n:\n"
        f"            self.n = ⟦max(1, os.cpu_count() // 2)⟧\n{LOAD}Config().load()\n",
        {"max(1, os.cpu_count() // 2)"},
    ),
    "what a method is handed": (
        "class Config:\n    def __init__(self, given):\n        self.n = -1\n        self.take(given)\n"
        "    def take(self, given):\n        self.n = given['n']\n"
        "    def load(self):\n        return DataLoader(data, num_workers=self.n)\nConfig({'n': ⟦2⟧}).load()\n",
        {"2"},
    ),
    "what a method is handed, where nobody sees it": (
        "import json\nclass Config:\n    def __init__(self, given):\n        self.n = -1\n        self.take(given)\n"
        "    def take(self, given):\n        self.n = given['n']\n"
        "    def load(self):\n        return DataLoader(data, num_workers=self.n)\nConfig(json.load(f)).load()\n",
        {"open"},
    ),
    "below what the object holds, before the constructor sets it": (
        "class Settings:\n    n = 1\nclass Base:\n    def __init__(self):\n        self.settings = Settings()\n"
        "    def off(self):\n        self.settings.n = 0\nclass Run(Base):\n    def __init__(self):\n"
        "        super().__init__()\n        self.off()\n        self.settings.n = ⟦2⟧\n"
        "run = Run()\nDataLoader(data, num_workers=run.settings.n)\n",
        {"2"},
    ),
    "below what the object holds, after the constructor set it": (
        "class Settings:\n    n = 1\nclass Base:\n    def __init__(self):\n        self.settings = Settings()\n"
        "    def off(self):\n        self.settings.n = ⟦0⟧\nclass Run(Base):\n    def __init__(self):\n"
        "        super().__init__()\n        self.settings.n = 2\n        self.off()\n"
        "run = Run()\nDataLoader(data, num_workers=run.settings.n)\n",
        {"0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), REPAIRED.values(), ids=REPAIRED.keys())
def test_what_a_constructor_calls_repairs(files: Files, expected: set[tuple[str, str]]) -> None:
    assert met(files) == expected


@pytest.mark.parametrize(("files", "expected"), WHERE_IT_LOADS.values(), ids=WHERE_IT_LOADS.keys())
def test_what_the_method_that_loads_repairs(files: Files, expected: set[tuple[str, str]]) -> None:
    assert met(files) == expected


@pytest.mark.parametrize(("files", "expected"), FILLED.values(), ids=FILLED.keys())
def test_what_a_constructor_calls_fills_in(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
