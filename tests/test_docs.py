from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import FAMILIES, HERE, generated, present
from loaderlint.rulebook import all_rules


def test_there_is_a_file_for_everything_that_is_generated_and_none_besides() -> None:
    assert present() == generated().keys(), "run `python docs/generate.py`"


@pytest.mark.parametrize("path", sorted(generated()))
def test_a_generated_file_says_what_the_rules_and_settings_say_now(path: str) -> None:
    assert (HERE / path).read_bytes().decode() == generated()[path], "run `python docs/generate.py`"


def test_every_rule_belongs_to_a_family() -> None:
    assert {rule.code[:3] for rule in all_rules()} <= FAMILIES.keys()


def test_the_command_in_its_docstring_writes_the_files(tmp_path: Path) -> None:
    copy = tmp_path / "docs"
    (copy / "rules").mkdir(parents=True)
    (copy / "rules" / "no-such-rule.md").write_text("left over")
    (copy / "generate.py").write_bytes((HERE / "generate.py").read_bytes())
    subprocess.run([sys.executable, "docs/generate.py"], cwd=tmp_path, check=True)
    written = {path.relative_to(copy).as_posix(): path.read_bytes().decode() for path in copy.rglob("*.*")}
    assert {path: text for path, text in written.items() if path != "generate.py"} == generated()
