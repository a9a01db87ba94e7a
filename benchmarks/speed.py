"""Times loaderlint against ruff, grep and TorchFix over trees of public code, and prints medians and ratios.

    python benchmarks/speed.py --rounds 5
    python benchmarks/speed.py --rounds 1 --corpus single --corpus small
    python benchmarks/speed.py --rounds 3 FOLDER ...

The corpora are made of pinned wheels, brought once with pip into ``--folder``: ``library`` is code that mostly has
nothing to do with loaders, ``training`` recipes and configurations of them, ``training x2`` and so on the same several
times, each a project of its own beside the others; ``small`` and ``single`` are written by this script. Folders that
are named are timed instead. In every round each tool runs once on each corpus, one after the other, so that a machine
that slows down slows all of them. *cold* is a run that nothing was kept for, *warm* one after the same run. What a tool
takes is all its processes together: time by the clock, time of processors, and the most memory that one of them had.
loaderlint may work in several (``--jobs``), and is timed with one as well.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

LIBRARY = ("transformers==5.23.0", "lightning==2.6.6", "timm==1.0.31", "ultralytics==8.4.190")
TRAINING = ("torchtune==0.6.1", "super-gradients==3.7.1", "catalyst==22.4", "litgpt==0.5.13", "mmdet==3.3.0")
TIMES = (2, 4, 8)
WORDS = "DataLoader|num_workers|persistent_workers|prefetch_factor"
SCRIPT = """\
import argparse

from torch.utils.data import DataLoader


def load(dataset, workers):
    return DataLoader(dataset, batch_size=4, num_workers=workers, shuffle=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default={workers})
    for batch in load(list(range(100)), parser.parse_args().workers):
        print(batch)


if __name__ == "__main__":
    main()
"""
EMPTY_APP = "import typer\napp = typer.Typer()\n@app.command()\ndef main() -> None: ...\napp()\n"


@dataclass(frozen=True)
class Run:
    """What one process took: seconds by the clock and of processors, and megabytes at most."""

    wall: float
    processor: float
    memory: float


@dataclass(frozen=True)
class Contender:
    """Something that is timed; ``before`` is what it needs done first, which is not timed."""

    name: str
    command: tuple[str, ...]
    before: Callable[[], object] = dict


def timed(command: Iterable[str], folder: Path) -> Run:
    """Return what a command takes in a folder, whatever its exit code says; raises RuntimeError when it is killed."""
    # As people have it: with the modules compiled.
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(tuple(command), cwd=folder, env=around, stdout=nowhere, stderr=nowhere) as process:
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode < 0:
        raise RuntimeError(f"{command} was killed in {folder}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def corpora(folder: Path) -> dict[str, Path]:
    """Return the folders that are linted, by name, made where they do not stand yet."""
    found = {"single": folder / "single", "small": folder / "small"}
    for name, files in (("single", 1), ("small", 20)):
        written(found[name], {f"train_{index}.py": SCRIPT.format(workers=0) for index in range(files)})
    for name, wheels in (("library", LIBRARY), ("training", TRAINING)):
        found[name] = unpacked(folder / name, wheels)
    for many in TIMES:
        found[f"training x{many}"] = multiplied(found["training"], many)
    return found


def written(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder, which becomes a repository."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def unpacked(folder: Path, wheels: Iterable[str]) -> Path:
    """Return a folder that holds what is in some wheels of the package index."""
    if not folder.exists():
        brought = folder.with_name(f"{folder.name} wheels")
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
        subprocess.run((*pip, "--dest", str(brought), *wheels), check=True)
        written(folder, {})
        for wheel in sorted(brought.glob("*.whl")):
            zipfile.ZipFile(wheel).extractall(folder)
    return folder


def multiplied(folder: Path, many: int) -> Path:
    """Return a folder with a tree several times."""
    several = folder.with_name(f"{folder.name} x{many}")
    if not several.exists():
        written(several, {})
        for index in range(many):
            shutil.copytree(folder, several / f"copy_{index}")
    return several


def contenders(kept: Path) -> Iterator[Contender]:
    """Yield what is timed on every corpus."""
    here = Path(sys.executable).parent
    loaderlint = (str(here / "loaderlint"), "--platform", "windows", "--platform", "linux", "--cache-dir", str(kept))
    forgotten = partial(shutil.rmtree, kept, ignore_errors=True)
    yield Contender("one process cold", (*loaderlint, "--jobs", "1"), forgotten)
    yield Contender("loaderlint cold", loaderlint, forgotten)
    yield Contender("loaderlint warm", loaderlint)
    yield Contender("ruff --no-cache", (str(here / "ruff"), "check", "--no-cache", "--quiet"))
    yield Contender("grep -rlE", ("grep", "-rlE", WORDS, "."))
    if (here / "torchfix").exists():
        yield Contender("torchfix", (str(here / "torchfix"), "."))


def table(corpus: str, runs: Mapping[str, list[Run]]) -> Iterator[str]:
    """Yield a line for each contender: medians, and the time by the clock as a share of ruff's."""
    mark = statistics.median(run.wall for run in runs["ruff --no-cache"])
    for name, several in runs.items():
        wall, processor, memory = (
            statistics.median(getattr(run, figure) for run in several) for figure in ("wall", "processor", "memory")
        )
        yield f"{corpus:14} {name:18} {wall:8.2f} s {processor:8.2f} s {memory:6.0f} MB {wall / mark:8.2f} x ruff"


def starts(folder: Path, rounds: int) -> Iterator[str]:
    """Yield what it takes to start Python, an empty command line, and loaderlint on one file with and without a fix."""
    app = folder / "empty_app.py"
    app.write_text(EMPTY_APP)
    fixed = folder / "fixed"
    mended = fixed / "train.py"
    loaderlint = ("env", "LOADERLINT_NO_CACHE=1", sys.executable, "-m", "loaderlint", mended.name)
    clean, risky = ({mended.name: SCRIPT.format(workers=workers)} for workers in (0, 4))
    every = (
        Contender("python -c pass", (sys.executable, "-c", "pass")),
        Contender("an empty Typer app", (sys.executable, str(app))),
        Contender("no findings", loaderlint, partial(written, fixed, clean)),
        Contender("--fix", (*loaderlint, "--fix", "--platform=windows"), partial(written, fixed, risky)),
    )
    runs: dict[str, list[float]] = {one.name: [] for one in every}
    written(fixed, {})
    for _ in range(rounds):
        for one in every:
            one.before()
            runs[one.name].append(timed(one.command, fixed).wall)
    medians = {name: statistics.median(several) for name, several in runs.items()}
    for name, median in medians.items():
        yield f"{name:20} {median:6.3f} s {median / medians['an empty Typer app']:6.2f} x an empty Typer app"


def main() -> None:
    """Time all and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "loaderlint benchmarks")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--corpus", action="append", help="only this one (repeatable)")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    every = {one.name: one for one in asked.folders} or corpora(asked.folder)
    for name in asked.corpus or every:
        runs: dict[str, list[Run]] = {}
        for _ in range(asked.rounds):
            for one in contenders(asked.folder / "kept"):
                one.before()
                runs.setdefault(one.name, []).append(timed(one.command, every[name]))
        print(*table(name, runs), sep="\n", flush=True)
    print(*starts(asked.folder, max(asked.rounds, 5)), sep="\n")


if __name__ == "__main__":
    main()
