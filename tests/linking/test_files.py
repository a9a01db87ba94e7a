from __future__ import annotations

import pytest

from loaderlint.linking.files.known import Files, PartFiles, Readings
from loaderlint.model.source import Language, Source
from tests.linking.traced import project_of


def source(text: str) -> Source:
    return Source("a.py", "/project/a.py", Language.PYTHON, text.encode())


def test_what_did_not_change_is_read_once() -> None:
    readings = Readings()
    first = PartFiles(Files({"a.py": source("x = 1")}, readings=readings)).python("a.py")
    assert first is not None
    assert PartFiles(Files({"a.py": source("x = 1")}, readings=readings)).python("a.py") is first


def test_what_changed_is_read_anew() -> None:
    readings = Readings()
    before = PartFiles(Files({"a.py": source("x = 1")}, readings=readings)).python("a.py")
    after = PartFiles(Files({"a.py": source("y = 1")}, readings=readings)).python("a.py")
    assert before is not None
    assert after is not None
    assert set(before.module.bindings) == {"x"}
    assert set(after.module.bindings) == {"y"}


def test_a_file_that_cannot_be_parsed_is_a_failure_every_time() -> None:
    readings = Readings()
    for _ in range(2):
        files = PartFiles(Files({"a.py": source("x = (")}, readings=readings))
        assert files.python("a.py") is None
        assert set(files.failures) == {"a.py"}


@pytest.mark.parametrize(
    ("files", "written"),
    [
        ({"a.yaml": "_target_: torch.utils.data.DataLoader\n"}, True),
        ({"a.yaml": "_target_: ${library}.DataLoader\n"}, True),
        ({"a.py": "MADE = 'torch.utils.data.DataLoader'\n"}, True),
        ({"a.py": 'def made(of: str = "torch.utils.data.DataLoader"): ...\n'}, True),
        ({"a.py": "def loader(self) -> 'torch.utils.data.DataLoader': ...\n"}, False),
        ({"a.py": "import torch\nloader = torch.utils.data.DataLoader(d)\n"}, False),
        ({"a.yaml": "_target_: torch.optim.Adam\n"}, False),
    ],
)
def test_a_name_that_a_program_may_look_up_is_written_out_as_a_text(files: dict[str, str], written: bool) -> None:
    project, _ = project_of(files)
    assert project.writes_out(frozenset({"torch.utils.data.DataLoader"})) is written
