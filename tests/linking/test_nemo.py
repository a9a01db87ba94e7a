from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

MODEL = f"""{IMPORT}from nemo.core.classes import ModelPT
class Recognizer(ModelPT):
    def __init__(self, cfg, trainer=None):
        super().__init__(cfg=cfg, trainer=trainer)
    def setup_training_data(self, train_data_config):
        self._train_dl = self._setup_dataloader_from_config(config=train_data_config)
    def _setup_dataloader_from_config(self, config):
        return DataLoader(1, OPTIONS)
"""
GET = "num_workers=config.get('num_workers', 0)"
SPLAT = "**config.dataloader_params"
PROGRAM = """from model import Recognizer
from nemo.core.config import hydra_runner
@hydra_runner(config_path='conf', config_name='asr')
def main(cfg):
    model = Recognizer(cfg=cfg.model)
    model.setup_training_data(cfg.model.train_ds)
if __name__ == '__main__':
    main()
"""


def project(options: str, configuration: str) -> dict[str, str]:
    return {"model.py": MODEL.replace("OPTIONS", options), "train.py": PROGRAM, "conf/asr.yaml": configuration}


CASES: Cases = {
    "train_ds": (project(GET, "model:\n  train_ds:\n    num_workers: ⟦4⟧\n"), {"4", "open"}),
    "train_ds without the key": (
        project(GET.replace("0", "⟦0⟧"), "model:\n  train_ds:\n    batch_size: 4\n"),
        {"0"},
    ),
    "dataloader_params": (
        project(SPLAT, "model:\n  train_ds:\n    dataloader_params:\n      num_workers: ⟦4⟧\n"),
        {"4", "open"},
    ),
    "an interpolation": (project(GET, "n: ⟦4⟧\nmodel:\n  train_ds:\n    num_workers: ${n}\n"), {"4", "open"}),
    "another split": (
        project(GET, "model:\n  train_ds:\n    num_workers: ⟦4⟧\n  validation_ds:\n    workers: 8\n"),
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_the_settings_of_a_nemo_model(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
