"""Configuration files that the user names: those of the project that hold what the program reads."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

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
