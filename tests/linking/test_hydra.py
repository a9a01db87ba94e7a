from __future__ import annotations

import pytest

from loaderlint.linking.following.configurations import instantiation
from tests.linking.traced import IMPORT, Cases, loader_of, loaders_of, met, traced


def program(decorator: str, body: str = "DataLoader(1, num_workers=cfg.data.num_workers)") -> str:
    return f"{IMPORT}import hydra\n@{decorator}\ndef main(cfg):\n    {body}\nmain()\n"


TRAIN = "data:\n  num_workers: ⟦4⟧\n"

CASES: Cases = {
    "a name and a path": (
        {"main.py": program("hydra.main(config_path='conf', config_name='train')"), "conf/train.yaml": TRAIN},
        {"4", "open"},
    ),
    "by position": (
        {"main.py": program("hydra.main('conf', 'train')"), "conf/train.yaml": TRAIN},
        {"4", "open"},
    ),
    "the suffix written": (
        {"main.py": program("hydra.main(config_path='.', config_name='train.yaml')"), "train.yaml": TRAIN},
        {"4", "open"},
    ),
    "a folder beside the program's": (
        {"src/main.py": program("hydra.main(config_path='../conf', config_name='train')"), "conf/train.yaml": TRAIN},
        {"4", "open"},
    ),
    "a folder of a package": (
        {
            "main.py": program("hydra.main(config_path='pkg://app.conf', config_name='train')"),
            "app/__init__.py": "",
            "app/conf/__init__.py": "",
            "app/conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "a folder of a package beside the program's": (
        {
            "src/main.py": program("hydra.main(config_path='pkg://conf', config_name='train')"),
            "src/conf/__init__.py": "",
            "src/conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "main imported by name": (
        {
            "main.py": "from hydra import main as entry\n" + program("entry(config_path='.', config_name='train')"),
            "train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "by subscript": (
        {
            "main.py": program(
                "hydra.main(config_path='.', config_name='train')",
                "DataLoader(1, num_workers=cfg['data']['num_workers'])",
            ),
            "train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "splatted into a dataclass": (
        {
            "main.py": IMPORT + "import hydra\nfrom dataclasses import dataclass\n@dataclass\nclass Data:\n"
            "    num_workers: int = 0\n@hydra.main(config_path='.', config_name='train')\ndef main(cfg):\n"
            "    data = Data(**cfg['data'])\n    DataLoader(1, num_workers=data.num_workers)\n",
            "train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "a group that the defaults choose": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - _self_\n  - data: mnist\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
            "conf/data/cifar.yaml": "batch_size: 8\n",
        },
        {"4", "open"},
    ),
    "a group that the configuration changes": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\ndata:\n  num_workers: ⟦8⟧\n",
            "conf/data/mnist.yaml": "size: 4\n",
        },
        {"8", "open"},
    ),
    "a group that overrides another is not seen": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - override /data: mnist\n",
            "conf/data/mnist.yaml": "size: 4\n",
        },
        {"open"},
    ),
    "a name nobody sees": (
        {"main.py": program("hydra.main(config_path='.', config_name=name())"), "train.yaml": "size: 4\n"},
        {"open"},
    ),
    "no path": ({"main.py": program("hydra.main(config_name='train')"), "train.yaml": "size: 4\n"}, {"open"}),
    "a file that is not there, beside those that a user can name": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='mine')"),
            "conf/train.yaml": TRAIN,
            "conf/tiny.yaml": TRAIN.replace("4", "2"),
        },
        {"4", "2", "open"},
    ),
    "a file that is there, beside others": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": TRAIN,
            "conf/tiny.yaml": "size: 2\n",
        },
        {"4", "open"},
    ),
    "a file that is not there": ({"main.py": program("hydra.main(config_path='.', config_name='train')")}, {"open"}),
    "another library's main": (
        {"main.py": program("other.main(config_path='.', config_name='train')"), "train.yaml": "size: 4\n"},
        {"open"},
    ),
    "a group in a folder of its own below another": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\n",
            "conf/data/mnist.yaml": "defaults:\n  - loader: fast\n",
            "conf/data/loader/fast.yaml": "# @package data\nnum_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a group put elsewhere by the list": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - loader@data: fast\n",
            "conf/loader/fast.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a group put elsewhere by its header": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - loader: fast\n",
            "conf/loader/fast.yaml": "# @package _global_\ndata:\n  num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a header below other words is none": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: fast\n",
            "conf/data/fast.yaml": "num_workers: ⟦4⟧\n# @package _global_\n",
        },
        {"4", "open"},
    ),
    "the configuration wins over its list": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\ndata:\n  num_workers: ⟦8⟧\n",
            "conf/data/mnist.yaml": "num_workers: 4\n",
        },
        {"8", "open"},
    ),
    "the list wins over a configuration that comes first": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - _self_\n  - data: mnist\ndata:\n  num_workers: 8\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "several options of a group, the last one on top": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: [a, b]\n",
            "conf/data/a.yaml": "num_workers: 4\n",
            "conf/data/b.yaml": "num_workers: ⟦8⟧\n",
        },
        {"8", "4 at conf/data/a.yaml:1:14", "open"},
    ),
    "an option that the user can choose": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
            "conf/data/cifar.yaml": "num_workers: ⟦8⟧\n",
        },
        {"4", "8", "open"},
    ),
    "an experiment that overrides the group": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\n  - experiment: null\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
            "conf/data/cifar.yaml": "num_workers: ⟦8⟧\n",
            "conf/experiment/big.yaml": "# @package _global_\ndefaults:\n  - override /data: cifar\n",
        },
        {"4", "8", "open"},
    ),
    "an experiment that is added": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": TRAIN,
            "conf/experiment/big.yaml": "# @package _global_\ndata:\n  num_workers: ⟦8⟧\n",
        },
        {"4", "8", "open"},
    ),
    "a folder that no list names": (
        {
            "main.py": program(
                "hydra.main(config_path='conf', config_name='train')", "DataLoader(1, num_workers=cfg.data.n)"
            ),
            "conf/train.yaml": "data:\n  n: ⟦4⟧\n",
            "conf/other/big.yaml": "data:\n  n: 8\n",
        },
        {"4", "open"},
    ),
    "an optional configuration that is not there": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - optional data: local\n  - _self_\n" + TRAIN,
        },
        {"4", "open"},
    ),
    "a value that the user has to give": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "data:\n  num_workers: ???\n",
        },
        {"open"},
    ),
    "a missing value replaces nothing": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\n  - _self_\ndata:\n  num_workers: ???\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "a group that the user has to choose": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: ???\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "no folder since version 1.2": (
        {"main.py": program("hydra.main(config_name='train', version_base='1.2')"), "train.yaml": "n: 1\n"},
        {"open"},
    ),
    "the folder of the program before": (
        {"main.py": program("hydra.main(config_name='train', version_base='1.1')"), "train.yaml": TRAIN},
        {"4", "open"},
    ),
    "configurations that choose each other": (
        {
            "main.py": program("hydra.main(config_path='.', config_name='train')"),
            "train.yaml": "defaults:\n  - other\n  - _self_\n" + TRAIN,
            "other.yaml": "defaults:\n  - train\n",
        },
        {"4", "open"},
    ),
    "an option in a folder of its group": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: images/small\n",
            "conf/data/images/small.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4", "open"},
    ),
    "another option in a folder of its group": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - /data: images/small\n",
            "conf/data/images/small.yaml": "num_workers: ⟦4⟧\n",
            "conf/data/texts/big.yaml": "num_workers: ⟦8⟧\n",
        },
        {"4", "8", "open"},
    ),
    "what an option in a folder chooses stands in the group": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: images/small\n",
            "conf/data/images/small.yaml": "defaults:\n  - plain\nsize: 3\n",
            "conf/data/plain.yaml": "num_workers: ⟦4⟧\n",
            "conf/data/images/plain.yaml": "size: 8\n",
        },
        {"4", "open"},
    ),
    "a folder beside the option taken may be no option's": (
        {
            "main.py": program(
                "hydra.main(config_path='conf', config_name='train')", "DataLoader(1, num_workers=cfg.data.n)"
            ),
            "conf/train.yaml": "defaults:\n  - data: mnist\n",
            "conf/data/mnist.yaml": "n: ⟦4⟧\n",
            "conf/data/images/big.yaml": "n: 8\n",
        },
        {"4", "open"},
    ),
    "the options of a group in a group are that group's": (
        {
            "main.py": program(
                "hydra.main(config_path='conf', config_name='train')", "DataLoader(1, num_workers=cfg.data.loader.n)"
            ),
            "conf/train.yaml": "defaults:\n  - data: images/small\n",
            "conf/data/images/small.yaml": "defaults:\n  - loader: fast\n",
            "conf/data/loader/fast.yaml": "n: ⟦4⟧\n",
            "conf/data/loader/slow.yaml": "n: ⟦0⟧\nloader:\n  n: 8\n",
        },
        {"4", "0", "open"},
    ),
    "an experiment in a folder": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": TRAIN,
            "conf/experiment/images/big.yaml": "# @package _global_\ndata:\n  num_workers: ⟦8⟧\n",
        },
        {"4", "8", "open"},
    ),
    "an experiment in a folder of a group that nothing is taken of": (
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - _self_\n  - experiment: null\n" + TRAIN,
            "conf/experiment/images/big.yaml": "# @package _global_\ndata:\n  num_workers: ⟦8⟧\n",
        },
        {"4", "8", "open"},
    ),
    "compose with an option in a folder": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\nwith initialize(config_path='conf'):\n"
            "    cfg = compose('train', overrides=['data=images/small'])\n"
            "DataLoader(1, num_workers=cfg.data.n)\n",
            "conf/train.yaml": "defaults:\n  - data: texts/big\n",
            "conf/data/texts/big.yaml": "n: 8\n",
            "conf/data/images/small.yaml": "n: ⟦4⟧\n",
        },
        {"4"},
    ),
    "compose": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\nwith initialize(config_path='conf'):\n"
            "    cfg = compose('train', overrides=['data=mnist', 'data.size=3'])\n"
            "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "conf/train.yaml": "defaults:\n  - data: cifar\n",
            "conf/data/cifar.yaml": "n: 8\n",
            "conf/data/mnist.yaml": "num_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "compose with a value of its own": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\ninitialize('conf', version_base=None)\n"
            "cfg = compose(config_name='train', overrides=[⟦'data.num_workers=2'⟧])\n"
            "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "conf/train.yaml": "data:\n  num_workers: 4\n",
        },
        {"2"},
    ),
    "compose with overrides that nobody sees": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\ninitialize('conf', version_base=None)\n"
            "cfg = compose(config_name='train', overrides=sys.argv)\n"
            "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "compose where several initialize the same": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\nwith initialize('conf'):\n"
            "    cfg = compose('train')\nwith initialize('conf'):\n    other = compose('test')\n"
            "DataLoader(1, num_workers=cfg.n)\n",
            "conf/train.yaml": "n: ⟦4⟧\n",
            "conf/test.yaml": "n: 2\n",
        },
        {"4"},
    ),
    "compose where one of several initializes another folder": (
        {
            "main.py": f"{IMPORT}from hydra import compose, initialize\nwith initialize('conf'):\n"
            "    cfg = compose('train')\nwith initialize('other'):\n    other = compose('train')\n"
            "DataLoader(1, num_workers=cfg.n)\n",
            "conf/train.yaml": "n: 4\n",
            "other/train.yaml": "n: 2\n",
        },
        {"open"},
    ),
    "compose beside another initialize": (
        {
            "main.py": f"{IMPORT}import deepspeed\nfrom hydra.experimental import compose, initialize\n"
            "initialize('conf')\ndeepspeed.initialize(config_path='other')\ncfg = compose('train')\n"
            "DataLoader(1, num_workers=cfg.n)\n",
            "conf/train.yaml": "n: ⟦4⟧\n",
            "other/train.yaml": "n: 2\n",
        },
        {"4"},
    ),
    "compose after another initialize alone": (
        {
            "main.py": f"{IMPORT}import deepspeed\nfrom hydra import compose\n"
            "deepspeed.initialize(config_path='conf')\ncfg = compose('train')\nDataLoader(1, num_workers=cfg.n)\n",
            "conf/train.yaml": "n: 4\n",
        },
        {"open"},
    ),
    "compose without a place": (
        {
            "main.py": f"{IMPORT}from hydra import compose\ncfg = compose(config_name='train')\n"
            "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "train.yaml": "n: 1\n",
        },
        {"open"},
    ),
}


TWO = {"conf/small.yaml": "data:\n  num_workers: ⟦2⟧\n", "conf/big.yaml": "data:\n  num_workers: ⟦8⟧\n"}
PATHS = "from pathlib import Path\n"
LOCATED = (
    "import hydra\n@hydra.main(config_path='pkg/conf')\ndef main(cfg):\n"
    "    hydra.utils.get_class(cfg._target_)(cfg).run()\nmain()\n"
)
WORKSPACE = (
    f"{IMPORT}import hydra\nclass Workspace:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
    "    def run(self):\n        hydra.utils.instantiate(self.cfg.task)\n"
    "        DataLoader(1, num_workers=self.cfg.data.num_workers)\n"
)

OF_PATHS: Cases = {
    "the name of the file itself": (
        {"train.py": PATHS + program("hydra.main('conf', Path(__file__).stem)"), "conf/train.yaml": TRAIN},
        {"4", "open"},
    ),
    "a path from the file's folder": (
        {
            "src/train.py": PATHS
            + program(
                "hydra.main(config_path=str(Path(__file__).parent.parent.joinpath('conf')), config_name='train')"
            ),
            "conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "a folder beside the file": (
        {
            "src/train.py": PATHS
            + program("hydra.main(config_path=str(Path(__file__).with_name('conf')), config_name='train')"),
            "src/conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "joined with os.path": (
        {
            "src/train.py": "import os\n"
            + program("hydra.main(config_path=os.path.join('..', 'conf'), config_name='train')"),
            "conf/train.yaml": TRAIN,
        },
        {"4", "open"},
    ),
    "a folder for compose": (
        {
            "main.py": f"{IMPORT}import os\nfrom hydra import compose, initialize_config_dir\n"
            "with initialize_config_dir(config_dir=os.path.abspath('conf')):\n    cfg = compose('train')\n"
            "DataLoader(1, num_workers=cfg.data.num_workers)\n",
            "conf/train.yaml": TRAIN,
        },
        {"4"},
    ),
    "no name": ({"main.py": program("hydra.main(config_path='conf')"), **TWO}, {"2", "8", "open"}),
    "None for a name": (
        {"main.py": program("hydra.main(config_path='conf', config_name=None)"), **TWO},
        {"2", "8", "open"},
    ),
    "the name of a file that is none of them": (
        {"main.py": PATHS + program("hydra.main('conf', Path(__file__).name)"), **TWO},
        {"2", "8", "open"},
    ),
    "no name, and groups": (
        {"main.py": program("hydra.main(config_path='conf')"), **TWO, "conf/data/one.yaml": "num_workers: 1\n"},
        {"2", "8", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OF_PATHS.values(), ids=OF_PATHS.keys())
def test_a_configuration_found_by_paths_or_chosen_by_the_user(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(
    "decorator",
    [
        "hydra.main('conf', Path(name()).name)",
        "hydra.main(config_path='/conf', config_name='small')",
        "hydra.main(config_path='pkg://elsewhere.conf', config_name='small')",
        "hydra.main(config_path='conf', config_name=input())",
        "hydra.main(version_base=None)",
    ],
)
def test_no_configuration_is_made_up(decorator: str) -> None:
    loaders = loaders_of({"main.py": PATHS + program(decorator), **TWO})
    (loader,) = (one for one in loaders if one.span.path == "main.py")
    assert loader.num_workers.open and not loader.num_workers.known


def test_defaults_lists_that_name_each_other_end() -> None:
    files = {
        "main.py": program("hydra.main(config_path='conf')", "DataLoader(1, num_workers=cfg.n)"),
        "conf/a.yaml": "defaults: [a, b]\nn: 0\n",
        "conf/b.yaml": "defaults: [a, {c: [1, 2]}]\nn: 3\n",
    }
    assert loader_of(files).num_workers.open


def test_values_of_two_configurations_that_the_user_chooses_from_never_meet() -> None:
    files = {
        "main.py": program(
            "hydra.main(config_path='conf')",
            "DataLoader(1, num_workers=cfg.data.num_workers, prefetch_factor=cfg.data.prefetch_factor)",
        ),
        "conf/fast.yaml": "data:\n  num_workers: 4\n  prefetch_factor: 2\n",
        "conf/debug.yaml": "data:\n  num_workers: 0\n  prefetch_factor: null\n",
    }
    assert met(files) == {("4", "2"), ("0", "None")}


def script(changes: str, data: str = "data:\n  _target_: data.Data\n  num_workers: 4\n") -> dict[str, str]:
    """A script that composes what a function of another file instantiates, which is for ``@hydra.main`` as well."""
    return {
        "check.py": "from hydra import compose, initialize\nfrom omegaconf import open_dict, read_write\n"
        "from train import train\nwith initialize(config_path='conf'):\n    cfg = compose('train')\n"
        f"{changes}train(cfg)\n",
        "train.py": "import hydra\ndef train(cfg):\n    hydra.utils.instantiate(cfg.data)\n"
        "@hydra.main(config_path='conf', config_name='train')\ndef main(cfg):\n    train(cfg)\n",
        "data.py": f"{IMPORT}class Data:\n    def __init__(self, num_workers=3):\n"
        "        DataLoader(1, num_workers=num_workers)\n",
        "conf/train.yaml": data.replace("4", "⟦4⟧"),
    }


SCRIPTS: Cases = {
    "an attribute set": (script("cfg.data.num_workers = ⟦0⟧\n"), {"0", "4", "open"}),
    "an attribute set under open_dict": (
        script("with open_dict(cfg):\n    cfg.data.num_workers = ⟦0⟧\n"),
        {"0", "4", "open"},
    ),
    "an item set under read_write": (
        script("with read_write(cfg):\n    cfg['data']['num_workers'] = ⟦0⟧\n"),
        {"0", "4", "open"},
    ),
    "another attribute set": (script("cfg.data.size = 0\n"), {"4", "open"}),
    "an attribute set too late": (script("train(cfg)\ncfg.data.num_workers = 0\ncfg = None\n"), {"4", "open"}),
}


@pytest.mark.parametrize(("files", "expected"), SCRIPTS.values(), ids=SCRIPTS.keys())
def test_what_a_script_changes_before_it_is_instantiated(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_values_of_two_choices_never_meet() -> None:
    files = {
        "main.py": program(
            "hydra.main(config_path='conf', config_name='train')",
            "DataLoader(1, num_workers=cfg.data.num_workers, prefetch_factor=cfg.data.prefetch_factor)",
        ),
        "conf/train.yaml": "defaults:\n  - data: fast\n",
        "conf/data/fast.yaml": "num_workers: 4\nprefetch_factor: 2\n",
        "conf/data/debug.yaml": "num_workers: 0\nprefetch_factor: null\n",
    }
    assert met(files) == {("4", "2"), ("0", "None")}


def test_the_trail_says_what_the_user_chose() -> None:
    loader = loader_of(
        {
            "main.py": program("hydra.main(config_path='conf', config_name='train')"),
            "conf/train.yaml": "defaults:\n  - data: mnist\n",
            "conf/data/mnist.yaml": "size: 1\n",
            "conf/data/cifar.yaml": "num_workers: 8\n",
        }
    )
    (candidate,) = loader.num_workers.candidates
    assert [(str(step.span), step.note) for step in candidate.trail] == [
        ("conf/train.yaml:2:5", "data: cifar"),
        ("main.py:3:2", "@hydra.main: train data=cifar"),
        ("main.py:5:31", "cfg.data.num_workers"),
    ]
    assert ("hydra train", frozenset({"data=cifar"})) in candidate.assumptions


def test_programs_that_run_one_configuration_have_trails_of_their_own() -> None:
    loaders = loaders_of(
        {
            "first.py": program("hydra.main(config_path='.')"),
            "second.py": "\n" + program("hydra.main(config_path='.')"),
            "train.yaml": "data:\n  num_workers: 4\n  sizes: [{num_workers: 1}]\n",
        }
    )
    candidates = [[one for one in loader.num_workers.candidates if one.constant == 4] for loader in loaders]
    assert [[(str(step.span), step.note) for step in one.trail] for (one,) in candidates] == [
        [("first.py:3:2", "@hydra.main: train"), ("first.py:5:31", "cfg.data.num_workers")],
        [("second.py:4:2", "@hydra.main: train"), ("second.py:6:31", "cfg.data.num_workers")],
    ]


def test_what_a_configuration_names_in_a_list_of_lists_is_made() -> None:
    files = {
        "main.py": IMPORT + "import hydra\ndef made(workers):\n    return DataLoader(d, num_workers=workers)\n"
        "import elsewhere\n@hydra.main(config_path='.', config_name='train')\ndef main(cfg):\n    elsewhere.run(cfg)\n",
        "train.yaml": "names: [[a, b]]\ndata:\n  - - _target_: main.made\n      workers: ⟦2⟧\n",
    }
    assert traced(files) == {"2"}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_the_configuration_of_a_hydra_program(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (instantiation.STEPS_OF_ALL_CALLS, {"4"}),
        # Behind the calls that the steps are spent on, the configuration says what is made, but not what is merged.
        (-1, {"missed main.py:7:54", "2 at train.yaml:3:12", "open"}),
    ],
)
def test_so_many_calls_of_instantiate_are_followed_as_the_steps_for_all_of_them_reach(
    monkeypatch: pytest.MonkeyPatch, steps: int, expected: set[str]
) -> None:
    monkeypatch.setattr(instantiation, "STEPS_OF_ALL_CALLS", steps)
    files = {
        "main.py": IMPORT + "import hydra\ndef made(workers):\n    return DataLoader(d, num_workers=workers)\n"
        "@hydra.main(config_path='.', config_name='train')\n"
        "def main(cfg):\n    return hydra.utils.instantiate(cfg.data, workers=⟦4⟧)\n",
        "train.yaml": "data:\n  _target_: main.made\n  workers: 2\n",
    }
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("found", "reaches"),
    [
        ("hydra.utils.get_class(cfg._target_)", {"3", "open"}),
        ("hydra.utils.get_object(cfg._target_)", {"3", "open"}),
        ("hydra.utils.get_class('lab.Lab7')", {str(number % 4) for number in range(20)} | {"open"}),
        ("hydra.utils.get_class(pick())", {"open"}),
        ("elsewhere.get_class(cfg._target_)", {"open"}),
    ],
)
def test_a_class_that_one_of_many_configurations_names_gets_that_one(found: str, reaches: set[str]) -> None:
    classes = "".join(f"class Lab{number}(Base):\n    pass\n" for number in range(20))
    run = "    def run(self):\n        DataLoader(1, num_workers=self.cfg.data.num_workers)\n"
    files = {
        "main.py": "import hydra\nimport elsewhere\n@hydra.main(config_path='conf')\ndef main(cfg):\n"
        f"    kind = {found}\n    kind(cfg).run()\nmain()\n",
        "lab.py": f"{IMPORT}class Base:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
        + classes.replace("class Lab7(Base):\n    pass\n", f"class Lab7(Base):\n{run}"),
        **{
            f"conf/lab{number}.yaml": f"_target_: lab.Lab{number}\ndata:\n  num_workers: {number % 4}\n"
            for number in range(20)
        },
    }
    (workers,) = (one.num_workers for one in loaders_of(files) if one.span.path == "lab.py")
    assert {str(one.constant) for one in workers.candidates} | ({"open"} if workers.open else set()) == reaches
