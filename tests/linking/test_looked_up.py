"""Classes and functions that a program looks up by a name from its configuration, and the objects they come through."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

LOADERS = f"""{IMPORT}
class Train:
    def __init__(self, size, num_workers=1):
        self.loader = DataLoader(range(size), num_workers=num_workers)

def spare(size, num_workers=3):
    return size
"""
CONFIG = '{"type": "Train", "args": {"size": 8, "num_workers": ⟦2⟧}}'
READ = "import json\nimport loaders\nconfig = json.load(open('config.json'))\n"
BY_SUBSCRIPT = """
class Config:
    def __init__(self, said):
        self._said = said
    def __getitem__(self, key):
        return self._said[key]
    @classmethod
    def read(cls, path):
        return cls(json.load(open(path)))
"""


def project(program: str, config: str = CONFIG) -> dict[str, str]:
    return {"loaders.py": LOADERS, "main.py": READ + program, "config.json": config}


LOOKED_UP: Cases = {
    "getattr of a module": (project("getattr(loaders, config['type'])(**config['args'])"), {"2"}),
    "the name in a variable": (
        project("name = config['type']\ngetattr(loaders, name)(**config['args'])"),
        {"2"},
    ),
    "a class method and subscripts of an object": (
        project(f"{BY_SUBSCRIPT}c = Config.read('config.json')\ngetattr(loaders, c['type'])(**c['args'])"),
        {"2"},
    ),
    "another class": (
        project(
            "getattr(loaders, config['type'])(**config['args'])",
            '{"type": "spare", "args": {"size": 8, "num_workers": 2}}',
        ),
        {"1 at loaders.py:4:42", "open"},
    ),
    "a name that was not seen": (
        project("getattr(loaders, find())(**config['args'])", '{"type": "Train", "args": {"num_workers": 2}}'),
        {"1 at loaders.py:4:42", "open"},
    ),
    "one of several files": (
        project(
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--config')\n"
            "said = json.load(open(parser.parse_args().config))\n"
            "getattr(loaders, said['type'])(**said['args'])"
        ),
        {"2", "open"},
    ),
    "a class method of a class that has a subclass": (
        project(
            f"{BY_SUBSCRIPT}class Other(Config):\n    def __getitem__(self, key):\n        return 'spare'\n"
            "c = Config.read('config.json')\ngetattr(loaders, c['type'])(size=1)",
            '{"type": "Train"}',
        ),
        {"1 at loaders.py:4:42"},
    ),
    "a class method that is called on a subclass": (
        project(
            f"{BY_SUBSCRIPT}class Other(Config):\n    def __getitem__(self, key):\n        return 'Train'\n"
            "c = Other.read('config.json')\ngetattr(loaders, c['type'])(size=1)",
            '{"type": "spare"}',
        ),
        {"1 at loaders.py:4:42"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LOOKED_UP.values(), ids=LOOKED_UP.keys())
def test_what_is_looked_up_by_name(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
