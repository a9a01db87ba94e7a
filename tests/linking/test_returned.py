from __future__ import annotations

from textwrap import indent

import pytest
import torch

from loaderlint.vocabulary.sending import KEEPS_GRAPH
from tests.linking.traced import IMPORT, loader_of

HEAD = """
import collections, threading, torch
from functools import partial
from torch.utils.data import Dataset, Subset
net = torch.nn.Linear(2, 2)
def named(batch):
    return batch
def parts(batch):
    yield batch
class Numbers(Dataset):
    def __getitem__(self, index):
        return {"index": index, "scale": lambda number: number}
"""


def unsendable(text: str) -> set[str]:
    return {f"{one.what} of {one.role}" for one in loader_of(HEAD + text).payload.code.unsendable}


RETURNED: dict[str, tuple[str, str]] = {
    "a lambda": ("return lambda: 1", "a lambda"),
    "a lambda of a module": ("return keep", "a lambda"),
    "in a dictionary": ("return {'a': 1, 'f': lambda: 1}", "a lambda"),
    "in a list in a tuple": ("return 1, [lambda: 1]", "a lambda"),
    "set on a dictionary": ("out = {}\nout['f'] = threading.Lock()\nreturn out", "a lock"),
    "by a helper": ("return helper()", "an open file"),
    "on one way": ("if batch:\n    return lambda: 1\nreturn 1", "a lambda"),
    "a generator": ("return (one for one in batch)", "a generator"),
    "a generator with a name": ("found = (one for one in batch)\nreturn found", "a generator"),
    "a generator of a function": ("return 1, parts(batch)", "a generator"),
    "a file": ("with open('x') as file:\n    return file", "an open file"),
    "a local function": ("def inner():\n    pass\nreturn inner", "a local function"),
    "a local class": ("class Inner:\n    pass\nreturn Inner()", "an object of a local class"),
    "a defaultdict": ("return collections.defaultdict(lambda: 0)", "a defaultdict that keeps a lambda"),
    "a tensor with its graph": ("return net(batch)", "a tensor with its graph"),
}

SENDABLE: dict[str, str] = {
    "a function of the module": "return named",
    "a list of a generator": "return list(one for one in batch), list(parts(batch))",
    "a map": "return map(named, batch)",
    "a partial of a named function": "return partial(named, 1)",
    "a defaultdict of numbers": "return collections.defaultdict(int)",
    "a dictionary of a defaultdict": "a = collections.defaultdict(lambda: 0)\na = dict(a)\nreturn a",
    "a defaultdict made plain": "a = collections.defaultdict(lambda: 0)\na.default_factory = None\nreturn a",
    "used and left": "key = lambda one: one\nreturn sorted(batch, key=key)",
    "detached": "return net(batch).detach()",
    "without gradients": "with torch.no_grad():\n    return net(batch)",
    "a class that pickles itself": "class Inner:\n    def __reduce__(self):\n        return str, ()\nreturn Inner()",
    "a global name": "global Inner\nclass Inner:\n    pass\nreturn Inner()",
    "nothing": "pass",
}

AROUND = (
    "\nkeep = lambda: 1\ndef helper():\n    return open('x')\n"
    "DataLoader(Numbers(), num_workers=2, collate_fn=collate)\n"
)


@pytest.mark.parametrize(("body", "what"), RETURNED.values(), ids=list(RETURNED))
def test_what_a_collate_function_gives_and_no_worker_can_send_is_found(body: str, what: str) -> None:
    assert unsendable(f"def collate(batch):\n{indent(body, '    ')}{AROUND}") == {f"{what} of collate_fn"}


@pytest.mark.parametrize("body", SENDABLE.values(), ids=list(SENDABLE))
def test_what_pickles_or_stays_is_none(body: str) -> None:
    assert unsendable(f"def collate(batch):\n{indent(body, '    ')}{AROUND}") == set()


@pytest.mark.parametrize(
    "options",
    ["collate_fn=named", "collate_fn=list", "collate_fn=lambda b: tuple(zip(*b))", "batch_size=None"],
)
def test_items_are_sent_where_nothing_collates_them(options: str) -> None:
    assert unsendable(f"DataLoader(Subset(Numbers(), [1]), num_workers=2, {options})") == {"a lambda of dataset"}


@pytest.mark.parametrize("options", ["", "batch_size=2", "collate_fn=None", "collate_fn=lambda b: len(b)"])
def test_items_that_are_collated_are_not_sent(options: str) -> None:
    assert unsendable(f"DataLoader(Numbers(), num_workers=2, {options})") == set()


LEARNING = """
class Learning(Dataset):
    def __init__(self):
        self.layer = torch.nn.Embedding(8, 2)
        self.row = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.plain = torch.ones(3)
    def __getitem__(self, index):
        return ITEM
def collate(batch):
    BATCH
DataLoader(Learning(), num_workers=2, collate_fn=collate)
"""
WITH_GRAPHS: dict[str, tuple[str, str]] = {
    "a layer": ("self.layer(index)", "return torch.stack(batch)"),
    "a row of layers": ("self.row(index)", "return torch.stack(batch)"),
    "computed with one": ("self.layer(index) * 2", "return torch.stack(batch)"),
    "computed with a parameter": ("self.weight * index", "return torch.stack(batch)"),
    "a parameter": ("self.weight", "return torch.cat(batch)"),
    "a row of a parameter": ("self.weight[index]", "return torch.stack(list(batch))"),
    "a part": ("(self.layer(index), 1)", "return torch.stack([one[0] for one in batch]), 2"),
    "a part under a name": ("(1, self.weight * 2)", "xs, ys = zip(*batch)\n    return torch.stack(ys)"),
    "under a key": ("self.layer(index)", "return {'x': torch.stack([one for one in batch])}"),
    "computed and handed on": ("self.weight * index", "return batch"),
    "a layer summed up": ("self.layer(index).sum(0)", "return torch.stack(batch)"),
    "a layer in another shape": ("self.layer(index).view(-1).mean()", "return torch.stack(batch)"),
    "what is computed, in another shape": ("(self.weight * 2).reshape(3, 1)", "return torch.stack(batch)"),
    "joined with a parameter": ("torch.cat([self.weight * 2, self.plain])", "return torch.stack(batch)"),
    "joined and handed on": ("torch.stack((self.plain, self.weight))", "return batch"),
    "summed up and handed on": ("self.layer(index).sum(0)", "return batch"),
}
WITHOUT_GRAPHS: dict[str, tuple[str, str]] = {
    "a plain tensor": ("self.plain * 2", "return torch.stack(batch)"),
    "detached": ("(self.weight * 2).detach()", "return torch.stack(batch)"),
    "detached by the other": ("self.weight * 2", "return torch.stack([one.detach() for one in batch])"),
    "detached at last": ("self.weight * 2", "return torch.stack(batch).detach()"),
    "another part": ("(self.weight, 1)", "return torch.tensor([one[1] for one in batch])"),
    "the other part": ("(self.weight * 2, self.plain)", "xs, ys = zip(*batch)\n    return torch.stack(ys)"),
    "compared": ("self.weight > index", "return torch.stack(batch)"),
    "told not to": ("torch.nn.Parameter(self.plain, requires_grad=False) * 2", "return torch.stack(batch)"),
    "counted": ("self.weight * 2", "return len(batch)"),
    "a leaf, handed on": ("self.weight", "return batch"),
    "plain tensors summed up": ("self.plain.sum(0)", "return torch.stack(batch)"),
    "plain tensors joined": ("torch.cat([self.plain * 2, self.plain])", "return torch.stack(batch)"),
    "joined and detached": ("torch.cat([self.weight * 2, self.plain]).detach()", "return torch.stack(batch)"),
    "joined of what was detached": ("torch.cat([self.weight.detach(), self.plain])", "return torch.stack(batch)"),
    "a number of it": ("self.layer(index).sum().item()", "return torch.tensor(batch)"),
    "numbers of it": ("self.layer(index).sum(0).tolist()", "return torch.tensor(batch)"),
    "an array of it": ("self.layer(index).sum(0).detach().numpy()", "return torch.tensor(batch)"),
    "the dtype of a leaf": ("self.weight.float()", "return batch"),
}


@pytest.mark.parametrize(("item", "batch"), WITH_GRAPHS.values(), ids=list(WITH_GRAPHS))
def test_items_that_are_stacked_bring_their_graphs(item: str, batch: str) -> None:
    found = unsendable(LEARNING.replace("ITEM", item).replace("BATCH", batch))
    assert found == {"a tensor with its graph of dataset"}


@pytest.mark.parametrize("method", sorted(KEEPS_GRAPH))
def test_torch_gives_no_leaf_for_what_is_said_to_keep_a_graph(method: str) -> None:
    parameter = torch.nn.Parameter(torch.rand(3, 3) + 0.1)
    arguments = {
        **dict.fromkeys(("view", "reshape", "expand"), (3, 3)),
        **dict.fromkeys(("transpose", "permute"), (0, 1)),
        **dict.fromkeys(("mul", "div", "pow", "add", "sub", "clamp", "softmax", "log_softmax", "unsqueeze"), (1,)),
        **dict.fromkeys(("matmul", "mm"), (torch.ones(3, 3),)),
        "repeat": (1, 1),
    }
    found = getattr(parameter, method)(*arguments.get(method, ()))
    assert found.requires_grad and not found.is_leaf


@pytest.mark.parametrize(("item", "batch"), WITHOUT_GRAPHS.values(), ids=list(WITHOUT_GRAPHS))
def test_items_without_a_graph_are_stacked(item: str, batch: str) -> None:
    assert unsendable(LEARNING.replace("ITEM", item).replace("BATCH", batch)) == set()


MODEL = """
class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.scale = torch.nn.Parameter(torch.ones(2))
    def forward(self, x):
        BODY
class Encoded(Dataset):
    def __init__(self):
        self.model = Model()
    def __getitem__(self, index):
        return ITEM
def collate(batch):
    return torch.stack(batch)
DataLoader(Encoded(), num_workers=2, collate_fn=collate)
"""
COMPUTED: dict[str, tuple[str, str]] = {
    "by a module in it": ("return self.inner(x)", "self.model(index)"),
    "under a name": ("h = self.inner(x)\n        return h", "self.model(index)"),
    "with a parameter": ("return x * self.scale", "self.model(index)"),
    "on both ways": ("if x:\n            return self.inner(x)\n        return x * self.scale", "self.model(index)"),
    "and computed with": ("return self.inner(x)", "self.model(index) * 2"),
}
NOT_COMPUTED: dict[str, tuple[str, str]] = {
    "on one way alone": ("if x:\n            return self.inner(x)\n        return x", "self.model(index)"),
    "nothing": ("return x", "self.model(index)"),
    "detached in it": ("return self.inner(x).detach()", "self.model(index)"),
    "detached": ("return self.inner(x)", "self.model(index).detach()"),
    "by itself": ("return self(x)", "self.model(index)"),
    "without gradients": ("with torch.no_grad():\n            return self.inner(x)", "self.model(index)"),
    "by no layer": ("return torch.relu(x)", "self.model(index)"),
}


@pytest.mark.parametrize(("body", "item"), COMPUTED.values(), ids=list(COMPUTED))
def test_what_a_model_of_the_project_computes_has_a_graph(body: str, item: str) -> None:
    assert unsendable(MODEL.replace("BODY", body).replace("ITEM", item)) == {"a tensor with its graph of dataset"}


@pytest.mark.parametrize(("body", "item"), NOT_COMPUTED.values(), ids=list(NOT_COMPUTED))
def test_what_a_model_may_give_without_a_graph_is_sent(body: str, item: str) -> None:
    assert unsendable(MODEL.replace("BODY", body).replace("ITEM", item)) == set()


def test_what_a_collate_function_gives_of_a_model_of_the_project_has_a_graph() -> None:
    text = MODEL.replace("BODY", "return self.inner(x)").replace("ITEM", "index")
    text = text.replace("def collate", "model = Model()\ndef collate").replace("torch.stack(batch)", "model(batch)")
    assert unsendable(text) == {"a tensor with its graph of collate_fn"}


def test_a_model_that_somebody_may_freeze_is_no_finding() -> None:
    text = MODEL.replace("BODY", "return self.inner(x)").replace("ITEM", "self.model(index)")
    files = {
        "main.py": f"import freeze\n{IMPORT}{HEAD}{text}",
        "freeze.py": "def freeze(m):\n    m.requires_grad_(False)\n",
    }
    assert loader_of(files).payload.code.unsendable == ()


def test_a_class_that_is_no_module_gives_what_it_likes() -> None:
    text = MODEL.replace("BODY", "return self.inner(x)").replace("ITEM", "self.model(index)")
    assert unsendable(text.replace("class Model(torch.nn.Module)", "class Model")) == set()


def test_torchs_own_collate_refuses_graphs_at_once() -> None:
    text = LEARNING.replace("ITEM", "self.weight * 2").replace("BATCH", "pass").replace(", collate_fn=collate", "")
    assert unsendable(text) == set()


def test_what_an_iterable_dataset_yields_is_sent_and_not_the_iterator_it_returns() -> None:
    head = "from torch.utils.data import IterableDataset\nclass Lines(IterableDataset):\n    def __iter__(self):\n"
    loader = "DataLoader(Lines(), num_workers=2, batch_size=None)"
    assert unsendable(f"{head}        yield lambda: 1\n{loader}") == {"a lambda of dataset"}
    assert unsendable(f"{head}        return (one for one in [1])\n{loader}") == set()


def test_a_defaultdict_passes_the_collate_function_of_torch() -> None:
    item = "class Words(Dataset):\n    def __getitem__(self, index):\n        return {}\n"
    item = item.replace("{}", "collections.defaultdict(lambda: 0)")
    assert unsendable(f"{item}DataLoader(Words(), num_workers=2)") == {"a defaultdict that keeps a lambda of dataset"}
