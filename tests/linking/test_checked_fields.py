"""Fields whose class converts or checks what they are given: pydantic and attrs."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

LOAD = "\nDataLoader(data, num_workers=cfg.workers)\n"


def model(field: str, *more: str) -> str:
    methods = "".join(f"    {line}\n" for line in more)
    imports = "from pydantic import BaseModel, Field, field_validator, model_validator\n"
    return f"{imports}class Cfg(BaseModel):\n    {field}\n{methods}"


def looking(*lines: str, taken: str = "self", mode: str = "after") -> str:
    """A model with a validator of all its fields, and what it says of the one that is given."""
    body = "".join(f"\n    {line}" for line in lines)
    helpers = (
        "from operator import setitem\n"
        "def exists(value):\n    return value is not None\ndef settle(cfg):\n    cfg.workers = 1\nNAMES = ['a', 'b']\n"
        "class Part:\n    def put(self):\n        self.workers = 1\n"
        "    def fix(self, other):\n        other.workers = 1\n"
    )
    validator = (f"@model_validator(mode='{mode}')", f"def check({taken}):{body.replace('    ', '        ')}")
    own = ("def settle(self):", "    print(1)")
    return helpers + model("workers: int = 2", *validator, *own) + "cfg = Cfg(workers=⟦6⟧)" + LOAD


def attributes(field: str, *more: str) -> str:
    methods = "".join(f"    {line}\n" for line in more)
    return f"import attrs\n@attrs.define\nclass Cfg:\n    {field}\n{methods}"


CHECKED: Cases = {
    "digits for a number": (model("workers: int = 2") + "cfg = Cfg(workers=⟦'6'⟧)" + LOAD, {"6"}),
    "digits for text": (model("workers: str = '2'") + "cfg = Cfg(workers=⟦'6'⟧)" + LOAD, {"'6'"}),
    "a float for a whole number": (model("workers: int = 2") + "cfg = Cfg(workers=6.0)" + LOAD, {"open"}),
    "a number for a number": (model("workers: int = 2") + "cfg = Cfg(workers=⟦6⟧)" + LOAD, {"6"}),
    "no number where one may be missing": (model("workers: int = ⟦None⟧") + "cfg = Cfg()" + LOAD, {"None"}),
    "digits, in a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass Cfg:\n    workers: int = 2\ncfg = Cfg(workers=⟦'6'⟧)"
        + LOAD,
        {"'6'"},
    ),
    "a validator of the field": (
        model("workers: int = 2", "@field_validator('workers')", "def half(cls, v): return v // 2")
        + "cfg = Cfg(workers=6)"
        + LOAD,
        {"open"},
    ),
    "a validator of another field": (
        model("workers: int = 2", "@field_validator('depth')", "def half(cls, v): return v // 2")
        + "cfg = Cfg(workers=⟦6⟧)"
        + LOAD,
        {"6"},
    ),
    "a validator of the model": (
        model("workers: int = 2", "@model_validator(mode='before')", "def half(cls, values): return {}")
        + "cfg = Cfg(workers=6)"
        + LOAD,
        {"open"},
    ),
    "a validator of the model that only looks": (
        looking("if self.workers > len(NAMES): raise ValueError('too many')", "return self"),
        {"6 shared"},
    ),
    "a validator of the model that asks a function which looks, of what the fields hold": (
        looking("values = dict(self)", "assert exists(values.get('workers'))", "return info", taken="self, info"),
        {"6 shared"},
    ),
    "a validator of the model that only looks, and counts": (
        looking("wrong = 0", "for name in NAMES: wrong += name in self.names", "assert not wrong", "return self"),
        {"6 shared"},
    ),
    "a validator of the model that reads a property and maps a function that only looks": (
        looking("assert self is not None and self.doubled", "list(map(exists, self.parts))", "return self").replace(
            "    def settle(self)",
            "    @property\n    def doubled(self):\n        return self.workers * 2\n    def settle(self)",
        ),
        {"6 shared"},
    ),
    "a validator of the model that only looks, of one in another": (
        looking("assert self.workers", "return self").replace(
            "cfg = Cfg(workers=⟦6⟧)", "class All(BaseModel):\n    data: Cfg\ncfg = All(data={'workers': ⟦6⟧}).data"
        ),
        {"6 shared"},
    ),
    **{
        f"a validator of the model that sees to it otherwise: {lines}": (
            looking(*lines, taken="self, taken", mode=mode).replace("⟦6⟧", "6"),
            {"open"},
        )
        for lines, mode in (
            (("self.depth = 1", "return self"), "after"),
            (("setattr(self, 'depth', 1)", "return self"), "after"),
            (("self.__dict__['depth'] = 1", "return self"), "after"),
            (("object.__setattr__(self, 'depth', 1)", "return self"), "after"),
            (("self.settle()", "return self"), "after"),
            (("settle(self)", "return self"), "after"),
            (("vars(self).update(depth=1)", "return self"), "after"),
            (("d = self.__dict__", "d |= {'workers': 1}", "return self"), "after"),
            (("parts = self.parts", "parts += [1]", "return self"), "after"),
            (("parts = 0", "if self.depth: parts = self.parts", "parts += [1]", "return self"), "after"),
            (("taken += [1]", "return self"), "after"),
            (("global NAMES", "NAMES += [1]", "return self"), "after"),
            (("me = self", "object.__setattr__(me, 'workers', 1)", "return self"), "after"),
            (("put = setattr", "put(self.other, 'workers', 1)", "return self"), "after"),
            (("[setattr(self, key, 1) for key in NAMES]", "return self"), "after"),
            (("list(map(lambda key: setattr(self, key, 1), NAMES))", "return self"), "after"),
            (("list(map(self.__setattr__, NAMES, NAMES))", "return self"), "after"),
            (("list(map(self.settle, NAMES))", "return self"), "after"),
            (("list(map(settle, [self]))", "return self"), "after"),
            (("list(map(settle, self.parts))", "return self"), "after"),
            (("sorted(self.parts, key=lambda part: settle(part))", "return self"), "after"),
            (("self.parts.append(1)", "return self"), "after"),
            (("self.parts.__setitem__(0, 1)", "return self"), "after"),
            (("self.part.put()", "return self"), "after"),
            (("Part.fix(1, self.part)", "return self"), "after"),
            (("setitem(self.parts, 0, 1)", "return self"), "after"),
            (("exec('self.workers = 1')", "return self"), "after"),
            (("self.of_a_base()", "return self"), "after"),
            (("exists(value=self)", "return self"), "after"),
            (("taken = OTHER", "return taken"), "after"),
            (("self = OTHER", "return self"), "after"),
            (("return OTHER",), "after"),
            (("return self.model_copy(update={'workers': 1})",), "after"),
            (("settle(cfg=self)", "return self"), "after"),
            (("me = self", "me.workers = 1", "return self"), "after"),
            (("operator.setitem(self.__dict__, 'workers', 1)", "return self"), "after"),
            (("options = self.options", "options |= {'depth': 1}", "return self"), "after"),
            (("other = Cfg.model_construct(workers=1)", "return other"), "after"),
            (("assert self",), "after"),
            (("return self",), "before"),
            (("return self",), "wrap"),
        )
    },
    "a validator in the annotation": (
        "from typing import Annotated\nfrom pydantic import BaseModel, BeforeValidator\nclass Cfg(BaseModel):\n"
        "    workers: Annotated[int, BeforeValidator(half)] = 2\ncfg = Cfg(workers=6)" + LOAD,
        {"open"},
    ),
    "a bound that lets no loader be mended": (
        model("workers: int = Field(⟦2⟧, ge=1)") + "cfg = Cfg()" + LOAD,
        {"2 shared"},
    ),
    "a bound that lets every loader be mended": (
        model("workers: int = Field(⟦2⟧, ge=0)") + "cfg = Cfg()" + LOAD,
        {"2"},
    ),
    "a dictionary for an object": (
        model("workers: int = 2")
        + "class All(BaseModel):\n    data: Cfg\ncfg = All(data={'workers': ⟦'6'⟧}).data"
        + LOAD,
        {"6"},
    ),
    "a dictionary for an object, which leaves the field out": (
        model("workers: int = ⟦2⟧") + "class All(BaseModel):\n    data: Cfg\ncfg = All(data={'depth': 6}).data" + LOAD,
        {"2"},
    ),
    "a converter": (
        attributes("workers: int = attrs.field(default=2, converter=twice)") + "cfg = Cfg()" + LOAD,
        {"open"},
    ),
    "a converter, in evolve": (
        attributes("workers: int = attrs.field(default=2, converter=twice)")
        + "cfg = attrs.evolve(Cfg(), workers=3)"
        + LOAD,
        {"open"},
    ),
    "no converter, in evolve": (
        attributes("workers: int = attrs.field(default=2)") + "cfg = attrs.evolve(Cfg(), workers=⟦3⟧)" + LOAD,
        {"3"},
    ),
    "a validator of attrs": (
        attributes("workers: int = attrs.field(default=⟦2⟧, validator=positive)") + "cfg = Cfg()" + LOAD,
        {"2 shared"},
    ),
    "a validator of attrs as a method": (
        attributes(
            "workers: int = attrs.field(default=⟦2⟧)", "@workers.validator", "def check(self, field, value): pass"
        )
        + "cfg = Cfg()"
        + LOAD,
        {"2 shared"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CHECKED.values(), ids=CHECKED.keys())
def test_fields_that_are_converted_or_checked(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
