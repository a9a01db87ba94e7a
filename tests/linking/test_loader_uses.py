from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.uses import Iteration, Role, Uses
from tests.linking.traced import IMPORT, Files, loaders_of

HEAD = "import torch\nfrom torch.utils.data import DistributedSampler\n"
LOADER = "loader = DataLoader(data, num_workers=2)\n"


def uses(text: Files) -> Uses:
    first, *_ = loaders_of(HEAD + dedent(text) if isinstance(text, str) else text)
    return first.uses


def described(one: Iteration) -> str:
    loops = [f"{loop.what}{' counts' * loop.counts}{' once' * loop.once}{' asked' * loop.asked}" for loop in one.loops]
    return " in ".join([one.what, *loops]) + (f" by {one.wrapped_by}" if one.wrapped_by else "")


ITERATIONS: dict[str, tuple[str, list[str]]] = {
    "nothing": (LOADER, []),
    "no loop": (LOADER + "for batch in loader:\n    pass\n", ["loader"]),
    "epochs": (
        LOADER + "for epoch in range(3):\n    for batch in loader:\n        pass\n",
        ["loader in for epoch in range(3) counts"],
    ),
    "one epoch": (
        LOADER + "EPOCHS = 1\nfor epoch in range(EPOCHS):\n    for batch in loader:\n        pass\n",
        ["loader in for epoch in range(EPOCHS) counts once"],
    ),
    "epochs from a later one on": (
        LOADER + "for epoch in range(2, 3):\n    for batch in loader:\n        pass\n",
        ["loader in for epoch in range(2, 3) counts once"],
    ),
    "epochs that nobody sees": (
        LOADER + "for epoch in range(start, end):\n    for batch in loader:\n        pass\n",
        ["loader in for epoch in range(start, end) counts"],
    ),
    "a progress bar over epochs": (
        LOADER + "from tqdm import tqdm, trange\nbar = tqdm(trange(3))\nfor e in bar:\n    sum(loader)\n",
        ["sum(loader) in for e in bar counts"],
    ),
    "until it has enough": (
        LOADER + "while step < 100:\n    for batch in loader:\n        step += 1\n",
        ["loader in while step < 100 counts"],
    ),
    "left after the first": (
        LOADER + "for epoch in range(3):\n    for batch in loader:\n        pass\n    break\n",
        ["loader in for epoch in range(3) counts once"],
    ),
    "a while that is left after the first": (
        LOADER + "while True:\n    for batch in loader:\n        pass\n    break\n",
        ["loader in while True counts once"],
    ),
    "in the first epoch alone": (
        LOADER + "for epoch in range(3):\n    if epoch == 0:\n        for batch in loader:\n            pass\n",
        ["loader in for epoch in range(3) counts asked"],
    ),
    "epochs counted beside their seeds": (
        LOADER + "for epoch, seed in enumerate(seeds[start:], start):\n    for batch in loader:\n        pass\n",
        ["loader in for epoch, seed in enumerate(seeds[start:], start) counts"],
    ),
    "things that are numbered": (
        LOADER + "for fold, seed in enumerate(seeds):\n    for batch in loader:\n        pass\n",
        ["loader in for fold, seed in enumerate(seeds)"],
    ),
    "loaders that are numbered": (
        "loaders = [DataLoader(data, num_workers=2)]\n"
        "for epoch, loader in enumerate(loaders):\n    for batch in loader:\n        pass\n",
        ["enumerate(loaders)", "loader in for epoch, loader in enumerate(loaders)"],
    ),
    "over names": (
        LOADER + "for phase in ['train', 'val']:\n    for batch in loader:\n        pass\n",
        ["loader in for phase in ['train', 'val']"],
    ),
    "wrapped as they are": (
        LOADER + "from tqdm import tqdm\nfor i, batch in enumerate(tqdm(loader)):\n    pass\n",
        ["enumerate(tqdm(loader))"],
    ),
    "a bar that was made before": (
        LOADER + "from tqdm import tqdm\nbar = tqdm(loader)\nfor batch in bar:\n    pass\n",
        ["bar", "tqdm(loader)"],
    ),
    "an iterator made outside of the loop": (
        LOADER + "batches = iter(loader)\nfor step in range(9):\n    batch = next(batches)\n",
        ["iter(loader)"],
    ),
    "a loop over an iterator made before": (
        LOADER + "batches = iter(loader)\nfor step in range(9):\n    for batch in batches:\n        pass\n",
        ["iter(loader)"],
    ),
    "an iterator in every turn": (
        LOADER + "for step in range(9):\n    batch = next(iter(loader))\n",
        ["iter(loader) in for step in range(9) counts"],
    ),
    "a loop around a call": (
        LOADER
        + dedent(
            """
        def train():
            for batch in loader:
                pass
        for epoch in range(3):
            train()
        """
        ),
        ["loader in for epoch in range(3) counts"],
    ),
    "loops around calls of calls": (
        """
        class Trainer:
            def __init__(self):
                self.loader = DataLoader(data, num_workers=2)
            def epoch(self):
                for batch in self.loader:
                    pass
            def run(self):
                for epoch in range(3):
                    self.epoch()
        Trainer().run()
        """,
        ["self.loader in for epoch in range(3) counts"],
    ),
    "loops around calls with another loader": (
        LOADER
        + dedent(
            """
        def over(one):
            for batch in one:
                pass
        other = DataLoader(data, num_workers=1)
        for epoch in range(3):
            over(other)
        over(loader)
        """
        ),
        ["one"],
    ),
    "a loop that makes the loader": (
        "for fold in range(5):\n    " + LOADER + "    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "a loop that has a function make the loader": (
        """
        def load(fold):
            return DataLoader(data[fold], num_workers=2)
        for fold in range(5):
            for batch in load(fold):
                pass
        """,
        ["load(fold)"],
    ),
    "a library takes it over": (
        LOADER
        + dedent(
            """
        from accelerate import Accelerator
        accelerator = Accelerator()
        loader = accelerator.prepare(loader)
        for batch in loader:
            pass
        """
        ),
        ["loader by accelerate.Accelerator().prepare"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), ITERATIONS.values(), ids=ITERATIONS.keys())
def test_where_a_loader_is_iterated(text: str, expected: list[str]) -> None:
    assert sorted(map(described, uses(text).iterations)) == expected


COUNTERS: dict[str, tuple[str, str]] = {
    "epochs": ("for epoch in range(3)", "epoch"),
    "epochs beside their seeds": ("for epoch, seed in enumerate(seeds)", "epoch"),
    "a count of counts": ("for step, number in enumerate(range(3))", "step"),
    "a count without a name": ("for _, epoch in enumerate(range(3))", ""),
    "epochs that may be anything": ("for epoch in epochs", ""),
    "epochs in any order": ("for seed, epoch in zip(seeds, epochs)", ""),
}


@pytest.mark.parametrize(("loop", "expected"), COUNTERS.values(), ids=COUNTERS.keys())
def test_the_name_that_counts_the_turns_of_a_loop(loop: str, expected: str) -> None:
    (iteration,) = uses(f"{LOADER}{loop}:\n    for batch in loader:\n        pass\n").iterations
    assert [one.counter for one in iteration.loops] == [expected]


ROLES: dict[str, tuple[str, Role | None]] = {
    "nothing said": (LOADER + "for batch in loader:\n    pass\n", None),
    "its name": ("train_loader = DataLoader(data)\n", Role.TRAINING),
    "its name as an attribute": ("self.val_dl = DataLoader(data)\n", Role.EVALUATION),
    "its name in one word": ("testloader = DataLoader(data)\n", Role.EVALUATION),
    "a word that only looks like it": ("latest = DataLoader(data)\n", None),
    "both": ("train_val_loader = DataLoader(data)\n", None),
    "the function that makes it": ("def val_dataloader():\n    return DataLoader(data)\n", Role.EVALUATION),
    "its data set": ("loader = DataLoader(train_set)\n", Role.TRAINING),
    "its data set by keyword": ("loader = DataLoader(dataset=self.valid_data)\n", Role.EVALUATION),
    "trained with": (LOADER + "for batch in loader:\n    loss(batch).backward()\n", Role.TRAINING),
    "without gradients": (
        LOADER + "with torch.no_grad():\n    for batch in loader:\n        model(batch)\n",
        Role.EVALUATION,
    ),
    "without gradients in the loop": (
        LOADER + "for batch in loader:\n    with torch.inference_mode():\n        model(batch)\n",
        Role.EVALUATION,
    ),
    "a function without gradients": (
        LOADER + "@torch.no_grad()\ndef f():\n    for batch in loader:\n        model(batch)\nf()\n",
        Role.EVALUATION,
    ),
    "a model in evaluation": (LOADER + "model.eval()\nfor batch in loader:\n    model(batch)\n", Role.EVALUATION),
    "a model in training": (LOADER + "model.train()\nfor batch in loader:\n    step(batch)\n", Role.TRAINING),
    "both ways": (
        LOADER + "model.train()\nfor b in loader:\n    step(b)\nmodel.eval()\nfor b in loader:\n    model(b)\n",
        None,
    ),
    "its name is stronger": (
        "train_loader = DataLoader(data)\nmodel.eval()\nfor batch in train_loader:\n    model(batch)\n",
        Role.TRAINING,
    ),
}


@pytest.mark.parametrize(("text", "expected"), ROLES.values(), ids=ROLES.keys())
def test_what_a_loader_is_for(text: str, expected: Role | None) -> None:
    assert uses(text).role is expected


EPOCHS = "for epoch in range(3):\n    for batch in loader:\n        pass\n"
SHUFFLING: dict[str, tuple[str, list[str]]] = {
    "torch's": ("loader = DataLoader(data, sampler=DistributedSampler(data))\n", ["DistributedSampler(data)"]),
    "kept": ("s = DistributedSampler(data)\nloader = DataLoader(data, sampler=s)\n", ["DistributedSampler(data)"]),
    "on a branch": (
        "s = DistributedSampler(data) if distributed else None\nloader = DataLoader(data, sampler=s)\n",
        ["DistributedSampler(data)"],
    ),
    "in batches": (
        "from torch.utils.data import BatchSampler\n"
        "loader = DataLoader(data, batch_sampler=BatchSampler(DistributedSampler(data), 2, True))\n",
        ["DistributedSampler(data)"],
    ),
    "asked to shuffle": (
        "loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=True))\n",
        ["DistributedSampler(data, shuffle=True)"],
    ),
    "in order": ("loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=False))\n", []),
    "in order by position": ("loader = DataLoader(data, sampler=DistributedSampler(data, 2, 0, False))\n", []),
    "who knows": ("loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=wanted()))\n", []),
    "a splat": ("loader = DataLoader(data, sampler=DistributedSampler(data, **options))\n", []),
    "another sampler": (
        "from torch.utils.data import RandomSampler\nloader = DataLoader(data, sampler=RandomSampler(data))\n",
        [],
    ),
    "one of the project": (
        "class Mine(DistributedSampler):\n    pass\nloader = DataLoader(data, sampler=Mine(data))\n",
        [],
    ),
    "told": (
        "s = DistributedSampler(data)\nloader = DataLoader(data, sampler=s)\ns.set_epoch(1)\n",
        [],
    ),
    "told through the loader": (
        "loader = DataLoader(data, sampler=DistributedSampler(data))\nloader.sampler.set_epoch(1)\n",
        [],
    ),
    "told by name": (
        "loader = DataLoader(data, sampler=DistributedSampler(data))\ngetattr(loader.sampler, 'set_epoch')(1)\n",
        [],
    ),
    "told by another hand": (
        "loader = DataLoader(data, sampler=DistributedSampler(data))\ntell = loader.sampler.set_epoch\n",
        [],
    ),
    "another thing is told": (
        "class Data:\n    def set_epoch(self, epoch):\n        self.epoch = epoch\ndata = Data()\n"
        "loader = DataLoader(data, sampler=DistributedSampler(data))\ndata.set_epoch(1)\n",
        ["DistributedSampler(data)"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), SHUFFLING.values(), ids=SHUFFLING.keys())
def test_samplers_that_are_told_no_epoch(text: str, expected: list[str]) -> None:
    assert [one.what for one in uses(text + EPOCHS).shuffles_by_epoch] == expected


def test_a_sampler_needs_the_process_group_that_an_assert_lets_be_made() -> None:
    group = (
        "import torch\ndef start():\n    assert torch.cuda.is_available()\n"
        "    torch.distributed.init_process_group('gloo')\nstart()\n"
    )
    (sampler,) = uses(f"loader = DataLoader(data, sampler=DistributedSampler(data))\n{group}{EPOCHS}").shuffles_by_epoch
    assert [set(one) for _, one in sampler.assumptions if isinstance(one, frozenset)] == [{"linux", "windows"}]


def test_a_file_that_no_loader_stands_in_may_tell_the_epoch() -> None:
    main = (
        f"{HEAD}{IMPORT}from hooks import before\nloader = DataLoader(data, sampler=DistributedSampler(data))\n{EPOCHS}"
    )
    told = "def before(sampler, epoch):\n    sampler.set_epoch(epoch)\n"
    not_told = "def before(sampler, epoch):\n    pass\n"
    assert uses({"main.py": main, "hooks.py": told}).shuffles_by_epoch == ()
    assert len(uses({"main.py": main, "hooks.py": not_told}).shuffles_by_epoch) == 1


KEPT: dict[str, tuple[str, list[str]]] = {
    "a batch": ("for batch in loader:\n    kept.append(batch)\n", ["kept.append(batch)"]),
    "a part": ("for i, (x, y) in enumerate(loader):\n    kept.append(y[0])\n", ["kept.append(y[0])"]),
    "a key": ("for batch in loader:\n    self.kept.extend(batch['x'])\n", ["self.kept.extend(batch['x'])"]),
    "all": ("kept = list(loader)\n", ["list(loader)"]),
    "a copy": ("for batch in loader:\n    kept.append(batch.clone())\n", []),
    "something else": ("for batch in loader:\n    kept.append(loss)\n", []),
    "moved": ("for batch in loader:\n    batch = batch.cuda()\n    kept.append(batch)\n", []),
    "let go": ("for batch in loader:\n    kept.append(batch)\n    kept.clear()\n", []),
    "made anew": ("for batch in loader:\n    kept = []\n    kept.append(batch)\n", []),
    "counted": ("n = sum(1 for batch in loader)\n", []),
}


@pytest.mark.parametrize(("text", "expected"), KEPT.values(), ids=KEPT.keys())
def test_what_is_kept(text: str, expected: list[str]) -> None:
    assert [one.what for one in uses(LOADER + text).kept] == expected


CHANGED: dict[str, tuple[str, bool]] = {
    "a library's data set": ("data = MNIST('data')\n", False),
    "another transform": ("data = MNIST('data')\ndata.transform = None\n", True),
    "another data set's transform": ("data = MNIST('data')\nother = MNIST('o')\nother.transform = None\n", False),
    "a method that changes it": ("data = Mine()\ndata.grow()\n", True),
    "a method that changes nothing": ("data = Mine()\ndata.show()\n", False),
    "an attribute set": ("data = Mine()\ndata.size = 2\n", True),
    "an attribute of another object of its class": ("data = Mine()\nother = Mine()\nother.size = 1\n", True),
    "nothing": ("data = Mine()\n", False),
}
MINE = """
from torchvision.datasets import MNIST
class Mine:
    def __init__(self):
        self.size = 1
    def grow(self):
        self.size += 1
    def show(self):
        print(self.size)
"""


@pytest.mark.parametrize(("text", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_whether_the_program_changes_what_it_sent(text: str, expected: bool) -> None:
    assert uses(MINE + text + LOADER + EPOCHS).payload_changes is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data = Mine()\ndata.size += 1\n", True),
        ("from torch.utils.data import Subset\nmine = Mine()\nmine.size = 2\ndata = Subset(mine, [0])\n", True),
        ("data = Mine()\ndata.grow()\n", False),
        ("data = [Mine()]\n", False),
    ],
)
def test_whether_the_program_sets_an_attribute_of_what_it_sent(text: str, expected: bool) -> None:
    assert uses(MINE + text + LOADER + EPOCHS).payload_set is expected


@pytest.mark.parametrize(
    "given", ["rows = [1]\ndata = Given(rows)\nrows.append(2)\n", "rows = {}\ndata = Given(rows)\nrows['a'] = 1\n"]
)
def test_what_the_data_set_was_made_of_may_be_changed(given: str) -> None:
    kept = "class Given:\n    def __init__(self, rows):\n        self.rows = rows\n"
    assert uses(kept + given + LOADER + EPOCHS).payload_changes
    assert uses(kept + given + LOADER + EPOCHS).payload_set
    before = uses(kept + "rows = [1]\nrows.append(2)\ndata = Given(rows)\nprint(rows)\n" + LOADER + EPOCHS)
    assert not (before.payload_changes or before.payload_set)


@pytest.mark.parametrize(
    ("in_the_loop", "outside", "expected"),
    [
        ("data.grow()", "pass", True),
        ("data.rows[0] = 1", "pass", True),
        ("data.rows.append(batch)", "pass", True),
        ("data.show()", "pass", False),
        ("other.grow()", "pass", False),
        ("print(data.rows[0])", "pass", False),
        ("pass", "data.grow()", False),
        ("pass", "data.rows[0] = 1", False),
    ],
)
def test_whether_the_loop_over_a_loader_changes_its_data_set_in_place(
    in_the_loop: str, outside: str, expected: bool
) -> None:
    loop = f"for epoch in range(3):\n    {outside}\n    for batch in loader:\n        {in_the_loop}\n"
    assert uses(MINE + "data = Mine()\nother = Mine()\n" + LOADER + loop).payload_set is expected


def test_what_another_method_changes_may_be_what_the_data_set_was_made_of() -> None:
    trainer = """
        class Given:
            def __init__(self, rows):
                self.rows = rows
        class Trainer:
            def __init__(self):
                self.net = {}
                self.loader = DataLoader(Given(self.net), num_workers=2)
            def train(self):
                for batch in self.loader:
                    self.net["w"] = 1
        Trainer().train()
    """
    assert uses(trainer).payload_set
    assert not uses(trainer.replace('self.net["w"] = 1', "print(self.net)")).payload_set


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("batch += 1", True),
        ("batch['ids'].append(0)", True),
        ("batch[0] = 1", True),
        ("batch.mul_(2)", True),
        ("batch = batch + 1", False),
        ("print(batch.mean(), batch[0])", False),
        ("total += batch", False),
        ("image = batch['image']; image.mul_(2)", True),
        ("batch = {'ids': batch[0].cuda()}; batch.update(a=1)", False),
        ("batch.pop('labels')", False),
        ("batch.add(1)", False),
    ],
)
def test_whether_a_loop_changes_its_batches(body: str, expected: bool) -> None:
    assert uses(f"{LOADER}total = 0\nfor batch in loader:\n    {body}\n").changes_batches is expected


def test_the_number_of_a_batch_is_no_batch() -> None:
    assert not uses(f"{LOADER}for i, batch in enumerate(loader):\n    i += 1\n").changes_batches
    assert uses(f"{LOADER}for i, batch in enumerate(loader):\n    batch += 1\n").changes_batches


def test_a_peek_holds_no_iterator() -> None:
    assert not uses(
        f"{LOADER}print(next(iter(loader)))\n{EPOCHS}for batch in loader:\n    pass\n"
    ).iterated_within_itself


@pytest.mark.parametrize(
    "text",
    [
        "rows = [1]\ntrain = Given(rows)\nrows = []\nrows.append(2)\ndata = train\n",
        "start = 1\ndata = Given(start)\nstart += 5\n",
        "rows = [1]\nif some:\n    data = Given(rows)\nelse:\n    rows.append(2)\n    data = None\n",
    ],
)
def test_what_the_data_set_was_not_made_of_may_be_changed(text: str) -> None:
    kept = "class Given:\n    def __init__(self, rows):\n        self.rows = rows\n"
    assert not uses(kept + text + LOADER + EPOCHS).payload_set


def test_an_iterator_that_is_held_may_go_on_beside_others() -> None:
    held = LOADER + "held = iter(loader)\n"
    assert uses(held + "for batch in loader:\n    print(batch, next(held))\n").iterated_within_itself
    assert not uses(held + "print(next(held))\n").iterated_within_itself


def test_two_iterators_at_once() -> None:
    assert uses(LOADER + "for a, b in zip(loader, loader):\n    pass\n").iterated_within_itself
    assert uses(LOADER + "for a in loader:\n    for b in loader:\n        pass\n").iterated_within_itself
    assert not uses(LOADER + "for a, b in zip(loader, range(3)):\n    pass\n").iterated_within_itself
    assert not uses(LOADER + EPOCHS + "for a in loader:\n    pass\n").iterated_within_itself


def test_the_loaders_of_a_program_know_what_they_are_for() -> None:
    first, second = loaders_of("train_loader = DataLoader(a)\nval_loader = DataLoader(b)\n")
    assert [one.uses.role for one in first.program.loaders] == [Role.TRAINING, Role.EVALUATION]
    assert first.program.loaders == second.program.loaders
