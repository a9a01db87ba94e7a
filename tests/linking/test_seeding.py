from __future__ import annotations

from textwrap import indent

import pytest

from tests.linking.traced import loader_of

HEAD = """
import argparse, random, time, functools
import numpy as np, torch
from torch.utils.data import Dataset, get_worker_info
from unseen import base
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
SEED = 7
def helper(seed):
    np.random.seed(seed)
"""


def seeds(body: str, parameters: str = "worker_id", given: str = "start") -> list[tuple[str, str]]:
    text = f"{HEAD}def start({parameters}):\n{indent(body, '    ')}\nDataLoader(range(8), worker_init_fn={given})\n"
    return [(one.library, one.origin.value) for one in loader_of(text).payload.code.seeds]


SEEDED: dict[str, tuple[str, tuple[str, str]]] = {
    "a number": ("np.random.seed(42)", ("NumPy", "fixed")),
    "a constant": ("random.seed(SEED + 1)", ("Python", "fixed")),
    "a keyword": ("np.random.seed(seed=SEED)", ("NumPy", "fixed")),
    "what a user gives": ("torch.manual_seed(args.seed)", ("torch", "fixed")),
    "the worker": ("np.random.seed(worker_id)", ("NumPy", "worker")),
    "the worker and more": ("seed = SEED * 100 + worker_id\nrandom.seed(seed)", ("Python", "worker")),
    "the worker as its info says": ("random.seed(get_worker_info().id)", ("Python", "worker")),
    "the state": ("np.random.seed(np.random.get_state()[1][0] + worker_id)", ("NumPy", "state")),
    "all bits": ("np.random.seed(torch.initial_seed())", ("NumPy", "drawn")),
    "all bits of the info": ("info = get_worker_info()\nnp.random.seed(info.seed - 1)", ("NumPy", "drawn")),
}

NOT_SEEDED: dict[str, str] = {
    "a remainder": "np.random.seed(torch.initial_seed() % 2**32)",
    "Python takes them": "random.seed(torch.initial_seed())",
    "unseen": "np.random.seed(base + worker_id)",
    "another word of the state": "i = random.randrange(8)\nnp.random.seed(np.random.get_state()[1][i] + worker_id)",
    "the clock": "np.random.seed(int(time.time()))",
    "nothing": "np.random.seed()",
    "a helper": "helper(worker_id)",
    "an object": "return np.random.default_rng(3)",
    "another function of the name": "base.seed(3)",
}


@pytest.mark.parametrize(("body", "seed"), SEEDED.values(), ids=list(SEEDED))
def test_what_a_worker_is_seeded_with(body: str, seed: tuple[str, str]) -> None:
    assert seeds(body) == [seed]


@pytest.mark.parametrize("body", NOT_SEEDED.values(), ids=list(NOT_SEEDED))
def test_what_is_not_known_to_repeat_is_none(body: str) -> None:
    assert seeds(body) == []


def test_what_a_partial_hands_over_is_followed() -> None:
    assert seeds("np.random.seed(worker_id + seed)", "worker_id, seed", "functools.partial(start, seed=3)") == [
        ("NumPy", "worker")
    ]


def test_a_dataset_may_seed_itself_unless_the_seed_is_too_big() -> None:
    text = HEAD + "class Data(Dataset):\n    def __getitem__(self, index):\n        {}\nDataLoader(Data())\n"
    assert loader_of(text.format("np.random.seed(index)")).payload.code.seeds == ()
    (seed,) = loader_of(text.format("np.random.RandomState(torch.initial_seed())")).payload.code.seeds
    assert seed.origin.value == "drawn"
