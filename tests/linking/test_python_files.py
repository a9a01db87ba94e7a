"""Programs that read a configuration written in Python with OpenMMLab's ``Config`` and make loaders themselves."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, traced

READS = f"""{IMPORT}import argparse
from mmengine.config import Config
def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('config')
    return parser.parse_args()
"""
PROGRAM = READS + "cfg = Config.fromfile(parse().config)\n"
NESTED = PROGRAM + "DataLoader(1, num_workers=cfg.data.workers_per_gpu)\n"
ASKED = PROGRAM + "DataLoader(1, num_workers=cfg.get('num_workers', ⟦4⟧))\n"
OWN_READER = f"""{READS}from mmcv import Config as Settings
def read(path):
    settings, text = run(path)
    return Settings(settings, cfg_text=text, filename=path)
cfg = read(parse().config)
DataLoader(1, num_workers=cfg.data['workers_per_gpu'])
"""

FILES: Cases = {
    "a key of a dictionary": (
        {
            "train.py": NESTED,
            "configs/a.py": "data = dict(imgs_per_gpu=8, workers_per_gpu=⟦3⟧)\n",
            "configs/b.py": "data = {'imgs_per_gpu': 8, 'workers_per_gpu': ⟦2⟧}\n",
        },
        {"3", "2", "open"},
    ),
    "a key that a program asks for with a default": (
        {"train.py": ASKED, "configs/a.py": "num_workers = ⟦12⟧\n", "configs/b.py": "seed = 1\n"},
        {"12", "4", "open"},
    ),
    "a dictionary that is handed on whole": (
        {
            "train.py": PROGRAM + "DataLoader(1, **cfg.loader)\n",
            "configs/a.py": "loader = dict(num_workers=⟦2⟧, batch_size=2)\n",
        },
        {"2", "open"},
    ),
    "what a file inherits, and changes": (
        {
            "train.py": NESTED,
            "configs/base.py": "data = dict(workers_per_gpu=⟦3⟧, size=1)\nworkers = 1\n",
            "configs/a.py": "_base_ = ['base.py']\ndata = dict(size=2)\n",
            "configs/b.py": "_base_ = './base.py'\ndata = dict(workers_per_gpu=⟦2⟧)\n",
        },
        {"3", "2", "open"},
    ),
    "a part that every configuration which inherits it replaces": (
        {
            "train.py": PROGRAM + "DataLoader(1, num_workers=cfg.num_workers)\n",
            "configs/_base_/data.py": "num_workers = 16\n",
            "configs/a.py": "_base_ = ['_base_/data.py']\nnum_workers = ⟦8⟧\n",
            "configs/deep/b.py": "_base_ = '../a.py'\nnum_workers = ⟦2⟧\n",
        },
        {"8", "2", "open"},
    ),
    "a part that one of the configurations which inherit it leaves as it is": (
        {
            "train.py": PROGRAM + "DataLoader(1, num_workers=cfg.num_workers)\n",
            "configs/_base_/data.py": "num_workers = ⟦16⟧\n",
            "configs/a.py": "_base_ = ['_base_/data.py']\nnum_workers = ⟦8⟧\n",
            "configs/b.py": "_base_ = '_base_/data.py'\n",
        },
        {"8", "16", "open"},
    ),
    "a part that no configuration inherits": (
        {
            "train.py": PROGRAM + "DataLoader(1, num_workers=cfg.num_workers)\n",
            "configs/_base_/data.py": "num_workers = 16\n",
            "configs/a.py": "_base_ = '_base_/model.py'\n",
        },
        {"open"},
    ),
    "a part that a file is put together from, and one that none is": (
        {
            "train.py": NESTED,
            "configs/_base_/rivers.py": "data = dict(workers_per_gpu=⟦3⟧)\n",
            "configs/_base_/lakes.py": "data = dict(workers_per_gpu=7)\n",
            "configs/a.py": "_base_ = ['_base_/rivers.py']\nmodel = dict(depth=2)\n",
            "configs/b.py": "data = dict(workers_per_gpu=⟦2⟧)\n",
        },
        {"3", "2", "open"},
    ),
    "a file that the program names": (
        {
            "train.py": f"{READS}cfg = Config.fromfile('configs/a.py')\nDataLoader(1, num_workers=cfg.workers)\n",
            "configs/a.py": "workers = ⟦2⟧\n",
            "configs/b.py": "workers = 3\n",
        },
        {"2"},
    ),
    "a reader of the project's own, which says what file the settings are from": (
        {"train.py": OWN_READER, "configs/a.py": "data = dict(workers_per_gpu=⟦2⟧)\n"},
        {"2", "open"},
    ),
    "what the user may replace": (
        {
            "train.py": PROGRAM + "cfg.merge_from_dict(given())\nDataLoader(1, num_workers=cfg.num_workers)\n",
            "configs/a.py": "num_workers = ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "a module that programs import": (
        {"train.py": ASKED, "settings.py": "num_workers = 2\n", "configs/a.py": "num_workers = ⟦3⟧\n"},
        {"3", "4", "open"},
    ),
    "a package of modules": (
        {"train.py": ASKED, "configs/__init__.py": "", "configs/a.py": "num_workers = 2\n"},
        {"4", "open"},
    ),
    "a program in the folder of configurations": (
        {"train.py": ASKED, "configs/show.py": "num_workers = 2\nfor one in range(num_workers):\n    print(one)\n"},
        {"4", "open"},
    ),
    "settings that are made in the program": (
        {
            "train.py": f"{READS}cfg = Config(dict(num_workers=⟦2⟧))\nDataLoader(1, num_workers=cfg.num_workers)\n",
            "configs/a.py": "num_workers = 3\n",
        },
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES.keys())
def test_settings_of_python_files_reach_the_program_that_reads_them(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_of_many_files_each_value_is_a_candidate() -> None:
    files = {f"configs/{count}.py": f"data = dict(workers_per_gpu={count % 5})\n" for count in range(60)}
    found = {one.constant for loader in loaders_of({"train.py": NESTED, **files}) for one in loader.num_workers.known}
    assert found == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(("count", "sizes"), [(20, set(range(1, 21))), (40, {1})])
def test_of_many_that_inherit_a_part_those_are_asked_that_say_different_things(count: int, sizes: set[int]) -> None:
    program = PROGRAM + "DataLoader(1, num_workers=cfg.workers, batch_size=cfg.batch)\n"
    part = {"configs/_base_/run.py": "workers = 4\nbatch = 16\n"}
    files = {f"configs/{one:02}.py": f"_base_ = '_base_/run.py'\nbatch = {one + 1}\n" for one in range(count)}
    (loader,) = loaders_of({"train.py": program, **part, **files})
    assert {one.constant for one in loader.num_workers.known} == {4}
    assert {one.constant for one in loader.option("batch_size").known} == sizes


def test_files_that_are_read_as_settings_are_known_as_such() -> None:
    program = PROGRAM + "DataLoader(1, num_workers=cfg.workers)\n"
    (loader,) = loaders_of({"train.py": program, "configs/a.py": "workers = 2\n"})
    assert loader.settings_files == {"configs/a.py"}


def test_of_many_files_that_all_differ_each_value_is_a_candidate_where_its_file_says_it() -> None:
    files = {f"configs/{count}.py": f"size = 1\ndata = dict(workers_per_gpu={count})\n" for count in range(30)}
    found = {one for loader in loaders_of({"train.py": NESTED, **files}) for one in loader.num_workers.known}
    assert {(one.constant, one.span.path) for one in found} == {(count, f"configs/{count}.py") for count in range(30)}


def test_what_only_one_of_many_files_says_stays_that_files() -> None:
    files = {f"configs/{count}.py": f"num_workers = {count}\ndebug = {count == 7}\n" for count in range(30)}
    program = PROGRAM + "if cfg.debug:\n    DataLoader(1, num_workers=cfg.num_workers)\n"
    (loader,) = loaders_of({"train.py": program, **files})
    assert {one.constant for one in loader.num_workers.known} == {7}


def test_files_that_are_too_many_to_follow_leave_it_open() -> None:
    files = {f"configs/{count}.py": f"num_workers = {count}\n" for count in range(70)}
    program = PROGRAM + "DataLoader(1, num_workers=cfg.num_workers)\n"
    (loader,) = loaders_of({"train.py": program, **files})
    assert not loader.num_workers.known
    assert loader.num_workers.open
