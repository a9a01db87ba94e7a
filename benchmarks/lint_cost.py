"""What ``loaderlint`` takes for a file and for projects, beside what ``ruff check`` takes for the same.

    python benchmarks/lint_cost.py FOLDER ...

The first row is one small file by itself, which is the cost of starting. Both run in turns, without caches and, in the
projects, without settings; the fastest run of each counts: other work on the machine only ever adds time. Python keeps
the bytecode of what it imports, as it does for an installed loaderlint.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SMALL = """from torch.utils.data import DataLoader

workers = 4

if __name__ == "__main__":
    print(len(DataLoader(range(8), num_workers=workers)))
"""
PLAIN = ("loaderlint",)
LOADERLINT = (*PLAIN, "--no-cache", "--isolated", "--exit-zero")
RUFF = ("ruff", "check", "--no-cache", "--isolated", "--exit-zero")


def seconds(command: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    """Return the wall time of a command in a folder; raises `CalledProcessError` when it dies.

    A file that cannot be parsed, for which loaderlint exits with 2, is no reason to stop.
    """
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    took = time.perf_counter() - start
    if done.returncode not in (0, 2):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return took


def fastest(commands: Sequence[Sequence[str]], folder: Path, runs: int, environment: dict[str, str]) -> list[float]:
    """Return the shortest time of each command; they take turns."""
    turns = [[seconds(command, folder, environment) for command in commands] for _ in range(runs)]
    return [min(times) for times in zip(*turns, strict=True)]


def row(ours: Sequence[str], folder: Path, path: str, runs: int, environment: dict[str, str]) -> str:
    """Return the line of the table for a path in a folder, which the command ``ours`` lints."""
    files = sum(file.endswith(".py") for _, _, names in os.walk(folder) for file in names)
    ours_took, ruff_took = fastest([(*ours, path), (*RUFF, path)], folder, runs, environment)
    ratio = f"{ours_took / ruff_took:>5.1f}x"
    return f"{folder.resolve().name:<24} {files:>12}  {ours_took:>10.2f}  {ruff_took:>6.2f}  {ratio}"


def main() -> None:
    """Print a row for a small file and one for each folder."""
    parser = argparse.ArgumentParser(description="Time loaderlint beside ruff check.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=3, help="how often each is run (default: 3)")
    arguments = parser.parse_args()
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    if shutil.which("ruff", path=beside) is None:
        parser.error("there is no ruff: pip install ruff")
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "PATH": beside, "PYTHONPYCACHEPREFIX": str(Path(scratch, "bytecode"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        alone = Path(scratch, "one small file")
        alone.mkdir()
        (alone / "train.py").write_text(SMALL)
        print(f"{'project':<24} {'Python files':>12}  {'loaderlint':>10}  {'ruff':>6}  {'ratio':>6}")
        seconds((*PLAIN, "train.py"), alone, environment)
        print(row(PLAIN, alone, "train.py", max(arguments.runs, 15), environment), flush=True)
        for folder in arguments.folders:
            print(row(LOADERLINT, folder, ".", arguments.runs, environment), flush=True)


if __name__ == "__main__":
    main()
