"""Validation loaders that no program asks for."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, loaders_of

DATA = f"""{IMPORT}import pytorch_lightning as pl
class Data(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(1)
    def val_dataloader(self):
        return DataLoader(1)
"""
OFF = "trainer = pl.Trainer(limit_val_batches=0)\ntrainer.fit(net, Data())\n"

ASKED: dict[str, tuple[str, list[bool]]] = {
    "no trainer in sight": ("", [True, True]),
    "a trainer that validates": ("pl.Trainer().fit(net, Data())\n", [True, True]),
    "a trainer that validates nothing": (OFF, [True, False]),
    "none of a fraction": (OFF.replace("=0", "=0.0"), [True, False]),
    "another trainer that validates": (OFF + "pl.Trainer(max_epochs=2).fit(net, Data())\n", [True, True]),
    "a limit that was not seen": (OFF.replace("=0", "=limit"), [True, True]),
    "validated by itself": (OFF + "trainer.validate(net, Data())\n", [True, True]),
    "the hook called by hand": (OFF + "Data().val_dataloader()\n", [True, True]),
    "another library's trainer": (OFF.replace("pl.Trainer", "own.Trainer"), [True, True]),
}


@pytest.mark.parametrize(("program", "expected"), ASKED.values(), ids=ASKED.keys())
def test_whether_a_loader_is_asked_for(program: str, expected: list[bool]) -> None:
    assert [one.asked_for for one in loaders_of({"main.py": DATA + program})] == expected
