"""Defaults that come from elsewhere than a flag's declaration, and flags that are asked for by other ways."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

ABSL = """
    from absl import flags
    FLAGS = flags.FLAGS
"""
HELD = f"{ABSL}    _WORKERS = flags.DEFINE_integer('workers', {{}}, '')\n"
CLICK = f"""{IMPORT}import click
@click.command(context_settings=SETTINGS)
@click.option('--workers', default=DEFAULT)
def main(workers):
    DataLoader(1, num_workers=workers)
"""
READS_FILE = f"""{IMPORT}from dataclasses import dataclass
from transformers import HfArgumentParser
@dataclass
class Data:
    workers: int = DEFAULT
    other: int = 1
(data,) = HfArgumentParser(Data).parse_yaml_file(NAMED)
DataLoader(1, num_workers=data.workers)
"""

CASES: Cases = {
    "absl: a flag of FLAGS by its name": (
        HELD.format("⟦2⟧") + "    DataLoader(1, num_workers=FLAGS['workers'].value)\n",
        {"2", "open"},
    ),
    "absl: a flag by a name that was not seen": (
        HELD.format("2") + "    DataLoader(1, num_workers=FLAGS[name()].value)\n",
        {"open"},
    ),
    "absl: a value that is asked for with a default": (
        HELD.format("⟦2⟧") + "    DataLoader(1, num_workers=FLAGS.get_flag_value('workers', 4))\n",
        {"2", "open"},
    ),
    "absl: a default in the place of none": (
        HELD.format("None") + "    DataLoader(1, num_workers=FLAGS.get_flag_value('workers', ⟦4⟧))\n",
        {"4", "open"},
    ),
    "absl: one of the dictionary of all flags": (
        HELD.format("⟦2⟧") + "    DataLoader(1, num_workers=FLAGS.flag_values_dict()['workers'])\n",
        {"2", "open"},
    ),
    "absl: another default by the flag's name": (
        HELD.format("2") + "    FLAGS.set_default('workers', ⟦3⟧)\n    DataLoader(1, num_workers=FLAGS.workers)\n",
        {"3", "open"},
    ),
    "absl: another default by the flag's holder": (
        HELD.format("2") + "    flags.set_default(_WORKERS, ⟦3⟧)\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"3", "open"},
    ),
    "absl: another default of another flag": (
        HELD.format("⟦2⟧") + "    FLAGS.set_default('others', 3)\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"2", "open"},
    ),
    "absl: another default in some runs": (
        HELD.format("⟦2⟧")
        + "    if asked():\n        FLAGS.set_default('workers', ⟦3⟧)\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"2", "3", "open"},
    ),
    "absl: another default set right before": (
        HELD.format("0") + "    def main(argv):\n        FLAGS.set_default('workers', ⟦3⟧)\n"
        "        DataLoader(1, num_workers=_WORKERS.value)\n",
        {"3", "open"},
    ),
    "absl: another default set afterwards": (
        HELD.format("⟦2⟧") + "    DataLoader(1, num_workers=FLAGS.workers)\n    FLAGS.set_default('workers', ⟦3⟧)\n",
        {"2", "3", "open"},
    ),
    "absl: a value set by the flag's name": (
        HELD.format("2") + "    FLAGS['workers'].value = ⟦3⟧\n    DataLoader(1, num_workers=FLAGS.workers)\n",
        {"3"},
    ),
    "absl: a value set by the flag's name, read from the holder": (
        HELD.format("2") + "    FLAGS['workers'].value = ⟦3⟧\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"3"},
    ),
    "absl: a value set by the flag's name in some runs": (
        HELD.format("⟦2⟧")
        + "    if asked():\n        FLAGS['workers'].value = ⟦3⟧\n    DataLoader(1, num_workers=FLAGS.workers)\n",
        {"2", "3", "open"},
    ),
    "absl: a value set by another flag's name": (
        HELD.format("⟦2⟧") + "    FLAGS['others'].value = 3\n    DataLoader(1, num_workers=FLAGS.workers)\n",
        {"2", "open"},
    ),
    "absl: a value set of something else's": (
        HELD.format("⟦2⟧") + "    table['workers'].value = 3\n    DataLoader(1, num_workers=FLAGS.workers)\n",
        {"2", "open"},
    ),
    "absl: a default of something else's": (
        HELD.format("⟦2⟧") + "    store.set_default('workers', 3)\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"2", "open"},
    ),
    "absl: a holder's flag that is set": (
        HELD.format("⟦2⟧") + "    FLAGS.workers = ⟦5⟧\n    DataLoader(1, num_workers=_WORKERS.value)\n",
        {"2", "5", "open"},
    ),
    "click: defaults that the command is declared with": (
        {
            "main.py": CLICK.replace("SETTINGS", "{'default_map': {'workers': ⟦3⟧}}").replace("DEFAULT", "2"),
        },
        {"3", "open"},
    ),
    "click: other settings of a command": (
        {
            "main.py": CLICK.replace("SETTINGS", "{'show_default': True}").replace("DEFAULT", "⟦2⟧"),
        },
        {"2", "open"},
    ),
    "transformers: a file that the program names": (
        {
            "main.py": READS_FILE.replace("DEFAULT", "2").replace("NAMED", "'data.yaml'"),
            "data.yaml": "workers: ⟦3⟧\n",
        },
        {"3"},
    ),
    "transformers: what the file does not say": (
        {
            "main.py": READS_FILE.replace("DEFAULT", "⟦2⟧").replace("NAMED", "yaml_file='data.yaml'"),
            "data.yaml": "other: 3\n",
        },
        {"2"},
    ),
    "transformers: a file that is not there": (
        {
            "main.py": READS_FILE.replace("DEFAULT", "⟦2⟧").replace("NAMED", "'data.yaml'"),
            "others.yaml": "workers: 3\n",
        },
        {"2", "open"},
    ),
    "transformers: a file that the user names": (
        {
            "main.py": READS_FILE.replace("DEFAULT", "⟦2⟧").replace("NAMED", "named()"),
            "data.yaml": "workers: 3\n",
        },
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_flags_hold_what_their_library_gives_them(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
