"""Training arguments that transformers makes of what a user gives."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, loader_of, loaders_of, traced

OWN = """from dataclasses import dataclass, field
from transformers import HfArgumentParser, Seq2SeqTrainingArguments, Trainer
from trl import SFTConfig, TrlParser
@dataclass
class Model:
    name: str = "small"
@dataclass
class Arguments({base}):
    {field}
    gradient_accumulation_steps: int = 16
"""
PARSED = "_, arguments = HfArgumentParser((Model, Arguments)).parse_args_into_dataclasses()\n"


def program(field: str, parsed: str = PARSED, base: str = "Seq2SeqTrainingArguments") -> dict[str, str]:
    return {"main.py": OWN.format(base=base, field=field) + parsed}


CASES: Cases = {
    "a field given again": (program("dataloader_num_workers: int = field(default=⟦4⟧)"), {"4", "open"}),
    "trl's arguments and parser": (
        program(
            "dataloader_num_workers: int = ⟦4⟧",
            "_, arguments = TrlParser((Model, Arguments)).parse_args_and_config()\n",
            base="SFTConfig",
        ),
        {"4", "open"},
    ),
    "the only class": (
        program(
            "dataloader_num_workers: int = ⟦4⟧",
            "arguments = HfArgumentParser(Arguments).parse_args_into_dataclasses()[0]\n",
        ),
        {"4", "open"},
    ),
    "what is left over beside": (
        program(
            "dataloader_num_workers: int = ⟦4⟧",
            "parser = HfArgumentParser([Model, Arguments])\n"
            "_, given, rest = parser.parse_args_into_dataclasses(return_remaining_strings=True)\n",
        ),
        {"4", "open"},
    ),
    "set after it was parsed": (
        program(
            "dataloader_num_workers: int = 4",
            f"{PARSED}arguments.dataloader_num_workers = ⟦2⟧\nTrainer(args=arguments)\n",
        ),
        {"2"},
    ),
    "set after they were made": (
        {
            "main.py": "from transformers import Trainer, TrainingArguments\n"
            "arguments = TrainingArguments('out', dataloader_num_workers=4)\n"
            "arguments.dataloader_num_workers = ⟦2⟧\nTrainer(args=arguments)\n"
        },
        {"2"},
    ),
    "set after they were made in some runs": (
        {
            "main.py": "from transformers import Trainer, TrainingArguments\n"
            "arguments = TrainingArguments('out', dataloader_num_workers=⟦4⟧)\n"
            "if fast:\n    arguments.dataloader_num_workers = ⟦2⟧\nTrainer(args=arguments)\n"
        },
        {"2", "4", "open"},
    ),
    "set on other arguments": (
        {
            "main.py": "from transformers import Trainer, TrainingArguments\n"
            "def train(model, arguments):\n    Trainer(model, arguments)\n"
            "def test():\n    others = Settings()\n    others.dataloader_num_workers = 2\n"
            "train(m, TrainingArguments('out', dataloader_num_workers=⟦4⟧))\n"
        },
        {"4"},
    ),
    "a field of another name": (program("num_workers: int = 4"), {"0 unwritten", "open"}),
    "the library's class": (
        {
            "main.py": "from transformers import HfArgumentParser, TrainingArguments\n"
            "(arguments,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
        },
        {"0 unwritten", "open"},
    ),
    "the library's class, and a number that is set on some arguments": (
        {
            "main.py": "from transformers import HfArgumentParser, TrainingArguments\n"
            "(arguments,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
            "arguments.dataloader_num_workers = 4\n"
        },
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_fields_and_the_user_give_the_options(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_an_option_that_has_another_default_than_torchs_is_open_where_nobody_gives_it() -> None:
    loader = loader_of(program("dataloader_num_workers: int = 4"))

    assert [one.constant for one in loader.option("pin_memory").candidates] == []
    assert loader.option("pin_memory").open


def test_sums_of_gradients_are_told_by_a_field() -> None:
    loader = loader_of(program("dataloader_num_workers: int = 4"))

    assert [one.constant for one in loader.accumulation.candidates] == [16]


def test_what_collates_is_what_the_trainer_is_given() -> None:
    files = program(
        "dataloader_num_workers: int = 4", f"{PARSED}Trainer(args=arguments, data_collator=lambda rows: rows)\n"
    )

    assert [one.role for one in loader_of(files).payload.unpicklable] == ["collate_fn"]


NO_ARGUMENTS = {
    "classes of other settings": "HfArgumentParser(Model).parse_args_into_dataclasses()\n",
    "another parser's method": "Parser((Model, Arguments)).parse_args_into_dataclasses()\n",
    "a class that is parsed by nobody": "HfArgumentParser((Model, Arguments))\n",
}


@pytest.mark.parametrize("parsed", NO_ARGUMENTS.values(), ids=NO_ARGUMENTS.keys())
def test_what_makes_no_training_arguments_is_no_loader(parsed: str) -> None:
    assert loaders_of(program("dataloader_num_workers: int = 4", parsed)) == ()


def test_a_switch_that_is_on_by_itself_is_not_turned_on() -> None:
    value = loader_of(program("dataloader_persistent_workers: bool = field(default=True)")).option("persistent_workers")

    assert sorted(str(one.constant) for one in value.candidates) == ["False", "True"]
