"""What a user may replace of a configuration: which of the values that are shipped come to a loader, unless he does."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, loaders_of

YACS = f"""{IMPORT}import argparse
from config import _C
p = argparse.ArgumentParser()
p.add_argument('--cfg')
p.add_argument('opts', nargs='*')
a = p.parse_args()
cfg = _C.clone()
cfg.merge_from_file(a.cfg)
cfg.merge_from_list(a.opts)
"""
OMEGACONF = f"""{IMPORT}import sys
from omegaconf import OmegaConf as om
cfg = om.merge(om.load(sys.argv[1]), om.from_dotlist(sys.argv[2:]))
"""
HYDRA = f"""{IMPORT}import hydra
@hydra.main(config_path='conf', config_name='train')
def main(cfg):
"""
CHOSEN = """if cfg.fast:
    DataLoader(1, num_workers=cfg.workers)
else:
    DataLoader(2, num_workers=cfg.workers)
"""
INDENTED = "".join(f"    {line}\n" for line in CHOSEN.replace("cfg.", "cfg.data.").splitlines())
DEFAULTS = "from yacs.config import CfgNode\n_C = CfgNode()\n_C.fast = False\n_C.workers = 8\n"
SLOW = {"c/a.yaml": "fast: false\nworkers: 2\n", "c/b.yaml": "fast: false\nworkers: 1\n"}
FILES = {**SLOW, "c/fast.yaml": "fast: true\nworkers: 4\n"}

CASES: dict[str, tuple[dict[str, str], list[set[object]]]] = {
    "a list over a configuration object": (
        {"main.py": YACS + CHOSEN, "config.py": DEFAULTS, **FILES},
        [{4, "open"}, {1, 2, "open"}],
    ),
    "a list over a configuration object, under a test": (
        {
            "main.py": YACS.replace("cfg.merge_from_list", "if a.opts is not None:\n    cfg.merge_from_list") + CHOSEN,
            "config.py": DEFAULTS,
            **FILES,
        },
        [{4, "open"}, {1, 2, "open"}],
    ),
    "a list over an object none of whose files leads there": (
        {"main.py": YACS + CHOSEN, "config.py": DEFAULTS, **SLOW},
        [{1, 2, "open"}, {1, 2, "open"}],
    ),
    "a list that the program itself writes": (
        {"main.py": YACS.replace("(a.opts)", "(['fast', True])") + CHOSEN, "config.py": DEFAULTS, **FILES},
        [{1, 2, 4, "open"}],
    ),
    "words over a file": ({"main.py": OMEGACONF + CHOSEN, **FILES}, [{4, "open"}, {1, 2, "open"}]),
    "words over a file, none of which leads there": (
        {"main.py": OMEGACONF + CHOSEN, **SLOW},
        [{1, 2, "open"}, {1, 2, "open"}],
    ),
    "words over the elements of a list": (
        {
            "main.py": f"{OMEGACONF}for one in cfg.sets:\n    if one.kind == 'a':\n"
            "        DataLoader(1, num_workers=one.workers)\n    else:\n"
            "        DataLoader(2, num_workers=one.workers)\n",
            "c.yaml": "sets:\n- {kind: a, workers: 4}\n- {kind: b, workers: 2}\n",
        },
        [{4, "open"}, {2, "open"}],
    ),
    "a value of the program's own beside one that only a user's words lead to": (
        {"main.py": f"{OMEGACONF}DataLoader(1, num_workers=cfg.workers if cfg.fast else 0)\n", **SLOW},
        [{0, 1, 2, "open"}],
    ),
    "a choice that Hydra is told": (
        {
            "main.py": HYDRA + INDENTED,
            "conf/train.yaml": "defaults:\n  - data: a\n",
            "conf/data/a.yaml": "fast: true\nworkers: 4\n",
            "conf/data/b.yaml": "fast: false\nworkers: 2\n",
        },
        [{4, "open"}, {2, "open"}],
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_comes_to_a_loader_unless_a_user_replaces_it(files: dict[str, str], expected: list[set[object]]) -> None:
    values = [one.num_workers for one in loaders_of(files) if one.span.path == "main.py"]
    found = [{*(one.constant for one in value.candidates), *(["open"] if value.open else [])} for value in values]
    assert found == expected
