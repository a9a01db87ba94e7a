"""Where the tensors of a batch are put on CUDA."""

from __future__ import annotations

from textwrap import indent

import pytest

from loaderlint.model.assumptions import CUDA, NO_ASSUMPTIONS, Assumption
from tests.linking.traced import loader_of

HEAD = """
import torch
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset
device = torch.device("cuda", 0)
x = torch.zeros(8, 3)
def moved(batch, device):
    return batch.to(device)
def parts(batch):
    return {"a": batch, "b": batch}
"""


def put(text: str) -> list[str]:
    return [touch.what for touch in loader_of(HEAD + text).payload.code.on_cuda]


ON_CUDA: dict[str, tuple[str, str]] = {
    "by its method": ("return batch.cuda()", "batch.cuda()"),
    "by the name of a device": ("return batch.to('cuda:1')", "batch.to('cuda:1')"),
    "by keyword": ("return batch.to(device='cuda')", "batch.to(device='cuda')"),
    "by a device object": ("return batch.to(device)", "batch.to(device)"),
    "made there": ("return torch.tensor(batch, device='cuda')", "torch.tensor(batch, device='cuda')"),
    "before another method": ("return batch.cuda().float().unsqueeze(0)", "batch.cuda()"),
    "in a dictionary": ("return {'a': 1, 'b': [batch.cuda()]}", "batch.cuda()"),
    "each of several": ("return tuple(one.cuda() for one in batch)", "one.cuda()"),
    "stacked": ("found = [one.cuda() for one in batch]\nreturn torch.stack(found)", "one.cuda()"),
    "appended": ("found = []\nfor one in batch:\n    found.append(one.cuda())\nreturn found", "one.cuda()"),
    "in place of what was there": (
        "for key in batch:\n    batch[key] = batch[key].cuda()\nreturn batch",
        "batch[key].cuda()",
    ),
    "by a helper": ("return moved(batch, 'cuda')", "batch.to(device)"),
    "of a helper's parts": ("out = batch.cuda()\nreturn out, 1", "batch.cuda()"),
    "on one way": ("if len(batch) > 1:\n    return batch.cuda()\nreturn batch", "batch.cuda()"),
}

ELSEWHERE: dict[str, str] = {
    "on the CPU": "return batch.to('cpu')",
    "taken back": "return batch.cuda().cpu()",
    "taken back by name": "batch = batch.cuda()\nbatch = batch.cpu()\nreturn batch",
    "replaced again": "out = {}\nout['a'] = batch.cuda()\nout['a'] = batch.cpu()\nreturn out",
    "a number": "return batch.cuda().sum().item()",
    "another dtype": "return batch.to(torch.float16)",
    "a helper on the CPU": "return moved(batch, 'cpu')",
    "a part of what is on both": "return {'a': batch.cuda(), 'b': batch}['b']",
    "used and left": "scale = batch.cuda()\nprint(scale)\nreturn batch",
    "a module": "net = torch.nn.Linear(2, 2)\nreturn batch, net.to('cuda')",
    "unseen": "return batch.to(print())",
    "after it": "out = batch\nif False:\n    pass\nkept = out.shape\nout = out.cuda()\nreturn kept",
}

LOADER = "\nDataLoader(x, collate_fn=collate, pin_memory=True)\n"


@pytest.mark.parametrize(("body", "what"), ON_CUDA.values(), ids=list(ON_CUDA))
def test_tensors_that_a_collate_function_puts_on_cuda_are_found(body: str, what: str) -> None:
    assert put(f"def collate(batch):\n{indent(body, '    ')}{LOADER}") == [what]


@pytest.mark.parametrize("body", ELSEWHERE.values(), ids=list(ELSEWHERE))
def test_tensors_elsewhere_are_not(body: str) -> None:
    assert put(f"def collate(batch):\n{indent(body, '    ')}{LOADER}") == []


ITEM = """
class Kept(Dataset):
    def __init__(self, device):
        self._keep(torch.zeros(8), device)
    def _keep(self, rows, device):
        self.rows = rows.to(device)
    def __getitem__(self, index):
        return self.rows[index]
class Yielding(IterableDataset):
    def __iter__(self):
        for one in range(3):
            yield torch.tensor(one).cuda()
class Below(Kept):
    pass
"""


@pytest.mark.parametrize(
    ("dataset", "what"),
    [
        ("Kept('cuda')", "rows.to(device)"),
        ("Below('cuda')", "rows.to(device)"),
        ("Subset(Kept('cuda'), [0])", "rows.to(device)"),
        ("Yielding()", "torch.tensor(one).cuda()"),
        ("TensorDataset(x, x.cuda())", "x.cuda()"),
    ],
)
def test_what_a_dataset_keeps_or_makes_on_cuda_is_found(dataset: str, what: str) -> None:
    assert put(f"{ITEM}DataLoader({dataset}, pin_memory=True)") == [what]


@pytest.mark.parametrize("dataset", ["Kept('cpu')", "Kept(print())", "TensorDataset(x)", "print(x.cuda())"])
def test_other_datasets_are_quiet(dataset: str) -> None:
    assert put(f"{ITEM}DataLoader({dataset}, pin_memory=True)") == []


@pytest.mark.parametrize("options", ["", "pin_memory=False", "pin_memory=True, collate_fn=len"])
def test_what_no_loader_pins_is_not_looked_at(options: str) -> None:
    assert put(f"{ITEM}DataLoader(Kept('cuda'), {options})") == []


def test_the_device_brings_its_assumptions() -> None:
    text = f"{ITEM}DataLoader(Kept('cuda' if torch.cuda.is_available() else 'cpu'), pin_memory=True)"
    (touch,) = loader_of(HEAD + text).payload.code.on_cuda
    assert touch.assumptions == {Assumption(CUDA, True)}
    (touch,) = loader_of(f"{HEAD}{ITEM}DataLoader(Kept('cuda'), pin_memory=True)").payload.code.on_cuda
    assert touch.assumptions == NO_ASSUMPTIONS
