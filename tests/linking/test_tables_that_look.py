"""Every entry of the tables by which code is known to look at a thing alone, or at the version of a library."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from loaderlint.linking.loaders import only_looked_at
from loaderlint.linking.programs import unsettled
from loaderlint.linking.things import torch_versions
from loaderlint.model.target import Platform, Target
from loaderlint.vocabulary import running, uses
from tests.linking.entries import ENTRIES
from tests.linking.judged import IMPORTS, ROWS, why
from tests.linking.traced import loader_of, loaders_of

TABLES: Mapping[str, Collection[str]] = {
    "LOOKS": running.LOOKS,
    "LOOKS_AT_LOADERS": uses.LOOKS_AT_LOADERS,
    "TELLS_OF_LOADERS": uses.TELLS_OF_LOADERS,
    "TAKE_ALL_NAMES": only_looked_at._TAKE_ALL_NAMES,
    "TAKE_ANY_ATTRIBUTE": only_looked_at._TAKE_ANY_ATTRIBUTE,
    "METADATA": torch_versions._METADATA,
    "VERSIONS": torch_versions._VERSIONS,
    "SINCE": torch_versions._SINCE,
    "PARSERS": torch_versions._PARSERS,
    "OF_DATASETS": unsettled._OF_DATASETS,
}


def every(table: str) -> pytest.MarkDecorator:
    """Return what runs a test with each entry of a table."""
    return pytest.mark.parametrize("name", ENTRIES[table].split())


@pytest.mark.parametrize("table", TABLES)
def test_each_entry_of_a_table_has_its_program(table: str) -> None:
    assert set(TABLES[table]) == set(ENTRIES[table].split())


def of_table(does: str) -> str:
    """Return why samples that read a table of their module may be others where a program does something with it."""
    main = f"def main():\n    {does}\n    for batch in DataLoader(Rows(), num_workers=1):\n        print(batch)\n"
    rows = ROWS.format(sample="TABLE[index]")
    return why(f"{IMPORTS}import tools\nTABLE = tools.table()\n{rows}{main}if __name__ == '__main__':\n    main()\n")


@every("LOOKS")
def test_a_method_looks_at_its_object(name: str) -> None:
    assert not of_table(f"print(TABLE.{name}(2))")


def test_a_method_that_nobody_knows_may_change_its_object() -> None:
    assert of_table("print(TABLE.freshen(2))")


def is_looked_at(does: str) -> bool:
    program = f"def main(rows):\n    loader = DataLoader(rows, num_workers=2)\n    {does}\nmain([1])\n"
    return not loaders_of(program)[0].starts_workers


@every("LOOKS_AT_LOADERS")
def test_a_function_looks_at_a_loader(name: str) -> None:
    assert is_looked_at(f"{name}(loader)")
    assert not is_looked_at(f"other_{name}(loader)")


@every("TELLS_OF_LOADERS")
def test_an_attribute_tells_of_a_loader(name: str) -> None:
    assert is_looked_at(f"print(loader.{name})")
    assert not is_looked_at(f"print(loader.other_{name})")


@every("TAKE_ALL_NAMES")
def test_what_no_name_stands_for_may_be_taken(name: str) -> None:
    assert not is_looked_at(f"print(len(loader)); {name}()")
    assert is_looked_at(f"print(len(loader)); other_{name}()")


@every("TAKE_ANY_ATTRIBUTE")
def test_any_attribute_may_be_taken(name: str) -> None:
    made = "class Run:\n    def __init__(self, rows):\n        self.loader = DataLoader(rows, num_workers=2)\n"
    made += "    def report(self):\n        print(len(self.loader))\n"
    assert loaders_of(f"{made}{name}(Run([1]), 'load' + 'er')")[0].starts_workers
    assert not loaders_of(f"{made}other_{name}(Run([1]), 'load' + 'er')")[0].starts_workers


def counts(asks: str, imports: str) -> set[object]:
    """Return how many workers there are with torch 1.13 where there are two if a test holds, and else four."""
    loader = loader_of(f"{imports}\nDataLoader(data, num_workers=2 if {asks} else 4)\n")
    target = Target(Platform.LINUX, (3, 12), (1, 13))
    return {one.constant for one in loader.option("num_workers").on(target).known}


@every("METADATA")
def test_a_function_gives_the_version_that_is_installed(name: str) -> None:
    module = name.rpartition(".")[0]
    assert counts(f"{name}('torch').startswith('1.')", f"import {module}") == {2}
    assert counts(f"{name}_of('torch').startswith('1.')", f"import {module}") == {2, 4}


@every("VERSIONS")
def test_an_attribute_of_torch_is_its_version(name: str) -> None:
    assert counts(f"{name}.startswith('1.')", "import torch") == {2}
    assert counts(f"{name}of.startswith('1.')", "import torch") == {2, 4}


@every("SINCE")
def test_torch_has_an_attribute_since_a_version(name: str) -> None:
    module, _, last = name.rpartition(".")
    assert counts(f"hasattr({module}, '{last}')", "import torch") in ({2}, {4})
    assert counts(f"hasattr({module}, 'other_{last}')", "import torch") == {2, 4}


@every("PARSERS")
def test_a_library_parses_a_version(name: str) -> None:
    asks = f"tools.{name}(torch.__version__) < tools.{name}('2.0')"
    assert counts(asks, "import tools, torch") == {2}
    assert counts(asks.replace(name, f"other_{name}"), "import tools, torch") == {2, 4}


OF_A_LIBRARY = """
from transformers import Trainer, TrainerCallback, TrainingArguments
class Harder(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        self.{name}.scale = 2
arguments = TrainingArguments("out", dataloader_num_workers=1)
Trainer(model, arguments, train_dataset=Rows(), callbacks=[Harder()]).train()
"""


@every("OF_DATASETS")
def test_a_data_set_is_known_by_how_its_name_ends(name: str) -> None:
    program = IMPORTS + ROWS.format(sample="index * self.scale") + OF_A_LIBRARY
    assert loaders_of({"main.py": program.format(name=f"my_{name.strip('_')}")})[0].uses.unsettled
    assert not loaders_of({"main.py": program.format(name=f"my_{name.strip('_')}_size")})[0].uses.unsettled
