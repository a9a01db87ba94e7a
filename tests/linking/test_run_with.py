"""Programs whose configuration files stand in a list of the project, beside the program itself."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, traced

PARSE = """import functools
import sys
from omegaconf import OmegaConf
def parse(main):
    @functools.wraps(main)
    def wrapper():
        sys.exit(main(OmegaConf.load(sys.argv[2])))
    return wrapper
def logged(main):
    @functools.wraps(main)
    def wrapper():
        return main(sys.argv)
    return wrapper
"""
OTHER_PARSE = PARSE.replace("from omegaconf import OmegaConf\n", "").replace("OmegaConf.load(sys.argv[2])", "sys.argv")
MAIN = f"""{IMPORT}from tool.parse import parse
class Recipe:
    def setup(self, cfg):
        self.loader = self.make(workers=cfg.workers)
    def make(self, workers):
        return DataLoader(1, num_workers=workers)
@parse
def main(cfg):
    recipe = Recipe()
    recipe.setup(cfg=cfg)
if __name__ == "__main__":
    main()
"""
ENTRIES = """from dataclasses import dataclass
@dataclass
class Entry:
    program: str
    files: list
"""
SMALL = {"recipes/configs/small.yaml": "workers: ⟦4⟧\n", "recipes/configs/large.yaml": "workers: ⟦8⟧\n"}
UNTIED = {"recipes/configs/small.yaml": "workers: 4\n", "recipes/configs/large.yaml": "workers: 8\n"}


def project(listed: str, configurations: dict[str, str], main: str = MAIN, parse: str = PARSE) -> dict[str, str]:
    files = {
        "tool/__init__.py": "from tool import entries, parse\n",
        "tool/parse.py": parse,
        "tool/entries.py": ENTRIES + listed,
    }
    return {**files, "recipes/train.py": main, "recipes/test.py": "", **configurations}


BOTH = 'ALL = [Entry("train.py", ["small.yaml", "large.yaml"]), Entry("test.py", ["other.yaml"])]\n'
CASES: Cases = {
    "an entry for each program": (project(BOTH, SMALL), {"4", "8", "open"}),
    "files in calls of their own": (
        project(
            'ALL = [Entry(program="train.py", files=[dict(path="configs/small.yaml")])]\n',
            {**UNTIED, **{"recipes/configs/small.yaml": "workers: ⟦4⟧\n"}},
        ),
        {"4", "open"},
    ),
    "a dictionary": (
        project('ALL = {"train": {"run": "recipes/train.py", "with": ["small.yaml", "large.yaml"]}}\n', SMALL),
        {"4", "8", "open"},
    ),
    "another program's files": (
        project('ALL = [Entry("test.py", ["small.yaml"]), Entry("train.py", [])]\n', UNTIED),
        {"open"},
    ),
    "two programs in one entry": (
        project('ALL = [Entry(["train.py", "test.py"], ["small.yaml", "large.yaml"])]\n', UNTIED),
        {"open"},
    ),
    "files that the project has not": (
        project('ALL = [Entry("train.py", ["absent.yaml"])]\n', UNTIED),
        {"open"},
    ),
    "no list": (project("", UNTIED), {"open"}),
    "a decorator that reads no file": (project(BOTH, UNTIED, parse=OTHER_PARSE), {"open"}),
    "a second parameter": (
        project(BOTH, UNTIED, main=MAIN.replace("def main(cfg)", "def main(cfg, other)")),
        {"open"},
    ),
    "a second decorator": (
        project(BOTH, UNTIED, main=MAIN.replace("@parse\n", "@parse\n@unknown\n")),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_a_program_is_run_with_the_files_it_is_listed_with(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_trail_shows_where_the_file_is_listed() -> None:
    (loader,) = loaders_of(project(BOTH, SMALL))
    steps = [str(one.trail[0].span) for one in loader.option("num_workers").candidates]
    assert sorted(steps) == ["tool/entries.py:6:27", "tool/entries.py:6:41"]
