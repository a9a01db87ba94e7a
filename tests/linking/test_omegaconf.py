from __future__ import annotations

import pytest

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.kinds import Frame, Settings, end_of
from tests.linking.traced import IMPORT, Cases, met, project_of, traced


def program(body: str, value: str = "c.data.n") -> str:
    return f"{IMPORT}from omegaconf import OmegaConf\nc = OmegaConf.load('c.yaml')\n{body}\n" + (
        f"DataLoader(1, num_workers={value})\n"
    )


DATA = "data:\n  n: ⟦4⟧\n"
REPLACED = "data:\n  n: 4\n"

READ: Cases = {
    "sections that a loop goes through": (
        {
            "main.py": f"{IMPORT}from omegaconf import OmegaConf\ncfg = OmegaConf.load('c.yaml')\n"
            "for name, section in cfg.sets.items():\n    if name == 'train':\n"
            "        DataLoader(1, num_workers=section.workers)\n",
            "c.yaml": "common: ⟦4⟧\nsets:\n  train:\n    workers: ${common}\n  val:\n    workers: 2\n",
        },
        {"4"},
    ),
    "an attribute": ({"main.py": program(""), "c.yaml": DATA}, {"4"}),
    "a subscript": ({"main.py": program("", "c['data']['n']"), "c.yaml": DATA}, {"4"}),
    "get with a default that is not needed": ({"main.py": program("", "c.data.get('n', 2)"), "c.yaml": DATA}, {"4"}),
    "get with a default": ({"main.py": program("", "c.data.get('m', ⟦2⟧)"), "c.yaml": REPLACED}, {"2"}),
    "getattr with a default": ({"main.py": program("", "getattr(c.data, 'm', ⟦2⟧)"), "c.yaml": REPLACED}, {"2"}),
    "select": ({"main.py": program("", "OmegaConf.select(c, 'data.n')"), "c.yaml": DATA}, {"4"}),
    "select with a default": (
        {"main.py": program("", "OmegaConf.select(c, 'data.m.n', default=⟦2⟧)"), "c.yaml": REPLACED},
        {"2"},
    ),
    "to_container": (
        {"main.py": program("d = OmegaConf.to_container(c, resolve=True)", "d['data']['n']"), "c.yaml": DATA},
        {"4"},
    ),
    "create": (
        {"main.py": program("d = OmegaConf.create({'m': ⟦3⟧, 'n': '${m}'})", "d.n"), "c.yaml": "a: 1\n"},
        {"3"},
    ),
    "structured": (
        {
            "main.py": program(
                "from dataclasses import dataclass\n@dataclass\nclass D:\n    n: int = ⟦3⟧\n"
                "d = OmegaConf.structured(D)",
                "d.n",
            ),
            "c.yaml": "a: 1\n",
        },
        {"3"},
    ),
    "its class": (
        {
            "main.py": program("from omegaconf import DictConfig\nd = DictConfig({'a': {'n': ⟦3⟧}})", "d.a.n"),
            "c.yaml": "a: 1",
        },
        {"3"},
    ),
    "a class of that name elsewhere": (
        {"main.py": program("from theirs import DictConfig\nd = DictConfig({'n': 3})", "d.n"), "c.yaml": "a: 1"},
        {"open"},
    ),
    "a file that the command line names": (
        {
            "main.py": f"{IMPORT}from omegaconf import OmegaConf\ncli = OmegaConf.from_cli()\n"
            "c = OmegaConf.merge(OmegaConf.load(cli.config), cli)\nDataLoader(1, num_workers=c.data.n)\n",
            "conf/c.yaml": DATA,
            "conf/other.yaml": "model:\n  n: 3\n",
        },
        {"4", "open"},
    ),
    "what the command line gives": (
        {
            "main.py": f"{IMPORT}from omegaconf import OmegaConf\ncli = OmegaConf.from_cli()\n"
            "DataLoader(1, num_workers=cli.data)\n",
        },
        {"open"},
    ),
    "a default beside what the command line gives": (
        {
            "main.py": f"{IMPORT}from omegaconf import OmegaConf\ncli = OmegaConf.from_cli()\n"
            "DataLoader(1, num_workers=cli.get('n', ⟦4⟧))\n",
        },
        {"4", "open"},
    ),
    "a key that is not there": ({"main.py": program("", "c.data.m"), "c.yaml": REPLACED}, {"open"}),
    "another function of theirs": ({"main.py": program("", "OmegaConf.missing_keys(c)"), "c.yaml": "a: 1\n"}, {"open"}),
}

MERGED: Cases = {
    "something unseen over a file, and a part of another over that": (
        {
            "main.py": program("c = OmegaConf.merge(c, read(), {'data': {'m': ⟦8⟧}})", "c.data.n if k() else c.data.m"),
            "c.yaml": "data:\n  n: ⟦4⟧\n  m: 2\n",
        },
        {"4", "8", "open"},
    ),
    "something unseen below a file": (
        {"main.py": program("c = OmegaConf.merge(read(), c)"), "c.yaml": DATA},
        {"4"},
    ),
    "another on top": (
        {"main.py": program("c = OmegaConf.merge(c, OmegaConf.create({'data': {'n': ⟦2⟧}}))"), "c.yaml": REPLACED},
        {"2"},
    ),
    "a plain dictionary": (
        {"main.py": program("c = OmegaConf.merge(c, {'data': {'m': 2}})"), "c.yaml": DATA},
        {"4"},
    ),
    "an interpolation sees what is on top": (
        {"main.py": program("c = OmegaConf.merge(c, {'m': ⟦2⟧})"), "c.yaml": "m: 4\ndata:\n  n: ${m}\n"},
        {"2"},
    ),
    "the command line": (
        {"main.py": program("c = OmegaConf.merge(c, OmegaConf.from_cli())"), "c.yaml": DATA},
        {"4", "open"},
    ),
    "items of the program's own": (
        {"main.py": program("c = OmegaConf.merge(c, OmegaConf.from_dotlist([⟦'data.n=2'⟧]))"), "c.yaml": REPLACED},
        {"2 shared"},
    ),
    "a list of configurations": (
        {"main.py": program("l = [c, {'data': {'n': ⟦2⟧}}]\nc = OmegaConf.merge(*l)"), "c.yaml": REPLACED},
        {"2"},
    ),
    "a list that nobody sees": (
        {"main.py": program("c = OmegaConf.merge(c, *rest())"), "c.yaml": "data:\n  m: 4\n"},
        {"open"},
    ),
    "a part of a configuration, which stays one": (
        {"main.py": program("d = OmegaConf.merge(c.data, {'m': 1})", "d.n"), "c.yaml": "n: ⟦4⟧\ndata:\n  n: ${n}\n"},
        {"4"},
    ),
    "a part of a part": (
        {
            "main.py": program("d = OmegaConf.merge(c.a.b, {'m': 1})", "d.data.n"),
            "c.yaml": "a:\n  m: ⟦4⟧\n  b:\n    data:\n      n: ${...m}\n",
        },
        {"4"},
    ),
    "a part, whose own keys are those on top": (
        {
            "main.py": program("d = OmegaConf.merge(c.data, {'m': ⟦2⟧})", "d.n"),
            "c.yaml": "m: 4\ndata:\n  m: 3\n  n: ${.m}\n",
        },
        {"2"},
    ),
    "a part, beside which the configuration stays as it was": (
        {
            "main.py": program("d = OmegaConf.merge(c.data, {'m': 2})", "d.n"),
            "c.yaml": "data:\n  m: ⟦3⟧\n  n: ${data.m}\n",
        },
        {"3"},
    ),
    "a part on top of another, in which nothing has that name": (
        {"main.py": program("d = OmegaConf.merge({'k': 1}, c.data)", "d.n"), "c.yaml": "m: 4\ndata:\n  n: ${m}\n"},
        {"open"},
    ),
    "a part on top of another, whose interpolations see that": (
        {
            "main.py": program("d = OmegaConf.merge({'m': ⟦2⟧}, c.data)", "d.n"),
            "c.yaml": "m: 4\ndata:\n  n: ${m}\n",
        },
        {"2"},
    ),
    "a list replaces a list": (
        {"main.py": program("c = OmegaConf.merge(c, {'data': {'n': [1]}})", "c.data.n[0]"), "c.yaml": REPLACED},
        {"1 at main.py:4:40"},
    ),
}

CHANGED: Cases = {
    "where hasattr finds a key": (
        {"main.py": program("if hasattr(c, 'data'):\n    c.data.n = ⟦2⟧"), "c.yaml": REPLACED},
        {"2"},
    ),
    "where hasattr finds none": (
        {"main.py": program("if hasattr(c, 'old'):\n    c.data.n = 2"), "c.yaml": DATA},
        {"4"},
    ),
    "where it holds none": ({"main.py": program("if 'old' in c:\n    c.data.n = 2"), "c.yaml": DATA}, {"4"}),
    "where it may hold a key that a test sets": (
        {
            "main.py": program("if debug():\n    c.old = 1\nif hasattr(c, 'old'):\n    c.data.n = ⟦2⟧"),
            "c.yaml": DATA,
        },
        {"4", "2"},
    ),
    "where it holds a key that is missing": (
        {"main.py": program("if hasattr(c, 'old'):\n    c.data.n = ⟦2⟧"), "c.yaml": f"old: ???\n{DATA}"},
        {"4", "2"},
    ),
    "a copy, and the other stays": (
        {"main.py": program("new = c.copy()\nif hasattr(new, 'data'):\n    new.data.n = 2"), "c.yaml": DATA},
        {"4"},
    ),
    "an attribute": ({"main.py": program("c.data.n = ⟦2⟧"), "c.yaml": REPLACED}, {"2"}),
    "an item": ({"main.py": program("c.data['n'] = ⟦2⟧"), "c.yaml": REPLACED}, {"2"}),
    "under a condition": (
        {"main.py": program("if debug():\n    c.data.n = ⟦0⟧"), "c.yaml": DATA},
        {"4", "0"},
    ),
    "what an interpolation names": (
        {"main.py": program("c.m = ⟦2⟧"), "c.yaml": "m: 4\ndata:\n  n: ${m}\n"},
        {"2"},
    ),
    "under open_dict": (
        {
            "main.py": program("from omegaconf import open_dict\nwith open_dict(c):\n    c.data.n = ⟦2⟧"),
            "c.yaml": REPLACED,
        },
        {"2"},
    ),
    "update": ({"main.py": program("OmegaConf.update(c, 'data.n', ⟦2⟧)"), "c.yaml": REPLACED}, {"2"}),
    "update of a part": ({"main.py": program("OmegaConf.update(c.data, 'n', ⟦2⟧)"), "c.yaml": REPLACED}, {"2"}),
    "update of a key that nobody sees": (
        {"main.py": program("OmegaConf.update(c, key(), 2)"), "c.yaml": DATA},
        {"4", "open"},
    ),
    "merge_with": ({"main.py": program("c.merge_with({'data': {'n': ⟦2⟧}})"), "c.yaml": REPLACED}, {"2"}),
    "merge_with_cli": ({"main.py": program("c.merge_with_cli()"), "c.yaml": DATA}, {"4", "open"}),
    "merge_with_dotlist": (
        {"main.py": program("c.merge_with_dotlist([⟦'data.n=2'⟧])"), "c.yaml": REPLACED},
        {"2 shared"},
    ),
    "merge_with_dotlist of another key": (
        {"main.py": program("c.merge_with_dotlist(['data.m=2'])"), "c.yaml": DATA},
        {"4"},
    ),
    "a flag of the container": ({"main.py": program("OmegaConf.set_struct(c, True)"), "c.yaml": DATA}, {"4"}),
    "by a function": (
        {"main.py": program("def debug(d):\n    d.data.n = ⟦0⟧\ndebug(c)"), "c.yaml": REPLACED},
        {"0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), READ.values(), ids=READ.keys())
def test_values_read_from_a_configuration(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), MERGED.values(), ids=MERGED.keys())
def test_values_of_configurations_laid_over_each_other(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_values_changed_after_loading(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_two_keys_of_one_of_several_files_meet_only_each_other() -> None:
    files = {
        "main.py": f"{IMPORT}from omegaconf import OmegaConf\nimport sys\nc = OmegaConf.load(sys.argv[1])\n"
        "DataLoader(1, num_workers=c.num_workers, prefetch_factor=c.prefetch_factor)\n",
        "a.yaml": "num_workers: 4\nprefetch_factor: 2\n",
        "b.yaml": "num_workers: 0\nprefetch_factor: null\n",
    }
    assert met(files) == {("4", "2"), ("0", "None")}


def test_a_splat_brings_every_key_and_what_its_interpolations_name() -> None:
    files = {
        "main.py": program("DataLoader(1, **c.loader)", "2").replace("DataLoader(1, num_workers=2)\n", ""),
        "c.yaml": "n: ⟦4⟧\nloader:\n  num_workers: ${n}\n",
    }
    assert traced(files) == {"4"}
    assert traced({**files, "c.yaml": "n: 4\nloader:\n  num_workers: ${n}\n"}, "timeout") == {"0 unwritten"}


INTERPOLATED = {
    "from the root": ("${m}", "m: ⟦2⟧\n", {"2"}),
    "a longer path": ("${a.b}", "a:\n  b: ⟦2⟧\n", {"2"}),
    "an index": ("${a[1]}", "a:\n  - 1\n  - ⟦2⟧\n", {"2"}),
    "an index after a dot": ("${a.1}", "a:\n  - 1\n  - ⟦2⟧\n", {"2"}),
    "one after another": ("${m}", "k: ⟦2⟧\nm: ${k}\n", {"2"}),
    "quoted": ('"${m}"', "m: ⟦2⟧\n", {"2"}),
    "beside it": ("${.m}\n  m: ⟦2⟧", "", {"2"}),
    "above it": ("${..m}", "m: ⟦2⟧\n", {"2"}),
    "above the root": ("${....m}", "m: 2\n", {"open"}),
    "a key that is not there": ("${k}", "m: 2\n", {"open"}),
    "itself": ("${data.n}", "m: 2\n", {"open"}),
    "each other": ("${m}", "m: ${data.n}\n", {"open"}),
    "a list that holds itself": ("${a[0]}", "a:\n  - ${a}\n  - ${a[0]}\n", {"open"}),
    "an item beside it": ("${a[1]}", "a:\n  - ⟦2⟧\n  - ${.0}\n", {"2"}),
    "a key above its list": ("${a[0]}", "m: ⟦2⟧\na:\n  - ${..m}\n", {"2"}),
    "a part of a string": ("1${m}", "m: 2\n", {"open"}),
    "a path that depends on another": ("${a.${m}}", "m: b\na:\n  b: 2\n", {"open"}),
    "an environment variable": ("${oc.env:N}", "", {"open"}),
    "an environment variable or a string": ("${oc.env:N,⟦2⟧}", "", {"'2'", "open"}),
    "an environment variable or nothing": ("${oc.env:N, ⟦null⟧}", "", {"None", "open"}),
    "what an environment variable says": ("${oc.decode:${oc.env:N,⟦2⟧}}", "", {"2", "open"}),
    "select": ("${oc.select:m,1}", "m: ⟦2⟧\n", {"2"}),
    "select without the key": ("${oc.select:m,⟦1⟧}", "", {"1"}),
    "a default in quotes": ("'${ oc.decode:${oc.env:N, ⟦\"2\"⟧ } }'", "", {"2", "open"}),
    "a default in a block of text": (">-\n    ${oc.decode:${oc.env:N,2}}", "", {"open"}),
    "a default behind an escape": ('"\\x24{oc.decode:${oc.env:N,2}}"', "", {"open"}),
    "a resolver of the project": ("${twice:m}", "m: 2\n", {"open"}),
    "no name at all": ("${}", "", {"open"}),
}


@pytest.mark.parametrize(("value", "others", "expected"), INTERPOLATED.values(), ids=INTERPOLATED.keys())
def test_interpolation(value: str, others: str, expected: set[str]) -> None:
    assert traced({"main.py": program(""), "c.yaml": f"{others}data:\n  n: {value}\n"}) == expected


def test_text_that_no_omegaconf_reads_is_no_interpolation() -> None:
    files = {
        "main.py": f"{IMPORT}import yaml\nc = yaml.safe_load(open('c.yaml'))\nDataLoader(1, num_workers=c['n'])\n",
        "c.yaml": "m: 2\nn: ${m}\n",
    }
    assert traced(files) == {"open"}


def test_what_stands_for_itself_in_many_files_is_followed_once() -> None:
    reads = program("d = OmegaConf.merge({'k': 1}, c.data)", "d.n").replace("'c.yaml'", "argv[1]")
    files = {f"c{number:02}.yaml": f"n: {number}\ndata:\n  n: ${{n}}\n  m: ${{n}}\n" for number in range(40)}
    assert traced({"main.py": f"from sys import argv\n{reads}", **files}) == {"open"}


def test_lists_that_hold_each_other_twice_end() -> None:
    lists = [f"a{number}: ['${{a{number + 1}}}', '${{a{number + 1}}}']" for number in range(40)]
    text = "\n".join([*lists, "a40: [1]", "data:", "  n: ${a0}", ""])
    assert traced({"main.py": program(""), "c.yaml": text}) == {"open"}


def test_aliases_inside_aliases_end() -> None:
    lines = ["a0: &a0 {n: 1}", *(f"a{i}: &a{i} {{x: *a{i - 1}, y: *a{i - 1}}}" for i in range(1, 40))]
    assert traced({"main.py": program(""), "c.yaml": "\n".join([*lines, "data:", "  n: 4", ""])}) == {"open"}


def test_of_more_ways_than_can_be_told_apart_each_value_is_kept() -> None:
    chosen = "".join(
        f"more{part} = OmegaConf.create({{'size': 0}})\n"
        + "".join(
            f"if ask({part}, {way}):\n    more{part} = OmegaConf.create({{'size': {way}}})\n" for way in range(1, 40)
        )
        for part in range(3)
    )
    merged = f"{chosen}c = OmegaConf.merge(c, more0, more1, more2)\n"
    assert traced({"main.py": program(merged), "c.yaml": DATA}) == {"4"}


@pytest.mark.parametrize(("ways", "told_apart"), [(2, 8), (6, 1)])
def test_what_is_merged_in_very_many_ways_is_one_configuration(ways: int, told_apart: int) -> None:
    chosen = "".join(
        f"more{part} = OmegaConf.create({{'n{part}': 0}})\n"
        + "".join(
            f"if ask({part}, {way}):\n    more{part} = OmegaConf.create({{'n{part}': {way}}})\n"
            for way in range(1, ways)
        )
        for part in range(3)
    )
    merged = f"from omegaconf import OmegaConf\n{chosen}c = OmegaConf.merge(more0, more1, more2)\n"
    project, _ = project_of({"main.py": merged})
    facts = project.python("main.py")
    assert facts is not None
    found = Evaluator(project).bound("c", Frame(facts, end_of(facts.module)), None, facts.span(facts.tree.body[0]))
    keys = [{*one.thing.here.entries} for one in found if isinstance(one.thing, Settings)]
    assert keys == [{"n0", "n1", "n2"}] * told_apart
