"""How the time and memory of ``loaderlint trace`` grow with a project.

    python benchmarks/trace_growth.py FOLDER

traces a folder, and then a project that holds it twice and one that holds it four times, as folders beside each other.
Cost in proportion doubles from row to row.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

COPIES = (1, 2, 4)

_TRACE = """
import resource, sys
from loaderlint.cli import run
run(["trace", ".", "--format", "json", "--isolated"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / (1024 * 1024 if sys.platform == "darwin" else 1024), file=sys.stderr)
"""
"""What the subprocess runs; its last line on standard error is its peak memory in MiB (``ru_maxrss``, getrusage(2))."""


class Cost(NamedTuple):
    """What one trace took."""

    seconds: float
    mebibytes: float


def cost_of(project: Path) -> Cost:
    """Return what tracing a project takes in a fresh interpreter."""
    start = time.perf_counter()
    traced = subprocess.run(
        [sys.executable, "-c", _TRACE], cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return Cost(time.perf_counter() - start, float(traced.stderr.split()[-1]))


def copied(folder: Path, copies: int, into: Path) -> Path:
    """Return a project made of copies of a folder, without its history."""
    project = into / f"copies_{copies}"
    for number in range(copies):
        shutil.copytree(folder, project / f"copy_{number}", ignore=shutil.ignore_patterns(".git"), symlinks=True)
    return project


def main() -> None:
    """Print a row for each number of copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    print(f"{'copies':>6}  {'Python files':>12}  {'seconds':>8}  {'MiB':>7}  {'time':>6}  {'memory':>6}")
    first: Cost | None = None
    for copies in COPIES:
        with tempfile.TemporaryDirectory() as into:
            project = copied(folder, copies, Path(into))
            files = sum(name.endswith(".py") for _, _, names in os.walk(project) for name in names)
            cost = cost_of(project)
        first = first or cost
        growth = f"{cost.seconds / first.seconds:>5.1f}x  {cost.mebibytes / first.mebibytes:>5.1f}x"
        print(f"{copies:>6}  {files:>12}  {cost.seconds:>8.1f}  {cost.mebibytes:>7.0f}  {growth}", flush=True)


if __name__ == "__main__":
    main()
