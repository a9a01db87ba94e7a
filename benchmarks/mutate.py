"""Lints and fixes mutants of real files, and says which of them loaderlint could not take.

    python benchmarks/mutate.py --seed 3 --count 20000 FOLDER ...

A mutant is a file of the folders that may matter to loaderlint, changed by one of the kinds in ``mutations.py``, in a
project of its own together with what stands beside it, where that is little. It goes through the command line.
Whatever its bytes are, there is no traceback, an answer within seconds, and a report that holds together: what cannot
be parsed is an error with its file and line. What was written parses, has the finding mended, differs where the report
says so and nowhere else, and a second run changes nothing. A mutant has a number; ``--only NUMBER`` tries it again and
``--keep FOLDER`` leaves it there.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from checked import LIMIT, Mutant, Wrong, tried, write
from mutations import KINDS

from loaderlint.discovery import LARGEST
from loaderlint.model.source import NOTEBOOK, Language
from loaderlint.vocabulary.prefilter import may_matter

SHARES = {".py": 45, ".yaml": 20, ".yml": 5, NOTEBOOK: 8, ".sh": 10, ".json": 6, ".toml": 6}
"""How many of a hundred mutants are of each suffix."""
ONLY_FOR = {"anchors": ".yaml", "odd cells": NOTEBOOK}
"""The kinds that mean something in one language alone."""
NEIGHBOURS = 12
"""Files in a folder up to which all of them come into the project of a mutant."""
PATIENCE = 6
"""Times the processor time of a run after which a mutant without an answer is given up."""
TOGETHER = 200
"""Mutants that one process tries before a fresh one takes over."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant; ``wrong`` says what it did that it must not do, nothing when all was well."""

    number: int
    kind: str
    origin: str
    unreadable: bool = False
    found: bool = False
    fixed: bool = False
    wrong: str = ""


def pool(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """Return the files that may matter by suffix, in order."""
    found: dict[str, list[Path]] = {suffix: [] for suffix in SHARES}
    for file in sorted(file for folder in folders for file in folder.rglob("*") if file.suffix in found):
        if file.is_file() and file.stat().st_size <= LARGEST and may_matter(file.read_bytes(), Language.of(file.name)):
            found[file.suffix].append(file)
    return {suffix: files for suffix, files in found.items() if files}


def mutant(number: int, originals: Mapping[str, Sequence[Path]]) -> Mutant:
    """Return the mutant of a number, which is the same whenever it is made of the same files."""
    chance = Random(number)
    kind = chance.choice([kind for kind in KINDS if ONLY_FOR.get(kind, ".py") in originals])
    suffix = ONLY_FOR.get(kind) or chance.choices([*originals], [SHARES[one] for one in originals])[0]
    origin = chance.choice(originals[suffix])
    other = chance.choice(originals[chance.choice([*originals])])
    content = KINDS[kind](chance, origin.read_bytes(), other.read_bytes())
    beside = sorted(one for one in origin.parent.iterdir() if one.suffix in SHARES and one.is_file() and one != origin)
    neighbours = {one.name: one.read_bytes() for one in beside} if len(beside) <= NEIGHBOURS else {}
    return Mutant(number, kind, str(origin), origin.name, {**neighbours, origin.name: content}, chance.random() < 0.5)


def several(numbers: Sequence[int], originals: Mapping[str, Sequence[Path]], to: Connection) -> None:
    """Try the mutants of these numbers in this process, and send each outcome when it is known."""
    for number in numbers:
        one = mutant(number, originals)
        to.send((one.kind, one.origin))
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            try:
                said = tried(one, Path(folder))
                found, fixed = bool(said["findings"] or said["fixed"]), bool(said["fixed"])
                outcome = Outcome(number, one.kind, one.origin, bool(said["errors"]), found, fixed)
            except Wrong as error:
                outcome = Outcome(number, one.kind, one.origin, wrong=str(error))
            except BaseException:
                outcome = Outcome(number, one.kind, one.origin, wrong=traceback.format_exc(limit=-4))
            os.chdir("/")
        to.send(outcome)


def outcomes(numbers: Sequence[int], originals: Mapping[str, Sequence[Path]]) -> Iterator[Outcome]:
    """Yield the outcomes of mutants, tried in a process that is ended when one takes too long or ends it."""
    context = multiprocessing.get_context("spawn")
    left = list(numbers)
    while left:
        here, there = context.Pipe()
        worker = context.Process(target=several, args=(left[:TOGETHER], originals, there), daemon=True)
        worker.start()
        there.close()
        kind = origin = ""
        try:
            for number in left[:TOGETHER]:
                kind, origin = here.recv()
                if not here.poll(PATIENCE * LIMIT):
                    yield Outcome(number, kind, origin, wrong="no answer")
                    break
                yield here.recv()
                left = left[1:]
            else:
                continue
        except EOFError:
            yield Outcome(left[0], kind, origin, wrong=f"the process died: {worker.exitcode}")
        finally:
            worker.kill()
            worker.join()
        left = left[1:]


def told(each: Iterable[Outcome]) -> list[Outcome]:
    """Return the outcomes, after the failures among them have been printed as they came."""
    done = []
    for one in each:
        done.append(one)
        if one.wrong:
            print(f"{one.number} {one.kind} {one.origin}", textwrap.indent(one.wrong, "    "), sep="\n", flush=True)
    return done


def table(done: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the table, a row for each kind."""
    yield f"{'kind':<24} {'tried':>6} {'unreadable':>10} {'found':>6} {'fixed':>6} {'failed':>6}"
    for name in [*sorted({one.kind for one in done}), "all"]:
        own = [one for one in done if name in (one.kind, "all")]
        unreadable, found = sum(one.unreadable for one in own), sum(one.found for one in own)
        fixed, failed = sum(one.fixed for one in own), sum(bool(one.wrong) for one in own)
        yield f"{name:<24} {len(own):>6} {unreadable:>10} {found:>6} {fixed:>6} {failed:>6}"


def main() -> int:
    """Print the failures as they come, and the table."""
    parser = argparse.ArgumentParser(description="Lint and fix mutants of real files.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1, help="processes that try mutants side by side")
    parser.add_argument("--only", type=int, action="append", metavar="NUMBER", help="try this mutant (repeatable)")
    parser.add_argument("--keep", type=Path, help="write the project of the mutants into this folder, and try none")
    arguments = parser.parse_args()
    originals = pool([folder.resolve() for folder in arguments.folders])
    numbers = arguments.only or [arguments.seed * 1_000_000 + one for one in range(arguments.count)]
    if arguments.keep:
        for number in numbers:
            one = mutant(number, originals)
            (arguments.keep / str(number)).mkdir(parents=True)
            write(arguments.keep / str(number), one.files)
        return 0
    with ThreadPoolExecutor(arguments.jobs) as jobs:
        shares = [numbers[start :: arguments.jobs] for start in range(arguments.jobs)]
        done = [one for share in jobs.map(lambda share: told(outcomes(share, originals)), shares) for one in share]
    print("\n".join(table(done)))
    return 1 if any(one.wrong for one in done) else 0


if __name__ == "__main__":
    sys.exit(main())
