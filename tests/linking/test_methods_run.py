"""Objects of which it is seen what runs on them: a method holds the values of those it runs on."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, Files, traced

DATA = """
class Data:
    def __init__(self, workers):
        self.workers = workers
    def train(self):
        return DataLoader(data, num_workers=self.workers)
    def both(self):
        return self.train(), self.test()
    def test(self):
        return len(data)
"""
TRAINED = DATA + "Data(⟦1⟧).train()\n"
CALLED = DATA.replace("def train(self)", "def __call__(self, rows)") + "Data(⟦1⟧)([])\n"
CALLS_ITSELF = CALLED.replace("def both(self):", "def again(self):\n        return self([])\n    def both(self):")


def in_function(statements: str, of: str = TRAINED) -> str:
    """A project in which one object is trained, and a function does something else."""
    body = "".join(f"    {one}\n" for one in statements.splitlines())
    return f"{of}def other():\n{body}other()\n"


ONE_OF_TWO: Cases = {
    "a call of another method on what is made": (TRAINED + "Data(2).test()\n", {"1"}),
    "a call of another method on a name": (in_function("data = Data(2)\ndata.test()"), {"1"}),
    "an attribute that is read": (in_function("print(Data(2).workers)"), {"1"}),
    "nothing is done with it": (in_function("data = Data(2)"), {"1"}),
    "a name of the main module alone": (
        TRAINED + "if __name__ == '__main__':\n    kept = Data(2)\n    kept.test()\n",
        {"1"},
    ),
    "one of two that go by one name": (
        in_function(
            "if big:\n    data = Data(2)\nelse:\n    data = Data(3)\nassert isinstance(data, Data)\ndata.test()"
        ),
        {"1"},
    ),
    "it is asked for an attribute by name": (in_function("data = Data(2)\ngetattr(data, 'test')()"), {"1"}),
    "what is set on it from outside": (in_function("data = Data(2)\ndata.workers = 3\ndata.test()"), {"1"}),
    "an object of a class below": (
        TRAINED + "class More(Data):\n    def __init__(self):\n        super().__init__(2)\nMore().test()\n",
        {"1"},
    ),
    "an attribute of a class below": (
        "class Data:\n    workers = 4\n    def train(self):\n        DataLoader(data, num_workers=self.workers)\n"
        "    def test(self):\n        pass\n"
        "class One(Data):\n    workers = ⟦1⟧\nclass Two(Data):\n    workers = 2\nOne().train()\nTwo().test()\n",
        {"1"},
    ),
    "the fields of a dataclass": (
        "from dataclasses import dataclass\n@dataclass\n"
        + DATA.replace(
            "    def __init__(self, workers):\n        self.workers = workers\n", "    workers: int\n"
        ).lstrip()
        + "Data(⟦1⟧).train()\nData(2).test()\n",
        {"1"},
    ),
    "a method that is called on something unseen alone": (
        DATA + "import elsewhere\nData(2).test()\nelsewhere.made(Data).train()\n",
        {"open"},
    ),
    "nobody calls it": (CALLED + "Data(2)\n", {"1"}),
    "nobody calls what a name stands for": (in_function("data = Data(2)\ndata.test()", CALLED), {"1"}),
    "another method is put in the place of one": (
        in_function("data = Data(2)\ndata.train = data.test\ndata.train()"),
        {"1"},
    ),
}

EACH: Cases = {
    "where nobody calls the method": (DATA + "Data(⟦1⟧).test()\nData(⟦2⟧).test()\n", {"1", "2"}),
    "where the method is called on something else alone": (
        DATA + "class Other:\n    def train(self):\n        pass\nData(⟦1⟧).test()\nOther().train()\n",
        {"1"},
    ),
    "both are called": (CALLED + "Data(⟦2⟧)([])\n", {"1", "2"}),
    "what a name stands for is called": (in_function("data = Data(⟦2⟧)\ndata([])", CALLED), {"1", "2"}),
    "another method calls it": (in_function("data = Data(⟦2⟧)\ndata.again()", CALLS_ITSELF), {"1", "2"}),
    "another method asks for the method that a call runs": (
        in_function("data = Data(⟦2⟧)\ndata.again()", CALLS_ITSELF.replace("self(", "self.__call__(")),
        {"1", "2"},
    ),
    "another method that a call runs": (
        TRAINED + "class Called(Data):\n    def __call__(self):\n        self.train()\nCalled(⟦2⟧)()\n",
        {"1", "2"},
    ),
    "both are trained": (TRAINED + "Data(⟦2⟧).train()\n", {"1", "2"}),
    "by another method": (TRAINED + "Data(⟦2⟧).both()\n", {"1", "2"}),
    "by the constructor": (
        TRAINED.replace("= workers\n", "= workers\n        self.train()\n") + "Data(⟦2⟧).test()\n",
        {"1", "2"},
    ),
    "by one that a class below adds": (
        TRAINED + "class More(Data):\n    def test(self):\n        super().train()\nMore(⟦2⟧).test()\n",
        {"1", "2"},
    ),
    "by a property": (
        TRAINED.replace("    def both", "    @property\n    def both") + "Data(⟦2⟧).both\n",
        {"1", "2"},
    ),
    "by what sets a property": (
        DATA + "    @property\n    def size(self):\n        return 1\n    @size.setter\n    def size(self, new):\n"
        "        self.train()\nData(⟦1⟧).train()\ndef other():\n    data = Data(⟦2⟧)\n    data.size = 3\nother()\n",
        {"1", "2"},
    ),
    "by a method of another name in the class": (
        DATA + "    check = train\nData(⟦1⟧).train()\nData(⟦2⟧).check()\n",
        {"1", "2"},
    ),
    "by a function that is set on the class": (
        in_function(
            "data = Data(⟦2⟧)\ndata.test()", TRAINED + "def check(data):\n    data.train()\nData.test = check\n"
        ),
        {"1", "2"},
    ),
    "by what a decorator makes of another method": (
        "def training(method):\n    def around(self):\n        return self.train(), method(self)\n    return around\n"
        + TRAINED.replace("    def test", "    @training\n    def test")
        + "Data(⟦2⟧).test()\n",
        {"1", "2"},
    ),
    "a method that is handed on": (in_function("data = Data(⟦2⟧)\nrun(data.train)"), {"1", "2"}),
    "it is handed on": (in_function("data = Data(⟦2⟧)\nrun(data)"), {"1", "2"}),
    "what makes it keeps it": (
        "def run(kind):\n    kind(⟦2⟧).train()\n" + TRAINED + "run(Data)\n",
        {"1", "2"},
    ),
    "a call makes it and keeps it": (
        in_function("partial(Data, ⟦2⟧)().train()", "from functools import partial\n" + TRAINED),
        {"1", "2"},
    ),
    "it is returned": (in_function("return Data(⟦2⟧)"), {"1", "2"}),
    "it is kept": (in_function("data = Data(⟦2⟧)\nkept.append(data)"), {"1", "2"}),
    "its constructor hands it on": (
        TRAINED.replace("= workers\n", "= workers\n        kept.append(self)\n") + "Data(⟦2⟧).test()\n",
        {"1", "2"},
    ),
    "a method that runs on it hands it on": (
        TRAINED.replace("len(data)", "run(self)") + "Data(⟦2⟧).test()\n",
        {"1", "2"},
    ),
    "it is asked for an attribute by what another says": (
        in_function("data = Data(⟦2⟧)\ngetattr(data, name)()"),
        {"1", "2"},
    ),
    "a name that others may import": (TRAINED + "kept = Data(⟦2⟧)\nkept.test()\n", {"1", "2"}),
    "a name of the whole file": (
        in_function("global kept\nkept = Data(⟦2⟧)\nkept.test()"),
        {"1", "2"},
    ),
    "names that are looked up": (in_function("data = Data(⟦2⟧)\nlocals()['data'].train()"), {"1", "2"}),
    "a library's class that may call any method": (
        "from threading import Thread\n" + TRAINED.replace("Data:", "Data(Thread):") + "Data(⟦2⟧).start()\n",
        {"1", "2"},
    ),
    "none of them is trained": (DATA + "Data(⟦1⟧).test()\nData(⟦2⟧).test()\n", {"1", "2"}),
    "a method is put in the place of one later": (
        in_function("data = Data(⟦2⟧)\ndata.train()\ndata.train = data.test"),
        {"1", "2"},
    ),
    "a method is put in the place of one sometimes": (
        in_function("data = Data(⟦2⟧)\nif small:\n    data.train = data.test\ndata.train()"),
        {"1", "2"},
    ),
    "a method is put in the place of one, or an error is handled": (
        in_function("try:\n    data = Data(⟦2⟧)\n    data.train = data.test\nexcept Error:\n    pass\ndata.train()"),
        {"1", "2"},
    ),
    "a method is put in the place of one unless a loop is left": (
        in_function(
            "for one in some:\n    data = Data(⟦2⟧)\n    if one:\n        break\n    data.train = print\ndata.train()"
        ),
        {"1", "2"},
    ),
    "around the one in whose place it is put": (
        in_function("data = Data(⟦2⟧)\ndata.train = lambda: [*data.train()]\ndata.train()"),
        {"1", "2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), [*ONE_OF_TWO.values(), *EACH.values()], ids=[*ONE_OF_TWO, *EACH])
def test_a_method_runs_on_the_objects_it_is_called_on(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


LOADED = DATA + "def load():\n    data = Data({})\n    data.workers = ⟦1⟧\n    data.{}()\nload()\n"
SET_SINCE: Cases = {
    "before the method runs": (LOADED.format("4", "train"), {"1"}),
    "of one of two objects": (LOADED.format("4", "train") + "Data(⟦2⟧).train()\n", {"1", "2"}),
    "before another method calls it": (LOADED.format("4", "both"), {"1"}),
    "after the method ran": (
        LOADED.format("⟦4⟧", "train").replace("    data.workers", "    data.train()\n    data.workers"),
        {"1", "4"},
    ),
    "after the constructor called the method": (
        LOADED.format("⟦4⟧", "train").replace("= workers\n", "= workers\n        self.train()\n"),
        {"1", "4"},
    ),
    "and another method gives it the first again": (
        LOADED.format("⟦4⟧", "train").replace(
            "= workers\n", "= self.kept = workers\n    def again(self):\n        self.workers = self.kept\n"
        ),
        {"1", "4"},
    ),
    "sometimes": (
        LOADED.format("⟦4⟧", "train").replace("    data.workers", "    if small:\n        data.workers"),
        {"1", "4"},
    ),
    "of an object that others have": (
        LOADED.format("⟦4⟧", "train").replace("    data.workers", "    run(data)\n    data.workers"),
        {"1", "4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SET_SINCE.values(), ids=SET_SINCE.keys())
def test_an_attribute_that_is_set_first_is_not_what_the_constructor_gave_it(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


MODULE = """
from lightning import LightningDataModule, Trainer
class Data(LightningDataModule):
    def __init__(self, workers):
        super().__init__()
        self.workers = workers
    def test_dataloader(self):
        return DataLoader(data, num_workers=self.workers)
    def another(self):
        return []
def one():
    Trainer().test(model, datamodule=Data(⟦1⟧))
def two():
"""


def given_to_trainer(statements: str, **more: str) -> dict[str, str]:
    """A data module whose loader one trainer asks for, and what another does; ``more`` are further modules."""
    body = "".join(f"    {one}\n" for one in statements.splitlines())
    imports = "".join(f"import {name}\n" for name in more)
    files = {"main.py": f"{imports}{IMPORT}{MODULE}{body}one()\ntwo()\n"}
    return files | {f"{name}.py": text for name, text in more.items()}


GIVEN_TO_TRAINERS: Cases = {
    "it only fits": (given_to_trainer("Trainer().fit(model, Data(2))"), {"1"}),
    "it only fits, by names": (
        given_to_trainer("data = Data(2)\ntrainer = Trainer(devices=1)\ntrainer.fit(model, datamodule=data)"),
        {"1"},
    ),
    "it tests": (given_to_trainer("Trainer().test(model, datamodule=Data(⟦2⟧))"), {"1", "2"}),
    "it tests what it was given to fit": (
        given_to_trainer("trainer = Trainer()\ntrainer.fit(model, datamodule=Data(⟦2⟧))\ntrainer.test()"),
        {"1", "2"},
    ),
    "others have the trainer": (
        given_to_trainer("trainer = Trainer()\ntrainer.fit(model, datamodule=Data(⟦2⟧))\nfinish(trainer)"),
        {"1", "2"},
    ),
    "what trains it is not seen": (given_to_trainer("make().fit(model, datamodule=Data(⟦2⟧))"), {"1", "2"}),
    "a callback asks for it": (
        given_to_trainer(
            "Trainer().fit(model, datamodule=Data(⟦2⟧))",
            callback="class Callback:\n    def on_fit_end(self, trainer, model):\n"
            "        trainer.datamodule.test_dataloader()\n",
        ),
        {"1", "2"},
    ),
    "a callback hands it on": (
        given_to_trainer(
            "Trainer().fit(model, datamodule=Data(⟦2⟧))",
            callback="class Callback:\n    def on_fit_end(self, trainer, model):\n        run(trainer.datamodule)\n",
        ),
        {"1", "2"},
    ),
    "an entry of settings is handed on": (
        given_to_trainer(
            "Trainer().fit(model, datamodule=Data(2))",
            other="def other(cfg, model):\n    make(cfg.datamodule)\n    assert isinstance(model.datamodule, list)\n",
        ),
        {"1"},
    ),
    "a callback asks for something else": (
        given_to_trainer(
            "Trainer().fit(model, datamodule=Data(2))",
            callback="class Callback:\n    def on_fit_end(self, trainer, model):\n        trainer.datamodule.workers\n",
        ),
        {"1"},
    ),
    "another method is put in the place of the hook": (
        given_to_trainer("data = Data(2)\ndata.test_dataloader = data.another\nTrainer().test(model, datamodule=data)"),
        {"1"},
    ),
    "another method is put in the place of the hook too late": (
        given_to_trainer(
            "data = Data(⟦2⟧)\nTrainer().test(model, datamodule=data)\ndata.test_dataloader = data.another"
        ),
        {"1", "2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), GIVEN_TO_TRAINERS.values(), ids=GIVEN_TO_TRAINERS.keys())
def test_a_trainer_asks_a_data_module_for_the_loaders_that_it_runs(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
