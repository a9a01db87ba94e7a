"""Settings in Python that a program reads with its own copy of OpenMMLab's ``Config``."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

COPY = """
import sys
from importlib import import_module
BASE_KEY = "_base_"
class Config:
    @staticmethod
    def _file2dict(filename):
        sys.path.insert(0, "elsewhere")
        module = import_module(copied(filename))
        settings = {name: value for name, value in module.__dict__.items() if not name.startswith("__")}
        for base in settings.pop(BASE_KEY, ()):
            settings = Config._merge_a_into_b(settings, Config._file2dict(base))
        return settings
    @staticmethod
    def _merge_a_into_b(a, b):
        b = b.copy()
        for key, value in a.items():
            b[key] = value
        return b
    @staticmethod
    def fromfile(filename, import_custom_modules=True):
        return Config(Config._file2dict(filename), filename)
    def __init__(self, settings=None, filename=None):
        super().__setattr__("_settings", settings)
    def __getattr__(self, name):
        return getattr(self._settings, name)
"""
PROGRAM = f"{IMPORT}import argparse\nfrom util.config import Config\n{{}}DataLoader(1, num_workers=cfg.count)\n"
GIVEN = (
    "parser = argparse.ArgumentParser()\nparser.add_argument('--config')\nargs = parser.parse_args()\n"
    "cfg = Config.fromfile(args.config)\n"
)
BASE = "count = {}  # of workers\nname = 'base'\n"
HEIR = "_base_ = ['../_base_/runtime.py']\nname = 'heir'\n"


def program(code: str, count: str = "⟦8⟧", copy: str = COPY) -> dict[str, str]:
    return {
        "tools/train.py": PROGRAM.format(code),
        "util/__init__.py": "",
        "util/config.py": copy,
        "configs/_base_/runtime.py": BASE.format(count),
        "configs/one/heir.py": HEIR,
    }


READ: Cases = {
    "a file": (program("cfg = Config.fromfile('configs/_base_/runtime.py')\n"), {"8"}),
    "a file that inherits": (program("cfg = Config.fromfile('configs/one/heir.py')\n"), {"8"}),
    "a file by the name of the parameter": (
        program("cfg = Config.fromfile(filename='configs/one/heir.py', import_custom_modules=False)\n"),
        {"8"},
    ),
    "a file that the user names": (program(GIVEN), {"8", "open"}),
    "a file after which the program says otherwise": (
        program("cfg = Config.fromfile('configs/one/heir.py')\ncfg.count = ⟦2⟧\n", "8"),
        {"2"},
    ),
    "by a class that reads in some other way": (
        program("cfg = Config.fromfile('configs/one/heir.py')\n", "8", COPY.replace("_file2dict", "_asked_for")),
        {"open"},
    ),
    "by a class that knows of no bases": (
        program("cfg = Config.fromfile('configs/one/heir.py')\n", "8", COPY.replace('"_base_"', '"base"')),
        {"open"},
    ),
    "by another method of the class": (
        program(
            "cfg = Config.fromtext('configs/one/heir.py')\n",
            "8",
            COPY.replace("def fromfile(", "def fromtext(text):\n        return parsed(text)\n    def fromfile("),
        ),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), READ.values(), ids=READ.keys())
def test_settings_read_by_a_copied_class(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
