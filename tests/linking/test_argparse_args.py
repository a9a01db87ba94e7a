"""Data modules made by Lightning's ``from_argparse_args``."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

DATA = f"""{IMPORT}from argparse import ArgumentParser, Namespace
from pytorch_lightning import LightningDataModule, Trainer
class Data(LightningDataModule):
    def __init__(self, path='.', num_workers=DEFAULT, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.num_workers = num_workers
    def train_dataloader(self):
        return DataLoader(1, num_workers=self.num_workers)
"""
PARSED = "parser = ArgumentParser()\nFLAGS\nargs = parser.parse_args()\n"
WORKERS = "parser.add_argument('--num_workers', type=int, default=⟦8⟧)"
MAKES = "data = Data.from_argparse_args(args)\n"


def program(flags: str, rest: str = MAKES, default: str = "0") -> dict[str, str]:
    return {"main.py": DATA.replace("DEFAULT", default) + PARSED.replace("FLAGS", flags) + rest}


CASES: Cases = {
    "a flag of the name of a parameter": (program(WORKERS), {"8", "open"}),
    "no such flag": (program("parser.add_argument('--path')", default="⟦0⟧"), {"0"}),
    "a flag that a function adds": (
        program(
            "def add(p):\n"
            "    p.add_argument('--num_workers', type=int, default=⟦4⟧)\n"
            "    return p\n"
            "parser = add(Trainer.add_argparse_args(parser))"
        ),
        {"4", "open"},
    ),
    "given by keyword": (program(WORKERS, "Data.from_argparse_args(args=args)\n"), {"8", "open"}),
    "a keyword goes before the flag": (
        program(WORKERS.replace("⟦8⟧", "8"), "Data.from_argparse_args(args, num_workers=⟦2⟧)\n"),
        {"2"},
    ),
    "keywords that were not seen": (program(WORKERS, "Data.from_argparse_args(args, **more())\n"), {"8", "open"}),
    "the attribute is set before": (
        program(WORKERS.replace("⟦8⟧", "8"), f"args.num_workers = ⟦3⟧\n{MAKES}"),
        {"3"},
    ),
    "a namespace written out": (program("", "Data.from_argparse_args(Namespace(num_workers=⟦5⟧))\n"), {"5"}),
    "a namespace without it": (program("", "Data.from_argparse_args(Namespace(path='/'))\n", "⟦0⟧"), {"0"}),
    "something that was not seen": (program("", "Data.from_argparse_args(theirs())\n"), {"open"}),
    "called on an object that nothing else is done with": (
        program(WORKERS, "Data('/').from_argparse_args(args)\n", "0"),
        {"8", "open"},
    ),
    "only on some platforms": (
        program(
            WORKERS,
            "import sys\n"
            "if sys.platform == 'win32':\n"
            "    Data.from_argparse_args(args, num_workers=⟦0⟧)\n"
            "else:\n"
            "    Data.from_argparse_args(args)\n",
        ),
        {"0 on windows", "8 on linux, macos", "open"},
    ),
    "one of several classes": (
        program(
            "class Other(LightningDataModule):\n    def __init__(self, num_workers=1):\n        pass\n" + WORKERS,
            "kind = Data if args.x else Other\nkind.from_argparse_args(args)\n",
        ),
        {"8", "open"},
    ),
    "a heir": (
        program(WORKERS, "class Heir(Data):\n    pass\nHeir.from_argparse_args(args)\n"),
        {"8", "open"},
    ),
    "what takes any keywords takes no flags": (
        program(
            WORKERS.replace("⟦8⟧", "8"),
            "class Heir(Data):\n"
            "    def __init__(self, path, **kwargs):\n"
            "        super().__init__(path, **kwargs)\n"
            "Heir.from_argparse_args(args)\n",
            "⟦0⟧",
        ),
        {"0"},
    ),
    "what takes any keywords takes those of the call": (
        program(
            "",
            "class Heir(Data):\n"
            "    def __init__(self, path, **kwargs):\n"
            "        super().__init__(path, **kwargs)\n"
            "Heir.from_argparse_args(args, num_workers=⟦6⟧)\n",
        ),
        {"6"},
    ),
    "the object's own attribute": (
        program(WORKERS, f"{MAKES}DataLoader(2, num_workers=data.num_workers)\n"),
        {"8", "open"},
    ),
    "the loader reads the object alone": (
        {
            "main.py": f"{DATA.replace('DEFAULT', '0').partition('    def train')[0]}"
            f"{PARSED.replace('FLAGS', WORKERS)}{MAKES}DataLoader(2, num_workers=data.num_workers)\n"
        },
        {"8", "open"},
    ),
    "a constructor that is made for the fields": (
        {
            "main.py": f"{IMPORT}from argparse import Namespace\nfrom dataclasses import dataclass\n"
            "from lightning import LightningDataModule\n@dataclass\nclass Data(LightningDataModule):\n"
            "    num_workers: int = 0\n"
            "DataLoader(1, num_workers=Data.from_argparse_args(Namespace(num_workers=4)).num_workers)\n"
        },
        {"open"},
    ),
    "a method of the project by that name": (
        program(
            WORKERS.replace("⟦8⟧", "8"),
            "class Own(Data):\n"
            "    @classmethod\n"
            "    def from_argparse_args(cls, args):\n"
            "        return cls(num_workers=⟦7⟧)\n"
            "Own.from_argparse_args(args)\n",
        ),
        {"7"},
    ),
    "no data module of Lightning's": (
        {
            "main.py": program(WORKERS.replace("⟦8⟧", "8"), default="⟦0⟧")["main.py"].replace(
                "(LightningDataModule)", ""
            )
        },
        {"0", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_data_modules_made_of_a_command_line(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
