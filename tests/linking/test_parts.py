"""Which files of a project can have a say in each other's values."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from loaderlint.linking.files.known import Files
from loaderlint.linking.files.parts import Parts
from loaderlint.model.source import Language, Source

Cases = dict[str, tuple[Mapping[str, str], set[frozenset[str]]]]

PROGRAM = "import argparse, yaml\n"


def together(texts: Mapping[str, str]) -> set[frozenset[str]]:
    sources: dict[str, Source] = {}
    for path, text in texts.items():
        language = Language.of(path)
        assert language is not None
        sources[path] = Source(path, f"/project/{path}", language, text.encode())
    return set(Parts(Files(sources)).all)


def alone(*paths: str) -> set[frozenset[str]]:
    return {frozenset({path}) for path in paths}


def one(*paths: str) -> frozenset[str]:
    return frozenset(paths)


CASES: Cases = {
    "a configuration beside a script that has no command line interface": (
        {
            "train.py": PROGRAM,
            "job/s.py": "import sys\nsys.argv\nV = 'VECLIB_MAXIMUM_THREADS'",
            "job/a.yaml": "num_workers: 1",
        },
        {one("train.py", "job/a.yaml"), *alone("job/s.py")},
    ),
    "a configuration beside a script that has one": (
        {"train.py": PROGRAM, "job/s.py": "from ours import OurCLI\nOurCLI()", "job/a.yaml": "num_workers: 1"},
        {one("job/s.py", "job/a.yaml"), *alone("train.py")},
    ),
    "programs with nothing in common": ({"a.py": "x = 1", "b.py": "y = 2"}, alone("a.py", "b.py")),
    "an import": ({"a.py": "import b", "b.py": "", "c.py": ""}, {one("a.py", "b.py"), *alone("c.py")}),
    "an import among others": ({"a.py": "import os, b as c", "b.py": ""}, {one("a.py", "b.py")}),
    "an import of several lines": (
        {"a.py": "from p import (\n    b,\n    c,\n)", "p/b.py": "", "p/c.py": ""},
        {one("a.py", "p/b.py", "p/c.py")},
    ),
    "a continued import": (
        {"a.py": "from p import b, \\\n  c", "p/b.py": "", "p/c.py": ""},
        {one("a.py", "p/b.py", "p/c.py")},
    ),
    "an import in a function": ({"a.py": "def f():\n    import b", "b.py": ""}, {one("a.py", "b.py")}),
    "a relative import": (
        {"p/a.py": "from ..q import b\nfrom . import c", "q/b.py": "", "p/c.py": "", "d.py": ""},
        {one("p/a.py", "q/b.py", "p/c.py"), *alone("d.py")},
    ),
    "programs that import one module": (
        {"a.py": "import shared", "b.py": "import shared", "shared.py": ""},
        {one("a.py", "b.py", "shared.py")},
    ),
    "modules that one program imports": (
        {"main.py": "import a\nimport b", "a.py": "", "b.py": ""},
        {one("main.py", "a.py", "b.py")},
    ),
    "modules of one name beside their programs": (
        {
            "p/main.py": "from data import load",
            "p/data.py": "def load(): ...",
            "q/main.py": "import data",
            "q/data.py": "",
        },
        {one("p/main.py", "p/data.py"), one("q/main.py", "q/data.py")},
    ),
    "a name that the nearest module lacks": (
        {"p/main.py": "from data import load", "p/data.py": "", "data.py": "def load(): ..."},
        {one("p/main.py", "p/data.py", "data.py")},
    ),
    "a name that the nearest module has under another name here": (
        {"p/main.py": "from data import load as read  # ours", "p/data.py": "def load(): ...", "data.py": ""},
        {one("p/main.py", "p/data.py"), *alone("data.py")},
    ),
    "a name that no module of that name has": (
        {"p/main.py": "from data import load", "p/data.py": "", "data.py": "save = 1"},
        {one("p/main.py", "p/data.py"), *alone("data.py")},
    ),
    "a module that the nearest package has": (
        {"p/main.py": "from lib import a", "p/lib/__init__.py": "", "p/lib/a.py": "", "lib/__init__.py": "a = 1"},
        {one("p/main.py", "p/lib/__init__.py", "p/lib/a.py"), *alone("lib/__init__.py")},
    ),
    "a name that a star import may bring to the nearest module": (
        {"p/main.py": "from data import load", "p/data.py": "from torch import *", "data.py": "load = 1"},
        {one("p/main.py", "p/data.py"), *alone("data.py")},
    ),
    "two checkouts of one project": (
        {
            f"{copy}/{path}": text
            for copy in ("p", "q")
            for path, text in {
                "setup.py": "",
                "tests/a.py": "from lib import f, g\nfrom lib.b import no_more",
                "lib/__init__.py": "from .b import f as g\ndef f(): ...",
                "lib/b.py": "def f(): ...",
            }.items()
        },
        {one(*(f"{copy}/{path}" for path in ("tests/a.py", "lib/__init__.py", "lib/b.py"))) for copy in ("p", "q")}
        | alone("p/setup.py", "q/setup.py"),
    ),
    "libraries from elsewhere": ({"p/a.py": "import torch", "q/b.py": "import torch"}, alone("p/a.py", "q/b.py")),
    "modules imported by name": (
        {
            "p/main.py": "import_module(f'data.{name}')",
            "data/a.py": "",
            "data/__init__.py": "",
            "p/b.py": "",
            "q/c.py": "",
        },
        {one("p/main.py", "data/a.py", "data/__init__.py", "p/b.py"), *alone("q/c.py")},
    ),
    "a class named by its dotted name": (
        {"main.py": "make('nets.small.Net')", "nets/small.py": "class Net: ...", "nets/large.py": ""},
        {one("main.py", "nets/small.py"), *alone("nets/large.py")},
    ),
    "words with a dot in them": (
        {"main.py": "get('nets.small')", "nets.py": "large = 1"},
        alone("main.py", "nets.py"),
    ),
    "a file named by its path": (
        {"p/main.py": "Config.fromfile('configs/a.py')", "p/configs/a.py": "", "q/configs/a.py": ""},
        {one("p/main.py", "p/configs/a.py"), *alone("q/configs/a.py")},
    ),
    "each program's own settings": (
        {"p/main.py": PROGRAM, "p/c.yaml": "num_workers: 1", "q/main.py": PROGRAM, "q/c.yaml": "num_workers: 2"},
        {one("p/main.py", "p/c.yaml"), one("q/main.py", "q/c.yaml")},
    ),
    "settings in a folder of their own": (
        {"p/main.py": PROGRAM, "configs/c.yaml": "num_workers: 1", "q/main.py": PROGRAM},
        {one("p/main.py", "configs/c.yaml", "q/main.py")},
    ),
    "settings above the working folder": (
        {"main.py": PROGRAM, "../configs/c.yaml": "num_workers: 1", "../setup.py": PROGRAM, "../../d.py": PROGRAM},
        {one("main.py", "../configs/c.yaml", "../setup.py"), *alone("../../d.py")},
    ),
    "settings beside code that nobody starts": (
        {"main.py": PROGRAM, "configs/c.yaml": "num_workers: 1", "configs/defaults.py": "config = {}"},
        {one("main.py", "configs/c.yaml", "configs/defaults.py")},
    ),
    "settings beside others whose words look like a program's": (
        {
            "main.py": PROGRAM,
            "configs/c.yaml": "num_workers: 1",
            "configs/nets/net.py": "train_cfg = dict(type='SparseEncoder')",
        },
        {one("main.py", "configs/c.yaml", "configs/nets/net.py")},
    ),
    "settings beside a program among them": (
        {
            "main.py": PROGRAM,
            "configs/c.yaml": "num_workers: 1",
            "configs/run.py": "if read(cfg):\n    parse()\n",
        },
        {one("configs/run.py", "configs/c.yaml"), *alone("main.py")},
    ),
    "settings and code that reads none": (
        {"main.py": PROGRAM, "p/c.yaml": "num_workers: 1", "p/plot.py": "__name__ == '__main__'"},
        {one("main.py", "p/c.yaml"), *alone("p/plot.py")},
    ),
    "settings in a language that the program does not read": (
        {"main.py": PROGRAM, "c.toml": "num_workers = 1"},
        alone("main.py", "c.toml"),
    ),
    "settings that name a class": (
        {"p/c.yaml": "target: data.Files", "p/main.py": PROGRAM, "data.py": "class Files: ...", "nets.py": "x = 1"},
        {one("p/c.yaml", "p/main.py", "data.py"), *alone("nets.py")},
    ),
    "settings written in Python": (
        {
            "main.py": "config_flags.DEFINE_config_file('config')  # absl",
            "configs/a.py": "def get_config(): ...",
            "plot.py": "",
        },
        {one("main.py", "configs/a.py"), *alone("plot.py")},
    ),
}


@pytest.mark.parametrize(("texts", "expected"), CASES.values(), ids=CASES)
def test_files_that_can_have_a_say_in_each_others_values(
    texts: Mapping[str, str], expected: set[frozenset[str]]
) -> None:
    assert together(texts) == expected


def test_a_file_that_holds_no_settings_of_loaders_is_read_by_several_programs() -> None:
    class Others:
        texts: Mapping[str, bytes] = {
            "p/main.py": PROGRAM.encode(),
            "q/main.py": PROGRAM.encode(),
            "c.yaml": b"size: 1",
        }

        def paths(self) -> tuple[str, ...]:
            return tuple(self.texts)

        def content(self, path: str) -> bytes | None:
            return self.texts.get(path)

        def answers(self) -> None: ...

        def learn(self, answers: object) -> None: ...

        def read(self, path: str) -> Source | None:
            return None

        def exists(self, path: str) -> bool:
            return path in self.texts

    assert set(Parts(Files({}, Others())).all) == {one("p/main.py", "c.yaml"), one("q/main.py", "c.yaml")}
