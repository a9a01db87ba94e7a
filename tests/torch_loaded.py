"""Processes that have torch loaded, in which programs run as fresh interpreters would run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

SERVE = Path(__file__).resolve().parent / "served" / "serve.py"


class TorchLoaded:
    """A process that runs one program after the other, each in a fork of its own.

    ``site`` is a folder whose ``sitecustomize`` each of them, and each process they start, begins with; ``loads`` names
    modules that are loaded besides torch.
    """

    def __init__(self, site: Path, environment: Mapping[str, str] | None = None, loads: Sequence[str] = ()) -> None:
        inherited = os.environ.get("PYTHONPATH")
        path = os.pathsep.join([str(site), *([inherited] if inherited else [])])
        self._printed = TemporaryDirectory()
        self._process = subprocess.Popen(
            [sys.executable, "-u", str(SERVE), *loads],
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(
        self, folder: Path, command: Sequence[str], deadline: float, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run ``python COMMAND ...`` in a folder; raises `subprocess.TimeoutExpired` after ``deadline`` seconds."""
        files = [Path(self._printed.name, name) for name in ("output", "errors")]
        request = {
            "folder": str(folder),
            "command": list(command),
            "environment": dict(environment or {}),
            "printed": list(map(str, files)),
            "deadline": deadline,
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        status = json.loads(self._process.stdout.readline())
        output, errors = (one.read_text(encoding="utf-8", errors="replace") for one in files)
        if status is None:
            raise subprocess.TimeoutExpired(command, deadline, output, errors)
        return subprocess.CompletedProcess(command, status, output, errors)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._printed.cleanup()
