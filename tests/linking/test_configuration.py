from __future__ import annotations

import pytest

from loaderlint.model.source import Span
from tests.linking.traced import IMPORT, Cases, loader_of, loaders_of, traced

LOAD = f"{IMPORT}def load(data, workers=2):\n    return DataLoader(data, num_workers=workers)\n"
MODULE = f"""{IMPORT}
class Data:
    def __init__(self, batch_size, num_workers=None):
        self.num_workers = num_workers
    def train_dataloader(self):
        return DataLoader(1, num_workers=self.num_workers)
"""

NAMED: Cases = {
    "target and params": (
        {"main.py": MODULE, "train.yaml": "data:\n  target: main.Data\n  params:\n    num_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "target and params, the value left out": (
        {"main.py": MODULE, "train.yaml": "data:\n  target: main.Data\n  params:\n    batch_size: 4\n"},
        {"None at main.py:4:48"},
    ),
    "_target_": (
        {"main.py": MODULE, "train.yaml": "data:\n  _target_: main.Data\n  num_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "class_path and init_args": (
        {"main.py": MODULE, "train.yaml": "data:\n  class_path: main.Data\n  init_args:\n    num_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "two configurations": (
        {
            "main.py": MODULE,
            "a.yaml": "_target_: main.Data\nnum_workers: ⟦4⟧\n",
            "b.yaml": "_target_: main.Data\nnum_workers: ⟦0⟧\n",
        },
        {"4", "0"},
    ),
    "a class that a package hands on": (
        {
            "pkg/data/mnist.py": MODULE,
            "pkg/data/__init__.py": "from pkg.data.mnist import Data\n",
            "train.yaml": "class_path: pkg.data.Data\ninit_args:\n  num_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a class that a package above hands on": (
        {
            "pkg/data/mnist.py": MODULE,
            "pkg/data/__init__.py": "from .mnist import Data\n",
            "pkg/__init__.py": "from .data import Data\n",
            "train.yaml": "_target_: pkg.Data\nnum_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a heir that a package hands on, of a dataclass that makes the loader": (
        {
            "pkg/base.py": f"{IMPORT}from dataclasses import dataclass\n@dataclass\nclass Data:\n"
            "    num_workers: int = 2\n    def train_dataloader(self):\n"
            "        return DataLoader(1, num_workers=self.num_workers)\n",
            "pkg/heir.py": "from dataclasses import dataclass\nfrom pkg.base import Data\n@dataclass\n"
            "class Heir(Data):\n    size: int = 1\n",
            "pkg/__init__.py": "from .base import Data\nfrom .heir import Heir\n",
            "train.yaml": "data:\n  class_path: pkg.Heir\n  init_args:\n    num_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a package that hands on another class of that name": (
        {
            "pkg/data/mnist.py": MODULE,
            "pkg/data/other.py": "class Data:\n    def __init__(self, size):\n        pass\n",
            "pkg/data/__init__.py": "from .other import Data\n",
            "train.yaml": "_target_: pkg.data.Data\nsize: 4\n",
        },
        {"None at pkg/data/mnist.py:4:48", "open"},
    ),
    "a package that hands on a class under another's name": (
        {
            "pkg/data/mnist.py": MODULE,
            "pkg/data/__init__.py": "from .mnist import Data as Mnist\nfrom theirs import Data\n",
            "train.yaml": "_target_: pkg.data.Data\nsize: 4\n",
        },
        {"None at pkg/data/mnist.py:4:48", "open"},
    ),
    "a module in a package": (
        {"pkg/main.py": MODULE, "conf/train.yaml": "_target_: pkg.main.Data\nnum_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "a function": (
        {"main.py": LOAD, "train.yaml": "loader:\n  _target_: main.load\n  workers: ⟦4⟧\n"},
        {"4"},
    ),
    "a class of that name in another module": (
        {"main.py": MODULE, "train.yaml": "_target_: other.Data\nsize: 1\n"},
        {"None at main.py:4:48", "open"},
    ),
    "a key of the right name under the wrong parent": (
        {
            "main.py": MODULE,
            "train.yaml": "_target_: main.Data\nbatch_size: 4\nmodel:\n  _target_: other.Net\n  num_workers: 8\n",
        },
        {"None at main.py:4:48"},
    ),
    "torch's own loader": (
        {"train.yaml": "loader:\n  _target_: torch.utils.data.DataLoader\n  num_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "TrainingArguments": (
        {"train.yaml": "a:\n  _target_: transformers.TrainingArguments\n  dataloader_num_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "an anchor and its alias": (
        {"main.py": MODULE, "t.yaml": "n: &n ⟦4⟧\ndata:\n  _target_: main.Data\n  num_workers: *n\n"},
        {"4 shared"},
    ),
    "a merged mapping": (
        {
            "main.py": MODULE,
            "t.yaml": "common: &c\n  num_workers: ⟦4⟧\ndata:\n  _target_: main.Data\n  <<: *c\n",
        },
        {"4 shared"},
    ),
    "an interpolation": (
        {"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: ${workers}\n"},
        {"open"},
    ),
    "a tag": ({"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: !ref <workers>\n"}, {"open"}),
    "a quoted number": ({"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: ⟦'4'⟧\n"}, {"'4'"}),
    "null": ({"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: ⟦null⟧\n"}, {"None"}),
    "a list": ({"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: [1, 2]\n"}, {"open"}),
    "a key twice": (
        {"main.py": MODULE, "t.yaml": "_target_: main.Data\nnum_workers: 2\nnum_workers: ⟦4⟧\n"},
        {"4"},
    ),
    "a Python caller beside the configuration": (
        {
            "main.py": MODULE + "Data(8, num_workers=⟦0⟧).train_dataloader()\n",
            "t.yaml": "_target_: main.Data\nnum_workers: ⟦4⟧\n",
        },
        {"4", "0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), NAMED.values(), ids=NAMED.keys())
def test_configurations_that_name_their_consumer(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def reading(code: str) -> str:
    return f"import yaml\nfrom omegaconf import OmegaConf\n{IMPORT}{code}"


CONFIG = "data:\n  num_workers: ⟦4⟧\n"

READ: Cases = {
    "safe_load and subscripts": (
        {
            "main.py": reading(
                "c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, num_workers=c['data']['num_workers'])"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "opened by with": (
        {
            "main.py": reading(
                "with open('c.yaml') as f:\n    c = yaml.safe_load(f)\n"
                "DataLoader(1, num_workers=c['data']['num_workers'])"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "the text read first": (
        {
            "main.py": reading(
                "c = yaml.safe_load(open('c.yaml').read())\nDataLoader(1, num_workers=c['data']['num_workers'])"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "load with a loader": (
        {
            "main.py": reading(
                "c = yaml.load(open('c.yaml'), Loader=yaml.FullLoader)\n"
                "DataLoader(1, num_workers=c['data']['num_workers'])"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "get": (
        {
            "main.py": reading(
                "c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, num_workers=c['data'].get('num_workers', 8))"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "get of what is not there": (
        {
            "main.py": reading(
                "c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, num_workers=c['data'].get('workers', ⟦8⟧))"
            ),
            "c.yaml": "data:\n  num_workers: 4\n  batch_size: 1\n",
        },
        {"8", "4 at c.yaml:2:16"},
    ),
    "a splat": (
        {
            "main.py": reading("c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, **c['data'])"),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "a splat without the key": (
        {
            "main.py": reading("c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, **c['data'])"),
            "c.yaml": "data:\n  batch_size: 4\n",
        },
        {"0 unwritten"},
    ),
    "OmegaConf and attributes": (
        {
            "main.py": reading("c = OmegaConf.load('c.yaml')\nDataLoader(1, num_workers=c.data.num_workers)"),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "OmegaConf changed afterwards": (
        {
            "main.py": reading(
                "c = OmegaConf.load('c.yaml')\nc.data.num_workers = ⟦0⟧\nDataLoader(1, num_workers=c.data.num_workers)"
            ),
            "c.yaml": "data:\n  num_workers: 4\n",
        },
        {"0", "4 at c.yaml:2:16"},
    ),
    "handed to a function": (
        {
            "main.py": reading(
                "def load(cfg):\n    return DataLoader(1, num_workers=cfg['data']['num_workers'])\n"
                "load(yaml.safe_load(open('c.yaml')))"
            ),
            "c.yaml": CONFIG,
        },
        {"4"},
    ),
    "a path from a command line's default": (
        {
            "main.py": reading(
                "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', default='c.yaml')\n"
                "a = p.parse_args()\nc = OmegaConf.load(a.config)\nDataLoader(1, num_workers=c.data.num_workers)"
            ),
            "c.yaml": CONFIG,
        },
        {"4", "open"},
    ),
    "a path from a constant in a folder": (
        {
            "src/main.py": reading(
                "P = 'conf/c.yaml'\nc = OmegaConf.load(P)\nDataLoader(1, num_workers=c.data.num_workers)"
            ),
            "conf/c.yaml": CONFIG,
        },
        {"4"},
    ),
    "a path nobody sees": (
        {
            "main.py": reading("c = OmegaConf.load(path())\nDataLoader(1, num_workers=c.data.num_workers)"),
            "c.yaml": "batch_size: 4\n",
        },
        {"open"},
    ),
    "a file that is not there": (
        {"main.py": reading("c = OmegaConf.load('c.yaml')\nDataLoader(1, num_workers=c.data.num_workers)")},
        {"open"},
    ),
    "a key that is not there": (
        {
            "main.py": reading("c = OmegaConf.load('c.yaml')\nDataLoader(1, num_workers=c.data.workers)"),
            "c.yaml": "data:\n  batch_size: 4\n",
        },
        {"open"},
    ),
    "an interpolation": (
        {
            "main.py": reading("c = OmegaConf.load('c.yaml')\nDataLoader(1, num_workers=c.data.n)"),
            "c.yaml": "n: ⟦4⟧\ndata:\n  n: ${n}\n",
        },
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), READ.values(), ids=READ.keys())
def test_configurations_that_a_program_reads(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_trail_of_a_key_names_the_class_and_the_attribute() -> None:
    files = {"main.py": MODULE, "train.yaml": "data:\n  target: main.Data\n  params:\n    num_workers: 4\n"}
    (workers,) = loader_of(files).num_workers.candidates
    assert [(step.span.path, step.span.line, step.note) for step in workers.trail] == [
        ("main.py", 4, "Data(num_workers=…)"),
        ("main.py", 5, "self.num_workers"),
        ("main.py", 7, "self.num_workers"),
    ]


def test_a_key_that_is_splatted_or_got_can_be_taken_away_and_one_read_by_subscript_cannot() -> None:
    def entry(use: str) -> Span | None:
        files = {"main.py": reading(f"c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, {use})"), "c.yaml": "n: 4\n"}
        return next(one for one in loader_of(files).num_workers.candidates if one.constant == 4).entry

    assert entry("num_workers=c['n']") is None
    assert entry("num_workers=c.get('n')") == Span("c.yaml", 1, 1, 1, 5)


BARE: dict[str, tuple[str, list[str]]] = {
    "at the root": ("num_workers: 4\n", ["train.yaml"]),
    "data": ("data:\n  num_workers: 4\n", ["data"]),
    "params": ("data:\n  params:\n    num_workers: 4\n", ["data.params"]),
    "LightningCLI": ("data:\n  class_path: lib.Data\n  init_args:\n    num_workers: 4\n", ["data.init_args"]),
    "dataset": ("dataset:\n  num_workers: 4\n", ["dataset"]),
    "train_loader": ("train_loader:\n  num_workers: 4\n", ["train_loader"]),
    "NeMo's datasets": ("model:\n  train_ds:\n    num_workers: 4\n", ["model.train_ds"]),
    "NeMo's loaders": (
        "model:\n  train_ds:\n    dataloader_params:\n      num_workers: 4\n",
        ["model.train_ds.dataloader_params"],
    ),
    "speechbrain": ("train_dataloader_opts:\n  num_workers: 4\n", ["train_dataloader_opts"]),
    "yacs": ("DATALOADER:\n  NUM_WORKERS: 4\n", ["DATALOADER"]),
    "yacs with a line": ("DATA_LOADER:\n  NUM_WORKERS: 4\n", ["DATA_LOADER"]),
    "run": ("run:\n  num_workers: 4\n", ["run"]),
    "OLMo": ("data:\n  num_workers: 4\n  prefetch_factor: 8\n  persistent_workers: true\n", ["data"]),
    "beside a batch size, wherever": ("some:\n  place:\n    num_workers: 4\n    batch_size: 2\n", ["some.place"]),
    "Hugging Face": ("dataloader_num_workers: 4\noutput_dir: out\n", ["train.yaml"]),
    "two mappings": ("train:\n  num_workers: 4\nval:\n  num_workers: 2\n", ["train", "val"]),
    "a flow mapping": ("data: {num_workers: 4, batch_size: 8}\n", ["data"]),
    "an item of a list": ("loaders:\n  - num_workers: 4\n  - num_workers: 2\n", ["loaders.0", "loaders.1"]),
    # And what is no loader.
    "no worker count": ("data:\n  batch_size: 4\n", []),
    "a server": ("uvicorn:\n  workers: 4\n", []),
    "a server by its key": ("server:\n  num_workers: 4\n", []),
    "noise": ("add_noise:\n  num_workers: 4\n", []),
    "preprocessing": ("preprocessing:\n  num_workers: 4\n", []),
    "preprocessing of data": ("data:\n  preprocess:\n    num_workers: 4\n", []),
    "preprocessing_num_workers": ("preprocessing_num_workers: 4\n", []),
    "memmap_workers": ("data:\n  memmap_workers: 4\n", []),
    "fsdp": ("fsdp:\n  forward_prefetch: true\n", []),
    "DeepSpeed": ("zero_optimization:\n  offload_optimizer:\n    pin_memory: true\n", []),
    "Ray": ("ray:\n  num_workers: 4\n", []),
    "a model's setting": ("model:\n  num_workers: 4\n", []),
    "CI": ("jobs:\n  test:\n    workers: 4\n", []),
    "a list of numbers": ("- 4\n- 8\n", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "callees"), BARE.values(), ids=BARE.keys())
def test_settings_that_no_code_is_seen_to_read(text: str, callees: list[str]) -> None:
    loaders = loaders_of({"train.yaml": text})
    assert [one.callee for one in loaders] == callees
    assert not any(one.consumer_seen for one in loaders)


def test_settings_whose_consumer_is_in_the_project_are_followed_there_and_nowhere_else() -> None:
    files = {
        "main.py": "class Data:\n    def __init__(self, num_workers=0):\n        self.pool = Pool(num_workers)\n",
        "train.yaml": "data:\n  _target_: main.Data\n  num_workers: 4\n  batch_size: 8\n",
    }
    assert loaders_of(files) == ()


@pytest.mark.parametrize(
    ("read", "bare"),
    [
        ("**c['data']['loaders'][0]", []),
        ("batch_size=c['data']['loaders'][0]['batch_size'], num_workers=unseen()", ["data"]),
        ("num_workers=8", ["data", "data.loaders.0"]),
        ("num_workers=0, batch_size=c['data']['num_workers'] * 8", ["data.loaders.0"]),
    ],
    ids=["which have their own count", "whose count is not seen", "not read", "one is worked out from"],
)
def test_a_mapping_is_not_bare_that_holds_the_settings_of_a_loader(read: str, bare: list[str]) -> None:
    files = {
        "main.py": reading(f"c = yaml.safe_load(open('c.yaml'))\nDataLoader(1, {read})"),
        "c.yaml": "data:\n  num_workers: 4\n  loaders:\n    - num_workers: 2\n      batch_size: 8\n",
    }
    assert [one.callee for one in loaders_of(files) if one.span.path == "c.yaml"] == bare


def test_bare_settings_of_hugging_face_carry_its_names() -> None:
    loader = loader_of({"train.yaml": "dataloader_num_workers: 4\ndataloader_prefetch_factor: 2\n"})
    assert [one.constant for one in loader.num_workers.candidates] == [4]
    assert [one.constant for one in loader.prefetch_factor.candidates] == [2]
    assert loader.spelled("num_workers") == "dataloader_num_workers"


TRAINING_TOML = {"train.toml": "[loader]\nnum_workers = 4\nbatch_size = 8\n"}
TRAINING_JSON = {"train.json": '{"loader": {"num_workers": 4, "batch_size": 8}}'}
TRAINER_JSON = {"train.json": '{"dataloader_num_workers": 4}'}
TRAINING_YAML = {"train.yaml": "loader:\n  num_workers: 4\n  batch_size: 8\n"}
READS_TOML = {"main.py": "import tomllib\nmake(tomllib.load(theirs()), num_workers=0)\n"}
READS_JSON = {"main.py": "import json\nmake(json.load(theirs()), num_workers=0)\n"}


@pytest.mark.parametrize(
    ("files", "asked_for"),
    [
        ({**TRAINING_TOML, **READS_TOML}, True),
        ({**TRAINING_JSON, **READS_JSON}, True),
        (TRAINER_JSON, True),
        (TRAINING_YAML, True),
        ({**TRAINING_YAML, **READS_JSON}, True),
        (TRAINING_TOML, True),
        (TRAINING_JSON, True),
        ({**TRAINER_JSON, **READS_TOML}, True),
        ({**TRAINING_TOML, **READS_JSON}, False),
        ({**TRAINING_JSON, **READS_TOML}, False),
        ({**TRAINING_JSON, "main.py": "make(theirs(), num_workers=0)\n"}, False),
        ({**TRAINING_JSON, "main.py": "import json\nmake(json.load(theirs()))\n"}, True),
    ],
)
def test_settings_in_a_language_that_the_code_beside_them_does_not_name_may_be_anybodys(
    files: dict[str, str], asked_for: bool
) -> None:
    assert [one.asked_for for one in loaders_of(files)] == [asked_for]


VOCODER = {"vocoder/config.json": '{"num_workers": 4, "batch_size": 16, "num_mels": 80}'}
MAKES_A_VOCODER = "settings = json.load(open('vocoder/config.json'))\nvocoder = Generator(settings)\n"
BESIDE_A_VOCODER = {
    "a loader of its own": ("DataLoader(rows, batch_size=2)\n", False),
    "a loader that gets its settings": ("DataLoader(rows, **theirs(settings))\n", True),
    "one that names the key": ("DataLoader(rows, batch_size=2)\nprint(settings.num_workers)\n", True),
}


@pytest.mark.parametrize(("loader", "asked_for"), BESIDE_A_VOCODER.values(), ids=BESIDE_A_VOCODER)
def test_a_worker_count_that_nothing_names_where_all_loaders_are_seen_is_of_another_program(
    loader: str, asked_for: bool
) -> None:
    main = f"import json\nfrom torch.utils.data import DataLoader\n{MAKES_A_VOCODER}{loader}"
    found = loaders_of({**VOCODER, "main.py": main})
    assert [one.asked_for for one in found if one.span.path == "vocoder/config.json"] == [asked_for]


OF_TORCH = "loader:\n  _target_: torch.utils.data.DataLoader\n  num_workers: ${workers}\n"
TAKEN_BY = {
    "a text": ("name: toy-${workers}\n", True),
    "another key": ("preparing:\n  jobs: ${workers}\n", True),
    "another loader": (OF_TORCH.replace("loader:", "other:", 1), False),
    "nothing else": ("", False),
}


@pytest.mark.parametrize(("other", "serves_others"), TAKEN_BY.values(), ids=TAKEN_BY)
def test_a_key_that_others_interpolate_serves_these_too(other: str, serves_others: bool) -> None:
    found = loaders_of({"conf/config.yaml": f"workers: 2\n{OF_TORCH}{other}"})
    counts = [value for one in found for value in one.num_workers.written]
    assert [one.serves_others for one in counts] == [serves_others] * len(counts)
    assert counts


CONFIGURED = "workers: 4\ntrain:\n  _target_: torch.utils.data.DataLoader\n  num_workers: ${workers}\n"
USED_BY = {
    "by nothing": ({}, False),
    "by a program that asks for the key": (
        {"main.py": "import multiprocessing\nmultiprocessing.Pool(cfg.workers)\n"},
        True,
    ),
    "by a program that reads the file": ({"prepare.py": "print(yaml.safe_load(open('c.yaml'))['workers'])\n"}, True),
    "by a program of its own attribute": ({"main.py": "print(self.workers)\n"}, False),
    "by a program for a loader": ({"main.py": "load(rows, num_workers=cfg.workers)\n"}, False),
    "for what the loader reads": ({"c.yaml": CONFIGURED + "  dataset:\n    threads: ${workers}\n"}, True),
    "for the size of a batch": ({"c.yaml": CONFIGURED + "  batch_size: ${eval:'${workers} * 8'}\n"}, True),
}


@pytest.mark.parametrize(("files", "serves_others"), USED_BY.values(), ids=USED_BY)
def test_a_key_that_is_used_for_something_else_serves_that_too(files: dict[str, str], serves_others: bool) -> None:
    (loader,) = loaders_of({"c.yaml": CONFIGURED, **files})
    assert [one.serves_others for one in loader.num_workers.written] == [serves_others]


def test_a_key_that_a_program_asks_for_beside_the_loader_it_makes_serves_that_too() -> None:
    program = (
        "import multiprocessing\nimport hydra\nfrom hydra.utils import instantiate\n"
        "@hydra.main(config_path='.', config_name='c', version_base=None)\n"
        "def main(cfg):\n"
        "    {}\n"
        "    for batch in instantiate(cfg.train, dataset=[1]):\n"
        "        print(batch)\n"
        "main()\n"
    )
    for line, serves_others in (("multiprocessing.Pool(cfg.workers)", True), ("print('begins')", False)):
        (loader,) = loaders_of({"c.yaml": CONFIGURED, "main.py": program.format(line)})
        assert [one.serves_others for one in loader.num_workers.written] == [serves_others]


def test_a_key_under_another_is_asked_for_by_both() -> None:
    configured = "train:\n  _target_: torch.utils.data.DataLoader\n  num_workers: 4\n"
    for code, serves_others in (("cfg.train.num_workers", True), ("cfg.valid.num_workers", False)):
        (loader,) = loaders_of({"c.yaml": configured, "main.py": f"print({code})\n"})
        assert [one.serves_others for one in loader.num_workers.written] == [serves_others]


def test_a_value_that_another_loader_needs_is_needed_there() -> None:
    loaders = "".join(
        f"{name}:\n  _target_: torch.utils.data.DataLoader\n  num_workers: {count}\n  prefetch_factor: ${{prefetch}}\n"
        for name, count in (("train", 0), ("valid", 4))
    )
    first, second = loaders_of({"c.yaml": f"prefetch: 4\n{loaders}"})
    assert [one.needed_elsewhere() for one in first.prefetch_factor.written] == [True]
    assert [one.needed_elsewhere() for one in second.prefetch_factor.written] == [False]
