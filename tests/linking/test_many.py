"""More things than an expression is said to be: those of one kind are one, which is what each of them is."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of, traced

FILES = 4
PARTS = 20
"""Elements of each list: fewer than a loop is followed over, in all files more than an expression is said to be."""

PROGRAM = """\
import sys
from dataclasses import dataclass, field
from typing import List
from omegaconf import OmegaConf
from torch.utils.data import DataLoader

@dataclass
class Data:
    num_workers: int = ⟦0⟧

@dataclass
class Part:
    label: str
    kind: str = "language"
    own: Data = field(default_factory=Data)

@dataclass
class Config:
    parts: List[Part] = field(default_factory=list)

def build(part):
    if part.kind == "language":
        return DataLoader(data, num_workers=part.own.num_workers)

config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.load(sys.argv[1])))
for part in config.parts:
    build(part)
"""


def listed(first: int) -> str:
    """A file of parts: the first is of the one kind and has a value of its own, the second of the other kind."""
    language = f"- label: a\n  own:\n    num_workers: ⟦{first}⟧\n"
    other = f"- label: b\n  kind: other\n  own:\n    num_workers: {first + 50}\n"
    return f"parts:\n{language}{other}" + "".join(f"- label: part{place}\n" for place in range(PARTS))


@pytest.mark.parametrize("files", [1, FILES, 4 * FILES])
def test_of_many_mappings_each_gives_what_it_holds(files: int) -> None:
    texts = {f"{name}.yaml": listed(name + 1) for name in range(files)}
    assert traced({"main.py": PROGRAM, **texts}) == {"0", *(str(name + 1) for name in range(files)), "open"}


def lists(read: str, *, first: str, other: str) -> str:
    """A program that goes through one of several lists of dictionaries, two of the first list with a value."""
    rows = [[f"{{'kind': 'a', 'n': {first}}}, {{'kind': 'b', 'n': {other}}}"], *([] for _ in range(FILES - 1))]
    for row in rows:
        row.extend("{'kind': 'a'}" for _ in range(PARTS))
    chosen = "".join(f"[{', '.join(row)}] if unknown({place}) else " for place, row in enumerate(rows))
    return f"for part in {chosen}[]:\n{read}"


def test_of_many_dictionaries_each_gives_what_it_holds() -> None:
    read = "    if part['kind'] == 'a':\n        DataLoader(data, num_workers=part.get('n', ⟦3⟧))\n"
    assert traced(lists(read, first="⟦1⟧", other="2")) == {"1", "3"}


def test_what_none_of_many_dictionaries_holds_is_not_followed() -> None:
    read = "    DataLoader(data, num_workers=part['m'])\n"
    assert traced(lists(read, first="1", other="2")) == {"open"}


def test_what_goes_on_in_many_ways_is_not_cut_short() -> None:
    lists = "".join(f"[{', '.join(['0'] * 20 + [f'{place}'])}] if unknown({place}) else " for place in range(FILES))
    found = {*(f"{place} shared" for place in range(1, FILES)), "open"}
    assert {
        one.partition(" at ")[0]
        for one in traced(f"for n in {lists}[]:\n    DataLoader(data, num_workers=n or unknown())")
    } == found


@pytest.mark.parametrize(
    ("attribute", "found"),
    [("workers", {"2 at main.py:10:19"}), ("last", {"399 shared at main.py:410:15"}), ("size", {"open"})],
)
def test_an_object_changed_hundreds_of_times_is_followed_as_far_as_python_goes(attribute: str, found: set[str]) -> None:
    calls = "\n".join(f"    table.add({one})" for one in range(400))
    text = (
        "class Table:\n    def __init__(self, workers):\n        self.workers = workers\n"
        "    def add(self, one):\n        self.last = one\n        if unseen:\n"
        "            self.size = self.size + one\n"
        f"def make():\n    table = Table(2)\n{calls}\n"
        f"    return DataLoader(table, num_workers=table.{attribute})"
    )
    assert traced(text) == found


def test_what_two_keys_of_many_files_make_together_is_that_of_one_file_each() -> None:
    program = (
        "import sys\nimport yaml\nfrom torch.utils.data import DataLoader\n"
        "def build(data, workers, times):\n    return DataLoader(data, num_workers=⟦workers * times⟧)\n"
        "config = yaml.safe_load(open(sys.argv[1]))\n"
        "train = build('train', config['workers'], config['gpus'])\n"
        "val = build('val', config['workers'], config['gpus'])\n"
    )
    texts = {f"{name}.yaml": f"workers: {name + 2}\ngpus: 8\n" for name in range(20)}
    assert traced({"main.py": program, **texts}) == {*(str(8 * (name + 2)) for name in range(20)), "open"}


def _asked_by_many(left: str, tail: str) -> dict[str, str]:
    """A function that many call for many things, which goes on with the workers it was given unless they are none."""
    library = (
        "from torch.utils.data import DataLoader\ndef build(opt, task, source=None):\n"
        f"    workers = opt.workers if hasattr(opt, 'workers') else {left}\n{tail}"
    )
    methods = "".join(
        f"    def answer{one}(self, opt, source):\n        if opt.ready:\n            build(opt, 'answer', source)\n"
        f"    def own{one}(self):\n        if self.opt.ready:\n            build(self.opt, 'answer', self.source)\n"
        for one in range(24)
    )
    server = (
        "from lib import build\nfrom other import parse\nclass Server:\n    def __init__(self, opt):\n"
        f"        self.opt = opt\n        self.source = opt.source\n{methods}"
        "server = Server(parse())\n" + "".join(f"server.own{one}()\n" for one in range(24))
    )
    train = "from lib import build\nfrom other import parse\nbuild(parse(), 'train')\nbuild(parse(), 'valid')\n"
    return {"lib.py": library, "server.py": server, "train.py": train}


OTHERWISE = (
    "    if workers == 0 or task == 'answer':\n        return None\n"
    "    else:\n        return DataLoader(opt, num_workers=workers)\n"
)


def test_what_a_test_around_the_place_rules_out_never_arrives_there_however_many_call() -> None:
    assert traced(_asked_by_many("0", OTHERWISE)) == {"open"}


def test_what_a_test_around_the_place_lets_pass_arrives_there_however_many_call() -> None:
    assert traced(_asked_by_many("⟦2⟧", OTHERWISE)) == {"2 shared", "open"}


def test_what_is_bound_anew_after_a_test_is_not_ruled_out_by_it() -> None:
    assert traced("n = 0\nif n == 0:\n    n = ⟦3⟧\n    DataLoader(d, num_workers=n)") == {"3"}


SAMPLED = (
    "from torch.utils.data import DataLoader\n"
    "def build(data, workers, **kwargs):\n"
    "    return (\n"
    "        DataLoader(data, batch_sampler=kwargs['sampler'], num_workers=workers)\n"
    "        if 'sampler' in kwargs\n"
    "        else DataLoader(data, num_workers=workers)\n"
    "    )\n"
)


@pytest.mark.parametrize("programs", [1, 8])
def test_which_arm_each_of_many_calls_comes_to_is_told_for_each_of_many_files(programs: int) -> None:
    program = (
        "import argparse\nimport yaml\nfrom library import build\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('config')\nargs = parser.parse_args()\n"
        "def main(args):\n    config = yaml.safe_load(open(args.config))\n"
        "    if config['sampled']:\n        build(1, config['workers'], sampler=2)\n"
        "    else:\n        build(1, config['workers'])\n"
        "main(args)\n"
    )
    files = {f"{name:02}.yaml": f"workers: {name}\nsampled: {name % 2 == 0}\n" for name in range(14)}
    started = {f"train{number}.py": program for number in range(programs)}
    sampled, others = loaders_of({"library.py": SAMPLED, **started, **files})
    assert {one.constant for one in sampled.num_workers.candidates} == {*range(0, 14, 2)}
    assert {one.constant for one in others.num_workers.candidates} == {*range(1, 14, 2)}
