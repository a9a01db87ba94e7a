"""Methods that a library calls on an object it was handed, with something else it was handed."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, traced

CONFIG = """\
from coqpit import Coqpit
from dataclasses import dataclass

@dataclass
class Config(Coqpit):
    n: int = 8
"""
IMPORTS = "from trainer import Trainer, TrainerArgs\nfrom model import Model\nfrom config import Config\n"
PARAMETERS = "self, config, assets, is_eval, samples, verbose, num_gpus, rank=None"
TRAIN = "Trainer(TrainerArgs(), Config(n=⟦4⟧), 'out', model=Model()).fit()"
NOT_HANDED_ON = TRAIN.replace("⟦4⟧", "4")


def project(
    train: str, *, config: str = CONFIG, parameters: str = PARAMETERS, method: str = "get_data_loader", **more: str
) -> dict[str, str]:
    """A project that defines a model and its configuration, and trains it as ``train`` says; ``more`` are modules."""
    model = (
        f"from torch.utils.data import DataLoader\nclass Model:\n    def {method}({parameters}):\n"
        "        return DataLoader(samples, num_workers=config.n)\n"
    )
    modules = {f"{name}.py": text for name, text in more.items()}
    return {"model.py": model, "config.py": config, "train.py": IMPORTS + train, **modules}


# The command line of the library can lay anything over the configuration.
CALLED: Cases = {
    "the configuration's default, by name": (
        project(
            "Trainer(TrainerArgs(), config=Config(), output_path='out', model=Model()).fit()",
            config=CONFIG.replace("8", "⟦8⟧"),
        ),
        {"8", "open"},
    ),
    "what the program gives it, by position": (project(TRAIN), {"4", "open"}),
    "two programs": (project(TRAIN, other=IMPORTS + TRAIN.replace("4", "2")), {"4", "2", "open"}),
    "a model of a subclass": (
        project(
            "class Large(Model):\n    pass\n"
            "Trainer(TrainerArgs(), Config(n=⟦4⟧), 'out', None, None, Large(), parse_command_line_args=False)"
        ),
        {"4", "open"},
    ),
    "a configuration that went through a function": (
        project(
            "def prepared(config):\n    return Model(), config\nmodel, config = prepared(Config(n=⟦4⟧))\n"
            "Trainer(TrainerArgs(), config, 'out', model=model)"
        ),
        {"4", "open"},
    ),
    "a method for one phase, which is handed its arguments by position": (
        project(TRAIN, method="get_train_data_loader", parameters="self, config, assets, samples, *rest"),
        {"4", "open"},
    ),
}

NOT_CALLED: Cases = {
    "another model than the one that is trained": (
        project(f"class Other:\n    pass\nModel()\n{NOT_HANDED_ON.replace('Model()', 'Other()')}"),
        {"open"},
    ),
    "no model given": (project(NOT_HANDED_ON.replace("model=Model()", "get_model=Model")), {"open"}),
    "a subclass with a method of its own": (
        project(
            "class Large(Model):\n    def get_data_loader(self, **given):\n        return None\n"
            + NOT_HANDED_ON.replace("Model()", "Large()")
        ),
        {"open"},
    ),
    "a method that the library does not know": (project(NOT_HANDED_ON, method="make_data_loader"), {"open"}),
    "a method that cannot be called that way": (
        project(NOT_HANDED_ON, parameters="self, config, samples, workers"),
        {"open"},
    ),
    "another library's trainer": (
        project(f"from transformers import Trainer, TrainerArgs\n{NOT_HANDED_ON}"),
        {"open"},
    ),
    "a trainer of the project": (
        project(
            NOT_HANDED_ON,
            trainer="class TrainerArgs:\n    pass\nclass Trainer:\n    def __init__(self, *a, **b):\n        pass\n",
        ),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CALLED.values(), ids=CALLED)
def test_what_the_library_is_given_arrives_at_the_hook(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NOT_CALLED.values(), ids=NOT_CALLED)
def test_only_hooks_of_the_object_that_is_given_are_called(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


TRAINER = """
from detectron2.config import get_cfg
from detectron2.engine import DefaultTrainer
from torch.utils.data import DataLoader
class Trainer(DefaultTrainer):
    @classmethod
    def build_test_loader(cls, cfg, dataset_name):
        return DataLoader(dataset_name, num_workers=cfg.LOADER.WORKERS)
c = get_cfg()
c.merge_from_file('c.yaml')
"""
FILE = "LOADER:\n  WORKERS: ⟦4⟧\n"
UNREAD = FILE.replace("⟦4⟧", "4")
OWN_CONSTRUCTOR = TRAINER.replace(
    "    @classmethod\n", "    def __init__(self, args, cfg):\n        {}\n    @classmethod\n"
).replace("c = get_cfg()", "args = get_cfg()\nargs.LOADER.WORKERS = 0\nc = get_cfg()")

OF_BASES: Cases = {
    "where one is made": ({"main.py": f"{TRAINER}Trainer(c).train()\n", "c.yaml": FILE}, {"4", "open"}),
    "where its class tests": ({"main.py": f"{TRAINER}Trainer.test(c, model)\n", "c.yaml": FILE}, {"4", "open"}),
    "where its own constructor hands it on": (
        {
            "main.py": OWN_CONSTRUCTOR.format("super().__init__(cfg)") + "Trainer(args, c).train()\n",
            "c.yaml": FILE,
        },
        {"4", "open"},
    ),
    "where its own constructor hands nothing on": (
        {
            "main.py": OWN_CONSTRUCTOR.format("self.cfg = cfg") + "Trainer(args, c).train()\n",
            "c.yaml": UNREAD,
        },
        {"open"},
    ),
    "where an heir of it is made": (
        {
            "main.py": f"{TRAINER}class Other(DefaultTrainer):\n    pass\nOther(c).train()\nTrainer(cfg=c)\n",
            "c.yaml": FILE,
        },
        {"4", "open"},
    ),
    "where another heir is made": (
        {"main.py": f"{TRAINER}class Other(DefaultTrainer):\n    pass\nOther(c).train()\n", "c.yaml": UNREAD},
        {"open"},
    ),
    "where a class by that name of another library is made": (
        {
            "main.py": f"{TRAINER.replace('detectron2.engine', 'elsewhere')}Trainer(c).train()\n",
            "c.yaml": UNREAD,
        },
        {"open"},
    ),
}


@pytest.mark.parametrize("case", OF_BASES)
def test_what_a_class_of_a_library_calls_of_its_heirs_is_called_where_they_are_made(case: str) -> None:
    files, expected = OF_BASES[case]
    assert traced(files) == expected
