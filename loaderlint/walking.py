"""Walking folders: which files there are that a person would call the project's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from loaderlint.model.finding import Failure
from loaderlint.model.source import Language
from loaderlint.paths import PathPatterns, displayed, valid_lines

SKIPPED_FOLDERS = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".hydra",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pixi",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "build",
        "dist",
        "lightning_logs",
        "mlruns",
        "node_modules",
        "site-packages",
        "venv",
        "wandb",
    }
)
"""Folders that hold other people's code, generated files, or the records of past runs, which nobody edits."""

_ENVIRONMENT_MARK = "pyvenv.cfg"


def walk(folder: str, cwd: str, excludes: Callable[[str], PathPatterns]) -> Iterator[str | Failure]:
    """Yield the files of our languages in a folder and below, all by absolute path.

    ``.gitignore`` files inside the folder and above it up to the repository's root hold, unless they ignore the folder
    itself: then it was asked for by name. ``excludes`` gives the patterns in force in a folder. Links to folders are
    not followed, so that no walk is endless. A folder that cannot be listed is a failure.
    """
    waiting = [(folder, _ignores_above(folder))]
    while waiting:
        here, ignores = waiting.pop()
        try:
            with os.scandir(here) as listing:
                entries = {entry.name: entry for entry in listing}
        except OSError as error:
            yield Failure(displayed(here, cwd), f"cannot list this folder: {error.strerror or error}")
            continue
        if _ENVIRONMENT_MARK in entries:
            continue
        if ".git" in entries:
            ignores = _repository_ignores(here)
        if ".gitignore" in entries:
            ignores = (*ignores, _read_ignores(here, entries[".gitignore"].path))
        excluded = excludes(here)
        for name, entry in sorted(entries.items()):
            is_folder = _is_folder(entry)
            if (name in SKIPPED_FOLDERS) if is_folder else (Language.of(name) is None or not _is_file(entry)):
                continue
            if _ignored(ignores, entry.path, is_folder) or excluded.match(entry.path, is_folder=is_folder):
                continue
            if is_folder:
                waiting.append((entry.path, ignores))
            else:
                yield entry.path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _ignored(ignores: tuple[PathPatterns, ...], location: str, is_folder: bool) -> bool:
    """Return what the innermost ignore file with an opinion says."""
    verdicts = (patterns.verdict(location, is_folder=is_folder) for patterns in reversed(ignores))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _ignores_above(folder: str) -> tuple[PathPatterns, ...]:
    """Return the ignore files of the repository that hold in a folder and stand above it."""
    above: list[str] = []
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        here, before = os.path.dirname(here), here
        if here == before:
            return ()
        above.append(here)
    if not above:
        return ()
    ignores = _repository_ignores(above[-1])
    for parent in reversed(above):
        ignores = (*ignores, _read_ignores(parent, os.path.join(parent, ".gitignore")))
    return () if _ignored(ignores, folder, True) else ignores


def _repository_ignores(root: str) -> tuple[PathPatterns, ...]:
    return (_read_ignores(root, os.path.join(_git_folder(root), "info", "exclude")),)


def _git_folder(root: str) -> str:
    """Return the folder that holds a repository's data: ``.git``, or what it names in worktrees and submodules."""
    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        git = os.path.join(root, _read(git).removeprefix("gitdir:").strip())
        common = _read(os.path.join(git, "commondir")).strip()
        git = os.path.join(git, common) if common else git
    return git


def _read_ignores(folder: str, location: str) -> PathPatterns:
    content = _read(location)
    return PathPatterns(folder, valid_lines(content.splitlines()) if content else ())


def _read(location: str) -> str:
    """Return a file's text, or nothing when it cannot be read: a missing ignore file ignores nothing."""
    try:
        with open(location, encoding="utf-8-sig", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
