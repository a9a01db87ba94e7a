"""Configuration files that the user names: those of the project that hold what the program reads."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, traced

PROGRAM = f"""{IMPORT}import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument('config', type=str)
parser.add_argument('--env', required=True)
args = parser.parse_args()
with open(args.config) as file:
    config = yaml.safe_load(file)
"""
NESTED = PROGRAM + "DataLoader(1, num_workers=config['data']['workers'])\n"
FLAT = (
    f"{PROGRAM}from types import SimpleNamespace\nc = SimpleNamespace(**config)\nDataLoader(1, num_workers=c.workers)\n"
)
READ = f"""{IMPORT}import sys
import yaml
def read(path):
    with open(path) as file:
        return yaml.safe_load(file)
"""
RUAMEL = f"""{IMPORT}from ruamel.yaml import YAML
config = YAML().load(open('c.yaml'))
DataLoader(1, num_workers=config['workers'])
"""

MERGED = f"""{IMPORT}import sys
from typing import cast
from omegaconf import DictConfig, OmegaConf as om
path, words = sys.argv[1], sys.argv[2:]
with open(path) as file:
    read = om.load(file)
"""
WITH_WORDS = f"{MERGED}cfg = cast(DictConfig, om.merge(read, om.from_cli(words)))\n"

SETTINGS_READ = f"{IMPORT}from settings import load\n"
SETTINGS_OF_TWO = {
    "settings.py": "import sys\nimport yaml\ndef read(path):\n    with open(path) as file:\n"
    "        return yaml.safe_load(file)\n"
    "def load():\n    path = sys.argv[1]\n    settings = read(path)\n    return settings, path\n",
    "conf/train.yaml": "optimizer: adam\ndata:\n  workers: ⟦4⟧\n",
    "conf/predict.yaml": "model_path: best.pt\ndata:\n  workers: 2\n",
}
"""What two programs have their settings from, and a file for each of them."""

CASES: Cases = {
    "parts of a file, each handed to a function that reads on": (
        {
            "main.py": f"{WITH_WORDS}def model(cfg):\n    print(cfg.name)\ndef loader(cfg):\n    print(cfg.split)\n"
            "    DataLoader(1, num_workers=cfg.workers)\ndef main(settings):\n    model(settings.model)\n"
            "    loader(settings['train'])\nmain(cfg)\n",
            "a.yaml": "model:\n  name: x\ntrain:\n  workers: ⟦4⟧\n  split: train\n",
            "b.yaml": "model:\n  name: x\ntrain:\n  workers: 8\n",
            "c.yaml": "model: {}\ntrain:\n  workers: 2\n  split: train\n",
            "d.yaml": "name: x\nmodel:\n  name: x\nsplit: train\ntrain:\n  workers: 1\n",
        },
        {"4", "open"},
    ),
    "a part that is chosen while the program runs is asked for nothing": (
        {
            "main.py": f"{WITH_WORDS}def show(part):\n    print(part.size)\nshow(cfg[pick()])\n"
            "DataLoader(1, num_workers=cfg.workers)\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a function that calls something else by the name of the file's settings": (
        {
            "main.py": f"{WITH_WORDS}def show(cfg):\n    print(cfg.size)\ndef other():\n    cfg = make()\n"
            "    print(cfg.shape)\nDataLoader(1, num_workers=cfg.workers)\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "what the file leaves to another one that it is merged with": (
        {
            "main.py": f"{MERGED}cfg = om.merge(om.load('base.yaml'), read)\nprint(cfg.size)\n"
            "DataLoader(1, num_workers=cfg.workers)\n",
            "base.yaml": "size: 2\nworkers: ⟦0⟧\n",
            "conf/a.yaml": "num_workers: 2\nworkers: ⟦4⟧\n",
        },
        {"0", "4", "open"},
    ),
    "a key that one of them lacks, and that the program may set before it reads it": (
        {
            "main.py": PROGRAM + "def run(options):\n    DataLoader(1, num_workers=options['n'])\n"
            "options = config['data']\nif args.env:\n    options['n'] = int(args.env)\nrun(options)\n",
            "a.yaml": "data:\n  n: ⟦4⟧\n",
            "b.yaml": "data:\n  size: 4\n",
        },
        {"4", "open"},
    ),
    "a key that one of them lacks, and that the program asks for before it takes it": (
        {
            "main.py": PROGRAM + "options = {}\nif 'workers' in config['data']:\n"
            "    options['num_workers'] = config['data']['workers']\nDataLoader(1, **options)\n",
            "a.yaml": "data:\n  workers: ⟦4⟧\n",
            "b.yaml": "data:\n  size: 4\n",
        },
        {"4", "0 unwritten", "open"},
    ),
    "one of two programs that have their settings from one function, each with keys of its own": (
        {
            **SETTINGS_OF_TWO,
            "train.py": SETTINGS_READ + "def fit(settings):\n    print(settings['optimizer'])\n"
            "    DataLoader(1, num_workers=settings['data']['workers'])\n"
            "def main():\n    settings, path = load()\n    print(path)\n    fit(settings)\nmain()\n",
            "predict.py": "from settings import load\ndef main():\n    settings, _ = load()\n"
            "    print(settings['model_path'], settings['data'])\nmain()\n",
        },
        {"4", "open"},
    ),
    "a program that has its settings from a function without which another would not run": (
        {
            **SETTINGS_OF_TWO,
            "train.py": SETTINGS_READ
            + "settings, path = load()\nprint(settings['model_path'], settings['optimizer'])\n"
            "DataLoader(1, num_workers=settings['data']['workers'])\n",
            "predict.py": "from settings import load\nsettings, _ = load()\nprint(settings['data'])\n",
            "conf/train.yaml": "optimizer: adam\ndata:\n  workers: 4\n",
        },
        {"open"},
    ),
    "keys that stand on the command line, laid over the file's": (
        {
            "main.py": PROGRAM + "config.update(vars(args))\nprint(config['env'])\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
            "b.yaml": "env: x\nsize: 2\n",
        },
        {"4", "open"},
    ),
    "keys that stand on the command line, laid over the file's after one was read of it": (
        {
            "main.py": PROGRAM + "print(config['env'])\nconfig.update(vars(args))\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: 4\n",
            "b.yaml": "env: x\nworkers: ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "keys that a constructor lays over the file's after it read one": (
        {
            "main.py": PROGRAM + "class Run:\n    def __init__(self):\n"
            "        self.config = yaml.safe_load(open(args.config))\n"
            "        print(self.config['env'])\n        self.config.update(vars(args))\n"
            "DataLoader(1, num_workers=Run().config['workers'])\n",
            "a.yaml": "workers: 4\n",
            "b.yaml": "env: x\nworkers: ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "a key that the program sets after it read it": (
        {
            "main.py": PROGRAM + "print(config['env'])\nconfig['env'] = 1\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: 4\n",
            "b.yaml": "env: x\nworkers: ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "a key that the program may set before it calls the function above that reads it": (
        {
            "main.py": PROGRAM + "def run():\n    print(config['env'])\nconfig['env'] = 1\nrun()\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a key that the program sets before it hands its settings to who reads it and sets it again": (
        {
            "main.py": PROGRAM + "def run(own):\n    print(own['env'])\n    own['env'] = 2\n"
            "config['env'] = 1\nrun(config)\nDataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "keys that the program lays over its settings before it calls the function above that reads one": (
        {
            "main.py": PROGRAM + "def show():\n    print(config['env'])\nconfig.update(vars(args))\n"
            "show()\nDataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "keys that stand on the command line, and one that does not": (
        {
            "main.py": PROGRAM + "config.update(vars(args))\nprint(config['env'], config['size'])\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: 4\n",
        },
        {"open"},
    ),
    "keys that another library lays over the file's": (
        {
            "main.py": PROGRAM + "from elsewhere import more\nconfig.update(more)\nprint(config['size'])\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: 4\n",
        },
        {"open"},
    ),
    "JSON in a file that is named as INI is": (
        {
            "main.py": PROGRAM.replace("yaml.safe_load", "json.load").replace("yaml", "json")
            + "DataLoader(1, num_workers=config['workers'])\n",
            "conf/a.conf": '\n{"workers": ⟦4⟧}\n',
            "conf/b.cfg": '{"workers": ⟦2⟧}\n',
            "conf/c.conf": "[data]\nworkers = 8\n",
            "conf/e.json": '{"workers": ⟦6⟧}\n',
        },
        {"4", "2", "6", "open"},
    ),
    "JSON in a file that is named as INI is, where INI is read": (
        {
            "main.py": f"{IMPORT}import argparse\nimport configparser\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('config')\nargs = parser.parse_args()\nconfig = configparser.ConfigParser()\n"
            "config.read(args.config)\nDataLoader(1, num_workers=config.getint('data', 'workers'))\n",
            "a.conf": '{"data": {"workers": 4}}\n',
        },
        {"open"},
    ),
    "sections that a loop goes through, told apart by their names": (
        {
            "main.py": f"{PROGRAM}def load(section):\n    DataLoader(1, num_workers=section['workers_per_gpu'])\n"
            "for name, section in config['sets'].items():\n    if name == 'train':\n        load(section)\n",
            "a.yaml": "workers_per_gpu: 1\nsets:\n  train:\n    workers_per_gpu: ⟦4⟧\n"
            "  val_1:\n    workers_per_gpu: 2\n",
        },
        {"4", "open"},
    ),
    "sections that a loop goes through by their names": (
        {
            "main.py": f"{PROGRAM}for name in config['sets']:\n    if name.split('_')[0] == 'val':\n"
            "        DataLoader(1, num_workers=config['sets'][name]['workers'])\n",
            "a.yaml": "sets:\n  train:\n    workers: 4\n  val_1:\n    workers: ⟦2⟧\n  val_2:\n    workers: ⟦3⟧\n",
        },
        {"2", "3", "open"},
    ),
    "a list of sections": (
        {
            "main.py": f"{PROGRAM}for section in config['sets']:\n    if section['name'] != 'test':\n"
            "        DataLoader(1, num_workers=section['workers'])\n",
            "a.yaml": "sets:\n- name: train\n  workers: ⟦4⟧\n- {name: val, workers: ⟦2⟧}\n- {name: test, workers: 1}\n",
        },
        {"4", "2", "open"},
    ),
    "a section whose key is made text of": (
        {
            "main.py": PROGRAM.replace("'--env', required=True", "'--length', type=int, default=512")
            + "DataLoader(1, num_workers=config['sets'][str(args.length)]['workers'])\n",
            "a.yaml": "sets:\n  '128':\n    workers: ⟦4⟧\n  '512':\n    workers: ⟦2⟧\n",
        },
        {"4", "2", "open"},
    ),
    "a section whose key is text of a number": (
        {
            "main.py": f"{PROGRAM}length = 512\nDataLoader(1, num_workers=config['sets'][str(length)]['workers'])\n",
            "a.yaml": "sets:\n  '128':\n    workers: 4\n  '512':\n    workers: ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "parts that a function reads in a process that is started with them": (
        {
            "main.py": f"{WITH_WORDS}import torch.multiprocessing as mp\ndef run(rank, cfg, other):\n"
            "    DataLoader(other.size, num_workers=cfg.train.workers)\n    print(cfg.split)\n"
            "mp.spawn(run, nprocs=2, args=(cfg, make()))\n",
            "a.yaml": "split: train\ntrain:\n  workers: ⟦4⟧\n",
            "b.yaml": "train:\n  workers: 8\n",
            "c.yaml": "split: train\nworkers: 2\n",
        },
        {"4", "open"},
    ),
    "one section of a list": (
        {
            "main.py": f"{PROGRAM}DataLoader(1, num_workers=config['sets'][-1]['workers'])\n",
            "a.yaml": "sets:\n- workers: 4\n- workers: ⟦2⟧\n",
        },
        {"2", "open"},
    ),
    "one file for each experiment": (
        {
            "main.py": NESTED,
            "conf/a.yaml": "data:\n  workers: ⟦4⟧\n",
            "conf/b.yaml": "data:\n  workers: ⟦2⟧\n",
        },
        {"4", "2", "open"},
    ),
    "a file without the key": (
        {"main.py": NESTED, "a.yaml": "data:\n  workers: ⟦4⟧\n", "b.yaml": "data:\n  size: 2\nworkers: 8\n"},
        {"4", "open"},
    ),
    "a file that holds only some of the keys that are read": (
        {
            "main.py": f"{NESTED}print(config['model'])\n",
            "a.yaml": "data:\n  workers: ⟦4⟧\nmodel: x\n",
            "b.yaml": "data:\n  workers: 8\n",
        },
        {"4", "open"},
    ),
    "a file that lacks what is read only sometimes": (
        {
            "main.py": f"{NESTED}if 'model' in config:\n    print(config['model'])\n",
            "a.yaml": "data:\n  workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a file that lacks what the program writes itself": (
        {"main.py": f"{NESTED}config['model'] = 1\nprint(config['model'])\n", "a.yaml": "data:\n  workers: ⟦4⟧\n"},
        {"4", "open"},
    ),
    "the files of another program": (
        {"a/main.py": NESTED, "a/conf.yaml": "data:\n  workers: ⟦4⟧\n", "b/conf.yaml": "data:\n  workers: 8\n"},
        {"4", "open"},
    ),
    "a namespace": ({"main.py": FLAT, "a.yaml": "workers: ⟦4⟧\n", "b.yaml": "threads: 8\n"}, {"4", "open"}),
    "read by a function": (
        {
            "main.py": f"{READ}config = read(sys.argv[1])\nDataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
            "b.yaml": "size: 4\nworker: 8\n",
        },
        {"4", "open"},
    ),
    "a file beside the program": (
        {
            "main.py": f"{READ}config = read(sys.argv[0])\nDataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: 4\n",
        },
        {"open"},
    ),
    "any word of the command line": (
        {
            "main.py": f"{READ}config = read(sys.argv[count()])\nDataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "handed to a function": (
        {
            "main.py": f"{PROGRAM}def train(settings):\n    DataLoader(1, num_workers=settings['workers'])\n"
            "    print(settings['size'])\ntrain(config)\n",
            "a.yaml": "workers: ⟦4⟧\nsize: 2\n",
            "b.yaml": "workers: 8\n",
        },
        {"4", "open"},
    ),
    "kept by an object": (
        {
            "main.py": f"{PROGRAM}class Trainer(Base):\n    def fit(self):\n"
            "        print(self.config['size'])\nTrainer(config=config)\n"
            "DataLoader(1, num_workers=config['workers'])\n",
            "a.yaml": "workers: ⟦4⟧\nsize: 2\n",
            "b.yaml": "workers: 8\n",
        },
        {"4", "open"},
    ),
    "each mapping of a file, gone through": (
        {
            "main.py": f"{PROGRAM}for phase, part in config['data'].items():\n"
            "    if phase.split('_')[0] == 'train':\n        DataLoader(1, num_workers=part['workers'])\n",
            "a.yaml": "data:\n  train_a:\n    workers: ⟦4⟧\n  train_b:\n    workers: ⟦2⟧\n  val:\n    workers: 8\n",
        },
        {"4", "2", "open"},
    ),
    "several documents, which a reader of one refuses": (
        {"main.py": NESTED, "a.yaml": "data:\n  workers: 4\n---\ndata:\n  workers: 2\n"},
        {"open"},
    ),
    "a part of a file that the user names": (
        {
            "main.py": f"{READ}config = read('c.yaml')[sys.argv[1]]\nDataLoader(1, num_workers=config['workers'])\n",
            "c.yaml": "name: x\nlocal:\n  workers: ⟦0⟧\ncluster:\n  workers: ⟦8⟧\nother:\n  size: 1\n",
        },
        {"0", "8", "open"},
    ),
    "a part that is worked out": (
        {
            "main.py": f"{READ}config = read('c.yaml')[host()]\nDataLoader(1, num_workers=config['workers'])\n",
            "c.yaml": "local:\n  workers: 0\n",
        },
        {"open"},
    ),
    "ruamel.yaml": ({"main.py": RUAMEL, "c.yaml": "workers: ⟦4⟧\n"}, {"4"}),
    "ruamel.yaml, which refuses a key that stands twice": (
        {"main.py": RUAMEL, "c.yaml": "workers: 4\nworkers: 2\n"},
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_the_files_a_program_can_be_given(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


SCHEMA = f"""{IMPORT}import sys
from dataclasses import dataclass, field
from typing import List
from omegaconf import OmegaConf as om
@dataclass
class Data:
    num_workers: int = 0
    size: int = 8
class Base:
    @classmethod
    def load(cls, path, words=None):
        conf = om.merge(om.structured(cls), om.load(str(path)))
        if words:
            conf = om.merge(conf, om.from_dotlist(words))
        return om.to_object(conf)
@dataclass
class Config(Base):
    data: Data = field(default_factory=Data)
    more: List[Data] = field(default_factory=list)
@dataclass
class Other(Base):
    seed: int = 1
cfg = Config.load(sys.argv[1], sys.argv[2:])
"""
LOADED = f"{SCHEMA}DataLoader(1, num_workers=cfg.data.num_workers)\n"

FORGOTTEN = """def fit(read):
    new = read.copy()
    if hasattr(new, 'old'):
        new.old = None
    return new
class Base:"""

SCHEMAS: dict[str, tuple[dict[str, str], set[object]]] = {
    "a dataclass under the file that the user names": (
        {"main.py": LOADED, "a.yaml": "data: {num_workers: 4}\n", "b.yaml": "data: {size: 2}\nmore: []\n"},
        {0, 4, "open"},
    ),
    "a file with a key that is no field": (
        {"main.py": LOADED, "a.yaml": "data: {num_workers: 4}\nlr: 1\n", "b.yaml": "data: {num_workers: 2, lr: 1}\n"},
        {0, "open"},
    ),
    "a value that a script replaces after the file was read": (
        {
            "main.py": f"{SCHEMA}cfg.data.num_workers = 1\nDataLoader(1, num_workers=cfg.data.num_workers)\n",
            "a.yaml": "data: {num_workers: 4}\n",
        },
        {1},
    ),
    "a dataclass whose field has a name of its own": (
        {
            "main.py": f"{SCHEMA}@dataclass\nclass Own(Base):\n    w: int = 0\n    lr: float = 1\n"
            "own = Own.load(sys.argv[1])\nprint(own.lr)\nDataLoader(1, num_workers=own.w)\n",
            "y/a.yaml": "w: 4\nlr: 1\n",
            "y/b.yaml": "w: 3\n",
            "y/c.yaml": "w: 2\nlr: 1\nother: 1\n",
        },
        {0, 4, "open"},
    ),
    "a dictionary whose key has a name of its own": (
        {
            "main.py": f"{IMPORT}import sys\nfrom omegaconf import OmegaConf as om\n"
            "own = om.merge({'w': 0}, om.load(sys.argv[1]))\nprint(own.lr)\nDataLoader(1, num_workers=own.w)\n",
            "y/a.yaml": "w: 4\nlr: 1\n",
            "y/b.yaml": "w: 3\n",
            "y/c.yaml": "lr: 1\n",
            "other/y/d.yaml": "num_workers: 1\n",
        },
        {0, 4, "open"},
    ),
    "a file with a loader's settings, of which it leaves out some": (
        {
            "main.py": f"{SCHEMA}print(cfg.more)\nDataLoader(1, num_workers=cfg.data.num_workers)\n",
            "a.yaml": "data: {num_workers: 4}\n",
            "b.yaml": "data: {size: 4}\n",
        },
        {0, 4, "open"},
    ),
    "a file of which a function sets a field on a copy": (
        {
            "main.py": SCHEMA.replace("class Base:", FORGOTTEN).replace("om.load(str(path))", "fit(om.load(str(path)))")
            + "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "a.yaml": "data: {num_workers: 4}\n",
            "b.yaml": "data: {num_workers: 2}\nold: 1\n",
        },
        {0, 4, "open"},
    ),
    "a file to which a test adds what is no field": (
        {
            "main.py": SCHEMA.replace("class Base:", FORGOTTEN.replace("hasattr(new, 'old')", "debug()")).replace(
                "om.load(str(path))", "fit(om.load(str(path)))"
            )
            + "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "a.yaml": "data: {num_workers: 4}\n",
        },
        {0, 4, "open"},
    ),
    "a list of dataclasses, whose fields a file leaves out": (
        {
            "main.py": f"{SCHEMA}for one in Config.load('a.yaml').more:\n"
            "    DataLoader(1, num_workers=one.num_workers)\n",
            "a.yaml": "more:\n- size: 1\n- {num_workers: 4, size: 2}\n",
        },
        {0, 4},
    ),
    "a list that is nobody's dataclass": (
        {
            "main.py": f"{IMPORT}from omegaconf import OmegaConf as om\n"
            "for one in om.merge({'more': []}, om.load('a.yaml')).more:\n"
            "    DataLoader(1, num_workers=one.num_workers)\n",
            "a.yaml": "more:\n- size: 1\n- {num_workers: 4, size: 2}\n",
        },
        {4, "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_the_files_that_a_dataclass_lets_be_merged_into_it(files: dict[str, str], expected: set[object]) -> None:
    workers = next(one.num_workers for one in loaders_of(files) if one.span.path == "main.py")
    found: set[object] = {one.constant for one in workers.candidates}
    assert found | ({"open"} if workers.open else set()) == expected


@pytest.mark.parametrize("key", ["num_workers", "num_worker_per_gpu"])
@pytest.mark.parametrize("count", [32, 40])
def test_each_of_few_or_many_files_that_say_the_same_of_loaders_gives_a_candidate(count: int, key: str) -> None:
    files = {f"conf/{number:02}.yaml": f"data: {{name: {number}, {key}: {number % 3}}}\n" for number in range(count)}
    loader = next(
        one
        for one in loaders_of({"main.py": NESTED.replace("'workers'", f"'{key}'"), **files})
        if one.span.path == "main.py"
    )
    workers = loader.num_workers
    assert {one.span.path: one.constant for one in workers.candidates} == {
        path: number % 3 for number, path in enumerate(files)
    }
    assert (len(workers.candidates), workers.open) == (count, True)


YACS = f"""{IMPORT}import sys
from yacs.config import CfgNode
cfg = CfgNode()
cfg.NAME = ''
cfg.WORKERS = 8
cfg.merge_from_file(sys.argv[1])
DataLoader(1, num_workers=cfg.WORKERS)
"""


@pytest.mark.parametrize("count", [32, 80])
def test_each_of_few_or_many_files_that_can_be_merged_gives_a_candidate(count: int) -> None:
    files = {f"conf/{number:02}.yaml": f"NAME: n{number}\nWORKERS: {number % 3}\n" for number in range(count)}
    (loader,) = loaders_of({"main.py": YACS, **files})
    given = [one for one in loader.num_workers.candidates if one.constant != 8]
    assert (len(given), loader.num_workers.open) == (count, True)
    assert {one.span.path: one.constant for one in given} == {path: number % 3 for number, path in enumerate(files)}


def test_what_many_files_inherit_from_one_is_one_candidate() -> None:
    inheriting = {f"conf/{number:02}.yaml": f"_BASE_: base.yaml\nNAME: n{number}\n" for number in range(40)}
    program = YACS.replace("yacs.config", "fvcore.common.config")
    (loader,) = loaders_of({"main.py": program, "conf/base.yaml": "WORKERS: 4\n", **inheriting})
    given = [one.span.path for one in loader.num_workers.candidates if one.constant == 4]
    assert given == ["conf/base.yaml"]


def test_of_many_files_that_say_the_same_the_nearest_to_the_program_comes_first() -> None:
    files = {f"conf/{number:02}.yaml": f"NAME: n{number}\nWORKERS: 4\n" for number in range(40)}
    (loader,) = loaders_of({"tools/main.py": YACS, **files, "tools/own/a.yaml": "WORKERS: 4\n"})
    given = [one.span.path for one in loader.num_workers.candidates if one.constant == 4]
    assert given == ["tools/own/a.yaml", *files]


@pytest.mark.parametrize("count", [2, 16, 30])
def test_each_of_many_files_arrives_where_another_program_reads_them_for_another_arm(count: int) -> None:
    program = """
        import argparse
        from defaults import get_default_config
        from loader import create_dataloader
        def load_config():
            parser = argparse.ArgumentParser()
            parser.add_argument("--config", type=str)
            parser.add_argument("options", default=None, nargs=argparse.REMAINDER)
            args = parser.parse_args()
            config = get_default_config()
            if {asked}:
                config.merge_from_file(args.config)
            config.merge_from_list(args.options)
            return config
        def main():
            create_dataloader(load_config(), is_train={is_train})
        if __name__ == "__main__":
            main()
    """
    files = {
        "defaults.py": """
            from yacs.config import CfgNode
            config = CfgNode()
            config.train = CfgNode()
            config.train.num_workers = 100
            def get_default_config():
                return config.clone()
        """,
        "loader.py": f"""
            {IMPORT}
            def create_dataloader(config, is_train):
                if is_train:
                    return DataLoader(data, num_workers=config.train.num_workers)
                return DataLoader(data)
        """,
        "train.py": program.format(asked="args.config is not None", is_train=True),
        "evaluate.py": program.format(asked="True", is_train=False),
        **{f"configs/c{index}.yaml": f"train: {{num_workers: {index}}}\n" for index in range(1, count + 1)},
    }
    workers = next(one.num_workers for one in loaders_of(files) if one.span.path == "loader.py")
    assert workers.open
    assert {one.constant for one in workers.candidates} == {100, *range(1, count + 1)}


READS_AND_CHANGES = """
    import yaml
    def read(path, **changed):
        with open(path) as file:
            return dict(yaml.safe_load(file), **changed)
"""
FIRE = f"""
    {IMPORT}
    import fire
    import torch
    import parts
    from reading import read
    def train(config{{default}}, **changed):
        settings = read(config, **changed)
        DataLoader(1, **settings['loader'])
        {{after}}
    if __name__ == '__main__':
        fire.Fire(train)
"""
LOOKS_UP = "; ".join(
    f"getattr({holder}, settings['{key}'])(**settings['{key}_arguments'])"
    for key in ("model", "loss", "optimizer", "scheduler")
    for holder in ("torch.nn", "parts")
)


@pytest.mark.parametrize("default", ["", "='conf/config.yaml'", "='conf/a.yaml'"])
@pytest.mark.parametrize(("after", "programs"), [("pass", 1), (LOOKS_UP, 8)], ids=["", "beside much that it looks up"])
def test_the_user_names_a_file_for_a_parameter_of_a_function_that_fire_calls(
    default: str, after: str, programs: int
) -> None:
    files = {
        "reading.py": READS_AND_CHANGES,
        "parts.py": "class Part:\n    pass\n",
        "conf/a.yaml": "loader: {num_workers: 4}\n",
        "conf/b.yaml": "loader: {num_workers: 8}\n",
        **{f"train{number}.py": FIRE.format(default=default, after=after) for number in range(programs)},
    }
    found = [one.num_workers for one in loaders_of(files) if one.span.path.startswith("train")]
    assert len(found) == programs
    for workers in found:
        assert workers.open
        assert {one.constant for one in workers.candidates} == {4, 8}


def test_a_function_that_is_looked_up_in_a_module_of_the_project_is_called() -> None:
    files = {
        "main.py": f"""
            {IMPORT}
            import json
            import parts
            def make(workers):
                return DataLoader(1, num_workers=workers)
            getattr(parts, json.load(open('c.json'))['name'])(3)
        """,
        "parts.py": "from main import make as build\n",
        "c.json": '{"name": "build"}',
    }
    (workers,) = (one.num_workers for one in loaders_of(files))
    assert {one.constant for one in workers.candidates} == {3}


@pytest.mark.parametrize("decorator", ["", "@decorated\n", "@functools.lru_cache\n"])
@pytest.mark.parametrize("trains", ["a.py", "z.py"])
def test_none_of_two_programs_gets_the_files_of_the_other_in_whatever_order_they_are_asked(
    decorator: str, trains: str
) -> None:
    files = {
        "settings.py": "import functools, sys, yaml\n"
        "def decorated(function):\n    def inner(*given):\n        return function(2)\n    return inner\n"
        f"{decorator}def load(number=1):\n    return yaml.safe_load(open(sys.argv[number]))\n",
        trains: f"{SETTINGS_READ}settings = load()\nprint(settings['optimizer'])\n"
        "DataLoader(1, num_workers=settings['workers'])\n",
        "predict.py": f"{SETTINGS_READ}settings = load()\nprint(settings['model_path'])\n"
        "DataLoader(1, num_workers=settings['workers'])\n",
        "conf/train.yaml": "optimizer: adam\nworkers: 4\n",
        "conf/predict.yaml": "model_path: best.pt\nworkers: 2\n",
    }
    reached = {one.span.path: {each.constant for each in one.num_workers.candidates} for one in loaders_of(files)}
    expected = {trains: {4}, "predict.py": {2}}
    # Through a decorator that hands on what it likes no call is followed.
    assert reached == ({path: set() for path in expected} if decorator == "@decorated\n" else expected)
