"""What several rooms' tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from loaderlint.cache import OFF

# The same examples in every run: a red build is somebody's change. `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("steady")

# Tests change the rules and the engine under a run's feet, and leave nothing in anybody's cache.
os.environ[OFF] = "1"

# A shell makes what it starts in the background deaf to interrupts, and all that this starts in turn.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
