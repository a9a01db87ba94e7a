"""Objects that pyrallis and draccus fill from the command line, and the functions that a decorator hands them to."""

from __future__ import annotations

import pytest

from loaderlint.linking.link import link
from tests.linking.traced import IMPORT, project_of, rendered

CONFIG = """from dataclasses import dataclass, field
@dataclass
class Data:
    workers: int = ⟦3⟧
@dataclass
class Config:
    workers: int = ⟦2⟧
    data: Data = field(default_factory=Data)
"""
MAIN = "def main(cfg: Config):\n    DataLoader(1, num_workers=cfg.workers)\nmain()\n"
OWN = """import draccus, inspect, sys
from functools import wraps
def wrap(config_path=None):
    def outer(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            spec = inspect.getfullargspec(fn)
            argtype = spec.annotations[spec.args[0]]
            if len(args) > 0 and type(args[0]) is argtype:
                cfg = args[0]
                args = args[1:]
            else:
                cfg = draccus.parse(config_class=argtype, config_path=config_path, args=sys.argv[1:])
            return fn(cfg, *args, **kwargs)
        return inner
    return outer
"""
HANDS_ON = "return fn(cfg, *args, **kwargs)"
NEXT = "\n" + " " * 12
PARSED = "cfg = draccus.parse("
FROM_FILE = "cfg = argtype.from_pretrained(sys.argv[1])" + NEXT + "    if not cfg:" + NEXT + "        "

FILLED = {
    "draccus.wrap": (f"import draccus\n{CONFIG}@draccus.wrap()\n{MAIN}", {"2", "open"}),
    "pyrallis.wrap": (f"import pyrallis\n{CONFIG}@pyrallis.wrap()\n{MAIN}", {"2", "open"}),
    "a name that is imported": (f"from draccus import wrap\n{CONFIG}@wrap(config_path=None)\n{MAIN}", {"2", "open"}),
    "nested classes": (
        f"import pyrallis\n{CONFIG}@pyrallis.wrap()\n{MAIN.replace('cfg.workers', 'cfg.data.workers')}",
        {"3", "open"},
    ),
    "a function that nobody is seen to call": (
        f"import draccus\n{CONFIG}@draccus.wrap()\n{MAIN.removesuffix('main()' + chr(10))}",
        {"2", "open"},
    ),
    "a caller that hands over an object itself": (
        f"import draccus\n{CONFIG}@draccus.wrap()\n{MAIN}main(Config(workers=⟦5⟧))\n",
        {"2", "5", "open"},
    ),
    "a wrapper of the project's own": (f"{OWN}{CONFIG}@wrap()\n{MAIN}", {"2", "open"}),
    "a wrapper that may read a file of the user's by the class": (
        f"{OWN.replace(PARSED, FROM_FILE + PARSED)}{CONFIG}@wrap()\n{MAIN}",
        {"2", "open"},
    ),
    "draccus.parse": (
        f"import draccus\n{CONFIG}cfg = draccus.parse(config_class=Config)\nDataLoader(1, num_workers=cfg.workers)\n",
        {"2", "open"},
    ),
    "pyrallis.parse, nested": (
        f"import pyrallis\n{CONFIG}cfg = pyrallis.parse(Config)\nDataLoader(1, num_workers=cfg.data.workers)\n",
        {"3", "open"},
    ),
    "a file that the user names": (
        f"import draccus, sys\n{CONFIG}cfg = draccus.parse(Config, config_path=sys.argv[1])\n"
        "DataLoader(1, num_workers=cfg.workers)\n",
        {"2", "open"},
    ),
}

OPEN = {
    "a file that the program names comes before the defaults": (
        f"import draccus\n{CONFIG}cfg = draccus.parse(config_class=Config, config_path='own.yaml')\n"
        "DataLoader(1, num_workers=cfg.workers)\n"
    ),
    "a file that the decorator names": f"import pyrallis\n{CONFIG}@pyrallis.wrap(config_path='own.yaml')\n{MAIN}",
    "a file that a wrapper of the project is given": f"{OWN}{CONFIG}@wrap('own.yaml')\n{MAIN}",
    "a parameter without an annotation": f"import draccus\n{CONFIG}@draccus.wrap()\n{MAIN.replace(': Config', '')}",
    "a parameter that is not the first": (
        f"import draccus\n{CONFIG}@draccus.wrap()\n{MAIN.replace('cfg: Config', 'other: Data, cfg: Config')}"
    ),
    "a class that nobody sees": f"import draccus\nfrom elsewhere import Config\n@draccus.wrap()\n{MAIN}",
    "a wrapper of another library": f"import gin\n{CONFIG}@gin.wrap()\n{MAIN}",
    "a wrapper that parses another class": (
        f"{OWN.replace('spec.annotations[spec.args[0]]', 'unseen()')}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that hands over something else": (
        f"{OWN.replace('fn(cfg, *args', 'fn(changed(cfg), *args')}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that replaces it before it hands it over": (
        f"{OWN.replace(HANDS_ON, 'cfg = replace(cfg, workers=0)' + NEXT + HANDS_ON)}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that changes it before it hands it over": (
        f"{OWN.replace(HANDS_ON, 'cfg.workers = 0' + NEXT + HANDS_ON)}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that parses a file of its own": (
        f"{OWN.replace('config_path=config_path', 'config_path=' + repr('own.yaml'))}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that may make something else of a file": (
        f"{OWN.replace(PARSED, FROM_FILE.replace('argtype.from_pretrained', 'other') + PARSED)}{CONFIG}@wrap()\n{MAIN}"
    ),
    "a wrapper that parses with another library": f"{OWN.replace('draccus', 'elsewhere')}{CONFIG}@wrap()\n{MAIN}",
}


def traced(text: str) -> set[str]:
    project, marks = project_of({"main.py": IMPORT + text})
    (loader,) = link(project)
    workers = loader.num_workers
    return {rendered(one, marks) for one in workers.candidates} | ({"open"} if workers.open else set())


@pytest.mark.parametrize(("text", "expected"), FILLED.values(), ids=FILLED.keys())
def test_what_a_user_does_not_give_keeps_its_default(text: str, expected: set[str]) -> None:
    assert traced(text) == expected


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN.keys())
def test_what_else_is_handed_over_is_not_guessed(text: str) -> None:
    assert traced(text) == {"open"}
