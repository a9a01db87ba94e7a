from __future__ import annotations

from textwrap import indent

import pytest

from tests.linking.traced import IMPORT, loader_of, loaders_of

HEAD = """
import argparse, random, time, functools
import numpy as np, torch
from torch.utils.data import Dataset, get_worker_info
from unseen import base
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
SEED = 7
state = dict(epoch=0)
def helper(seed):
    np.random.seed(seed)
"""


def seeds(body: str, parameters: str = "worker_id", given: str = "start") -> list[tuple[str, str]]:
    text = f"{HEAD}def start({parameters}):\n{indent(body, '    ')}\n"
    text += f"DataLoader(input().rooms, num_workers=2, worker_init_fn={given})\n"
    return [(one.library, one.origin.value) for one in loader_of(text).payload.code.seeds]


SEEDED: dict[str, tuple[str, tuple[str, str]]] = {
    "a number": ("np.random.seed(42)", ("NumPy", "fixed")),
    "a constant": ("random.seed(SEED + 1)", ("Python", "fixed")),
    "a keyword": ("np.random.seed(seed=SEED)", ("NumPy", "fixed")),
    "a class's": ("class CFG:\n    seed = 3\nnp.random.seed(CFG.seed)", ("NumPy", "fixed")),
    "a class's and the worker": (
        "class CFG:\n    seed = 3\nnp.random.seed(CFG.seed + worker_id)",
        ("NumPy", "worker"),
    ),
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
    "none": "np.random.seed(None)",
    "a helper": "helper(worker_id)",
    "an object": "return np.random.default_rng(3)",
    "what a library is called to give torch": "torch.manual_seed(base)\nnp.random.seed(torch.initial_seed())",
    "an attribute of a function": "np.random.seed(start.epoch + worker_id)",
    "a class's that is set": "class CFG:\n    seed = 3\nCFG.seed = again()\nnp.random.seed(CFG.seed + worker_id)",
    "an object's": "class CFG:\n    seed = 3\nconfig = CFG()\nnp.random.seed(config.seed + worker_id)",
    "an item": "np.random.seed(state['epoch'] + worker_id)",
    "another function of the name": "base.seed(3)",
}


@pytest.mark.parametrize(("body", "seed"), SEEDED.values(), ids=list(SEEDED))
def test_what_a_worker_is_seeded_with(body: str, seed: tuple[str, str]) -> None:
    assert seeds(body) == [seed]


@pytest.mark.parametrize("body", NOT_SEEDED.values(), ids=list(NOT_SEEDED))
def test_what_is_not_known_to_repeat_is_none(body: str) -> None:
    assert seeds(body) == []


DRAWN_BY_SAMPLES: dict[str, tuple[str, str, bool]] = {
    "Python's": ("random.seed(torch.initial_seed())", "return random.random()", True),
    "NumPy's": ("np.random.seed(torch.initial_seed() % 2**32)", "return np.random.rand(1)", True),
    "torch's": ("torch.manual_seed(worker_id)", "return index", True),
    "all": ("from unseen import set_seed\nset_seed(worker_id)", "return index", True),
    "a generator's": ("get_worker_info().dataset.draws = np.random.default_rng(worker_id)", "return index", True),
    "none": ("random.seed(worker_id)\nnp.random.seed(worker_id)", "return index", False),
    "nothing seeded": ("print(worker_id)", "return random.random()", False),
}


@pytest.mark.parametrize(("body", "sample", "drawn"), DRAWN_BY_SAMPLES.values(), ids=list(DRAWN_BY_SAMPLES))
def test_whether_samples_draw_what_a_worker_seeds(body: str, sample: str, drawn: bool) -> None:
    text = (
        "import random\nimport numpy as np, torch\nfrom torch.utils.data import Dataset, get_worker_info\n"
        f"class Data(Dataset):\n    def __getitem__(self, index):\n        {sample}\n"
        f"def start(worker_id):\n{indent(body, '    ')}\n"
        "DataLoader(Data(), num_workers=2, worker_init_fn=start)\n"
    )
    assert loader_of(text).payload.code.draws_seeded is drawn


def test_who_knows_what_a_function_seeds_that_is_not_seen() -> None:
    given = "from unseen import start\nDataLoader(input().rooms, num_workers=2{})\n"
    assert loader_of(given.format(", worker_init_fn=start")).payload.code.draws_seeded
    assert not loader_of(given.format(", worker_init_fn=None")).payload.code.draws_seeded
    assert not loader_of(given.format("")).payload.code.draws_seeded


def test_what_a_partial_hands_over_is_followed() -> None:
    assert seeds("np.random.seed(worker_id + seed)", "worker_id, seed", "functools.partial(start, seed=3)") == [
        ("NumPy", "worker")
    ]


@pytest.mark.parametrize(
    ("kept", "made", "seeded", "origin"),
    [
        ("seed", "7", "self.seed + worker", "worker"),
        ("seed", "7", "self.seed", "fixed"),
        ("seed + 1", "SEED", "self.seed", "fixed"),
        ("worker", "7, worker=3", "self.seed", "fixed"),
        ("seed", "7", "torch.initial_seed() + self.seed", "drawn"),
    ],
)
def test_what_an_object_was_made_with_is_followed(kept: str, made: str, seeded: str, origin: str) -> None:
    text = f"""
class Seeder:
    def __init__(self, seed, worker=0):
        self.seed = {kept}
    def __call__(self, worker):
        np.random.seed({seeded})
DataLoader(input().rooms, num_workers=2, worker_init_fn=Seeder({made}))
"""
    (seed,) = loader_of(HEAD + text).payload.code.seeds
    assert (seed.library, seed.origin.value) == ("NumPy", origin)


AROUND = """
from unseen import unknown
def init(seed, start=0):
    def seed_worker(worker):
        np.random.seed(seed + start)
    return seed_worker
def load(seed=3, start=0):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=lambda worker: np.random.seed(seed + start + worker))
"""


@pytest.mark.parametrize(
    ("made", "origins"),
    [
        ("DataLoader(input().rooms, num_workers=2, worker_init_fn=init(7))", ["fixed"]),
        ("DataLoader(input().rooms, num_workers=2, worker_init_fn=init(args.seed))", ["fixed"]),
        ("load()", ["worker"]),
        ("load(args.seed)", ["worker"]),
        ("load(unknown())", []),
        ("load(args.seed, unknown())", []),
        ("load(1)\nload(2)", []),
        ("for seed in range(3):\n    load(seed)", []),
        ("for epoch in range(3):\n    load(args.seed + epoch)", []),
        ("seed = 0\nwhile unknown():\n    load(seed)\n    seed += 1", []),
        ("DataLoader(input().rooms, num_workers=2, worker_init_fn=init(7, start=unknown()))", []),
    ],
)
def test_what_the_function_around_was_handed_is_followed(made: str, origins: list[str]) -> None:
    found = {seed for loader in loaders_of(HEAD + AROUND + made) for seed in loader.payload.code.seeds}
    assert [one.origin.value for one in found] == origins


def test_a_dataset_may_seed_itself_unless_the_seed_is_too_big() -> None:
    text = (
        HEAD
        + "class Data(Dataset):\n    def __getitem__(self, index):\n        {}\nDataLoader(Data(), num_workers=2)\n"
    )
    assert loader_of(text.format("np.random.seed(index)")).payload.code.seeds == ()
    (seed,) = loader_of(text.format("np.random.RandomState(torch.initial_seed())")).payload.code.seeds
    assert seed.origin.value == "drawn"


CHANGING: dict[str, str] = {
    "a lambda": """
for epoch in range(3):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=lambda worker: np.random.seed(epoch * 1000 + worker))
""",
    "a function in the loop": """
for epoch in range(3):
    def start(worker):
        np.random.seed(epoch)
    DataLoader(input().rooms, num_workers=2, worker_init_fn=start)
""",
    "what a function makes": """
def make(epoch):
    return lambda worker: np.random.seed(epoch)
for epoch in range(3):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=make(epoch))
""",
    "a name set in the loop": """
for epoch in range(3):
    seed = 100 * epoch
    DataLoader(input().rooms, num_workers=2, worker_init_fn=lambda worker: np.random.seed(seed))
""",
    "a global": """
EPOCH = 0
def start(worker):
    np.random.seed(EPOCH)
def train():
    global EPOCH
    for EPOCH in range(3):
        DataLoader(input().rooms, num_workers=2, worker_init_fn=start)
""",
    "an item that is set": """
def start(worker):
    np.random.seed(state["epoch"])
for epoch in range(3):
    state["epoch"] = epoch
    DataLoader(input().rooms, num_workers=2, worker_init_fn=start)
""",
    "an attribute that is set": """
def start(worker):
    np.random.seed(start.epoch)
for epoch in range(3):
    start.epoch = epoch
    DataLoader(input().rooms, num_workers=2, worker_init_fn=start)
""",
    "a method": """
class Training:
    epoch = 0
    def start(self, worker):
        np.random.seed(self.epoch)
    def run(self):
        for epoch in range(3):
            self.epoch = epoch
            DataLoader(input().rooms, num_workers=2, worker_init_fn=self.start)
Training().run()
""",
    "a partial": """
def start(epoch, worker):
    np.random.seed(epoch)
for epoch in range(3):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=functools.partial(start, epoch))
""",
    "an object for each epoch": """
class Seeder:
    def __init__(self, seed):
        self.seed = seed
    def __call__(self, worker):
        np.random.seed(self.seed + worker)
for epoch in range(3):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=Seeder(epoch))
""",
    "an object that is told the epoch": """
class Seeder:
    def __init__(self, seed):
        self.seed = seed
    def __call__(self, worker):
        np.random.seed(self.seed + worker)
seeder = Seeder(7)
for epoch in range(3):
    seeder.seed = epoch
    DataLoader(input().rooms, num_workers=2, worker_init_fn=seeder)
""",
    "an object that has a method for it": """
class Seeder:
    def __init__(self, seed):
        self.seed = seed
    def set_epoch(self, epoch):
        self.seed = epoch
    def __call__(self, worker):
        np.random.seed(self.seed + worker)
seeder = Seeder(7)
DataLoader(input().rooms, num_workers=2, worker_init_fn=seeder)
""",
    "a partial by name": """
def start(worker, epoch):
    np.random.seed(epoch)
for epoch in range(args.seed):
    DataLoader(input().rooms, num_workers=2, worker_init_fn=functools.partial(start, epoch=epoch))
""",
}


@pytest.mark.parametrize("text", CHANGING.values(), ids=list(CHANGING))
def test_what_changes_with_the_epoch_is_none(text: str) -> None:
    assert loader_of(HEAD + text).payload.code.seeds == ()


CALLED: dict[str, tuple[str, bool]] = {
    "by torch alone": ("", False),
    "by the main process, too": ("start(3)\n", True),
    "a function of a library that has the name": ("from scipy import start as begin\nnp.random.start(0)\n", False),
    "a method that has the name": ("class Clock:\n    pass\nClock().start()\n", True),
    "only by its name in a partial": ("other = functools.partial(start)\n", False),
}


@pytest.mark.parametrize(("more", "called"), CALLED.values(), ids=list(CALLED))
def test_a_function_that_others_call_seeds_them_as_well(more: str, called: bool) -> None:
    text = f"{HEAD}def start(worker_id):\n    np.random.seed(worker_id)\n{more}"
    (seed,) = loader_of(f"{text}DataLoader(input().rooms, num_workers=2, worker_init_fn=start)\n").payload.code.seeds
    assert seed.called_elsewhere is called


def test_a_partial_fills_the_parameters_before_the_worker() -> None:
    body = "np.random.seed(worker_id + seed)"
    assert seeds(body, "seed, worker_id", "functools.partial(start, 3)") == [("NumPy", "worker")]


ROOMS = """
import random
import numpy as np, torch
from torch.utils.data import Dataset
{above}
class Rooms(Dataset):
    def __init__(self, paths, transform=None):
        self.paths = list(paths)
        self.rooms = []
        self.transform = transform
    def __getitem__(self, index):
        room = self.rooms[index]
        {body}
        return torch.from_numpy(room).float().numpy().max()
def start(worker_id):
    {seeds}(worker_id)
{below}
DataLoader(Rooms({given}), num_workers=2, worker_init_fn=start, collate_fn={collate})
"""


def seeds_of_rooms(
    body: str = "pass",
    *,
    above: str = "",
    below: str = "",
    given: str = "['a']",
    seeds: str = "random.seed",
    collate: str = "None",
) -> list[str]:
    text = ROOMS.format(body=body, above=above, below=below, given=given, seeds=seeds, collate=collate)
    return [one.library for one in loader_of(text).payload.code.seeds]


DRAWN: dict[str, dict[str, str]] = {
    "by the dataset": {"body": "room = room[random.randrange(8)]"},
    "by another name": {"above": "import random as r", "body": "room = room[r.randrange(8)]"},
    "by a function's name": {"above": "from random import choice", "body": "room = choice(room)"},
    "by a name of many": {"above": "from random import *", "body": "room = choice(room)"},
    "by the module": {"body": "room = self.pick(random)"},
    "by a helper": {"above": "def pick(room):\n    return random.choice(room)", "body": "room = pick(room)"},
    "by the collate function": {"collate": "lambda batch: random.sample(batch, 2)"},
    "by a transform of a library": {
        "above": "from torchvision import transforms",
        "given": "['a'], transforms.RandomCrop(8)",
        "body": "room = self.transform(room)",
    },
    "by a library": {"above": "import albumentations", "body": "room = albumentations.crop(room)"},
    "by a module that was not seen": {"above": "from .rooms import crop", "body": "room = crop(room)"},
    "by what was not seen": {"given": "['a'], input().crop", "body": "room = self.transform(room)"},
    "by a function of a library": {
        "above": "from PIL import Image",
        "given": "['a'], crop",
        "body": "room = self.transform(room)",
        "below": "from torchvision.transforms.functional import crop",
    },
    "by a function that is handed over": {
        "above": "def make(crop):\n    def collate(batch):\n        return crop(batch)\n    return collate",
        "collate": "make(input().crop)",
    },
    "by a base class": {"above": "import unseen\nclass Dataset(unseen.Dataset):\n    pass"},
    "by all that a class inherits": {
        "below": "from torchvision.datasets import FakeData\nclass More(FakeData):\n    pass",
        "given": "More()",
        "body": "room = self.paths[index]",
    },
    "as NumPy's": {"seeds": "np.random.seed", "body": "room = room[np.random.choice(8)]"},
    "as NumPy's, by its module": {
        "seeds": "np.random.seed",
        "above": "from numpy import random as r",
        "body": "r.rand()",
    },
    "as NumPy's, by a library": {
        "seeds": "np.random.seed",
        "above": "import scipy.stats",
        "body": "scipy.stats.norm.rvs()",
    },
    "as torch's, by a tensor": {"seeds": "torch.manual_seed", "body": "room = room.random_()"},
}


@pytest.mark.parametrize("parts", DRAWN.values(), ids=list(DRAWN))
def test_what_is_seeded_may_be_drawn(parts: dict[str, str]) -> None:
    assert len(seeds_of_rooms(**parts)) == 1


NOT_DRAWN: dict[str, dict[str, str]] = {
    "by nobody": {},
    "by another library": {"body": "room = room[np.random.choice(8)]"},
    "by a transform that is not there": {"body": "room = self.transform(room) if self.transform else room"},
    "by a transform of the project": {
        "above": "def flip(room):\n    return room[::-1]",
        "given": "['a'], flip",
        "body": "room = self.transform(room)",
    },
    "by generators of its own": {"body": "room = random.Random(index).choice(room)"},
    "by libraries that read": {"above": "import json, cv2\nfrom PIL import Image", "body": "room = cv2.imread('a')"},
    "as NumPy's": {"seeds": "np.random.seed", "body": "room = room[random.randrange(8)]"},
    "by what the user says, and by a library that only carries": {
        "above": "import argparse\nfrom torchvision.transforms import Compose\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--size', type=list, default=[8])\n"
        "args = parser.parse_args()\nclass Crop:\n    def __init__(self, size):\n        self.size = size\n"
        "    def __call__(self, room):\n        return room[: self.size[0]]",
        "given": "['a'], Compose([Crop(args.size)])",
        "body": "room = self.transform(room)",
    },
    "by the first of some rooms": {
        "above": "class First:\n    def __init__(self, most):\n        with open('rooms') as file:\n"
        "            self.rooms = file.readlines()\n        self.rooms = self.rooms[:most]\n"
        "    def __call__(self, index):\n        return self.rooms[index]",
        "given": "['a'], First(8)",
        "body": "room = self.transform(index)",
    },
    "as NumPy's, by parts of a library that draw none": {
        "seeds": "np.random.seed",
        "above": "import scipy.io.wavfile\nfrom scipy import signal",
        "body": "room = signal.convolve(room, scipy.io.wavfile.read(room))",
    },
    "as NumPy's, by a generator of its own": {
        "seeds": "np.random.seed",
        "body": "room = np.random.default_rng(index).choice(room)",
    },
}


@pytest.mark.parametrize("parts", NOT_DRAWN.values(), ids=list(NOT_DRAWN))
def test_what_no_worker_draws_repeats_nothing(parts: dict[str, str]) -> None:
    assert seeds_of_rooms(**parts) == []


def test_the_file_that_only_seeds_draws_nothing_in_the_workers() -> None:
    dataset = ROOMS.partition("def start")[0].format(above="", body="pass")
    train = (
        "import random, albumentations\nfrom torch.utils.data import DataLoader\nfrom rooms import Rooms\n"
        "def main(args):\n    def start(worker_id):\n        ⟨body⟩\n"
        "    DataLoader(Rooms(['a']), num_workers=2, worker_init_fn=start)\nmain(1)\n"
    )
    for body, found in (("random.seed(worker_id)", []), ("random.seed(worker_id); albumentations.crop(1)", ["Python"])):
        files = {"rooms.py": dataset, "train.py": train.replace("⟨body⟩", body)}
        assert [one.library for one in loader_of(files).payload.code.seeds] == found


SEEDED_ANEW: dict[str, str] = {
    "by a sample": "random.seed(index)\n        room = random.choice(room)",
    "by what a sample calls": "room = self.noise(random.choice(room))\n    def noise(self, room):\n"
    "        random.seed(hash(room))\n        room = random.choice(room)",
}
ONCE: dict[str, str] = {
    "where it is asked for": "if self.transform:\n            random.seed(index)\n        room = random.choice(room)",
    "of another library": "np.random.seed(index)\n        room = random.choice(room)",
    "by what a sample may call": "room = random.choice(room)\n        if room:\n            room = self.noise(room)\n"
    "    def noise(self, room):\n        random.seed(hash(room))",
    "by a method that no sample calls": "room = random.choice(room)\n    def again(self):\n        random.seed(0)",
}


@pytest.mark.parametrize("body", SEEDED_ANEW.values(), ids=SEEDED_ANEW.keys())
def test_the_seed_of_a_worker_says_nothing_of_what_each_sample_seeds_anew(body: str) -> None:
    assert seeds_of_rooms(body) == []


@pytest.mark.parametrize("body", ONCE.values(), ids=ONCE.keys())
def test_the_seed_of_a_worker_lasts_where_not_each_sample_seeds_anew(body: str) -> None:
    assert seeds_of_rooms(body) == ["Python"]


def test_a_seed_that_raises_does_so_whoever_draws() -> None:
    assert seeds_of_rooms(seeds="np.random.seed(torch.initial_seed())\n    print") == ["NumPy"]


@pytest.mark.parametrize(
    ("other", "called"),
    [
        ("from numpy.random import start\nstart(0)\n", False),
        ("from main import start\nstart(0)\n", True),
        ("import main\nmain.start(0)\n", True),
    ],
)
def test_other_files_call_the_function_by_what_they_import(other: str, called: bool) -> None:
    text = f"{HEAD}def start(worker_id):\n    np.random.seed(worker_id)\n"
    main = f"{text}DataLoader(input().rooms, num_workers=2, worker_init_fn=start)\n"
    (seed,) = loader_of({"main.py": IMPORT + main, "other.py": other}).payload.code.seeds
    assert seed.called_elsewhere is called
