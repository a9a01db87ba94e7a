"""Writing the files of one fix: all of them, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaderlint import saving
from loaderlint.model.source import Language, Source
from loaderlint.writers.files import write


def test_a_process_that_ends_between_the_files_of_a_fix_takes_back_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("first.py", "second.py")
    for name in names:
        (tmp_path / name).write_bytes(b"before\n")
    sources = [Source(name, str(tmp_path / name), Language.PYTHON, b"before\n") for name in names]

    def ended(source: Source, content: bytes) -> None:
        if source.path == "second.py":
            raise KeyboardInterrupt
        write(source, content)

    monkeypatch.setattr(saving, "write", ended)
    with pytest.raises(KeyboardInterrupt):
        saving._write_all([(one, b"after\n") for one in sources])
    assert [(tmp_path / name).read_bytes() for name in names] == [b"before\n", b"before\n"]
