from __future__ import annotations

import pytest

from tests.linking.traced import Cases, met, traced

FIELDS: Cases = {
    "nested default_factory": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Data:
            num_workers: int = ⟦4⟧
        @dataclass
        class Config:
            data: Data = field(default_factory=Data)
        def main(cfg):
            DataLoader(1, num_workers=cfg.data.num_workers)
        main(Config())
        """,
        {"4"},
    ),
    "nested default_factory lambda": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Data:
            num_workers: int = 8
        @dataclass
        class Config:
            data: Data = field(default_factory=lambda: Data(num_workers=⟦4⟧))
        cfg = Config()
        DataLoader(1, num_workers=cfg.data.num_workers)
        """,
        {"4"},
    ),
    "inherited override": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Base:
            num_workers: int = 8
        @dataclass
        class Config(Base):
            num_workers: int = ⟦4⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"4"},
    ),
    "replace": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = 8
        cfg = replace(Config(), num_workers=⟦4⟧)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"4"},
    ),
    "replace other": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦8⟧
            batch: int = 2
        cfg = replace(Config(), batch=4)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "asdict splat": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦8⟧
            batch_size: int = 2
        cfg = Config()
        DataLoader(1, **asdict(cfg))
        """,
        {"8"},
    ),
    "asdict item": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦8⟧
        cfg = asdict(Config())
        DataLoader(1, num_workers=cfg["num_workers"])
        """,
        {"8"},
    ),
    "post_init": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = 8
            def __post_init__(self):
                self.num_workers = ⟦2⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "post_init cond": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦8⟧
            debug: bool = False
            def __post_init__(self):
                if self.debug:
                    self.num_workers = 0
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "post_init cond unseen": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦8⟧
            debug: bool = False
            def __post_init__(self):
                if flag():
                    self.num_workers = ⟦0⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0", "8"},
    ),
    "a field worked out from itself after the fields are set": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = 8
            def __post_init__(self):
                self.num_workers = min(self.num_workers, 4)
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"4 at main.py:8:28"},
    ),
    "attr.s": (
        """
        import attr
        @attr.s
        class Config:
            num_workers = attr.ib(default=⟦8⟧)
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "attr.s given": (
        """
        import attr
        @attr.s
        class Config:
            num_workers = attr.ib(default=8)
        cfg = Config(num_workers=⟦2⟧)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "attrs define": (
        """
        from attrs import define, field
        @define
        class Config:
            num_workers: int = field(default=⟦8⟧)
            o: int = 3
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "attrs factory": (
        """
        from attrs import define, field, Factory
        @define
        class Data:
            num_workers: int = ⟦8⟧
        @define
        class Config:
            data: Data = field(factory=Data)
            more: Data = Factory(Data)
        cfg = Config()
        DataLoader(1, num_workers=cfg.data.num_workers)
        DataLoader(1, num_workers=cfg.more.num_workers)
        """,
        {"8"},
    ),
    "attrs evolve": (
        """
        from attrs import define, evolve
        @define
        class Config:
            num_workers: int = 8
        cfg = evolve(Config(), num_workers=⟦2⟧)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "pydantic by another keyword": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = Field(8, alias="numWorkers")
        cfg = Config(numWorkers=⟦2⟧)
        DataLoader(d, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "pydantic by another keyword, given the field's name": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = Field(⟦8⟧, validation_alias="numWorkers")
        cfg = Config(num_workers=2)
        DataLoader(d, num_workers=cfg.num_workers)
        """,
        {"8", "open"},
    ),
    "pydantic by keywords worked out": (
        """
        from pydantic import AliasChoices, BaseModel, Field
        class Config(BaseModel):
            num_workers: int = Field(⟦8⟧, validation_alias=AliasChoices("workers", "jobs"))
        cfg = Config(jobs=2)
        DataLoader(d, num_workers=cfg.num_workers)
        """,
        {"8", "open"},
    ),
    "attrs without the underscore": (
        """
        from attrs import define
        @define
        class Config:
            _workers: int = 8
        cfg = Config(workers=⟦2⟧)
        DataLoader(d, num_workers=cfg._workers)
        """,
        {"2"},
    ),
    "attrs by another keyword": (
        """
        from attrs import define, field
        @define
        class Config:
            workers: int = field(default=8, alias="jobs")
        cfg = Config(jobs=⟦2⟧)
        DataLoader(d, num_workers=cfg.workers)
        """,
        {"2"},
    ),
    "pydantic": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = Field(⟦8⟧, ge=0)
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "pydantic validate": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = 8
        cfg = Config.model_validate({"num_workers": ⟦2⟧})
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "pydantic parse_obj default": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = ⟦8⟧
        cfg = Config.parse_obj({"b": 2})
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8"},
    ),
    "pydantic dump": (
        """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            num_workers: int = ⟦8⟧
        DataLoader(1, **Config().model_dump())
        """,
        {"8"},
    ),
    "pydantic dict nested": (
        """
        from pydantic import BaseModel, Field
        class Data(BaseModel):
            num_workers: int = 8
        class Config(BaseModel):
            data: Data = Data()
        cfg = Config(**{"data": {"num_workers": ⟦2⟧}})
        DataLoader(1, num_workers=cfg.data.num_workers)
        """,
        {"2"},
    ),
    "pydantic settings": (
        """
        from pydantic_settings import BaseSettings
        class Config(BaseSettings):
            num_workers: int = ⟦8⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8", "open"},
    ),
    "NamedTuple": (
        """
        from typing import NamedTuple
        class Config(NamedTuple):
            num_workers: int = ⟦8⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"8 shared"},
    ),
    "NamedTuple replaced": (
        """
        from typing import NamedTuple
        class Config(NamedTuple):
            num_workers: int = 8
        cfg = Config()._replace(num_workers=⟦2⟧)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "NamedTuple as a dictionary": (
        """
        from typing import NamedTuple
        class Config(NamedTuple):
            num_workers: int = ⟦8⟧
        DataLoader(1, **Config()._asdict())
        """,
        {"8 shared"},
    ),
    "pydantic copied": (
        """
        from pydantic import BaseModel
        class Base(BaseModel):
            pass
        class Config(Base):
            num_workers: int = 8
        cfg = Config().model_copy(update={"num_workers": ⟦2⟧})
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "a copy that a base from elsewhere makes": (
        """
        from library import Settings
        class Config(Settings):
            def __init__(self):
                self.num_workers = 8
        cfg = Config().copy()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"open"},
    ),
    "a replacement that is not a named tuple's": (
        """
        from pydantic import BaseModel
        class Config(BaseModel):
            num_workers: int = 8
        cfg = Config()._replace(num_workers=2)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"open"},
    ),
    "a dictionary that nobody sees": (
        """
        from dataclasses import dataclass
        from library import Record
        @dataclass
        class Config(Record):
            num_workers: int = 8
        DataLoader(1, num_workers=Config().dict()["num_workers"])
        """,
        {"open"},
    ),
    "TypedDict": (
        """
        from typing import TypedDict
        class Config(TypedDict):
            num_workers: int
        cfg = Config(num_workers=⟦2⟧)
        DataLoader(1, num_workers=cfg["num_workers"])
        """,
        {"2"},
    ),
    "IntEnum": (
        """
        from enum import IntEnum
        class Workers(IntEnum):
            FEW = ⟦2⟧
        DataLoader(1, num_workers=Workers.FEW)
        """,
        {"2 shared"},
    ),
    "namespace class": (
        """
        class Config:
            num_workers = ⟦2⟧
            class Data:
                batch = 3
        DataLoader(1, num_workers=Config.num_workers)
        """,
        {"2"},
    ),
    "namespace nested": (
        """
        class Config:
            class Data:
                num_workers = ⟦2⟧
        DataLoader(1, num_workers=Config.Data.num_workers)
        """,
        {"2"},
    ),
    "namespace object": (
        """
        class Config:
            num_workers = 2
        cfg = Config()
        cfg.num_workers = ⟦0⟧
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0"},
    ),
    "a method that changes a field for certain": (
        """
        from dataclasses import dataclass
        @dataclass
        class Config:
            num_workers: int = 4
            def tame(self):
                self.num_workers = ⟦0⟧
        cfg = Config()
        cfg.tame()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0"},
    ),
    "a method that calls the one that changes a field": (
        """
        from dataclasses import dataclass
        @dataclass
        class Config:
            num_workers: int = 4
            def tame(self):
                self.calm()
            def calm(self):
                self.num_workers = ⟦0⟧
        cfg = Config()
        cfg.tame()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0"},
    ),
    "a method that is given the value": (
        """
        class Config:
            num_workers = 4
            def use(self, workers):
                self.num_workers = workers
        cfg = Config()
        cfg.use(⟦2⟧)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "a method that works the value out from the one before": (
        """
        class Config:
            def __init__(self):
                self.num_workers = 4
            def halve(self):
                self.num_workers = self.num_workers // 2
        cfg = Config()
        cfg.halve()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2 at main.py:7:28"},
    ),
    "a method that changes a field under a condition": (
        """
        class Config:
            num_workers = ⟦4⟧
            def tame(self, debug):
                if debug:
                    self.num_workers = ⟦0⟧
        cfg = Config()
        cfg.tame(read())
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0", "4"},
    ),
    "a method that a function calls on what it is handed": (
        """
        class Config:
            num_workers = 4
            def tame(self):
                self.num_workers = ⟦0⟧
        def prepare(config):
            config.tame()
        cfg = Config()
        prepare(cfg)
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0"},
    ),
    "a field set again after a method changed it": (
        """
        class Config:
            num_workers = 4
            def tame(self):
                self.num_workers = 0
        cfg = Config()
        cfg.tame()
        cfg.num_workers = ⟦2⟧
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"2"},
    ),
    "a method called after the loader is made": (
        """
        class Config:
            num_workers = ⟦4⟧
            def tame(self):
                self.num_workers = ⟦0⟧
        cfg = Config()
        DataLoader(1, num_workers=cfg.num_workers)
        cfg.tame()
        """,
        {"0", "4"},
    ),
    "a method of another object": (
        """
        class Config:
            num_workers = ⟦4⟧
            def tame(self):
                self.batch_size = 1
        class Other:
            def tame(self):
                self.num_workers = 0
        cfg = Config()
        Other().tame()
        cfg.tame()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"4"},
    ),
    "a method that may change a field": (
        """
        from dataclasses import dataclass, field, asdict, replace
        @dataclass
        class Config:
            num_workers: int = ⟦4⟧
            def tame(self):
                self.num_workers = ⟦0⟧
        cfg = Config()
        if debug():
            cfg.tame()
        DataLoader(1, num_workers=cfg.num_workers)
        """,
        {"0", "4"},
    ),
    "global cfg in main": (
        """
        from easydict import EasyDict
        cfg = EasyDict(data=EasyDict(num_workers=4))
        def main():
            cfg.data.num_workers = ⟦0⟧
            load(cfg)
        def load(c):
            DataLoader(1, num_workers=c.data.num_workers)
        main()
        """,
        {"0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FIELDS.values(), ids=FIELDS.keys())
def test_classes_of_settings(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_what_a_method_sets_under_a_condition_meets_what_else_it_sets() -> None:
    text = """
    class Config:
        num_workers = 4
        prefetch = 2
        def tame(self):
            self.num_workers = 0
            self.prefetch = None
    cfg = Config()
    if debug():
        cfg.tame()
    DataLoader(1, num_workers=cfg.num_workers, prefetch_factor=cfg.prefetch)
    """
    assert met(text) == {("4", "2"), ("0", "None")}
