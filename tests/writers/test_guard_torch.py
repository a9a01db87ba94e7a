"""Scripts as people write them, run with real torch and spawned workers: they fail, are guarded, and deliver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import libcst as cst
import pytest

from loaderlint.model.imported import NOWHERE
from loaderlint.writers.python.guard import guard
from loaderlint.writers.python.hoist import hoist
from loaderlint.writers.python.places import nodes

DEADLINE = 180.0
"""Seconds until a script counts as hung; each takes about 10 on two idle cores."""

DIGITS = '''
"""Classify digits (made up here, so that nothing is fetched)."""
from __future__ import print_function
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

# Training settings
parser = argparse.ArgumentParser(description="digits")
parser.add_argument("--batch-size", type=int, default=4, metavar="N",
                    help="input batch size")
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()
use_cuda = torch.cuda.is_available()

torch.manual_seed(1)
device = torch.device("cuda" if use_cuda else "cpu")
kwargs = {"num_workers": 1, "multiprocessing_context": "spawn"}
train_loader = DataLoader(TensorDataset(torch.rand(8, 4), torch.arange(8) % 2),
                          batch_size=args.batch_size, shuffle=True, **kwargs)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return F.log_softmax(self.fc(x), dim=1)


model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(epoch):
    global delivered
    model.train()
    for data, target in train_loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(data.to(device)), target.to(device))
        loss.backward()
        optimizer.step()
        delivered += 1


delivered = 0
for epoch in range(1, args.epochs + 1):
    train(epoch)
print("delivered", delivered)
'''

CROPS = """
import os
from multiprocessing import set_start_method
import torch
from torch.utils.data import DataLoader, Dataset
set_start_method("spawn")
MEAN = torch.tensor([0.5, 0.5]).view(2, 1)
SIZE = int(os.environ.get("CROP", 3))

class Crops(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return crop(torch.full((2, 8), float(index)))

def crop(image):
    return (image - MEAN)[:, :SIZE]

def stack(rows):
    return torch.stack(rows)

loader = DataLoader(Crops(), batch_size=2, num_workers=2, collate_fn=stack)
it = iter(loader); first = next(it)
print("delivered", 1 + sum(1 for _ in it))
"""

NOTEBOOK = """
#!/usr/bin/env python
# coding: utf-8

# In[1]:


import torch
from torch.utils.data import DataLoader, Dataset


# In[2]:


print(torch.__version__)
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.tensor([index])


# In[3]:


loader = DataLoader(Rows(), num_workers=1, multiprocessing_context="spawn", collate_fn=lambda rows: torch.cat(rows))
for batch in loader:
    batch


# In[4]:


print("delivered", len(loader))
"""

FAILURES = ("bootstrapping phase", "context has already been set", "Can't pickle", "Can't get local object")

SCRIPTS = {"digits": (DIGITS, "for epoch"), "crops": (CROPS, "it ="), "notebook": (NOTEBOOK, "for batch")}


def run(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script.name], cwd=script.parent, capture_output=True, text=True, timeout=DEADLINE, check=False
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_fails_with_spawned_workers_until_it_is_guarded(name: str, tmp_path: Path) -> None:
    code, iterating = dedent(SCRIPTS[name][0]).lstrip("\n"), SCRIPTS[name][1]
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    module = cst.parse_module(code)
    for one in [one for one in nodes(module) if isinstance(one, cst.Lambda)]:
        module, unsafe = hoist(module, one)
        assert unsafe == ""
    failed = run(script)
    assert failed.returncode != 0
    assert any(text in failed.stderr for text in FAILURES), failed.stderr

    starts = [index for index, one in enumerate(module.body) if iterating in module.code_for_node(one)]
    new, unsafe = guard(module, starts, NOWHERE)
    assert unsafe == ""
    script.write_bytes(new.bytes)
    delivered = run(script)
    assert delivered.returncode == 0, delivered.stderr
    assert "delivered" in delivered.stdout.splitlines()[-1]
    # A worker that ran the script again would have printed, too.
    assert delivered.stdout.count("delivered") == 1
