"""Walking folders: which files there are that a person would call the project's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.model.finding import Failure
from loaderlint.model.source import Language
from loaderlint.paths import PathPatterns, displayed, text_of, valid_lines
from loaderlint.tracked import NOTHING_TRACKED, TrackedFiles, common_folder, git_folder

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


def walk(
    folder: str, cwd: str, excludes: Callable[[str], PathPatterns], *, of_one_repository: bool = False
) -> Iterator[str | Failure]:
    """Yield the files of our languages in a folder and below, all by absolute path.

    ``.gitignore`` files inside the folder and above it up to the repository's root hold, unless they ignore the folder
    itself: then it was asked for by name. As for git they ignore no file that is tracked. ``excludes`` gives the
    patterns in force in a folder. Links to folders are not followed, so that no walk is endless. A folder that cannot
    be listed is a failure. ``of_one_repository`` passes over what was cloned inside the folder, which git takes for no
    part of a repository either, unless it is a submodule (gitsubmodules(7): its ``.git`` is a file).
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
            if of_one_repository and here != folder and _is_folder(entries[".git"]):
                continue
            ignores = _repository_ignores(here)
        if ".gitignore" in entries:
            ignores = ignores.and_those_of(here)
        excluded = excludes(here)
        for name, entry in sorted(entries.items()):
            is_folder = _is_folder(entry)
            if (name in SKIPPED_FOLDERS) if is_folder else (Language.of(name) is None or not _is_file(entry)):
                continue
            ignored = ignores.pick(entry.path, is_folder)
            if ignored and not ignores.tracked.holds(entry.path, is_folder=is_folder):
                continue
            if excluded.match(entry.path, is_folder=is_folder):
                continue
            if is_folder:
                waiting.append((entry.path, replace(ignores, everything=ignored)))
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


class _Ignores(Struct, frozen=True):
    """The ignore files that hold in a folder, from the root of its repository on, and what git tracks nevertheless.

    With ``everything`` they ignore the folder itself, and no line of an ignore file takes back what is in there.
    """

    patterns: tuple[PathPatterns, ...] = ()
    tracked: TrackedFiles = NOTHING_TRACKED
    everything: bool = False

    def and_those_of(self, folder: str) -> _Ignores:
        """Return what holds below a folder that may have an ignore file of its own."""
        return replace(self, patterns=(*self.patterns, _read_ignores(folder, os.path.join(folder, ".gitignore"))))

    def pick(self, location: str, is_folder: bool) -> bool:
        """Return what the innermost ignore file with an opinion says."""
        verdicts = (one.verdict(location, is_folder=is_folder) for one in reversed(self.patterns))
        return self.everything or next((verdict for verdict in verdicts if verdict is not None), False)


def _ignores_above(folder: str) -> _Ignores:
    """Return the ignore files of the repository that hold in a folder and stand above it."""
    above: list[str] = []
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        here, before = os.path.dirname(here), here
        if here == before:
            return _Ignores()
        above.append(here)
    if not above:
        return _Ignores()
    ignores = _repository_ignores(above[-1])
    for parent in reversed(above):
        ignores = ignores.and_those_of(parent)
    return _Ignores() if ignores.pick(folder, True) else ignores


def _repository_ignores(root: str) -> _Ignores:
    # A work tree beside the first one shares its lines.
    exclude = os.path.join(common_folder(git_folder(root)), "info", "exclude")
    return _Ignores((_read_ignores(root, exclude),), TrackedFiles(root))


def _read_ignores(folder: str, location: str) -> PathPatterns:
    content = text_of(location)
    return PathPatterns(folder, valid_lines(content.splitlines()) if content else ())
