"""What a loop over a loader changes that its samples, or their order, hang on."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from loaderlint.model.uses import Hanging, Uses
from tests.linking.traced import loaders_of

ROWS = """
    import json
    import numpy as np
    import torch
    from torch.utils.data import BatchSampler, DataLoader, Dataset, WeightedRandomSampler
    class Rows(Dataset):
        def __init__(self, rows=None):
            self.rows = rows
        def __len__(self):
            return 8
        def __getitem__(self, index):
            with open("scale.json") as file:
                return json.load(file)
    class Shown(Dataset):
        def __init__(self, model, size=1):
            self.size = model.size
            self.weight = model.weight.detach().numpy()
        def __getitem__(self, index):
            return self.weight[index]
    class Sized(Dataset):
        def __init__(self, model):
            self.size = model.in_features
        def __getitem__(self, index):
            return self.size
    class Hard:
        def __init__(self, weights=None):
            self.weights = weights
            self.offset = 0
        def __iter__(self):
            for _ in range(8):
                yield self.offset + int(self.weights.argmax())
        def update(self, index):
            self.weights[index] = 0
        def show(self):
            return self.weights
    class Ordered(Hard):
        def __iter__(self):
            return iter(self.weights.argsort().tolist())
    class Begun(Hard):
        def __iter__(self):
            order = self.weights.argsort()
            for index in order:
                yield int(index)
    class Batches(Hard):
        def __iter__(self):
            yield from self.weights
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    def train(batch):
        model(batch).sum().backward()
        optimizer.step()
    def save(path):
        torch.save({}, path)
"""


def uses(before: str, loader: str, body: str, outside: str = "pass") -> Uses:
    inside = indent(body, "        ")
    text = f"{before}\nloader = DataLoader({loader}, num_workers=2)\nfor epoch in range(3):\n    {outside}\n"
    (found,) = loaders_of(f"{dedent(ROWS)}{text}    for batch in loader:\n{inside}\n")
    return found.uses


REACHES = {
    "an array": ("rows = np.zeros(8)", "Rows(rows)", "rows += 1", "rows += 1"),
    "an item of one": ("rows = np.zeros(8)", "Rows(rows=rows)", "rows[0] = 1", "rows[0]"),
    "what shows an array": ("rows = np.zeros(8)", "Rows(torch.from_numpy(rows))", "rows.fill(3)", "rows.fill(3)"),
    "a part of an array": ("rows = torch.zeros(8)", "Rows(rows[2:].data)", "rows.mul_(2)", "rows.mul_(2)"),
    "an array, by a view": ("rows = torch.zeros(8)", "Rows(rows)", "rows.view(4, 2)[0] = 1", "rows.view(4, 2)[0]"),
    "an array under another name": (
        "rows = np.zeros(8)\ndef note(scores):\n    scores[0] = 1",
        "Rows(rows)",
        "note(rows)",
        "scores[0]",
    ),
    "the order": ("order = [1, 2]", "Rows(), sampler=order", "order.append(3)", "order.append(3)"),
    "a sampler": ("picks = Hard()", "Rows(), sampler=picks", "picks.update(1)", "picks.update(1)"),
    "an attribute of one": ("picks = Hard()", "Rows(), batch_sampler=picks", "picks.offset += 1", "picks.offset += 1"),
    "one that is inside of another": (
        "picks = Hard()",
        "Rows(), batch_sampler=BatchSampler(picks, 4, False)",
        "picks.update(1)",
        "picks.update(1)",
    ),
    "one in a function": (
        "picks = Hard()\ndef note(batch):\n    picks.update(1)",
        "Rows(), sampler=picks",
        "note(batch)",
        "picks.update(1)",
    ),
    "one that the loader has": ("", "Rows(), sampler=Hard()", "loader.sampler.update(1)", "loader.sampler.update(1)"),
    "what a sampler goes over": ("picks = Batches()", "Rows(), sampler=picks", "picks.update(1)", "picks.update(1)"),
    "what a sampler was made of": ("rows = np.ones(8)", "Rows(), sampler=Hard(rows)", "rows[0] = 1", "rows[0]"),
    "a file": ("", "Rows()", "open('scale.json', 'w').write('1')", "open('scale.json', 'w')"),
    "a file by a path that the data set was handed": (
        "path = 'other.json'\ndef put(to):\n    open(to, 'w').write('1')",
        "Rows(path)",
        "put(path)",
        "open(to, 'w')",
    ),
    "a file that another program may write": (
        "import subprocess",
        "Rows()",
        "subprocess.run(['sync'])",
        "subprocess.run(['sync'])",
    ),
    "a file in some folder": ("", "Rows()", "open('./scale.json', 'w').write('1')", "open('./scale.json', 'w')"),
}
LEAVES = {
    "another array": ("rows, others = np.zeros(8), np.zeros(8)", "Rows(rows)", "others += 1"),
    "another array in a function": (
        "rows, others = np.zeros(8), np.zeros(8)\ndef note(scores):\n    scores[0] = 1",
        "Rows(rows)",
        "note(others)",
    ),
    "a copy of the array": ("rows = np.zeros(8)", "Rows(rows.copy())", "rows += 1"),
    "an array that is copied by another name": ("rows = np.zeros(8)", "Rows(torch.tensor(rows))", "rows += 1"),
    "what is worked out of an array": ("rows = np.zeros(8)", "Rows(rows.mean())", "rows += 1"),
    "a number": ("step = 0", "Rows(step)", "step += 1"),
    "a number that is read": ("step = int('3')", "Rows(step)", "step += 1"),
    "a look at it": ("rows = np.zeros(8)", "Rows(rows)", "print(rows[0], rows.sum())"),
    "a setting beside": ("import argparse\nargs = argparse.Namespace()", "Rows(args)", "args.step = 1"),
    "a sampler that is looked at": ("picks = Hard()", "Rows(), sampler=picks", "picks.show()"),
    "a sampler of another loader": ("picks, others = Hard(), Hard()", "Rows(), sampler=picks", "others.update(1)"),
    "one that another loader has": (
        "picks = Hard()\nother = Rows()\nother.sampler = Hard()",
        "Rows(), sampler=picks",
        "other.sampler.update(1)",
    ),
    "what gives all indices at once": ("picks = Ordered()", "Rows(), sampler=picks", "picks.update(1)"),
    "what gives them in order of its beginning": ("picks = Begun()", "Rows(), sampler=picks", "picks.update(1)"),
    "weights that torch's sampler reads once": (
        "w = torch.ones(8)\npicks = WeightedRandomSampler(w, 8)",
        "Rows(), sampler=picks",
        "w[0] = 1",
    ),
    "a model of which the size is kept": ("", "Sized(model)", "train(batch)"),
    "a copy of parameters": ("", "Rows(model.weight.tolist())", "train(batch)"),
    "another file": ("", "Rows()", "save('last.pt')"),
    "another file than the data set was handed": (
        "def put(to):\n    open(to, 'w').write('1')",
        "Rows('other.json')",
        "put('log.json')",
    ),
    "a file that is read": ("", "Rows()", "open('scale.json').read()"),
}


@pytest.mark.parametrize(("before", "loader", "body", "what"), REACHES.values(), ids=REACHES)
def test_what_a_loop_changes_reaches_samples(before: str, loader: str, body: str, what: str) -> None:
    assert uses(before, loader, body).unsettled[0].what == what


@pytest.mark.parametrize(
    "loader",
    ["Rows(model.weight.detach().numpy())", "Rows(model.weight.data)", "Shown(model)", "Rows(model)"],
    ids=["parameters", "parameters as data", "parameters that the constructor shows", "a model that is sent"],
)
def test_layers_reach_samples_whatever_the_loop_is_seen_to_do(loader: str) -> None:
    (found,) = uses("", loader, "print(batch)").unsettled
    assert found.hanging is Hanging.LAYERS


@pytest.mark.parametrize(("before", "loader", "body"), LEAVES.values(), ids=LEAVES)
def test_what_a_loop_changes_leaves_samples_as_they_are(before: str, loader: str, body: str) -> None:
    assert uses(before, loader, body).unsettled == ()


@pytest.mark.parametrize(
    ("before", "loader", "outside"),
    [
        ("picks = Hard()", "Rows(), sampler=picks", "picks.update(1)"),
        ("rows = np.zeros(8)", "Rows(rows)", "rows += 1"),
        ("", "Rows()", "open('scale.json', 'w').write('1')"),
    ],
    ids=["a sampler", "an array", "a file"],
)
def test_what_changes_between_the_loops_is_there_before_the_next_workers(
    before: str, loader: str, outside: str
) -> None:
    assert uses(before, loader, "print(batch)", outside).unsettled == ()


def test_batches_may_be_taken_one_by_one() -> None:
    taken = "picks = Hard()\nloader = DataLoader(Rows(), sampler=picks, num_workers=2)\nbatches = iter(loader)\n"
    loop = "for step in range(9):\n    batch = next(batches)\n    picks.update(step)\n"
    (loader,) = loaders_of(dedent(ROWS) + taken + loop)
    assert loader.uses.unsettled
