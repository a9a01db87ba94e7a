from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced


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
    "a file that is not there": ({"main.py": program("hydra.main(config_path='.', config_name='train')")}, {"open"}),
    "another library's main": (
        {"main.py": program("other.main(config_path='.', config_name='train')"), "train.yaml": "size: 4\n"},
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_the_configuration_of_a_hydra_program(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
