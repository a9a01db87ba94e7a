"""click: defaults that a command gets besides those of its options."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.readers.python import PythonFacts
from tests.linking.traced import traced

TOP = "import click\n"
TRAIN = "@click.option('--workers', default=OWN)\ndef train(workers):\n    DataLoader(1, num_workers=workers)\n"
GROUP = "@click.group({})\n@click.pass_context\ndef cli(context):\n    pass\n"
MAP = "context_settings={'default_map': {'train': {'workers': ⟦2⟧}}}"
UNSEEN_MAP = "context_settings={'default_map': read()}"

MAPS: dict[str, tuple[str, set[str]]] = {
    "one of two": (
        "@click.command(context_settings={'default_map': {'workers': ⟦2⟧} if fast() else {'workers': ⟦3⟧}})\nTRAIN",
        {"2", "3", "open"},
    ),
    "settings of two": (
        "import sys\nA = {'default_map': {'workers': ⟦2⟧}}\nB = {'default_map': {'workers': ⟦3⟧}}\n"
        "@click.command(context_settings=A if sys.platform == 'win32' else B)\nTRAIN",
        {"2 on windows", "3 on linux, macos", "open"},
    ),
    "one or none": (
        "@click.command(context_settings={'default_map': {'workers': ⟦2⟧} if fast() else None})\nTRAIN_OWN",
        {"2", "4", "open"},
    ),
    "one that says nothing of the option": (
        "@click.command(context_settings={'default_map': {'size': 2}})\nTRAIN_OWN",
        {"4", "open"},
    ),
    "one that is not seen": ("@click.command(context_settings={'default_map': read()})\nTRAIN", {"open"}),
    "of the group": (f"{GROUP.format(MAP)}@cli.command()\nTRAIN", {"2", "open"}),
    "of the group, by the name of the command": (
        f"{GROUP.format(MAP)}@cli.command('train')\n" + "TRAIN".replace("train(", "run("),
        {"2", "open"},
    ),
    "of the group, which has it under another name": (
        f"{GROUP.format(MAP.replace('⟦2⟧', '2'))}@cli.command('fit')\nTRAIN_OWN",
        {"4", "open"},
    ),
    "of the group that it is added to": (
        f"{GROUP.format(MAP)}@click.command()\nTRAINcli.add_command(train)\n",
        {"2", "open"},
    ),
    "of a group that is not seen": (
        f"{GROUP.format(UNSEEN_MAP)}@cli.command()\nTRAIN",
        {"open"},
    ),
    "of a group without one": (f"{GROUP.format('')}@cli.command()\nTRAIN_OWN", {"4", "open"}),
    "of the call": ("@click.command()\nTRAINtrain(default_map={'workers': ⟦2⟧})\n", {"2", "open"}),
    "of the call of its method": ("@click.command()\nTRAINtrain.main(default_map={'workers': ⟦2⟧})\n", {"2", "open"}),
    "of the call, not seen": ("@click.command()\nTRAINtrain(default_map=read())\n", {"open"}),
    "of one of two calls": (
        "@click.command()\nTRAIN_OWNif fast():\n    train(default_map={'workers': ⟦2⟧})\nelse:\n    train()\n",
        {"2", "4", "open"},
    ),
    "of the call of the group": (
        f"{GROUP.format('')}@cli.command()\nTRAINcli(default_map={{'train': {{'workers': ⟦2⟧}}}})\n",
        {"2", "open"},
    ),
    "of the call of something else": (
        "@click.command()\nTRAIN_OWNtrain()\nother.train(default_map={'workers': 2})\n",
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("program", "expected"), MAPS.values(), ids=MAPS.keys())
def test_defaults_of_a_map(program: str, expected: set[str]) -> None:
    own = program.replace("TRAIN_OWN", TRAIN.replace("OWN", "⟦4⟧"))
    assert traced(TOP + own.replace("TRAIN", TRAIN.replace("OWN", "4"))) == expected


COMMANDS = 10


def looked_through(commands: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often all files are gone through for so many commands, none of which is given a map."""
    asked: list[Project] = []
    all_python = Project.all_python

    def counted(project: Project) -> Iterator[PythonFacts]:
        asked.append(project)
        return all_python(project)

    one = "@click.command()\n" + TRAIN.replace("OWN", "⟦4⟧")
    program = TOP + "".join(one.replace("def train(", f"def train{number}(") for number in range(commands))
    with monkeypatch.context() as patched:
        patched.setattr(Project, "all_python", counted)
        assert traced(program) == {"4", "open"}
    return len(asked)


def test_no_file_is_looked_through_for_calls_that_give_a_map_where_none_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (looked_through(count, monkeypatch) for count in (COMMANDS, 2 * COMMANDS))
    assert many - few < COMMANDS
