"""Programs that keep of their settings what a class has fields for."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from tests.linking.traced import Cases, Files, traced

HEAD = "import dataclasses\nimport inspect\nfrom dataclasses import dataclass, fields\n"
OPTIONS = HEAD + "@dataclass\nclass Options:\n    n: int = 1\n    size: int = 2\n"
KEPT = "given = {{'n': {}, 'other': 3}}\noptions = Options(**{{k: v for k, v in given.items() if {}}})\n"
READ = "DataLoader(1, num_workers=options.n)\n"
MODEL = "from pydantic import BaseModel\nclass Options(BaseModel):\n    n: int = 1\n    size: int = 2\n"


def kept(test: str, written: str = "⟦4⟧", options: str = OPTIONS) -> str:
    return options + KEPT.format(written, test) + READ


CASES: Cases = {
    "__dataclass_fields__": (kept("k in Options.__dataclass_fields__"), {"4"}),
    "its keys": (kept("k in Options.__dataclass_fields__.keys()"), {"4"}),
    "fields": (kept("k in {f.name for f in fields(Options)}"), {"4"}),
    "fields in a list": (kept("k in [f.name for f in dataclasses.fields(Options)]"), {"4"}),
    "the parameters of the constructor": (kept("k in inspect.signature(Options).parameters"), {"4"}),
    "pydantic's fields": (kept("k in Options.model_fields", options=MODEL), {"4"}),
    "fields that are not given": (
        OPTIONS.replace("n: int = 1", "n: int = ⟦1⟧") + "given = {'size': 4}\n"
        "options = Options(**{k: v for k, v in given.items() if k in Options.__dataclass_fields__})\n" + READ,
        {"1"},
    ),
    "each field": (
        OPTIONS + "given = {'n': ⟦4⟧, 'other': 3}\n"
        "options = Options(**{f.name: given[f.name] for f in fields(Options) if f.name in given})\n" + READ,
        {"4"},
    ),
    "a class method": (
        OPTIONS + "    @classmethod\n    def of(cls, given):\n"
        "        return cls(**{k: v for k, v in given.items() if k in cls.__dataclass_fields__})\n"
        "options = Options.of({'n': ⟦4⟧, 'other': 3})\n" + READ,
        {"4"},
    ),
    "what is inherited": (
        HEAD
        + "@dataclass\nclass Base:\n    n: int = 1\n@dataclass\nclass Options(Base):\n    size: int = 2\n"
        + KEPT.format("⟦4⟧", "k in Options.__dataclass_fields__")
        + READ,
        {"4"},
    ),
}
OPEN: Cases = {
    "a class of another's": (
        kept("k in Options.__dataclass_fields__", "4", OPTIONS.replace("class Options:", "class Options(Theirs):")),
        {"open"},
    ),
    "no dataclass": (
        kept("k in Options.__dataclass_fields__", "4", OPTIONS.replace("@dataclass\n", "@theirs\n")),
        {"open"},
    ),
    "another library's fields": (
        kept(
            "k in {f.name for f in fields(Options)}",
            "4",
            OPTIONS.replace("dataclass, fields", "dataclass").replace("import inspect", "from theirs import fields"),
        ),
        {"open"},
    ),
    "the parameters of something else": (kept("k in inspect.signature(them).parameters", "4"), {"open"}),
    "what a field is": (kept("k in {f.type for f in fields(Options)}", "4"), {"open"}),
    "the parameters of a class without a constructor of its own": (
        kept(
            "k in inspect.signature(Options).parameters",
            "4",
            options=OPTIONS.replace("@dataclass", "@dataclass(init=False)"),
        ),
        {"open"},
    ),
    "names nobody sees": (kept("k in names", "4"), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), [*CASES.values(), *OPEN.values()], ids=[*CASES, *OPEN])
def test_what_a_class_has_fields_for_is_kept(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


SPECIAL = {
    "of the class": "n: ClassVar[int] = 1",
    "for the constructor alone": "n: InitVar[int] = 1",
    "not for the constructor": "n: int = field(init=False, default=1)",
    "for keywords": "n: int = field(kw_only=True, default=1)",
    "keywords from here": "n: KW_ONLY",
    "plain": "n: int = 1",
}
ASKED = ("Options.__dataclass_fields__", "[f.name for f in fields(Options)]", "inspect.signature(Options).parameters")


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("declared", SPECIAL.values(), ids=SPECIAL)
def test_the_names_are_those_that_dataclasses_gives(declared: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("options")
    monkeypatch.setitem(sys.modules, "options", module)
    text = (
        "import inspect\nfrom dataclasses import KW_ONLY, InitVar, dataclass, field, fields\n"
        "from typing import ClassVar\n"
        f"@dataclass\nclass Options:\n    size: int = 2\n    {declared}\n"
    )
    exec(text, vars(module))
    is_there = eval(f"'n' in {asked}", vars(module))
    kept = f"kept = {{k: v for k, v in {{'n': 4, 'size': 3}}.items() if k in {asked}}}\n"
    (found,) = traced(text + kept + "DataLoader(1, num_workers=kept.get('n', 9))\n")
    assert found.partition(" ")[0] == ("4" if is_there else "9")
