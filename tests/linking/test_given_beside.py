"""What loaders in code get beside a worker count that they may take from a configuration nobody was seen to read."""

from __future__ import annotations

import pytest

from loaderlint.model.source import Language
from tests.linking.traced import loaders_of

SETTINGS = "data:\n  name: digits\n  num_workers: 2\n"
PROGRAM = """
import yaml
from torch.utils.data import DataLoader
def load(rows, conf):
    return DataLoader(rows, {options})
"""
MERGED = """
import yaml
from torch.utils.data import DataLoader
class Rows:
    defaults = {{"num_workers": 1, {more}}}
    def __init__(self, conf):
        self.conf = {{**self.defaults, **conf}}
    def load(self):
        return DataLoader([], num_workers=self.conf["num_workers"], prefetch_factor=self.conf["prefetch_factor"])
"""

BESIDE = {
    "a constant": (PROGRAM.format(options="num_workers=conf.num_workers, prefetch_factor=4"), {"prefetch_factor"}),
    "several": (
        PROGRAM.format(options="num_workers=conf.num_workers, persistent_workers=True, timeout=60"),
        {"persistent_workers", "timeout"},
    ),
    "a default of the program": (MERGED.format(more='"prefetch_factor": 2'), {"prefetch_factor"}),
    "a default that asks for no workers": (MERGED.format(more='"prefetch_factor": None'), set()),
    "an option that no workers need": (
        PROGRAM.format(options="num_workers=conf.num_workers, pin_memory=True, persistent_workers=False"),
        set(),
    ),
    "an option that is given only with workers": (
        PROGRAM.format(options="num_workers=conf.num_workers, prefetch_factor=4 if conf.num_workers > 0 else None"),
        set(),
    ),
    "an option that is given for another reason": (
        PROGRAM.format(options="num_workers=conf.num_workers, prefetch_factor=4 if conf.fast else None"),
        {"prefetch_factor"},
    ),
    "an option beside a count of its own": (PROGRAM.format(options="num_workers=4, prefetch_factor=4"), set()),
    "nothing": (PROGRAM.format(options="num_workers=conf.num_workers"), set()),
}


@pytest.mark.parametrize(("program", "beside"), BESIDE.values(), ids=BESIDE.keys())
def test_what_needs_workers_may_come_to_the_loader_that_reads_settings(program: str, beside: set[str]) -> None:
    found = loaders_of({"main.py": program, "configs/a.yaml": SETTINGS})
    bare = [one for one in found if Language.of(one.span.path) is Language.YAML]
    assert [set(one.given_beside) for one in bare] == [beside]


LOADER_CLASS = """
import torch.utils.data

# The class says more than the program has lines, and names the worker count that the program does not name.

class Checked(torch.utils.data.DataLoader):
    def __init__(self, dataset, num_workers=0, **kwargs):
        if num_workers > 0:
            kwargs.setdefault("prefetch_factor", 4)
        super().__init__(dataset, num_workers=num_workers, **kwargs)
"""
CALLED_ELSEWHERE = """
import yaml
from checked import Checked
def load(rows, conf):
    return Checked(rows, num_workers=conf.workers, persistent_workers=True)
"""


def test_what_a_constructor_in_another_file_asks_of_the_count_it_hands_on_is_read_there() -> None:
    found = loaders_of({"checked.py": LOADER_CLASS, "main.py": CALLED_ELSEWHERE, "configs/a.yaml": SETTINGS})
    bare = [one for one in found if Language.of(one.span.path) is Language.YAML]
    assert [set(one.given_beside) for one in bare] == [{"persistent_workers"}]
