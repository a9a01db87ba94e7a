"""Parameters annotated as a dataclass of settings: its defaults may be what a caller that is not seen gives."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

SETTINGS = """
from dataclasses import dataclass, field
@dataclass
class Data:
    num_workers: int = field(default=⟦1⟧)
@dataclass
class Config:
    data: Data = Data()
class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
    def loader(self):
        return DataLoader(1, num_workers=self.cfg.data.num_workers)
def main(cfg: Config):
    Trainer(cfg).loader()
"""
UNMARKED = SETTINGS.replace("⟦1⟧", "1")

PROMISED: Cases = {
    "what a library composes": (f"import hydra\n{SETTINGS}main(hydra.compose('config'))\n", {"1", "open"}),
    "what a function hands on that was handed it": (
        f"import library\n{SETTINGS}def call(run):\n    run(library.settings())\ncall(main)\n",
        {"1", "open"},
    ),
    "what the project makes itself": (f"{UNMARKED}main(Config(data=Data(num_workers=⟦3⟧)))\n", {"3"}),
    "a class that is no dataclass": (
        f"import library\n{UNMARKED.replace('@dataclass', '@library.kept')}main(library.settings())\n",
        {"open"},
    ),
    "an annotation that joins types": (
        f"import library\n{UNMARKED.replace(': Config', ': Config | dict')}main(library.settings())\n",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PROMISED.values(), ids=PROMISED.keys())
def test_an_annotation_promises_the_defaults_of_a_dataclass(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
