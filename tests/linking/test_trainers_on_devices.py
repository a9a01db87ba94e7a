"""Lightning's trainers that train on several devices of CUDA: their group is made by NCCL, which Linux alone has."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

MODULE = """
import pytorch_lightning as pl
from own import args, data
from pytorch_lightning.strategies import DDPStrategy, FSDPStrategy, SingleDeviceStrategy
from torch.utils.data import DataLoader
class Model(pl.LightningModule):
    def train_dataloader(self):
        return DataLoader(data, num_workers=⟦2⟧)
    def val_dataloader(self):
        return self.train_dataloader()
def main():
    trainer = pl.Trainer(⟨given⟩)
    trainer.fit(Model())
if __name__ == '__main__':
    main()
"""

BY_NCCL = {
    "DDP on GPUs": "accelerator='gpu', strategy='ddp'",
    "DDP on CUDA": "accelerator='cuda', strategy='ddp_find_unused_parameters_true', devices=2",
    "FSDP": "accelerator='gpu', strategy='fsdp'",
    "a strategy that is made": "accelerator='gpu', strategy=DDPStrategy(find_unused_parameters=False)",
    "on all GPUs, as before 2.0": "gpus=-1, strategy=DDPStrategy()",
    "on two GPUs, as before 2.0": "gpus=2, strategy='ddp'",
}
ELSEWHERE = {
    "nothing said": "",
    "the accelerator alone": "accelerator='gpu'",
    "the strategy alone": "strategy='ddp'",
    "DDP on the CPU": "accelerator='cpu', strategy='ddp'",
    "DDP on whatever there is": "accelerator='auto', strategy='ddp'",
    "DDP on what the user names": "accelerator=args.accelerator, strategy='ddp'",
    "what the user names on GPUs": "accelerator='gpu', strategy=args.strategy",
    "a strategy with a backend of its own": "accelerator='gpu', strategy=DDPStrategy(process_group_backend='gloo')",
    "a strategy that may have one": "accelerator='gpu', strategy=DDPStrategy(**args.options)",
    "one by position": "accelerator='gpu', strategy=DDPStrategy('gpu', args.devices)",
    "another strategy": "accelerator='gpu', strategy=SingleDeviceStrategy()",
    "no GPU": "gpus=0, strategy='ddp'",
    "DDP on one way alone": "accelerator='gpu', strategy='ddp' if args.many else 'auto'",
}


def _trained(given: str) -> set[str]:
    return traced({"main.py": MODULE.replace("⟨given⟩", given)})


@pytest.mark.parametrize("given", BY_NCCL.values(), ids=list(BY_NCCL))
def test_such_a_trainer_asks_for_loaders_on_linux_alone(given: str) -> None:
    assert _trained(given) == {"2 on linux"}


@pytest.mark.parametrize("given", ELSEWHERE.values(), ids=list(ELSEWHERE))
def test_other_trainers_ask_for_them_everywhere(given: str) -> None:
    assert _trained(given) == {"2"}


def test_another_trainer_beside_it_asks_for_them_everywhere() -> None:
    text = MODULE.replace("⟨given⟩", "accelerator='gpu', strategy='ddp'")
    assert traced({"main.py": text, "check.py": "import main\nmain.pl.Trainer().validate(main.Model())\n"}) == {"2"}


def test_a_trainer_of_ones_own_is_none_of_lightnings() -> None:
    text = MODULE.replace("⟨given⟩", "accelerator='gpu', strategy='ddp'").replace("pl.Trainer", "Trainer")
    assert traced({"main.py": text.replace("import args", "import args, Trainer")}) == {"2"}
