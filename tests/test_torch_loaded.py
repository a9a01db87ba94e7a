"""Programs that run in forks of a process with torch loaded do what they would do in fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.torch_loaded import TorchLoaded


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TorchLoaded]:
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text("")
    running = TorchLoaded(site)
    yield running
    running.close()


def test_each_program_draws_a_seed_of_its_own(process: TorchLoaded, tmp_path: Path) -> None:
    program = "import random, torch; print(torch.initial_seed(), random.random())"
    first, second = (process.run(tmp_path, ["-c", program], 60).stdout.split() for _ in range(2))
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_exit_functions_run_and_threads_are_waited_for(process: TorchLoaded, tmp_path: Path) -> None:
    program = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'left')\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('worked'))).start()\n"
    )
    assert process.run(tmp_path, ["-c", program], 60).stdout.split() == ["worked", "left"]


@pytest.mark.parametrize(
    ("program", "status"),
    [("raise SystemExit(3)", 3), ("raise SystemExit", 0), ("raise SystemExit('no')", 1), ("1 / 0", 1), ("pass", 0)],
)
def test_the_exit_status_is_that_of_the_program(
    process: TorchLoaded, tmp_path: Path, program: str, status: int
) -> None:
    assert process.run(tmp_path, ["-c", program], 60).returncode == status


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="what runs is looked up in /proc")
def test_what_a_program_starts_and_leaves_is_ended(process: TorchLoaded, tmp_path: Path) -> None:
    program = (
        "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)\n"
    )
    left = int(process.run(tmp_path, ["-c", program], 60).stdout)
    for _ in range(100):
        if not _runs(left):
            return
        time.sleep(0.1)
    raise AssertionError("still there")


def _runs(child: int) -> bool:
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return False
    # One that nobody has waited for is no process any more.
    return "Z" not in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_program_that_takes_too_long_is_ended(process: TorchLoaded, tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as late:
        process.run(tmp_path, ["-c", "import time; print('began', flush=True); time.sleep(600)"], 2)
    assert late.value.output == "began\n"
