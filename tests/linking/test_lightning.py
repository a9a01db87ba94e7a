from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, met, traced

DATA = f"""{IMPORT}from pytorch_lightning.cli import LightningCLI
class Data:
    def __init__(self, num_workers=0, prefetch_factor=None):
        self.save_hyperparameters()
    def train_dataloader(self):
        return DataLoader(1, num_workers=self.hparams.num_workers, prefetch_factor=self.hparams.prefetch_factor)
class Net:
    def __init__(self, width=8):
        pass
"""
DEFAULT = "0 at main.py:4:36"
"""The worker count of the constructor above, for those who give no file, or one of their own that says nothing."""
MODEL = f"""{IMPORT}from lightning.pytorch.cli import LightningCLI
class Data:
    def __init__(self, workers=4):
        pass
class Net:
    def __init__(self, num_workers=0):
        self.num_workers = num_workers
    def train_dataloader(self):
        return DataLoader(1, num_workers=self.num_workers)
class CLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        LINK
CLI(Net, Data)
"""


NETS = f"""{DATA.replace("num_workers=0", "workers=⟦0⟧").replace("hparams.num_workers", "hparams.workers")}class Deep:
    def __init__(self, width=8):
        pass
class Wide(Deep):
    pass
class Flat:
    def __init__(self, width=8):
        pass
class Model:
    def __init__(self, net: Deep | None, lr: float = 0.1):
        pass
LightningCLI(Model, Data)
"""
NAMED = "model:\n  net:\n    class_path: main.CLASS\n    init_args: {width: 2}\n"


def linked(link: str) -> str:
    return MODEL.replace("LINK", link)


CASES: Cases = {
    "by position": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "data:\n  num_workers: ⟦4⟧\n"},
        {"4", DEFAULT, "open"},
    ),
    "by keyword": (
        {
            "main.py": f"{DATA}LightningCLI(datamodule_class=Data, model_class=Net)\n",
            "c.yaml": "model:\n  width: 2\ndata:\n  num_workers: ⟦4⟧\n",
        },
        {"4", DEFAULT, "open"},
    ),
    "one file for each experiment": (
        {
            "main.py": f"{DATA}LightningCLI(Net, Data)\n",
            "a/c.yaml": "data:\n  num_workers: ⟦4⟧\n",
            "b/c.yaml": "data:\n  num_workers: ⟦2⟧\n",
        },
        {"4", "2", DEFAULT, "open"},
    ),
    "a file that leaves the key out": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "model:\n  width: 2\n"},
        {DEFAULT, "open"},
    ),
    "no file at all": ({"main.py": f"{DATA}LightningCLI(Net, Data)\n"}, {DEFAULT, "open"}),
    "under a subcommand": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "fit:\n  data:\n    num_workers: ⟦4⟧\n"},
        {"4", DEFAULT, "open"},
    ),
    "a subclass of the command line": (
        {
            "main.py": f"{DATA}class CLI(LightningCLI):\n    pass\nCLI(Net, Data)\n",
            "c.yaml": "data:\n  num_workers: ⟦4⟧\n",
        },
        {"4", DEFAULT, "open"},
    ),
    "the parser's defaults": (
        {
            "main.py": f"{DATA}class CLI(LightningCLI):\n    def add_arguments_to_parser(self, parser):\n"
            "        parser.set_defaults({'data.num_workers': ⟦2⟧})\nCLI(Net, Data)\n"
        },
        {"2", "open"},
    ),
    "the parser's defaults under a file": (
        {
            "main.py": f"{DATA}class CLI(LightningCLI):\n    def add_arguments_to_parser(self, parser):\n"
            "        parser.set_defaults({'data.num_workers': ⟦2⟧})\nCLI(Net, Data)\n",
            "c.yaml": "data:\n  num_workers: ⟦4⟧\n",
        },
        {"4", "2", "open"},
    ),
    "a file that is always read": (
        {
            "main.py": f"{DATA}LightningCLI(Net, Data, parser_kwargs={{'default_config_files': ['base.yaml']}})\n",
            "base.yaml": "data:\n  num_workers: ⟦4⟧\n",
            "c.yaml": "data:\n  prefetch_factor: 2\n",
        },
        {"4", "open"},
    ),
    "a linked setting": (
        {
            "main.py": linked("parser.link_arguments('data.workers', 'model.num_workers')"),
            "c.yaml": "data:\n  workers: ⟦3⟧\nmodel:\n  num_workers: 8\n",
        },
        {"3", "4 at main.py:4:32", "open"},
    ),
    "a linked setting that its source leaves out": (
        {"main.py": linked("parser.link_arguments('data.workers', 'model.num_workers')")},
        {"4 at main.py:4:32", "open"},
    ),
    "a linked setting that is worked out": (
        {
            "main.py": linked("parser.link_arguments('data.workers', 'model.num_workers', compute_fn=lambda n: n * 2)"),
            "c.yaml": "data:\n  workers: 3\n",
        },
        {"6 at main.py:13:89", "8 at main.py:13:89", "open"},
    ),
    # And what does not arrive.
    "a setting linked to an object": (
        {
            "main.py": linked("parser.link_arguments('data.workers', 'model.num_workers', apply_on='instantiate')"),
            "c.yaml": "data:\n  workers: 3\n",
        },
        {"open"},
    ),
    "defaults under a condition": (
        {
            "main.py": f"{DATA}class CLI(LightningCLI):\n    def add_arguments_to_parser(self, parser):\n"
            "        if flag():\n            parser.set_defaults({'data.num_workers': 2})\nCLI(Net, Data)\n"
        },
        {"open"},
    ),
    "a file with a key that is no parameter": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "data:\n  num_workers: 4\n  size: 2\n"},
        {DEFAULT, "open", "4 at c.yaml:2:16"},
    ),
    "a file with a key of another program": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "services:\n  a: 1\ndata:\n  num_workers: 4\n"},
        {DEFAULT, "open", "4 at c.yaml:4:16"},
    ),
    "a file for another model": (
        {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "model:\n  depth: 1\ndata:\n  num_workers: 4\n"},
        {DEFAULT, "open", "4 at c.yaml:4:16"},
    ),
    "a file that names the class of an argument, which the constructor is annotated with": (
        {"main.py": NETS, "c.yaml": f"{NAMED.replace('CLASS', 'Wide')}data:\n  workers: ⟦4⟧\n"},
        {"4", "0", "open"},
    ),
    "a file that names another class than the constructor is annotated with": (
        {"main.py": NETS, "c.yaml": f"{NAMED.replace('CLASS', 'Flat')}data:\n  workers: 4\n"},
        {"0", "open"},
    ),
    "a file that gives the class of an argument what it does not take": (
        {
            "main.py": NETS,
            "c.yaml": f"{NAMED.replace('CLASS', 'Wide').replace('width', 'depth')}data:\n  workers: 4\n",
        },
        {"0", "open"},
    ),
    "a file that names a class from outside the project": (
        {"main.py": NETS, "c.yaml": f"{NAMED.replace('main.CLASS', 'timm.Net')}data:\n  workers: ⟦4⟧\n"},
        {"4", "0", "open"},
    ),
    "arguments that the program gives": (
        {
            "main.py": f"{DATA}LightningCLI(Net, Data, args=['--config', 'x.yaml'])\n",
            "c.yaml": "data:\n  prefetch_factor: 4\n",
        },
        {"open"},
    ),
    "a command line with a constructor of its own": (
        {
            "main.py": f"{DATA}class CLI(LightningCLI):\n    def __init__(self, *args):\n"
            "        super().__init__(*args)\nCLI(Net, Data)\n",
            "c.yaml": "data:\n  prefetch_factor: 4\n",
        },
        {DEFAULT, "open"},
    ),
    "subclass mode": (
        {
            "main.py": f"{DATA}LightningCLI(Net, Data, subclass_mode_data=True)\n",
            "c.yaml": "data:\n  class_path: main.Data\n  init_args:\n    num_workers: ⟦4⟧\n",
        },
        {"4"},
    ),
    "subclass mode without arguments": (
        {"main.py": f"{DATA}LightningCLI(Net)\n", "c.yaml": "data:\n  class_path: Data\n"},
        {DEFAULT},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_the_settings_that_a_command_line_of_classes_hands_over(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_keys_of_two_files_never_meet() -> None:
    files = {
        "main.py": f"{DATA}LightningCLI(Net, Data)\n",
        "a.yaml": "data:\n  num_workers: 4\n  prefetch_factor: 8\n",
        "b.yaml": "data:\n  num_workers: 2\n",
    }
    assert met(files) == {("4", "8"), ("2", "None"), ("0", "None")}


def test_a_setting_can_be_taken_away_where_the_constructor_does_as_torch_does() -> None:
    files = {"main.py": f"{DATA}LightningCLI(Net, Data)\n", "c.yaml": "data:\n  num_workers: 4\n"}
    (workers,) = (one for one in loader_of(files).num_workers.candidates if one.constant == 4)
    assert workers.entry is not None
    assert [step.note for step in workers.trail][:2] == ["LightningCLI: data.num_workers", "Data(num_workers=…)"]
