from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, traced

ATTRIBUTES: Cases = {
    "a place held open with None for what a method brings": (
        """
        class Data:
            def __init__(self):
                self.workers = None
            def setup(self, workers):
                self.workers = workers
            def load(self):
                return DataLoader(1, num_workers=self.workers)
        data = Data()
        data.setup(⟦2⟧)
        data.load()
        """,
        {"2", "open"},
    ),
    "None that no method replaces": (
        """
        class Data:
            def __init__(self):
                self.workers = ⟦None⟧
            def load(self):
                return DataLoader(1, num_workers=self.workers)
        Data().load()
        """,
        {"None"},
    ),
    "None that a caller gives, and another value by a method": (
        """
        class Data:
            def __init__(self, workers):
                self.workers = workers
            def debug(self):
                self.workers = ⟦0⟧
            def load(self):
                return DataLoader(1, num_workers=self.workers)
        data = Data(⟦None⟧)
        data.debug()
        data.load()
        """,
        {"None", "0"},
    ),
    "kept by the constructor": (
        """
        class Data:
            def __init__(self, workers):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Data(⟦8⟧)
        """,
        {"8"},
    ),
    "kept by the constructor, which nobody calls": (
        """
        class Data:
            def __init__(self, workers=⟦4⟧):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"4", "open"},
    ),
    "the constructor's default is dead": (
        """
        class Data:
            def __init__(self, workers=4):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Data(workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a constant kept by the constructor": (
        """
        class Data:
            def __init__(self):
                self.workers = ⟦8⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8"},
    ),
    "an object that is not called self": (
        """
        class Data:
            def __init__(me):
                me.workers = ⟦8⟧
            def load(this, data):
                return DataLoader(data, num_workers=this.workers)
        """,
        {"8"},
    ),
    "set again by another method": (
        """
        class Data:
            def __init__(self):
                self.workers = ⟦8⟧
            def quiet(self):
                self.workers = ⟦0⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8", "0"},
    ),
    "set just before use": (
        """
        class Data:
            def __init__(self):
                self.workers = 8
            def load(self, data):
                self.workers = ⟦0⟧
                return DataLoader(data, num_workers=self.workers)
        """,
        {"0"},
    ),
    "an attribute of the class": (
        """
        class Data:
            workers = ⟦8⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8"},
    ),
    "an attribute read from the class": (
        """
        class Data:
            workers = ⟦8⟧
        DataLoader(data, num_workers=Data.workers)
        """,
        {"8"},
    ),
    "an attribute that nobody sets": (
        """
        class Data:
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"open"},
    ),
    "an attribute set by name": (
        """
        class Data:
            def __init__(self, **options):
                for key, value in options.items():
                    setattr(self, key, value)
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Data(workers=8)
        """,
        {"open"},
    ),
    "read from one object among several": (
        """
        class Data:
            def __init__(self, workers):
                self.workers = workers
        one = Data(⟦8⟧)
        other = Data(0)
        DataLoader(data, num_workers=one.workers)
        """,
        {"8"},
    ),
    "inherited": (
        """
        class Base:
            def __init__(self):
                self.workers = ⟦8⟧
        class Data(Base):
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8"},
    ),
    "handed to the base's constructor": (
        """
        class Base:
            def __init__(self, workers):
                self.workers = workers
        class Data(Base):
            def __init__(self):
                super().__init__(⟦8⟧)
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Data()
        """,
        {"8"},
    ),
    "handed to the base's constructor by a subclass that adds nothing": (
        """
        class Base:
            def __init__(self, workers=4):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        class Data(Base):
            pass
        Data(workers=⟦8⟧)
        """,
        {"8"},
    ),
    "an attribute of the class that a subclass replaces": (
        """
        class Base:
            workers = 2
        class Data(Base):
            workers = ⟦8⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8"},
    ),
    "a property": (
        """
        class Data:
            @property
            def workers(self):
                return ⟦8⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"8"},
    ),
    "a cached property": (
        """
        from functools import cached_property
        class Data:
            def __init__(self, workers):
                self._workers = workers
            @cached_property
            def workers(self):
                return self._workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Data(⟦8⟧)
        """,
        {"8"},
    ),
    "a method's value": (
        """
        class Data:
            def workers(self):
                return ⟦8⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers())
        """,
        {"8"},
    ),
    "a method that is not called is no number": (
        """
        class Data:
            def workers(self):
                return 8
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"open"},
    ),
    "an object kept by an object": (
        """
        class Settings:
            def __init__(self):
                self.workers = ⟦8⟧
        class Data:
            def __init__(self, settings):
                self.settings = settings
            def load(self, data):
                return DataLoader(data, num_workers=self.settings.workers)
        Data(Settings())
        """,
        {"8"},
    ),
    "an object that the annotation promises": (
        """
        class Settings:
            workers = ⟦8⟧
        def load(data, settings: Settings):
            return DataLoader(data, num_workers=settings.workers)
        """,
        {"8"},
    ),
    "a class that is its own base": (
        """
        class Data(Data):
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        """,
        {"open"},
    ),
    "an object made by calling an object": (
        """
        class Count:
            def __call__(self):
                return ⟦8⟧
        DataLoader(data, num_workers=Count()())
        """,
        {"8"},
    ),
}

FROM_OUTSIDE: Cases = {
    "set on the object that is read": (
        """
        class Settings:
            def __init__(self):
                self.workers = 4
        settings = Settings()
        settings.workers = ⟦8⟧
        DataLoader(data, num_workers=settings.workers)
        """,
        {"8"},
    ),
    "set on the object in one case": (
        """
        class Settings:
            workers = ⟦4⟧
        settings = Settings()
        if quick():
            settings.workers = ⟦0⟧
        DataLoader(data, num_workers=settings.workers)
        """,
        {"0", "4"},
    ),
    "set before the object is handed on": (
        """
        class Settings:
            workers = 4
        def load(data, settings):
            return DataLoader(data, num_workers=settings.workers)
        settings = Settings()
        settings.workers = ⟦8⟧
        load(1, settings)
        """,
        {"8"},
    ),
    "set after the object is handed on": (
        """
        class Settings:
            workers = ⟦4⟧
        def load(data, settings):
            return DataLoader(data, num_workers=settings.workers)
        settings = Settings()
        load(1, settings)
        settings.workers = 8
        """,
        {"4"},
    ),
    "set in the function that makes the object": (
        """
        class Settings:
            workers = 4
        def quiet():
            settings = Settings()
            settings.workers = ⟦0⟧
            return settings
        DataLoader(data, num_workers=quiet().workers)
        """,
        {"0"},
    ),
    "set on some object of the class": (
        """
        class Data:
            def __init__(self):
                self.workers = ⟦4⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        one = Data()
        one.workers = ⟦0⟧
        one.load(1)
        """,
        {"4", "0"},
    ),
    "set on an object of another class": (
        """
        class Other:
            pass
        class Data:
            def __init__(self):
                self.workers = ⟦4⟧
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        one = Other()
        one.workers = 0
        """,
        {"4"},
    ),
    "a dictionary kept by an object and changed by the constructor": (
        """
        class Data:
            def __init__(self):
                self.options = {"num_workers": 4}
                self.options["num_workers"] = ⟦8⟧
            def load(self, data):
                return DataLoader(data, **self.options)
        """,
        {"8"},
    ),
    "a namespace": (
        """
        from types import SimpleNamespace
        settings = SimpleNamespace(workers=4)
        settings.workers = ⟦8⟧
        DataLoader(data, num_workers=settings.workers)
        """,
        {"8"},
    ),
    "an object of another library": (
        """
        from elsewhere import Settings
        settings = Settings()
        settings.workers = ⟦8⟧
        DataLoader(data, num_workers=settings.workers)
        """,
        {"8"},
    ),
}

HYPERPARAMETERS: Cases = {
    "save_hyperparameters keeps the constructor's arguments": (
        """
        class Data(LightningDataModule):
            def __init__(self, workers: int = ⟦4⟧):
                super().__init__()
                self.save_hyperparameters()
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        """,
        {"4", "open"},
    ),
    "save_hyperparameters with callers": (
        """
        class Data(LightningDataModule):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.save_hyperparameters(logger=False)
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        Data(workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a hyperparameter set on some platform after it was saved": (
        """
        import os
        class Data(LightningDataModule):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.save_hyperparameters()
                if os.name == "nt":
                    self.hparams.workers = ⟦0⟧
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        Data(workers=⟦8⟧)
        """,
        {"8 on linux, macos", "0 on windows"},
    ),
    "hyperparameters that the subclasses save": (
        """
        class Shared(LightningDataModule):
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        class Rivers(Shared):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.save_hyperparameters(logger=False)
        class Lakes(Shared):
            def __init__(self, workers: int = ⟦2⟧):
                super().__init__()
                self.save_hyperparameters()
        Rivers(workers=⟦8⟧)
        Lakes()
        """,
        {"8", "2"},
    ),
    "hyperparameters of a subclass that has its own loaders or saves none": (
        """
        class Shared(LightningDataModule):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.save_hyperparameters()
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        class Rivers(Shared):
            def __init__(self, workers: int = 6):
                super().__init__(workers=⟦1⟧)
        class Lakes(Shared):
            def __init__(self, workers: int = 2):
                super().__init__()
                self.save_hyperparameters()
            def train_dataloader(self):
                return None
        Rivers()
        Lakes(workers=3)
        """,
        {"1"},
    ),
    "hparams by subscript": (
        """
        class Data(LightningDataModule):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.save_hyperparameters()
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams["workers"])
        Data(⟦8⟧)
        """,
        {"8"},
    ),
    "hparams kept from an object": (
        """
        class Data(LightningDataModule):
            def __init__(self, hparams):
                super().__init__()
                self.save_hyperparameters(hparams)
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        Data({"workers": ⟦8⟧})
        """,
        {"8"},
    ),
    "hparams assigned": (
        """
        class Data:
            def __init__(self, hparams):
                self.hparams = hparams
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams["workers"])
        Data({"workers": ⟦8⟧})
        """,
        {"8"},
    ),
    "hparams never saved": (
        """
        class Data(LightningDataModule):
            def __init__(self, workers=4):
                super().__init__()
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        """,
        {"open"},
    ),
    "a hyperparameter the constructor does not have": (
        """
        class Data(LightningDataModule):
            def __init__(self, size=4):
                super().__init__()
                self.save_hyperparameters()
            def train_dataloader(self):
                return DataLoader(data, num_workers=self.hparams.workers)
        """,
        {"open"},
    ),
}

DATACLASS = """
from dataclasses import dataclass, field
@dataclass
class Settings:
    size: int = 32
    workers: int = {}
"""

FIELDS: Cases = {
    "a default that lives": (
        DATACLASS.format("⟦4⟧") + "DataLoader(data, num_workers=Settings().workers)",
        {"4"},
    ),
    "given by keyword": (
        DATACLASS.format("4") + "DataLoader(data, num_workers=Settings(workers=⟦8⟧).workers)",
        {"8"},
    ),
    "given by position": (
        DATACLASS.format("4") + "DataLoader(data, num_workers=Settings(16, ⟦8⟧).workers)",
        {"8"},
    ),
    "given by a splat": (
        DATACLASS.format("4") + "DataLoader(data, num_workers=Settings(**{'workers': ⟦8⟧}).workers)",
        {"8"},
    ),
    "a splat nobody sees": (
        DATACLASS.format("4") + "DataLoader(data, num_workers=Settings(**read()).workers)",
        {"open"},
    ),
    "field(default=…)": (
        DATACLASS.format("field(default=⟦4⟧)") + "DataLoader(data, num_workers=Settings().workers)",
        {"4"},
    ),
    "field(default_factory=…)": (
        DATACLASS.format("field(default_factory=count)") + "DataLoader(data, num_workers=Settings().workers)",
        {"open"},
    ),
    "nobody makes one": (
        DATACLASS.format("⟦4⟧")
        + "def load(settings: Settings):\n    return DataLoader(data, num_workers=settings.workers)",
        {"4", "open"},
    ),
    "a field of the base": (
        DATACLASS.format("4")
        + "@dataclass\nclass More(Settings):\n    depth: int = 1\n"
        + "DataLoader(data, num_workers=More(16, ⟦8⟧, 2).workers)",
        {"8"},
    ),
    "an attribute set afterwards": (
        DATACLASS.format("4") + "s = Settings()\ns.workers = ⟦8⟧\nDataLoader(data, num_workers=s.workers)",
        {"8"},
    ),
    "a field that reads another in a property": (
        DATACLASS.format("4")
        + "    @property\n    def half(self):\n        return self.workers // 2\n"
        + "DataLoader(data, num_workers=Settings(workers=8).half)",
        {"4 at main.py:10:16"},
    ),
    "made in another file": (
        {
            "settings.py": DATACLASS.format("4"),
            "data.py": f"{IMPORT}from settings import Settings\n"
            "def load(data, settings: Settings):\n    return DataLoader(data, num_workers=settings.workers)\n",
            "main.py": "from settings import Settings\nfrom data import load\nload(1, Settings(workers=⟦8⟧))\n",
        },
        {"8"},
    ),
    "made in another file, the field left out": (
        {
            "settings.py": DATACLASS.format("⟦4⟧"),
            "data.py": f"{IMPORT}from settings import Settings\n"
            "def load(data, settings: Settings):\n    return DataLoader(data, num_workers=settings.workers)\n",
            "main.py": "from settings import Settings\nfrom data import load\nload(1, Settings(size=8))\n",
        },
        {"4"},
    ),
    "a named tuple": (
        """
        from typing import NamedTuple
        class Settings(NamedTuple):
            size: int
            workers: int = 4
        DataLoader(data, num_workers=Settings(1, ⟦8⟧).workers)
        """,
        {"8"},
    ),
    "of the base, where the constructor below hands it up": (
        DATACLASS.format("8")
        + "@dataclass\nclass More(Settings):\n    def __init__(self, count=⟦5⟧):\n"
        + "        super().__init__(workers=count)\n"
        + "DataLoader(data, num_workers=More().workers)",
        {"5"},
    ),
    "of the base, where the constructor below that hands it up is called": (
        DATACLASS.format("8")
        + "class More(Settings):\n    def __init__(self, workers=5):\n"
        + "        Settings.__init__(self, 1, workers)\n"
        + "DataLoader(data, num_workers=More(⟦2⟧).workers)",
        {"2 shared"},
    ),
    "of the base, where the constructor below hands something else up": (
        DATACLASS.format("⟦8⟧")
        + "class More(Settings):\n    def __init__(self, workers):\n        super().__init__(1)\n"
        + "DataLoader(data, num_workers=More(2).workers)",
        {"8"},
    ),
    "of the base, by one of its methods": (
        DATACLASS.format("⟦8⟧")
        + "    def load(self, data):\n        return DataLoader(data, num_workers=self.workers)\n"
        + "class More(Settings):\n    def __init__(self, workers=⟦5⟧):\n        super().__init__(1, workers)\n",
        {"8", "5 shared", "open"},
    ),
    "of the base, where a constructor between is made anew": (
        DATACLASS.format("8")
        + "class More(Settings):\n    def __init__(self, workers=5):\n        super().__init__(1, workers)\n"
        + "@dataclass\nclass Most(More):\n    depth: int = 1\n"
        + "DataLoader(data, num_workers=Most(16, ⟦2⟧).workers)",
        {"2"},
    ),
    "a pydantic model": (
        """
        from pydantic import BaseModel, Field
        class Settings(BaseModel):
            workers: int = Field(⟦4⟧, ge=0)
        DataLoader(data, num_workers=Settings().workers)
        """,
        {"4"},
    ),
}


MODEL = """
from torch import nn
class Model(nn.Module):
    def __init__(self, workers):
        super().__init__()
        self.workers = workers
    def load(self, data, num_workers=None):
        return DataLoader(data, num_workers=self.workers if num_workers is None else num_workers)
"""

MODELS: Cases = {
    "a method of a model that was moved": (
        MODEL + "model = Model(0).to('cuda')\nmodel.load(1, ⟦6⟧)",
        {"6"},
    ),
    "what a model keeps, through a chain of moves": (
        MODEL + "model = Model(⟦2⟧)\nmodel = model.cuda().half().eval()\nmodel.load(1)",
        {"2"},
    ),
    "a model that a library's class makes of it": (
        (MODEL + "model = Model(⟦2⟧).train()\nmodel.load(1)")
        .replace("from torch import nn", "import pytorch_lightning as pl")
        .replace("nn.Module", "pl.LightningModule"),
        {"2"},
    ),
    "a method of its own that goes by such a name": (
        MODEL + "    def to(self, device):\n        return remote(self)\nmodel = Model(0).to('cuda')\nmodel.load(1, 6)",
        {"0 at main.py:12:15", "open"},
    ),
    "an object that is no model of torch": (
        (MODEL + "model = Model(0).to('cuda')\nmodel.load(1, 6)")
        .replace("from torch import nn", "from engine import nn")
        .replace("class Model(nn.Module)", "class Model(nn.Something)"),
        {"0 at main.py:10:15", "open"},
    ),
    "set on the model after it was moved under another name": (
        MODEL
        + "model = Model(⟦2⟧)\nmoved = model.to('cuda')\nmodel.workers = ⟦4⟧\nDataLoader(1, num_workers=moved.workers)",
        {"2", "4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), ATTRIBUTES.values(), ids=ATTRIBUTES.keys())
def test_attributes(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), FROM_OUTSIDE.values(), ids=FROM_OUTSIDE.keys())
def test_attributes_set_from_outside(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), HYPERPARAMETERS.values(), ids=HYPERPARAMETERS.keys())
def test_hyperparameters(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), MODELS.values(), ids=MODELS.keys())
def test_models_that_are_moved(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), FIELDS.values(), ids=FIELDS.keys())
def test_fields(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_an_object_that_was_read_before_it_changed_is_read_again() -> None:
    before, after = loaders_of(
        """
        class Options:
            def __init__(self):
                self.workers = 4
        def first(options):
            return DataLoader(data, num_workers=options.workers)
        def second(options):
            return DataLoader(data, num_workers=options.workers)
        options = Options()
        first(options)
        options.workers = 8
        second(options)
        """
    )
    assert [one.constant for one in before.num_workers.known] == [4]
    assert [one.constant for one in after.num_workers.known] == [8]


def test_an_object_that_changed_deep_inside_is_read() -> None:
    assert traced(
        """
        class Inner:
            def __init__(self):
                self.workers = 1
        class Options:
            def __init__(self):
                self.inner = Inner()
        def use(options):
            return DataLoader(data, num_workers=options.inner.workers)
        def main():
            options = Options()
            options.inner.workers = ⟦8⟧
            use(options)
        """
    ) == {"8"}


def test_one_call_makes_objects_of_two_classes_that_take_different_arguments() -> None:
    project = """
        class One:
            def __init__(self, workers, rest):
                self.workers = workers
        class Two:
            def __init__(self, rest, workers):
                self.workers = workers
        kind = One if big else Two
        DataLoader(1, num_workers=kind(⟦1⟧, ⟦2⟧).workers)
    """
    assert traced(project) == {"1", "2"}
