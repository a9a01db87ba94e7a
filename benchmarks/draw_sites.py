"""Draws loader calls at random from checked-out repositories, each with what loaderlint traces there, to be judged.

    python benchmarks/draw_sites.py --seed 3 --sites 150 REPOSITORY ... > sites.txt

The calls are found without loaderlint: every call outside tests whose callee is named like a loader, and whose worker
count (or, where it gives none, another option of the worker bundle, or the batch size) is anything but a literal. The
repositories take turns, so that a large one does not drown the others. The same seed and folders give the same sites.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPTIONS = ("num_workers", "prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context", "batch_size")
"""The options a site can be drawn for, the first that is given by anything but a literal."""
SPELLINGS = {f"dataloader_{option}": option for option in OPTIONS} | {"per_device_train_batch_size": "batch_size"}
"""What Hugging Face calls some of them (``transformers.TrainingArguments``)."""
LOADERS = ("DataLoader", "Dataloader", "TrainingArguments")
"""What stands in the last part of a callee's name when it makes a loader."""
TESTS = ("test", "tests", "testing")
SECONDS = 600
"""The time one repository may take to be traced."""


@dataclass(frozen=True, order=True)
class Site:
    """A loader call, and the option it is drawn for with the expression that gives it."""

    repository: Path
    path: str
    line: int
    option: str
    expression: str


def sites(repository: Path) -> list[Site]:
    """Return the loader calls of a repository that can be drawn, in order."""
    found = []
    for file in sorted(repository.rglob("*.py")):
        path = file.relative_to(repository)
        if any(part in TESTS or part.startswith((".", "test_")) for part in path.parts):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and any(word in _name(node.func) for word in LOADERS):
                found.extend(_drawable(repository, path.as_posix(), node))
    return sorted(found)


def _drawable(repository: Path, path: str, call: ast.Call) -> Iterator[Site]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    named = {SPELLINGS.get(name, name): value for name, value in given.items() if name is not None}
    for option in OPTIONS:
        if option in named:
            value = named[option]
            if not isinstance(value, ast.Constant):
                yield Site(repository, path, call.lineno, option, ast.unparse(value))
                return
            if option == "num_workers":
                return
    if None in given:
        yield Site(repository, path, call.lineno, "num_workers", f"**{ast.unparse(given[None])}")


def _name(callee: ast.expr) -> str:
    return callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")


def draw(repositories: Sequence[Path], wanted: int, seed: int) -> list[Site]:
    """Return so many sites drawn at random, fewer when there are no more; the repositories take turns."""
    chance = random.Random(seed)
    left = {repository: sites(repository) for repository in sorted(repositories)}
    drawn: list[Site] = []
    while len(drawn) < wanted and any(left.values()):
        turn = [repository for repository, remaining in left.items() if remaining]
        chance.shuffle(turn)
        for repository in turn[: wanted - len(drawn)]:
            drawn.append(left[repository].pop(chance.randrange(len(left[repository]))))
    return sorted(drawn)


def traced(repository: Path) -> dict[tuple[str, int], dict[str, Any]] | str:
    """Return the loaders that loaderlint traces in a repository by path and line, or what it said instead."""
    try:
        finished = subprocess.run(
            [sys.executable, "-m", "loaderlint", "trace", "--format", "json", "."],
            cwd=repository,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS} s"
    try:
        loaders = json.loads(finished.stdout)["loaders"]
    except ValueError:
        return finished.stderr
    return {(one["path"], one["line"]): one for one in loaders}


def card(site: Site, loaders: dict[tuple[str, int], dict[str, Any]] | str) -> Iterator[str]:
    """Yield the lines of a site with what was traced for its option."""
    yield f"{site.repository.name}/{site.path}:{site.line}  {site.option}={site.expression}"
    if isinstance(loaders, str):
        yield f"    not traced: {loaders.strip()}"
        return
    loader = loaders.get((site.path, site.line))
    value = loader["options"].get(site.option) if loader is not None else None
    if value is None:
        yield "    no loader seen here" if loader is None else "    the option was not seen"
        return
    for candidate in value["candidates"]:
        yield f"    {json.dumps(candidate['constant'])}  {candidate['path']}:{candidate['line']}"
        for step in candidate["trail"]:
            yield f"        -> {step['path']}:{step['line']}  {step['note']}"
    if value["open"]:
        yield "    open"


def main() -> None:
    """Print the seed and the drawn sites."""
    parser = argparse.ArgumentParser(description="Draw loader calls at random, with what loaderlint traces there.")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--sites", type=int, default=150)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    drawn = draw([one.resolve() for one in arguments.repositories], arguments.sites, arguments.seed)
    repositories = sorted({site.repository for site in drawn})
    print(f"seed {arguments.seed}: {len(drawn)} sites of {len(repositories)} repositories")
    for repository in repositories:
        loaders = traced(repository)
        for number, site in enumerate(drawn, start=1):
            if site.repository == repository:
                print(f"\n{number}. " + "\n".join(card(site, loaders)), flush=True)


if __name__ == "__main__":
    main()
