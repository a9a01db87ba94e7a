"""What classes of libraries keep of what they are given: Hugging Face's arguments, and the trainers that get them."""

from __future__ import annotations

import pytest

from loaderlint.linking.link import link
from tests.linking.traced import IMPORT, Cases, Files, loaders_of, project_of, rendered

HEAD = f"{IMPORT}from dataclasses import dataclass\nfrom transformers import Trainer, TrainingArguments\n"
OWN = f"{HEAD}@dataclass\nclass Own(TrainingArguments):\n    beta: float = 0.1\n"
READ = "DataLoader(data, num_workers={}.dataloader_num_workers)\n"
IN_TRAINER = f"    def get_train_dataloader(self):\n        return {READ.format('self.args')}"


def program(text: str, head: str = HEAD) -> dict[str, str]:
    return {"main.py": head + text}


def trainer(made: str, constructor: str = "", head: str = HEAD) -> dict[str, str]:
    return program(f"class Ours(Trainer):\n{constructor}{IN_TRAINER}{made}\n", head)


HANDS_UP = "    def __init__(self, model, args, extra=0):\n        super().__init__(model, args)\n"
HANDS_UP_BY_NAME = "    def __init__(self, model, args=None):\n        super().__init__(model=model, args=args)\n"
HANDS_ALL_UP = "    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"

KEPT: Cases = {
    "of arguments": (
        program(f"args = TrainingArguments('out', dataloader_num_workers=⟦4⟧)\n{READ.format('args')}"),
        {"4"},
    ),
    "of arguments that are spread": (
        program(f"args = TrainingArguments('out', **{{'dataloader_num_workers': ⟦4⟧}})\n{READ.format('args')}"),
        {"4"},
    ),
    "of arguments that leave it out": (program(f"args = TrainingArguments('out')\n{READ.format('args')}"), {"open"}),
    "of arguments that are changed": (
        program(
            f"args = TrainingArguments('out', dataloader_num_workers=4)\nargs.dataloader_num_workers = ⟦0⟧\n"
            f"{READ.format('args')}"
        ),
        {"0"},
    ),
    "of arguments of an own class": (
        program(f"args = Own('out', dataloader_num_workers=⟦4⟧)\n{READ.format('args')}", OWN),
        {"4"},
    ),
    "of an own class with a default of its own": (
        program(
            f"@dataclass\nclass Own(TrainingArguments):\n    dataloader_num_workers: int = ⟦2⟧\n"
            f"args = Own('out')\n{READ.format('args')}"
        ),
        {"2"},
    ),
    "of an own class whose constructor says it": (
        program(
            f"class Own(TrainingArguments):\n    def __init__(self, n):\n"
            f"        super().__init__('out', dataloader_num_workers=n)\n{READ.format('Own(⟦4⟧)')}"
        ),
        {"4"},
    ),
    "of something else of that name": (
        program(
            f"from other import TrainingArguments\nargs = TrainingArguments(dataloader_num_workers=4)\n"
            f"{READ.format('args')}"
        ),
        {"open"},
    ),
    "in a trainer": (
        trainer("args = TrainingArguments('out', dataloader_num_workers=⟦4⟧)\nOurs('m', args)"),
        {"4"},
    ),
    "in a trainer by its name": (
        trainer("Ours(args=TrainingArguments('out', dataloader_num_workers=⟦4⟧))"),
        {"4"},
    ),
    "in a trainer whose constructor hands it up": (
        trainer("Ours('m', Own('out', dataloader_num_workers=⟦4⟧))", HANDS_UP, OWN),
        {"4"},
    ),
    "in a trainer whose constructor hands it up by its name": (
        trainer("Ours('m', args=Own('out', dataloader_num_workers=⟦4⟧))", HANDS_UP_BY_NAME, OWN),
        {"4"},
    ),
    "in a trainer whose constructor hands all up": (
        trainer("Ours(model='m', args=Own('out', dataloader_num_workers=⟦4⟧))", HANDS_ALL_UP, OWN),
        {"4"},
    ),
    "in a trainer that is given none": (trainer("Ours('m')"), {"open"}),
    "in a trainer that sets it itself": (
        trainer(
            "Ours('m', TrainingArguments('out', dataloader_num_workers=4))",
            "    def __init__(self, model, args):\n        super().__init__(model, args)\n"
            "        self.args = TrainingArguments('out', dataloader_num_workers=⟦0⟧)\n",
        ),
        {"0"},
    ),
    "in another class of that name": (
        program(
            f"class Trainer:\n    pass\nclass Ours(Trainer):\n{IN_TRAINER}"
            "Ours(args=TrainingArguments('out', dataloader_num_workers=4))\n"
        ),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), KEPT.values(), ids=KEPT.keys())
def test_what_a_library_keeps(files: Files, expected: set[str]) -> None:
    project, marks = project_of(files)
    values = [one.num_workers for one in link(project) if "DataLoader" in one.callee]
    assert len(values) == 1
    found = {rendered(one, marks) for value in values for one in value.candidates}
    assert found | ({"open"} if values[0].open else set()) == expected
    assert len(marks) == len(expected - {"open"})


def test_the_arguments_are_a_loader_themselves() -> None:
    files, _ = KEPT["in a trainer"]
    assert isinstance(files, dict)
    text = {path: one.replace("⟦", "").replace("⟧", "") for path, one in files.items()}
    written = {str(way.span) for one in loaders_of(text) for way in one.num_workers.written}
    assert written == {"main.py:7:56"}
