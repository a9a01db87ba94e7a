"""Classes that configuration files name, where the user of a program may name another file or replace its values."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

DATA = f"""{IMPORT}
class Data:
    def __init__(self, num_workers):
        self.num_workers = num_workers
    def train_dataloader(self):
        return DataLoader(1, num_workers=self.num_workers)
"""
SETTINGS = "data:\n  target: data.Data\n  params:\n    num_workers: ⟦4⟧\n"
ARGUMENTS = """import argparse
import importlib
from omegaconf import OmegaConf
def make(config):
    module, name = config["target"].rsplit(".", 1)
    return getattr(importlib.import_module(module), name)(**config.get("params", {}))
parser = argparse.ArgumentParser()
parser.add_argument("--base", nargs="*", default=list())
parser.add_argument("--config", required=True)
parser.add_argument("--usual", default="a.yaml")
parser.add_argument("--logs")
args, words = parser.parse_known_args()
"""


def project(program: str) -> dict[str, str]:
    return {"data.py": DATA, "main.py": ARGUMENTS + program, "a.yaml": SETTINGS}


CASES: Cases = {
    "files that the user names, one by one": (
        project("config = OmegaConf.merge(*[OmegaConf.load(one) for one in args.base])\nmake(config.data)\n"),
        {"4", "open"},
    ),
    "files that the user names, in a loop": (
        project("for path in args.base:\n    make(OmegaConf.load(path).data)\n"),
        {"4", "open"},
    ),
    "a file that the user has to name": (
        project("make(OmegaConf.load(args.config).data)\n"),
        {"4", "open"},
    ),
    "a file that the user has to name, read by another library": (
        project("import yaml\nwith open(args.config) as file:\n    make(yaml.safe_load(file)['data'])\n"),
        {"4", "open"},
    ),
    "values laid over the program's own file": (
        project("own = OmegaConf.load('a.yaml')\nmake(OmegaConf.merge(own, OmegaConf.from_dotlist(words)).data)\n"),
        {"4", "open"},
    ),
    "the program's own file": (project("make(OmegaConf.load('a.yaml').data)\n"), {"4"}),
    "a file that is the default": (project("make(OmegaConf.load(args.usual).data)\n"), {"4"}),
    "the program's own words laid over its file": (
        project(
            "own = OmegaConf.load('a.yaml')\nmake(OmegaConf.merge(own, OmegaConf.from_dotlist(['seed=1'])).data)\n"
        ),
        {"4"},
    ),
    "another name that the user gives": (
        project("print(open(args.logs).read())\nmake(OmegaConf.load('a.yaml').data)\n"),
        {"4"},
    ),
    "no program": ({"data.py": DATA, "a.yaml": SETTINGS}, {"4"}),
    "a file of another kind": (
        project("import json\njson.load(open(args.logs))\n"),
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_what_users_may_write_is_open(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
