"""What several rooms' tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WriteFiles = Callable[[dict[str, str | bytes]], None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteFiles:
    """An empty repository that is the working folder; calling it with names and contents writes files into it."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    return write
