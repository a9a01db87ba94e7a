"""Runs the whole tool in this process, on files that are nowhere on a disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from loaderlint import engine, fixing
from loaderlint.discovery import decoded
from loaderlint.engine import Linted
from loaderlint.model.finding import Failure
from loaderlint.model.report import Report
from loaderlint.model.source import Language, Source
from loaderlint.settings import SettingsIndex

FOLDER = PurePosixPath("/project")

LINUX = {"platforms": ["linux"], "python": ["3.12"], "torch": "2.13"}
"""A target on which workers are forked and torch knows every option."""


def source(path: str, content: str | bytes) -> Source | Failure:
    """Return the source that discovery makes of a file's content, or why it makes none."""
    content = content.encode() if isinstance(content, str) else content
    language = Language.of(path)
    assert language is not None
    read = decoded(content, path, str(FOLDER / path), language)
    assert read is not None
    return read


def lint(files: Mapping[str, str | bytes], **settings: object) -> Linted:
    """Return the findings in the files, before any writer has looked at their fixes."""
    sources = _sources(files)
    return engine.lint(sources, frozenset(sources), _index(settings).for_path, None)


def fix(files: Mapping[str, str | bytes], **settings: object) -> Report:
    """Return what ``--fix`` does with the files."""
    return _run(files, settings, fix=True)


def preview(files: Mapping[str, str | bytes], **settings: object) -> Report:
    """Return what a run without ``--fix`` says of the files."""
    return _run(files, settings, fix=False)


def after(files: Mapping[str, str | bytes], report: Report) -> dict[str, bytes]:
    """Return the files as a report's run leaves them."""
    before = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
    return {**before, **report.rewritten}


def _run(files: Mapping[str, str | bytes], settings: Mapping[str, object], *, fix: bool) -> Report:
    sources = _sources(files)
    settings_for = _index(settings).for_path
    return fixing.run(sources, frozenset(sources), settings_for, None, fix=fix, unsafe_fixes=False)


def _sources(files: Mapping[str, str | bytes]) -> dict[str, Source]:
    read = {path: source(path, content) for path, content in files.items()}
    return {path: one for path, one in read.items() if isinstance(one, Source)}


def _index(settings: Mapping[str, object]) -> SettingsIndex:
    return SettingsIndex(str(FOLDER), isolated=True, overrides=settings)
