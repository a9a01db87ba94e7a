"""What can be taken away whole: an entry that lies over another value of its option has to stay."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Files, loaders_of

ON = "persistent_workers"
OVER = "{'persistent_workers': True}"
HYDRA = """
import hydra
from torch.utils.data import DataLoader

@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    DataLoader(data, **cfg.loader)
"""
OMEGACONF = "from omegaconf import OmegaConf\n" + IMPORT
SETTINGS = "loader:\n  num_workers: 0\n  persistent_workers: true\n"

UNCOVERING: dict[str, Files] = {
    "an unseen splat": "DataLoader(data, **{**unseen(), 'persistent_workers': True})",
    "a splat that has it": f"base = {OVER}\nDataLoader(data, **{{**base, 'persistent_workers': True}})",
    "a dictionary that is updated": f"base = {OVER}\nbase.update({OVER})\nDataLoader(data, **base)",
    "an unseen dictionary that is updated": f"base = {{**unseen()}}\nbase.update({OVER})\nDataLoader(data, **base)",
    "an item that is set again": f"base = {OVER}\nbase['persistent_workers'] = True\nDataLoader(data, **base)",
    "the default of another key": (
        f"base = {OVER}\nbase.setdefault('persistent_workers', True)\nDataLoader(data, **base)"
    ),
    "the other side of a union": f"base = {OVER}\nDataLoader(data, **(base | {OVER}))",
    "the default of a look-up": (
        f"base = {OVER}\nDataLoader(data, persistent_workers=base.get('persistent_workers', True))"
    ),
    "a partial call": (
        "from functools import partial\nmake = partial(DataLoader, persistent_workers=True)\n"
        "make(data, persistent_workers=True)"
    ),
    "the default of a parameter": (
        "def make(keep=True):\n    DataLoader(data, persistent_workers=keep)\nmake(keep=True)"
    ),
    "a key of a file that another file has": {
        "main.py": f"{OMEGACONF}cfg = OmegaConf.merge(OmegaConf.load('a.yaml'), OmegaConf.load('b.yaml'))\n"
        "DataLoader(data, **cfg.loader)\n",
        "a.yaml": "loader:\n  persistent_workers: true\n",
        "b.yaml": SETTINGS,
    },
    "a key of a group": {
        "main.py": HYDRA,
        "conf/config.yaml": "defaults:\n  - loader: small\n  - _self_\n" + SETTINGS,
        "conf/loader/small.yaml": "num_workers: 4\npersistent_workers: true\n",
    },
}

ALONE: dict[str, Files] = {
    "a splat without it": f"base = {{'num_workers': 0}}\nDataLoader(data, **{{**base, **{OVER}}})",
    "a splat where it is off": (f"base = {{'persistent_workers': False}}\nDataLoader(data, **{{**base, **{OVER}}})"),
    "an item that is set": "base = {}\nbase['persistent_workers'] = True\nDataLoader(data, **base)",
    "a look-up without a default": (
        f"base = {OVER}\nDataLoader(data, persistent_workers=base.get('persistent_workers'))"
    ),
    "a parameter that is off by default": (
        "def make(keep=False):\n    DataLoader(data, persistent_workers=keep)\nmake(keep=True)"
    ),
    "a key of one file": {
        "main.py": f"{OMEGACONF}DataLoader(data, **OmegaConf.load('a.yaml').loader)\n",
        "a.yaml": SETTINGS,
    },
}


def can_go(files: Files) -> set[bool]:
    """Whether the last value of the option that arrives can be taken away."""
    (loader,) = loaders_of(files)
    return {one.entry is not None for one in loader.option(ON).written if one.constant is True}


@pytest.mark.parametrize("files", UNCOVERING.values(), ids=UNCOVERING.keys())
def test_an_entry_that_lies_over_another_value_has_to_stay(files: Files) -> None:
    assert can_go(files) == {False}


@pytest.mark.parametrize("files", ALONE.values(), ids=ALONE.keys())
def test_an_entry_that_lies_over_nothing_can_go(files: Files) -> None:
    assert can_go(files) == {True}
