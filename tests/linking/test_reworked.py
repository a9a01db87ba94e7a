"""Configurations whose arguments the project's own code gives otherwise than they say."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

_DATA = IMPORT + (
    "class Data:\n    def __init__(self, num_workers=2):\n        self.num_workers = num_workers\n"
    "    def load(self):\n        return DataLoader(data, num_workers=self.num_workers)\n"
)
_FOUND = (
    "import importlib, yaml\ndef found(name):\n    module, last = name.rsplit('.', 1)\n"
    "    return getattr(importlib.import_module(module), last)\nconfig = yaml.safe_load(open('c.yaml'))\n"
)


def _made(text: str) -> dict[str, str]:
    return {
        "main.py": _FOUND + text,
        "data.py": _DATA,
        "c.yaml": "target: data.Data\nparams:\n  num_workers: ⟦4⟧\n",
    }


CASES: Cases = {
    "as it says": (
        _made("def made(c):\n    return found(c['target'])(**c.get('params', {}))\nmade(config).load()\n"),
        {"4"},
    ),
    "set where it is made": (
        _made(
            "def made(c):\n    c['params']['num_workers'] = 0\n    return found(c['target'])(**c['params'])\n"
            "made(config).load()\n"
        ),
        {"4", "open"},
    ),
    "another argument set where it is made": (
        _made(
            "def made(c):\n    c['params']['size'] = 0\n    return found(c['target'])(**c['params'])\n"
            "made(config).load()\n"
        ),
        {"4"},
    ),
    "set by the caller": (
        _made(
            "def made(c):\n    return found(c['target'])(**c['params'])\n"
            "config['params']['num_workers'] = 0\nmade(config).load()\n"
        ),
        {"4", "open"},
    ),
    "set on something else": (
        _made(
            "def made(c):\n    return found(c['target'])(**c['params'])\n"
            "other = {}\nother['num_workers'] = 0\nmade(config).load()\n"
        ),
        {"4"},
    ),
    "taken away": (
        _made(
            "def made(c):\n    given = c['params']\n    given.pop('num_workers')\n"
            "    return found(c['target'])(**given)\n"
            "made(config).load()\n"
        ),
        {"4", "open"},
    ),
    "keywords laid over": (
        _made(
            "def made(c, **more):\n    return found(c['target'])(**{**c['params'], **more})\n"
            "made(config, num_workers=0).load()\n"
        ),
        {"4", "open"},
    ),
    "other keywords laid over": (
        _made(
            "def made(c, **more):\n    return found(c['target'])(**{**c['params'], **more})\n"
            "made(config, size=0).load()\n"
        ),
        {"4"},
    ),
    "keywords beside": (
        _made(
            "def made(c, **more):\n    return found(c['target'])(**c['params'], **more)\nmade(config, size=0).load()\n"
        ),
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_arguments_given_otherwise(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
