"""What a loop does to each of the things it goes through: every turn to its own."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, Files, loaders_of, traced

DATASETS = "datasets:\n  train:\n    workers: 4\n  val:\n    workers: 2\n"
BUILD = f"""import yaml
{IMPORT}
def build(part):
    if part["phase"] == "train":
        return DataLoader(1, num_workers=part["workers"])
    elif part["phase"] == "val":
        return DataLoader(1, num_workers=part["workers"], shuffle=False)
def read():
    with open("a.yaml") as file:
        return yaml.safe_load(file)
"""


def by_phase(program: str, settings: str = DATASETS) -> tuple[set[int], set[int]]:
    """What reaches the workers of the loader for training, and of the one for validation."""
    files: Files = {"main.py": BUILD + program, "a.yaml": settings}
    train, val = (
        {one.constant for one in loader.option("num_workers").candidates if isinstance(one.constant, int)}
        for loader in loaders_of(files)
    )
    return train, val


SETS_PHASE = """
opt = read()
for phase, part in opt["datasets"].items():
    part["phase"] = phase
"""
READS = """
for name, part in opt["datasets"].items():
    build(part)
"""

DECIDED = {
    "pairs": SETS_PHASE + READS,
    "one part after the other": SETS_PHASE + 'build(opt["datasets"]["train"])\nbuild(opt["datasets"]["val"])\n',
    "a part of the name": """
opt = read()
for phase, part in opt["datasets"].items():
    phase = phase.split("_")[0]
    part["phase"] = phase
"""
    + READS,
    "another name for what is gone through": """
opt = read()
parts = opt["datasets"]
for phase, part in parts.items():
    part["phase"] = phase
"""
    + READS,
    "in a function": """
def parse():
    opt = read()
    for phase, part in opt["datasets"].items():
        part["phase"] = phase
    return opt
opt = parse()
"""
    + READS,
    "values": """
opt = read()
for part in opt["datasets"].values():
    part["phase"] = "train" if part["workers"] == 4 else "val"
"""
    + READS,
}


@pytest.mark.parametrize("program", DECIDED.values(), ids=DECIDED)
def test_each_element_holds_what_its_own_turn_gave_it(program: str) -> None:
    assert by_phase(program) == ({4}, {2})


NOT_SEEN = {
    "a turn may end early": """
opt = read()
for phase, part in opt["datasets"].items():
    if part["workers"] > unknown():
        continue
    part["phase"] = phase
""",
    "under a condition": """
opt = read()
for phase, part in opt["datasets"].items():
    if unknown():
        part["phase"] = phase
""",
    "a name that was not seen": """
opt = read()
for phase, part in opt["datasets"].items():
    part["phase"] = unknown(phase)
""",
}


@pytest.mark.parametrize("program", NOT_SEEN.values(), ids=NOT_SEEN)
def test_elements_that_a_loop_may_have_changed_decide_nothing(program: str) -> None:
    assert by_phase(program + READS) == ({4, 2}, {4, 2})


def test_one_thing_under_two_keys_holds_what_a_later_turn_gave_it() -> None:
    settings = "datasets:\n  train: &one\n    workers: 4\n  val: *one\n"
    assert by_phase(SETS_PHASE + READS, settings) == ({4}, {4})


def test_each_file_that_the_user_may_name_has_turns_of_its_own() -> None:
    program = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--opt", required=True)
args = parser.parse_args()
def parse():
    with open(args.opt) as file:
        opt = yaml.safe_load(file)
    for phase, part in opt["datasets"].items():
        phase = phase.split("_")[0]
        part["phase"] = phase
    return opt
opt = parse()
"""
    files: Files = {
        "main.py": BUILD + program + READS,
        "a.yaml": DATASETS,
        "b.yaml": "datasets:\n  val_1:\n    workers: 9\n  val_2:\n    workers: 11\n  train:\n    workers: 12\n",
        "c.yaml": "datasets:\n  train:\n    workers: 6\n",
    }
    train, val = (loader.option("num_workers") for loader in loaders_of(files))
    assert {one.constant for one in train.candidates} == {4, 12, 6}
    assert {one.constant for one in val.candidates} == {2, 9, 11}
    assert train.open
    assert val.open


VALUES: Cases = {
    "each of rows one of which was not seen": (
        """
        def make(datasets, sizes, counts):
            for data, size, n in zip(datasets, sizes, counts):
                DataLoader(data, batch_size=size, num_workers=n)
        make(read(), [16, 4], counts=[⟦4⟧, ⟦8⟧])
        """,
        {"4", "8"},
    ),
    "each of rows the last of which was not seen": (
        "for i, (n, data) in enumerate(zip((⟦4⟧, ⟦8⟧), read())):\n    DataLoader(data, num_workers=n)",
        {"4", "8"},
    ),
    "each of rows none of which was seen": (
        "for n, data in zip(read(), read()):\n    DataLoader(data, num_workers=n)",
        {"open"},
    ),
    "the elements of a list": (
        """
        parts = [{"workers": 3}, {"workers": 5}]
        for part in parts:
            part["workers"] = ⟦8⟧
        DataLoader(1, num_workers=parts[1]["workers"])
        """,
        {"8"},
    ),
    "a loop that may be left": (
        """
        parts = [{"workers": 3}, {"workers": ⟦5⟧}]
        for part in parts:
            part["workers"] = 8
            if unknown():
                break
        DataLoader(1, num_workers=parts[1]["workers"])
        """,
        {"5", "open"},
    ),
    "elements that were not seen": (
        """
        parts = unknown()
        for part in parts:
            part["workers"] = 8
        DataLoader(1, num_workers=parts[1]["workers"])
        """,
        {"open"},
    ),
    "a key of each turn": (
        """
        options = {"num_workers": 2}
        for key, value in [("num_workers", ⟦4⟧), ("batch_size", 3)]:
            options[key] = value
        DataLoader(1, **options)
        """,
        {"4"},
    ),
    "one key at two turns": (
        """
        options = {}
        for key, value in [("num_workers", 4), ("num_workers", ⟦8⟧)]:
            options[key] = value
        DataLoader(1, **options)
        """,
        {"8"},
    ),
    "keys of other options": (
        """
        options = {"num_workers": ⟦2⟧}
        for key, value in {"batch_size": 4, "timeout": 5}.items():
            options[key] = value
        DataLoader(1, **options)
        """,
        {"2"},
    ),
    "a key of each turn where one is left out": (
        """
        options = {"num_workers": ⟦2⟧}
        for key, value in {"batch_size": 4, "num_workers": ⟦5⟧}.items():
            if skipped(key):
                continue
            options[key] = value
        DataLoader(1, **options)
        """,
        {"2", "5"},
    ),
    "a key of each turn that may be changed": (
        """
        options = {"num_workers": ⟦2⟧}
        for key, value in {"batch_size": 4, "num_workers": 5}.items():
            options[change(key)] = value
        DataLoader(1, **options)
        """,
        {"2", "open"},
    ),
    "a key of each turn, read at a turn": (
        """
        options = {}
        for key, value in {"batch_size": 4, "num_workers": 5}.items():
            options[key] = value
            DataLoader(1, num_workers=options["num_workers"])
        """,
        {"open"},
    ),
    "a dictionary of each turn": (
        """
        parts = {}
        for name, given in [("a", [("workers", ⟦4⟧), ("size", 3)]), ("b", [("size", 8)])]:
            parts[name] = {key: value for key, value in given}
        DataLoader(1, num_workers=parts["a"]["workers"])
        """,
        {"4"},
    ),
    "a dictionary of each turn that was not seen": (
        """
        parts = {}
        for name, given in [("a", [("workers", 4), ("size", 3)]), ("b", read())]:
            parts[name] = {key: value for key, value in given}
        DataLoader(1, num_workers=parts["b"]["workers"])
        """,
        {"open"},
    ),
    "one of two keys that is taken out": (
        """
        options = {"num_workers": ⟦2⟧, "batch_size": 3, "timeout": 5}
        del options["batch_size" if unknown() else "timeout"]
        DataLoader(1, **options)
        """,
        {"2"},
    ),
    "one of two keys that may be the one taken out": (
        """
        options = {"num_workers": ⟦2⟧, "batch_size": 3}
        del options["batch_size" if unknown() else "num_workers"]
        DataLoader(1, num_workers=options.get("num_workers", ⟦7⟧))
        """,
        {"2", "7"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), VALUES.values(), ids=VALUES)
def test_what_a_loop_sets(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
