"""What is said of a file when it alone is named, and when it stands among other programs, is what is always said."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from loaderlint import engine
from loaderlint.discovery import ProjectFiles, discover
from loaderlint.engine import Linted
from loaderlint.model.finding import Finding
from loaderlint.model.loader import Loader
from loaderlint.model.source import Source
from loaderlint.model.tracing import Asked
from loaderlint.settings import SettingsIndex

TRACES = Path(__file__).resolve().parents[1] / "fixtures" / "traces"
PROJECTS = sorted(one.parent.name for one in TRACES.glob("*/expected.toml"))


class Tree:
    """A folder with everything in it read, any file of which can be named."""

    def __init__(self, folder: Path) -> None:
        self._settings = SettingsIndex(
            str(folder),
            isolated=True,
            overrides={"platforms": ["linux", "windows"], "select": ["ALL"], "pedantic": True},
        )
        self._files = ProjectFiles(str(folder), self._settings)
        self.sources: Mapping[str, Source] = discover(["."], self._settings).sources

    def traced(self, named: Sequence[str]) -> tuple[Loader, ...]:
        asked = [Asked(".", frozenset(named))]
        return engine.trace(self.sources, asked, self._settings.for_path, self._files).loaders

    def linted(self, named: Sequence[str]) -> Linted:
        return engine.lint(self.sources, frozenset(named), self._settings.for_path, self._files)


def about(findings: Sequence[Finding], path: str) -> list[Finding]:
    return [one for one in findings if one.span.path == path]


@pytest.mark.parametrize("name", PROJECTS)
def test_a_named_file_is_traced_as_with_everything_named(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(TRACES / name, tmp_path / name)
    tree = Tree(folder)
    every = tree.traced(tuple(tree.sources))
    assert every
    for path in tree.sources:
        standing = tuple(one for one in every if one.span.path == path)
        if standing:
            assert tree.traced([path]) == standing


@pytest.mark.parametrize("name", PROJECTS)
def test_a_named_file_is_judged_as_with_everything_named(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(TRACES / name, tmp_path / name)
    tree = Tree(folder)
    every = tree.linted(tuple(tree.sources))
    for path in tree.sources:
        assert about(tree.linted([path]).findings, path) == about(every.findings, path)


def test_a_program_is_traced_among_others_as_it_is_alone(tmp_path: Path) -> None:
    for name in PROJECTS:
        # Under its own name, the project for a library would be taken for it by the others.
        shutil.copytree(TRACES / name, tmp_path / f"the-{name}")
    together = Tree(tmp_path)
    found = {line for one in together.traced(tuple(together.sources)) for line in said(one)}
    apart: set[str] = set()
    for folder in sorted(tmp_path.iterdir()):
        tree = Tree(folder)
        apart.update(line for one in tree.traced(tuple(tree.sources)) for line in said(one, f"{folder.name}/"))
    assert found == apart


def said(loader: Loader, folder: str = "") -> Iterator[str]:
    """A line for each thing that can reach an option of a loader."""
    for option, value in sorted(loader.options.items()):
        yield f"{folder}{loader.span} {option} {'open' if value.open else 'closed'}"
        for one in value.candidates:
            yield f"{folder}{loader.span} {option} {one.constant!r} {folder}{one.span}"
