from __future__ import annotations

from collections.abc import Iterator

import pytest

from loaderlint.linking.following.configurations import python_files
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.readers.python import PythonFacts
from tests.linking.traced import Cases, loaders_of, traced

RUNNER = "from mmengine.runner import Runner\n"
FROM_FILE = f"from mmengine.config import Config\n{RUNNER}Runner.from_cfg(Config.fromfile('configs/a.py')).train()\n"
BASE = "train_dataloader = dict(num_workers=⟦2⟧, batch_size=4, dataset=dict(type='Digits'))\n"
UNMARKED = BASE.replace("⟦2⟧", "2")
INHERITS = "from mmengine.config import read_base\nwith read_base():\n    from .base import *\n"

CONFIGURED: Cases = {
    "a mapping alone": ({"train.py": RUNNER, "configs/a.py": BASE}, {"2"}),
    "a mapping in braces": (
        {"train.py": RUNNER, "configs/a.py": "val_dataloader = {'num_workers': ⟦2⟧, 'dataset': {'type': 'Digits'}}\n"},
        {"2"},
    ),
    "a mapping that changes one key of what it inherits": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": "_base_ = ['base.py']\ntrain_dataloader = dict(num_workers=⟦0⟧)\n",
        },
        {"2", "0"},
    ),
    "a mapping that changes another key of what it inherits": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": "_base_ = './base.py'\ntrain_dataloader = dict(batch_size=8)\n",
        },
        {"2"},
    ),
    "through two files": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/middle.py": "_base_ = ['./base.py']\n",
            "configs/deep/a.py": "_base_ = ['../middle.py']\ntrain_dataloader = dict(batch_size=8)\n",
        },
        {"2"},
    ),
    "a mapping that deletes what it inherits": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": "_base_ = ['base.py']\ntrain_dataloader = dict(_delete_=True, batch_size=8)\n",
        },
        {"2", "0 unwritten"},
    ),
    "a base that is not there": (
        {"train.py": RUNNER, "configs/a.py": f"_base_ = ['base.py']\n{UNMARKED}"},
        {"no loader"},
    ),
    "a base in whose place another file stands": (
        {"train.py": RUNNER, "configs/base.py": "", "configs/a.py": f"_base_ = ['_base_/base.py']\n{UNMARKED}"},
        {"no loader"},
    ),
    "a base of which a base is not there": (
        {
            "train.py": RUNNER,
            "configs/base.py": "_base_ = ['gone.py']\nmodel = dict(type='Digits')\n",
            "configs/a.py": f"_base_ = ['base.py']\n{UNMARKED}",
        },
        {"no loader"},
    ),
    "a base in a folder that nothing is in": (
        {"train.py": RUNNER, "configs/a.py": f"_base_ = ['../mmdetection/configs/base.py']\n{BASE}"},
        {"2"},
    ),
    "a base outside the project": (
        {"train.py": RUNNER, "configs/a.py": f"_base_ = ['../../base.py']\n{BASE}"},
        {"2"},
    ),
    "a base by its place on a machine": (
        {"train.py": RUNNER, "configs/a.py": f"_base_ = ['/configs/base.py']\n{BASE}"},
        {"2"},
    ),
    "a base beside the file, as mmengine spells that": (
        {"train.py": RUNNER, "configs/a.py": f"_base_ = ['{{{{ fileDirname }}}}/base.py']\n{BASE}"},
        {"2"},
    ),
    "a base of another package": (
        {"train.py": RUNNER, "configs/a.py": "_base_ = ['mmdet::a.py']\ntrain_dataloader = dict(num_workers=⟦8⟧)\n"},
        {"8"},
    ),
    "a file that inherits from itself": (
        {"train.py": RUNNER, "configs/a.py": "_base_ = ['a.py']\ntrain_dataloader = dict(num_workers=⟦8⟧)\n"},
        {"8"},
    ),
    "imports and an update": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": INHERITS + "train_dataloader.update(num_workers=⟦0⟧)\n",
        },
        {"2", "0"},
    ),
    "imports and an attribute": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": INHERITS + "train_dataloader.num_workers = ⟦0⟧\n",
        },
        {"2", "0"},
    ),
    "imports and a merge": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": INHERITS + "train_dataloader.merge(dict(batch_size=2, dataset=dict(pipeline=[])))\n",
        },
        {"2"},
    ),
    "imports and a mapping that replaces": (
        {
            "train.py": RUNNER,
            "configs/base.py": BASE,
            "configs/a.py": INHERITS + "train_dataloader = dict(batch_size=2)\n",
        },
        {"2", "0 unwritten"},
    ),
    "a constant of the file": (
        {
            "train.py": RUNNER,
            "configs/a.py": "workers = ⟦2⟧\ntrain_dataloader = dict(num_workers=workers, dataset=dict(type='A'))\n",
        },
        {"2"},
    ),
    "mmcv's names": (
        {"train.py": "import mmcv\n", "configs/a.py": "data = dict(samples_per_gpu=2, workers_per_gpu=⟦4⟧)\n"},
        {"4"},
    ),
    "data of another kind": (
        {"train.py": "import mmcv\n", "configs/a.py": "data = dict(batch_size=2, num_workers=4)\n"},
        {"no loader"},
    ),
    "a part that a configuration takes in": (
        {
            "train.py": RUNNER,
            "configs/_base_/data.py": BASE,
            "configs/a.py": "_base_ = ['./_base_/data.py']\nmodel = dict(type='Digits')\n",
        },
        {"2"},
    ),
    "a part that a configuration imports": (
        {
            "train.py": RUNNER,
            "configs/_base_/data.py": BASE,
            "configs/a.py": INHERITS.replace(".base", "._base_.data") + "model = dict(type='Digits')\n",
        },
        {"2"},
    ),
    "a part that a program names": (
        {"train.py": RUNNER + "use('configs/_base_/data.py')\n", "configs/_base_/data.py": BASE},
        {"2"},
    ),
    "a part that nothing takes in": (
        {
            "train.py": RUNNER,
            "configs/_base_/data.py": UNMARKED,
            "other/a.py": "_base_ = ['../_base_/data.py']\nmodel = dict(type='Digits')\n",
        },
        {"no loader"},
    ),
    "a part that only a configuration takes in which cannot be read": (
        {
            "train.py": RUNNER,
            "configs/_base_/data.py": UNMARKED,
            "configs/a.py": "_base_ = ['_base_/data.py', '_base_/gone.py']\nmodel = dict(type='Digits')\n",
        },
        {"no loader"},
    ),
    "a part that is a configuration, too": (
        {"train.py": RUNNER, "configs/_base_/all.py": BASE + "model = dict(type='Digits')\n"},
        {"2"},
    ),
    "no loader in the file": ({"train.py": RUNNER, "configs/a.py": "train_dataloader = None\n"}, {"no loader"}),
    "a variable of a script": (
        {"train.py": RUNNER + "if True:\n    train_dataloader = dict(num_workers=4, dataset=dict())\n"},
        {"no loader"},
    ),
    "a file that a program reads, without a data set": (
        {"train.py": FROM_FILE, "configs/a.py": "train_dataloader = dict(batch_size=8, num_workers=⟦2⟧)\n"},
        {"2"},
    ),
    "a file beside one that a program reads, which does more": (
        {
            "train.py": FROM_FILE,
            "own.py": "import own\ntrain_dataloader = own.load(dict(batch_size=8, num_workers=2))\n",
        },
        {"no loader"},
    ),
    "a file without a data set that no program reads": (
        {"train.py": RUNNER, "configs/a.py": "train_dataloader = dict(batch_size=8, num_workers=2)\n"},
        {"no loader"},
    ),
    "another file's name for it": (
        {"train.py": RUNNER, "configs/base.py": UNMARKED.replace("2", "⟦2⟧") + "test_dataloader = train_dataloader\n"},
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CONFIGURED.values(), ids=CONFIGURED.keys())
def test_mappings_that_a_runner_makes_loaders_of(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_each_written_mapping_is_one_loader_at_its_place() -> None:
    files = {
        "train.py": RUNNER,
        "configs/base.py": UNMARKED + "val_dataloader = train_dataloader\n",
        "configs/a.py": "_base_ = ['base.py']\ntrain_dataloader = dict(batch_size=8)\n",
        "configs/b.py": "_base_ = ['base.py']\ntrain_dataloader = dict(dataset=dict(type='Letters'))\n",
    }
    found = [(one.span.path, one.span.line, one.callee) for one in loaders_of(files)]
    assert found == [("configs/a.py", 2, "train_dataloader"), ("configs/base.py", 1, "train_dataloader")]


def test_a_mapping_without_a_runner_in_sight_has_no_consumer() -> None:
    assert [one.consumer_seen for one in loaders_of({"configs/a.py": UNMARKED})] == [False]
    assert [one.consumer_seen for one in loaders_of({"train.py": RUNNER, "configs/a.py": UNMARKED})] == [True]


OLD = "data = dict(samples_per_gpu=2, workers_per_gpu=4, train=dict(type='Digits'))\n"
READERS_OF_OLD = {
    "no code at all": ({}, True),
    "another configuration": ({"configs/b.py": OLD}, True),
    "mmcv": ({"train.py": "from mmcv import Config\n"}, True),
    "what is built on it": ({"own/rows.py": "from mmdet.datasets import DATASETS\n"}, True),
    "code that asks for the keys": ({"train.py": "rows = load(cfg['data']['workers_per_gpu'])\n"}, True),
    "code that reads no settings": ({"train.py": "print('training')\n"}, False),
    "code about something else": ({"train.py": "import yaml, own\nrows = yaml.safe_load(open('a.yaml'))\n"}, False),
}


@pytest.mark.parametrize(("others", "expected"), READERS_OF_OLD.values(), ids=READERS_OF_OLD.keys())
def test_settings_of_mmcv_that_no_code_may_read_are_not_asked_for(others: dict[str, str], expected: bool) -> None:
    loader = next(one for one in loaders_of({"configs/a.py": OLD, **others}) if one.span.path == "configs/a.py")
    assert loader.asked_for is expected


READS = "from mmengine.config import Config\nimport sys\nconfig = Config.fromfile(sys.argv[1])\n"
READERS = {
    "prints it": ({"show.py": f"{READS}print(config.pretty_text)\n"}, False),
    "speaks of a command": ({"show.py": f"{READS}# A comment on a command, under a constraint.\n"}, False),
    "writes it": ({"show.py": f"{READS}config.dump('whole.py')\n"}, False),
    "runs it": ({"main.py": f"{READS}from mmengine.runner import Runner\nRunner.from_cfg(config).test()\n"}, True),
    "hands it to what is built on mmengine": ({"main.py": f"{READS}from mmdet.apis import init_detector\n"}, True),
    "makes its own loaders": ({"main.py": f"{READS}load(config.train_dataloader)\n"}, True),
    "has modules for what is installed": (
        {
            "show.py": READS,
            "rows.py": "from mmengine.registry import DATASETS\n@DATASETS.register_module()\nclass A: pass\n",
        },
        True,
    ),
    "has a script": ({"show.py": READS, "run.sh": "mim train mmdet $1\n"}, True),
    "has no reader": ({}, True),
}


@pytest.mark.parametrize(("others", "expected"), READERS.values(), ids=READERS.keys())
def test_settings_that_a_project_only_reads_are_not_asked_for(others: dict[str, str], expected: bool) -> None:
    assert [one.asked_for for one in loaders_of({"configs/a.py": UNMARKED, **others})] == [expected]


MAPPING = "train_dataloader = dict(num_workers=workers, dataset=dict(type='Digits'))\n"
READ_BESIDE = {
    "by another setting": ("environment = dict(threads=workers)\n", True, ""),
    "by a name of its own": ("threads = workers\n", True, ""),
    "by a program": ("", True, "print(cfg.workers)\n"),
    "by a program that asks for the key": ("", True, "print(self.config['workers'])\n"),
    "by a configuration that inherits it": ("", True, "jobs = '{{_base_.workers}}'\n"),
    "by a program, of what may be the configuration": ("", True, "print(settings.workers)\n"),
    "by a program that gets the key": ("", True, "print(cfg.get('workers'))\n"),
    "inside the mapping, for something else": (
        "test_dataloader = dict(num_workers=workers, dataset=dict(type='Digits', threads=workers))\n",
        True,
        "",
    ),
    "by a program, of something else": ("", False, "print(self.workers, cfg.jobs)\n"),
    "by a program that hands it to a loader": ("", False, "print(DataLoader(rows, num_workers=cfg.workers))\n"),
    "by another loader": ("val_dataloader = dict(num_workers=workers, dataset=dict(type='Digits'))\n", False, ""),
    "by nothing": ("", False, ""),
}


@pytest.mark.parametrize(("beside", "serves_others", "program"), READ_BESIDE.values(), ids=READ_BESIDE)
def test_a_name_that_the_file_reads_for_something_else_serves_that_too(
    beside: str, serves_others: bool, program: str
) -> None:
    files = {"train.py": RUNNER + program, "configs/a.py": f"workers = 2\n{MAPPING}{beside}"}
    counts = [value for one in loaders_of(files) for value in one.num_workers.written]
    assert [one.serves_others for one in counts] == [serves_others] * len(counts)
    assert counts


@pytest.mark.parametrize("imported", ["*", "workers", "batch, workers"])
def test_a_name_that_another_configuration_imports_serves_what_that_reads_it_for(imported: str) -> None:
    inherits = f"from mmengine.config import read_base\nwith read_base():\n    from .base import {imported}\n"
    for line, serves_others in (("threads = workers\n", True), ("model = dict(type='Digits')\n", False)):
        files = {
            "train.py": RUNNER,
            "configs/base.py": f"workers = 4\nbatch = 2\n{MAPPING}",
            "configs/a.py": inherits + line,
        }
        counts = [value for one in loaders_of(files) for value in one.num_workers.written]
        assert [one.serves_others for one in counts] == [serves_others]


def test_a_value_in_the_mapping_itself_serves_who_asks_for_its_keys() -> None:
    mapping = "train_dataloader = dict(num_workers=4, dataset=dict(type='Digits'))\n"
    for code, serves_others in (("cfg.train_dataloader.num_workers", True), ("cfg.val_dataloader.num_workers", False)):
        files = {"train.py": RUNNER + f"torch.set_num_threads({code})\n", "configs/a.py": mapping}
        counts = [value for one in loaders_of(files) for value in one.num_workers.written]
        assert [one.serves_others for one in counts] == [serves_others]


def test_what_many_layers_of_files_share_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    genuine = python_files.bases

    def counting(evaluator: Evaluator, facts: PythonFacts) -> Iterator[str | None]:
        nonlocal asked
        asked += 1
        assert asked < 2000
        return genuine(evaluator, facts)

    monkeypatch.setattr(python_files, "bases", counting)
    files = {"train.py": RUNNER, "configs/0a.py": UNMARKED, "configs/0b.py": "", "configs/0c.py": ""}
    for layer in range(1, 9):
        bases = [f"{layer - 1}{one}.py" for one in "abc"]
        for one in "abc":
            own = f"train_dataloader = dict(batch_size={layer}, num_workers={layer})\n"
            files[f"configs/{layer}{one}.py"] = f"_base_ = {bases}\n{own}"
    assert len(loaders_of(files)) == 25
