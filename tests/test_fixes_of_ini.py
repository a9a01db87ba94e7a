"""What a program reads with ``configparser`` is fixed where that changes what a loader gets, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

PROGRAM = """
import configparser

from torch.utils.data import DataLoader


def main():
    config = configparser.ConfigParser()
    config.read("train.ini")
    {before}
    for batch in DataLoader(range(8), num_workers=config.getint("data", "workers")):
        print(batch)
    {after}


if __name__ == "__main__":
    main()
"""
INI = "[data]\nworkers = 4\nsize = 8\n"
EDITED_CALL = "num_workers=0)"
"""What the loader's own call gets where nothing else may be changed."""


def fixed(project: WriteFiles, *, before: str = "", after: str = "", ini: str = INI) -> tuple[str, str]:
    """The program and the file of INI after all safe fixes."""
    project({"train.py": PROGRAM.format(before=before, after=after), "train.ini": ini})
    cli.run(["--platform", "windows", "--fix", "train.py"])
    return Path("train.py").read_text(), Path("train.ini").read_text()


def test_an_option_is_fixed_in_its_file(project: WriteFiles) -> None:
    program, ini = fixed(project)
    assert ini == INI.replace("4", "0")
    assert EDITED_CALL not in program


@pytest.mark.parametrize(
    "sets",
    [
        'config.set("data", "workers", "2")',
        'config["data"]["workers"] = "2"',
        'config["data"] = {"workers": "2"}',
    ],
)
def test_a_text_that_the_program_puts_in_its_parser_stays_one(sets: str, project: WriteFiles) -> None:
    program, ini = fixed(project, before=sets)
    assert sets in program
    assert EDITED_CALL in program
    assert ini == INI


@pytest.mark.parametrize("takes", ["%(workers)s", "${workers}", "${data:Workers}", "two\n  of %(WORKERS)s"])
def test_an_option_that_another_takes_the_value_of_stays(takes: str, project: WriteFiles) -> None:
    ini = f"{INI}[other]\ntwice = {takes}\n"
    program, after = fixed(project, ini=ini)
    assert after == ini
    assert EDITED_CALL in program


@pytest.mark.parametrize("takes", ["%(size)s", "${size}", "${workers:size}", "%(workers", "workers"])
def test_an_option_is_fixed_in_its_file_where_another_takes_something_else(takes: str, project: WriteFiles) -> None:
    ini = f"{INI}[other]\ntwice = {takes}\n"
    program, after = fixed(project, ini=ini)
    assert after == ini.replace("workers = 4", "workers = 0")
    assert EDITED_CALL not in program


@pytest.mark.parametrize("name", ["train.conf", "train.cfg"])
def test_json_in_a_file_that_is_named_as_ini_is_fixed_as_json(name: str, project: WriteFiles) -> None:
    program = (
        PROGRAM.replace("import configparser", "import json")
        .replace("configparser.ConfigParser()", f"json.load(open('{name}'))")
        .replace('    config.read("train.ini")\n', "")
        .replace('config.getint("data", "workers")', 'config["workers"]')
        .format(before="", after="")
    )
    project({"train.py": program, name: '{\n  "workers": 4,\n  "size": 8\n}\n'})
    cli.run(["--platform", "windows", "--fix", "train.py"])
    assert Path(name).read_text() == '{\n  "workers": 0,\n  "size": 8\n}\n'
    assert Path("train.py").read_text() == program


def test_what_only_begins_as_json_in_a_file_that_was_met_is_nobodys_concern(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": "", "nginx.conf": "{ num_workers 4; }\n"})
    assert cli.run(["."]) == 0
    assert "nginx.conf" not in capsys.readouterr().out
