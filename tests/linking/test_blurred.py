"""Attributes that are set under names nobody wrote."""

from __future__ import annotations

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import traced as loaders_traced
from loaderlint.model.source import Language, Source
from tests.linking.test_project_files import Folder
from tests.linking.traced import IMPORT, Cases, traced

CFG = "class Settings:\n    workers = ⟦4⟧\ncfg = Settings()\n"
READ = "\nDataLoader(data, num_workers=cfg.workers)\n"
PARSED = (
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', type=int, required=True)\n"
    "parser.set_defaults(depth=1)\ncfg = parser.parse_args()\n"
)
PARSER = (
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', type=int, default=⟦4⟧)\n"
)
ASKED = "\nDataLoader(data, num_workers={} if cfg.workers is None else cfg.workers)\n"
"""What is parsed as a number is never None, unless something else was set."""
ANY_SET = "for key, value in given():\n    setattr(args, key, value)\n"
COPYING = (
    "import copy, dataclasses\n@dataclasses.dataclass\nclass Settings:\n    workers: int = ⟦4⟧\n    depth: int = 0\n"
    "    def with_all(self, given):\n        other = {}\n        for key, value in given.items():\n"
    "            setattr(other, key, value)\n        return other\ncfg = Settings()\n"
)

FAMILY = (
    "class Base:\n    def __init__(self):\n        self.workers = ⟦4⟧\n    def loader(self):\n"
    "        return DataLoader(data, num_workers=self.workers)\n"
    "class Settings(Base):\n    def __init__(self, **given):\n        super().__init__()\n"
)

SETS_EACH = (
    "def update(target, given):\n    if isinstance(target, (list, tuple)):\n        for one in target:\n"
    "            update(one, given)\n    else:\n        for key, value in given.items():\n"
    "            setattr(target, key, value)\n"
)

DEEPER = SETS_EACH.replace("(target, given)", "(target, given, deep)").replace(
    "isinstance(target, (list, tuple))", "deep"
)
BY_ANOTHER = SETS_EACH.replace(
    "        for one in target:\n            update(one, given)\n", "        each_of(target, given)\n"
)
"""A function that sets attributes of what it gets, or has another one call it with each of the objects in that."""

BLURRED: Cases = {
    "on objects of an heir, in a method that was inherited": (
        FAMILY.replace("⟦4⟧", "4")
        + "        for key in given:\n            setattr(self, key, given[key])\nSettings(**read()).loader()\n",
        {"open"},
    ),
    "on objects of an heir, from keywords that are written": (
        FAMILY.replace("⟦4⟧", "4")
        + "        for key in given:\n            setattr(self, key, given[key])\nSettings(workers=⟦2⟧).loader()\n",
        {"2"},
    ),
    "on objects of an heir, from keywords that are written, before the base sets its own": (
        FAMILY.replace("        super().__init__()\n", "")
        + "        self.__dict__.update(given)\n        super().__init__()\nSettings(workers=2).loader()\n",
        {"4", "open"},
    ),
    "on objects of an heir, other keywords": (
        f"{FAMILY}        for key in given:\n            setattr(self, key, given[key])\nSettings(depth=2).loader()\n",
        {"4"},
    ),
    "on objects of an heir that nobody makes": (
        f"{FAMILY}        for key in given:\n            setattr(self, key, given[key])\nBase().loader()\n",
        {"4"},
    ),
    "on objects of an heir, another attribute": (
        f"{FAMILY}        setattr(self, 'depth', given.pop('depth'))\nSettings(**read()).loader()\n",
        {"4"},
    ),
    "on an object": (f"{CFG}for key, value in given():\n    setattr(cfg, key, value){READ}", {"4", "open"}),
    "on an object, to something written": (f"{CFG}setattr(cfg, key, 0){READ}", {"4", "open"}),
    "on an object, under the name that is read": (
        f"{CFG.replace('⟦4⟧', '4')}setattr(cfg, 'workers', ⟦0⟧){READ}",
        {"0"},
    ),
    "on an object, under the name that is read, to something unseen": (
        f"{CFG.replace('⟦4⟧', '4')}setattr(cfg, 'workers', given()){READ}",
        {"open"},
    ),
    "on an object, under another name": (f"{CFG}setattr(cfg, 'depth', given()){READ}", {"4"}),
    "on an object, under names that begin otherwise": (
        f"{CFG}for i in range(3):\n    setattr(cfg, f'layer{{i}}', given()){READ}",
        {"4"},
    ),
    "on an object, under names that begin so": (
        f"{CFG}for i in range(3):\n    setattr(cfg, f'work{{i}}', given()){READ}",
        {"4", "open"},
    ),
    "on an object that goes on to set the attribute": (
        """
        class Settings:
            def __init__(self, **given):
                self.__dict__.update(given)
                self.workers = ⟦4⟧
        DataLoader(data, num_workers=Settings(depth=1).workers)
        """,
        {"4"},
    ),
    "in an object's dictionary": (f"{CFG}cfg.__dict__.update(given()){READ}", {"4", "open"}),
    "in what vars gives": (f"{CFG}vars(cfg).update(given()){READ}", {"4", "open"}),
    "on an object of another class": (
        f"{CFG}class Other:\n    pass\nother = Other()\nsetattr(other, key, 0){READ}",
        {"4"},
    ),
    "on an object of a subclass's base": (
        "class Base:\n    def take(self, key, value):\n        setattr(self, key, value)\n"
        f"{CFG.replace('Settings:', 'Settings(Base):')}{READ}",
        {"4", "open"},
    ),
    "on a parsed command line": (f"{PARSED}setattr(cfg, key, value){READ}", {"open"}),
    "on what another script parses": (
        {
            "main.py": f"{IMPORT}{PARSER}cfg = parser.parse_args(){ASKED.format(1)}",
            "other.py": PARSER.replace("⟦4⟧", "2") + "args = parser.parse_args()\n" + ANY_SET,
        },
        {"4", "open"},
    ),
    "on what another script parses with the same parser": (
        {
            "main.py": f"{IMPORT}from flags import parser\ncfg = parser.parse_args(){ASKED.format('⟦1⟧')}",
            "other.py": f"from flags import parser\nargs = parser.parse_args()\n{ANY_SET}",
            "flags.py": PARSER,
        },
        {"4", "1", "open"},
    ),
    "on what is parsed once with more flags": (
        f"{PARSER}args = parser.parse_args()\nparser.add_argument('--depth')\n{ANY_SET}"
        f"cfg = parser.parse_args(){ASKED.format('⟦1⟧')}",
        {"4", "1", "open"},
    ),
    "on a copy that a method makes": (f"{COPYING.format('copy.deepcopy(self)')}{READ}", {"4"}),
    "on such a copy, which is read": (
        f"{COPYING.format('copy.copy(self)')}cfg = cfg.with_all(given()){READ}",
        {"4", "open"},
    ),
    "on a copy of such a copy, which is read": (
        f"{COPYING.format('copy.copy(self)')}cfg = copy.deepcopy(cfg.with_all(given())){READ}",
        {"4", "open"},
    ),
    "on a copy with other fields": (f"{COPYING.format('dataclasses.replace(self, depth=1)')}{READ}", {"4"}),
    "on such a copy with other fields, which is read": (
        f"{COPYING.format('dataclasses.replace(self, depth=1)')}cfg = cfg.with_all(given()){READ}",
        {"4", "open"},
    ),
    "on a copy that a function makes": (
        f"import copy\n{CFG}def changed(cfg):\n    other = copy.deepcopy(cfg)\n    setattr(other, given(), 1)\n"
        f"    return other\nother = changed(cfg){READ}",
        {"4"},
    ),
    "on a copy, or the object itself": (
        f"import copy\n{CFG}def changed(cfg, new):\n    other = copy.deepcopy(cfg) if new else cfg\n"
        f"    setattr(other, given(), 1)\nchanged(cfg, given()){READ}",
        {"4", "open"},
    ),
    "on a copy, or something unseen": (
        f"import copy\n{CFG}def changed(cfg, new):\n    other = copy.deepcopy(cfg) if new else given()\n"
        f"    setattr(other, given(), 1)\nchanged(cfg, given()){READ}",
        {"4", "open"},
    ),
    "on a copy, where any object of the class may be read": (
        f"{COPYING.format('copy.deepcopy(self)')}def load(cfg: Settings):{READ.replace('Data', '    Data')}"
        "load(cfg.with_all(given()))\nload(cfg)\n",
        {"4", "open"},
    ),
    "on the object that another call made": (
        f"{CFG}def read(given):\n    cfg = Settings()\n    for key in given:\n        setattr(cfg, key, 0)\n"
        f"    return cfg\nother = read(given()){READ}",
        {"4"},
    ),
    "on the object that this call made": (
        f"{CFG}def read(given):\n    cfg = Settings()\n    for key in given:\n        setattr(cfg, key, 0)\n"
        f"    return cfg\ncfg = read(given()){READ}",
        {"4", "open"},
    ),
    "on a module": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "data.py": f"{IMPORT}import constants\ndef load():\n    return DataLoader(d, num_workers=constants.N)\n",
            "run.py": "import constants, data\nfor key in given():\n    setattr(constants, key, 0)\ndata.load()\n",
        },
        {"4", "open"},
    ),
    "on a module nobody reads": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "others.py": "N = 2\n",
            "data.py": f"{IMPORT}import constants\ndef load():\n    return DataLoader(d, num_workers=constants.N)\n",
            "run.py": "import others, data\nsetattr(others, key, value)\ndata.load()\n",
        },
        {"4"},
    ),
    "by a function that hands itself each of the objects it got": (
        f"{CFG}{SETS_EACH}update([cfg, read()], read()){READ}",
        {"4", "open"},
    ),
    "by a function that hands itself each of the objects it got, if that is told to": (
        f"{CFG}{DEEPER.replace('(one, given)', '(one, given, False)')}update([cfg, read()], read(), read()){READ}",
        {"4", "open"},
    ),
    "by a function that another one hands each of the objects it got": (
        f"{CFG}{BY_ANOTHER}def each_of(every, given):\n    for one in every:\n        update(one, given)\n"
        f"update([cfg, read()], read()){READ}",
        {"4", "open"},
    ),
    "by a function that one in it hands each of the objects it got": (
        CFG
        + BY_ANOTHER.replace(
            "    if isinstance",
            "    def each_of(every, given):\n        for one in every:\n            update(one, given)\n"
            "    if isinstance",
        )
        + f"update([cfg, read()], read()){READ}",
        {"4", "open"},
    ),
    "by a function that another one hands each of the objects it got, of which none is this one": (
        f"{CFG}class Other:\n    depth = 1\n{BY_ANOTHER}def each_of(every, given):\n    for one in every:\n"
        f"        update(one, given)\nupdate([Other(), Other()], read()){READ}",
        {"4"},
    ),
    "by a function that hands itself each of the objects it got, of which none is this one": (
        f"{CFG}class Other:\n    depth = 1\n{SETS_EACH}update([Other(), Other()], read()){READ}",
        {"4"},
    ),
    "by a function that hands itself each of the objects it got and does no more": (
        f"{CFG}{SETS_EACH.replace('setattr', 'print')}update([cfg], read()){READ}",
        {"4"},
    ),
    "handed to a function of another library, which leaves it alone": (
        f"from elsewhere import show\n{CFG}show(cfg){READ}",
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), BLURRED.values(), ids=BLURRED.keys())
def test_attributes_set_by_name(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


KEEPING = {
    "in its dictionary": "self.__dict__.update(given)",
    "in what vars gives": "vars(self).update(given)",
    "in a loop": "for key, value in given.items(): setattr(self, key, value)",
}
MADE: dict[str, tuple[str, str, set[str]]] = {
    "with it": ("4", "cfg = Settings(workers=⟦2⟧)", {"2"}),
    "without it": ("⟦4⟧", "cfg = Settings(depth=2)", {"4"}),
    "with it by a dictionary": ("4", "cfg = Settings(**{'workers': ⟦2⟧})", {"2"}),
    "with a dictionary that is not seen": ("4", "cfg = Settings(**read())", {"open"}),
    "with it, and set afterwards": ("4", "cfg = Settings(workers=2)\ncfg.workers = ⟦3⟧", {"3", "open"}),
}


@pytest.mark.parametrize("keeping", KEEPING.values(), ids=KEEPING.keys())
@pytest.mark.parametrize(("own", "made", "expected"), MADE.values(), ids=MADE.keys())
def test_a_constructor_that_keeps_its_keywords_as_attributes(
    own: str, made: str, expected: set[str], keeping: str
) -> None:
    top = f"class Settings:\n    workers = {own}\n    def __init__(self, **given):\n        {keeping}\n"
    assert traced(f"{top}{made}{READ}") == expected


def test_a_class_that_nobody_is_seen_to_make_has_its_own_default() -> None:
    loading = "    def loader(self):\n        return DataLoader(data, num_workers=self.workers)\n"
    program = (
        "class Trainer:\n    workers = ⟦4⟧\n    def __init__(self, **given):\n        self.__dict__.update(given)\n"
    )
    assert traced(f"{program}{loading}") == {"4", "open"}
    made = program.replace("⟦4⟧", "4")
    assert traced(f"{made}{loading}Trainer(workers=⟦2⟧).loader()\n") == {"2"}


AFTERWARDS: dict[str, tuple[str, str, set[str]]] = {
    "all at once": ("4", "vars(cfg).update({'workers': ⟦2⟧})", {"2"}),
    "by a name": ("4", "given = {'workers': ⟦2⟧}\nvars(cfg).update(given)", {"2", "open"}),
    "in a loop": (
        "4",
        "given = {'workers': ⟦2⟧}\nfor key, value in given.items():\n    setattr(cfg, key, value)",
        {"2", "open"},
    ),
    "others": ("⟦4⟧", "given = {'depth': 2}\nvars(cfg).update(given)", {"4", "open"}),
    "of a dictionary of its own": ("⟦4⟧", "cfg.update({'workers': 2})", {"4"}),
}


@pytest.mark.parametrize(("own", "change", "expected"), AFTERWARDS.values(), ids=AFTERWARDS.keys())
def test_attributes_of_an_object_set_from_a_dictionary(own: str, change: str, expected: set[str]) -> None:
    update = "    def update(self, given):\n        pass\n"
    assert traced(f"{CFG.replace('⟦4⟧', own).replace('cfg =', f'{update}cfg =')}{change}{READ}") == expected


_MERGES = "    def merge(self, args):\n        for arg in args:\n            key, value = arg.split('=')\n"
SET_ELSEWHERE = {
    "on the object itself": (f"{_MERGES}            setattr(self, key, value)\n", True),
    "on what is below it": (
        f"{_MERGES}            below = self\n            for one in key.split('.'):\n"
        "                below = getattr(below, one)\n            setattr(below, key, value)\n",
        True,
    ),
    "in its dictionary": (f"{_MERGES}            self.__dict__[key] = value\n", True),
    "under another name": (f"{_MERGES}            setattr(self, 'depth', value)\n", False),
    "on an object of another class": (
        f"{_MERGES}            setattr(Other(), key, value)\nclass Other:\n    pass\n",
        False,
    ),
}


@pytest.mark.parametrize(("merges", "is_open"), SET_ELSEWHERE.values(), ids=SET_ELSEWHERE.keys())
def test_attributes_set_by_name_in_a_file_that_says_nothing_of_loaders(merges: str, is_open: bool) -> None:
    main = (
        f"import sys\n{IMPORT}from nodes import Node\ncfg = Node()\ncfg.num_workers = 4\nwhole = Node()\n"
        "whole.data = cfg\nwhole.merge(sys.argv[1:])\nDataLoader(data, num_workers=whole.data.num_workers)\n"
    )
    source = Source("main.py", "/project/main.py", Language.PYTHON, main.encode())
    nodes = f"class Node:\n    depth = 1\n{merges}"
    (loader,) = loaders_traced(Project({"main.py": source}, Folder({"main.py": main, "nodes.py": nodes})))
    assert {one.constant for one in loader.num_workers.candidates} == {4}
    assert loader.num_workers.open is is_open


HANDS_ITSELF = (
    "def run(target):\n    if {many}:\n        for one in target:\n            run(one)\n"
    "    else:\n        DataLoader(data, num_workers=target.workers)\n"
)
OF_ANOTHER_RUN: Cases = {
    "under a test that asks what it is": (
        f"{CFG}{HANDS_ITSELF.format(many='isinstance(target, list)')}run([cfg])",
        {"4", "open"},
    ),
    "under a test nobody sees through": (f"{CFG}{HANDS_ITSELF.format(many='known(target)')}run([cfg])", {"4", "open"}),
    "out of another object": (
        f"{CFG}class Holder:\n    workers = ⟦1⟧\n    def __init__(self, one):\n        self.one = one\n"
        "def run(target):\n    if known(target):\n        run(target.one)\n    else:\n"
        "        DataLoader(data, num_workers=target.workers)\nrun(Holder(cfg))\n",
        {"1", "4"},
    ),
    "made on one platform": (
        f"import sys\n{CFG}class Other:\n    workers = ⟦2⟧\nif sys.platform == 'win32':\n    cfg = Other()\n"
        f"{HANDS_ITSELF.format(many='isinstance(target, list)')}run([cfg])",
        {"2 on windows", "4 on linux, macos", "open"},
    ),
    "never": (
        CFG.replace("⟦4⟧", "4")
        + HANDS_ITSELF.format(many="known(target)").replace("run(one)", "print(one)")
        + "run([cfg])",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OF_ANOTHER_RUN.values(), ids=OF_ANOTHER_RUN.keys())
def test_an_object_that_a_function_hands_itself_is_asked_in_another_run(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
