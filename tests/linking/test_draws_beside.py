"""Random numbers that a program and its samples, or their order, draw from one sequence."""

from __future__ import annotations

import pytest

from loaderlint.model.payload import Touch
from tests.linking.traced import loaders_of


def drawn(sample: str, inside: str, *, around: str = "pass", after: str = "", index: str = "0", seeds: str = "") -> str:
    """Return what the program draws beside a loader, as it is written; nothing where it draws nothing."""
    (loader,) = loaders_of(
        "import random\nimport numpy as np\nimport torch\nfrom torch.utils.data import DataLoader, Dataset\n"
        "class Rows(Dataset):\n"
        "    def __getitem__(self, index):\n"
        f"        return {sample}\n"
        "class Picks:\n"
        "    def __init__(self):\n"
        "        self.own = random.Random(1)\n"
        "    def __iter__(self):\n"
        "        order = torch.randperm(8)\n"
        "        for _ in order:\n"
        f"            yield {index}\n"
        "def mix(batch):\n"
        "    return np.random.beta(1, 1)\n"
        f"{seeds or 'np.random.seed(1); random.seed(1)'}\n"
        "first = np.random.rand() + random.random()\n"
        "loader = DataLoader(Rows(), sampler=Picks(), num_workers=2)\n"
        "def run():\n"
        "    for batch in loader:\n"
        f"        {inside}\n"
        "for epoch in range(3):\n"
        "    run()\n"
        f"    {around}\n"
        f"{after}\n"
    )
    touch = loader.uses.draws_beside()
    assert touch is None or isinstance(touch, Touch)
    return touch.what if touch is not None else ""


@pytest.mark.parametrize(
    ("sample", "inside", "what"),
    [
        ("np.random.rand()", "print(np.random.rand())", "np.random.rand()"),
        ("index if random.random() < 0.5 else 0", "random.shuffle([1])", "random.shuffle([1])"),
        ("np.random.rand()", "mix(batch)", "np.random.beta(1, 1)"),
        ("np.random.rand()", "print(random.random())", ""),
        ("index", "print(np.random.rand())", ""),
        ("np.random.rand()", "print(batch)", ""),
        ("np.random.default_rng(index).random()", "print(np.random.rand())", ""),
        ("np.random.rand()", "print(np.random.RandomState(1).rand())", ""),
        ("torch.rand(2)", "print(torch.rand(2))", ""),
    ],
)
def test_samples_and_the_loop_may_draw_from_one_sequence(sample: str, inside: str, what: str) -> None:
    assert drawn(sample, inside) == what


@pytest.mark.parametrize(
    ("around", "after", "what"),
    [
        ("np.random.shuffle([1])", "", "np.random.shuffle([1])"),
        ("pass", "print(np.random.rand(2))", "np.random.rand(2)"),
        ("pass", "def later():\n    np.random.rand(3)", ""),
    ],
)
def test_what_the_program_draws_later_comes_after_what_samples_drew(around: str, after: str, what: str) -> None:
    assert drawn("np.random.rand()", "pass", around=around, after=after) == what


@pytest.mark.parametrize(
    ("index", "sample", "inside", "what"),
    [
        ("random.randrange(8)", "index", "print(random.random())", "random.random()"),
        ("random.randrange(8)", "random.random()", "pass", "random.randrange(8)"),
        ("int(torch.randint(8, (1,)))", "index", "print(torch.rand(1))", "torch.rand(1)"),
        ("int(torch.randint(8, (1,)))", "torch.rand(1)", "pass", "torch.randint(8, (1,))"),
        ("int(torch.randint(8, (1,), generator=one))", "index", "print(torch.rand(1))", ""),
        ("self.own.randrange(8)", "random.random()", "pass", ""),
        ("0", "index", "print(torch.rand(1))", ""),
    ],
)
def test_an_order_that_is_drawn_as_it_goes_along_is_drawn_ahead(
    index: str, sample: str, inside: str, what: str
) -> None:
    assert drawn(sample, inside, index=index) == what


def test_where_nothing_seeds_each_run_draws_others_anyway() -> None:
    assert not drawn("np.random.rand()", "print(np.random.rand())", seeds="pass")


def test_it_makes_no_difference_how_many_calls_lead_to_the_loop() -> None:
    calls = "".join(f"def run{number}():\n    run{number - 1}()\n" for number in range(1, 40))
    (loader,) = loaders_of(
        "import numpy as np\nfrom torch.utils.data import DataLoader, Dataset\nnp.random.seed(1)\n"
        "class Rows(Dataset):\n    def __getitem__(self, index):\n        return np.random.rand()\n"
        "loader = DataLoader(Rows(), num_workers=2)\n"
        f"def run0():\n    for batch in loader: pass\n{calls}run39()\nprint(np.random.beta(1, 1))\n"
    )
    touch = loader.uses.draws_beside()
    assert touch is not None
    assert touch.what == "np.random.beta(1, 1)"


SHUFFLED = """
import torch
from itertools import cycle, zip_longest
from torch import nn
from torch.nn import functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
{seeds}
class Picks:
    def __iter__(self):
        return iter(torch.randperm(8).tolist())
class InOrder:
    def __iter__(self):
        return iter(range(8))
def build():
    return nn.Linear(2, 2)
def noise():
    return torch.randn(2)
def show():
    print(2)
loader = DataLoader(range(8), num_workers=2, {option})
other = DataLoader(range(8))
{loop}
"""
SEEDED = "torch.manual_seed(1)"
BATCHES = "batches = iter(loader)\n{}\nfor batch in batches:\n    print(batch)"
BEGUN = {
    "two at a time": ("for batch, more in zip(loader, other): pass", "zip(loader, other)"),
    "one over and over": ("for more, batch in zip(cycle(other), loader): pass", "zip(cycle(other), loader)"),
    "another begins": (BATCHES.format("more = iter(other)"), "iter(other)"),
    "both begin": ("batches, more = iter(loader), iter(other)\nprint(next(batches))", "iter(other)"),
    "both begin by their methods": (
        "batches, more = loader.__iter__(), other.__iter__()\nprint(next(batches))",
        "other.__iter__()",
    ),
    "layers of the project's": (BATCHES.format("net = build()"), "build()"),
    "numbers of the project's": (BATCHES.format("noise()"), "noise()"),
    "two at a time, later": ("pairs = zip(loader, other)\nfor batch, more in pairs: pass", "zip(loader, other)"),
    "a function of the project's": (BATCHES.format("show()"), ""),
    "layers": (BATCHES.format("net = nn.Linear(2, 2)"), "nn.Linear(2, 2)"),
    "a class that is not seen": (BATCHES.format("import nets as n\nnet = n.Unet(2)"), "n.Unet(2)"),
    "a model of a library": (
        BATCHES.format("import torchvision as v\nnet = v.models.resnet18()"),
        "v.models.resnet18()",
    ),
    "a transform of a library": (BATCHES.format("import torchvision as v\nv.transforms.Resize(2)"), ""),
    "an optimizer": (BATCHES.format("steps = torch.optim.Adam(weights)"), ""),
    "a report": (BATCHES.format("from tensorboardX import SummaryWriter\nSummaryWriter()"), ""),
    "a function that is not seen": (BATCHES.format("import nets as n\nn.say(2)"), ""),
    "a loss": (BATCHES.format("loss = nn.L1Loss()"), ""),
    "a loss of layers": (
        BATCHES.format("loss = nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2])"),
        "nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2])",
    ),
    "a loss with a layer": (BATCHES.format("nn.LinearCrossEntropyLoss(4, 8)"), "nn.LinearCrossEntropyLoss(4, 8)"),
    "numbers": (BATCHES.format("noise = torch.randn(2)"), "torch.randn(2)"),
    "numbers for layers": (BATCHES.format("nn.init.normal_(weight)"), "nn.init.normal_(weight)"),
    "numbers inside of layers": (BATCHES.format("kept = F.dropout(noise)"), "F.dropout(noise)"),
    "numbers in place": (BATCHES.format("noise.uniform_()"), "noise.uniform_()"),
    "a state": (BATCHES.format("torch.set_rng_state(state)"), "torch.set_rng_state(state)"),
    "no state": (BATCHES.format("state = torch.get_rng_state()"), ""),
    "numbers after counting has begun": (
        "batches = enumerate(loader)\nnoise = torch.randn(2)\nprint(next(batches))",
        "torch.randn(2)",
    ),
    "numbers after something lazy has begun": (
        "batches = (batch for batch in loader)\nnoise = torch.randn(2)\nprint(next(batches))",
        "torch.randn(2)",
    ),
    "two at a time, the longer one to its end": (
        "for batch, more in zip_longest(loader, other): pass",
        "zip_longest(loader, other)",
    ),
    "two of a list": ("both = [loader, other]\nfor batch, more in zip(*both): pass", "zip(*both)"),
    "one of a list": ("both = [loader, range(8)]\nfor batch, more in zip(*both): pass", ""),
    "one, the longer one to its end": ("for batch, more in zip_longest(loader, range(9)): pass", ""),
    "a seed": (BATCHES.format("torch.manual_seed(2)"), "torch.manual_seed(2)"),
    "nothing": (BATCHES.format("print(len(loader))"), ""),
    "numbers with each batch": (BATCHES.format("pass") + "\n    torch.randn(2)", ""),
    "something beside that is no loader": ("for batch, more in zip(loader, range(3)): pass", ""),
    "one": ("for step, batch in enumerate(loader): torch.randn(2)", ""),
}


def begun(loop: str, *, option: str = "shuffle=True", seeds: str = SEEDED) -> str:
    loader = loaders_of(SHUFFLED.format(loop=loop, option=option, seeds=seeds))[0]
    touch = loader.uses.draws_beside()
    return touch.what if touch is not None else ""


@pytest.mark.parametrize(("loop", "what"), BEGUN.values(), ids=BEGUN)
def test_an_order_is_drawn_as_an_iterator_begins_or_as_it_is_asked(loop: str, what: str) -> None:
    assert begun(loop) == what
    assert begun(loop, seeds="") == (what if "seed" in what else "")


@pytest.mark.parametrize(
    ("option", "drawn_of_all"),
    [
        ("shuffle=False", False),
        ("shuffle=True, generator=torch.Generator()", False),
        ("sampler=torch.utils.data.WeightedRandomSampler([1], 2)", True),
        ("sampler=torch.utils.data.SequentialSampler([1])", False),
    ],
)
def test_an_order_is_drawn_of_what_all_code_shares(option: str, drawn_of_all: bool) -> None:
    assert bool(begun("for batch, more in zip(loader, other): pass", option=option)) is drawn_of_all


ORDERS = {
    "batches": ("batch_sampler=BatchSampler(RandomSampler(range(8)), 2, False)", True),
    "batches in order": ("batch_sampler=BatchSampler(SequentialSampler(range(8)), 2, False)", False),
    "one of the project": ("sampler=Picks()", True),
    "one of the project, in order": ("sampler=InOrder()", False),
    "batches of one of the project": ("batch_sampler=BatchSampler(Picks(), 2, False)", True),
}


@pytest.mark.parametrize(("option", "draws"), ORDERS.values(), ids=ORDERS)
def test_whose_order_is_drawn(option: str, draws: bool) -> None:
    assert begun(BATCHES.format("noise = torch.randn(2)"), option=option) == ("torch.randn(2)" if draws else "")


@pytest.mark.parametrize(("gives", "ahead"), [("yield one", True), ("order.append(one)", False)])
def test_an_order_that_is_drawn_at_once_is_not_drawn_ahead(gives: str, ahead: bool) -> None:
    (loader,) = loaders_of(
        "import random\nfrom torch.utils.data import DataLoader\nrandom.seed(1)\n"
        "class Picks:\n    def __iter__(self):\n        order = []\n        for _ in range(8):\n"
        f"            one = random.randrange(8)\n            {gives}\n        return iter(order)\n"
        "for batch in DataLoader(range(8), sampler=Picks(), num_workers=2):\n    print(random.random())\n"
    )
    assert bool(loader.uses.draws_beside()) is ahead
