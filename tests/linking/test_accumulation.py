from __future__ import annotations

import pytest

from loaderlint.model.loader import Loader
from tests.linking.traced import loader_of

IMPORTS = """
import argparse
import pytorch_lightning as pl
from accelerate import Accelerator
from transformers import TrainingArguments
"""
TRAINING = "train_loader = DataLoader(data, batch_size=4, num_workers=0)\n"


def loader(text: str) -> Loader:
    return loader_of(IMPORTS + text)


SEEN = {
    "an accelerator": f"accelerator = Accelerator(gradient_accumulation_steps=8)\n{TRAINING}",
    "Lightning's trainer": f"trainer = pl.Trainer(accumulate_grad_batches=8)\n{TRAINING}",
    "a constant": f"STEPS = 8\naccelerator = Accelerator(gradient_accumulation_steps=STEPS)\n{TRAINING}",
    "a function's default": f"def main(steps=8):\n    Accelerator(gradient_accumulation_steps=steps)\n{TRAINING}",
    "a flag's default": (
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--steps', type=int, default=8)\n"
        f"Accelerator(gradient_accumulation_steps=parser.parse_args().steps)\n{TRAINING}"
    ),
    "training arguments": "TrainingArguments('out', gradient_accumulation_steps=8)\n",
    "training arguments from a mapping": (
        "settings = {'gradient_accumulation_steps': 8}\nTrainingArguments('out', **settings)\n"
    ),
}


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN.keys())
def test_what_is_accumulated(text: str) -> None:
    assert [one.constant for one in loader(text).accumulation.known] == [8]


UNSEEN = {
    "nothing": TRAINING,
    "a trainer that is not told": f"trainer = pl.Trainer(max_epochs=8)\n{TRAINING}",
    "several trainers": f"pl.Trainer(max_epochs=1)\npl.Trainer(accumulate_grad_batches=8)\n{TRAINING}",
    "a trainer of one's own": (f"class Trainer:\n    pass\ntrainer = Trainer(accumulate_grad_batches=8)\n{TRAINING}"),
    "another option": f"accelerator = Accelerator(accumulate_grad_batches=8)\n{TRAINING}",
    "something unseen": f"accelerator = Accelerator(gradient_accumulation_steps=steps())\n{TRAINING}",
    "validation": (
        "Accelerator(gradient_accumulation_steps=8)\nval_loader = DataLoader(data, batch_size=4, num_workers=0)\n"
    ),
    "training arguments that are not told": "TrainingArguments('out', dataloader_num_workers=0)\n",
    "an argument that is no loader option of torch's": (
        "train_loader = DataLoader(data, gradient_accumulation_steps=8)\n"
    ),
}


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN.keys())
def test_what_is_not_accumulated(text: str) -> None:
    assert loader(text).accumulation.known == ()


def test_another_file_of_the_program_makes_the_trainer() -> None:
    project = {
        "data.py": f"from torch.utils.data import DataLoader\n\n\ndef make():\n    return {TRAINING[15:]}",
        "train.py": (
            "from accelerate import Accelerator\nfrom data import make\n"
            "accelerator = Accelerator(gradient_accumulation_steps=8)\n"
            "for batch in make():\n    accelerator.backward(batch)\n"
        ),
    }
    assert [one.constant for one in loader_of(project).accumulation.known] == [8]


def test_a_mapping_of_training_arguments() -> None:
    project = {"train.yaml": "gradient_accumulation_steps: 8\ndataloader_num_workers: 0\nlearning_rate: 0.1\n"}
    assert [one.constant for one in loader_of(project).accumulation.known] == [8]
