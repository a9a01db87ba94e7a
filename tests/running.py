"""Runs of the engine and of the fixing rounds over the files of the working folder, without the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loaderlint import engine, fixing
from loaderlint.discovery import ProjectFiles, discover
from loaderlint.engine import Linted
from loaderlint.model.report import Report
from loaderlint.model.source import Source
from loaderlint.settings import SettingsIndex

BOTH = ("linux", "windows")


def linted(*paths: str, platforms: tuple[str, ...] = ("windows",), **settings: Any) -> Linted:
    """Lint the named files, all when none is named; ``settings`` are those of the settings file."""
    index, named, sources, files = _read(paths, {"platforms": list(platforms), "python": "3.12", **settings})
    return engine.lint(sources, frozenset(named), index.for_path, files)


def mended(
    *paths: str,
    platforms: tuple[str, ...] = ("windows",),
    fix: bool = True,
    unsafe_fixes: bool = False,
    changeable: frozenset[str] | None = None,
    **settings: Any,
) -> Report:
    """Mend the named files, all when none is named, without writing anything."""
    index, named, sources, files = _read(paths, {"platforms": list(platforms), "python": "3.12", **settings})
    return fixing.run(
        sources,
        frozenset(named),
        index.for_path,
        files,
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        changeable=changeable,
    )


def after(report: Report, path: str) -> str:
    """Return what a file becomes."""
    source = report.source(path)
    assert source is not None
    return source.text


def found(of: Linted | Report) -> list[str]:
    """Return the findings, each as ``CODE PATH:LINE``."""
    return [f"{one.code} {one.span.path}:{one.span.line}" for one in of.findings]


def _read(
    paths: tuple[str, ...], settings: Mapping[str, Any]
) -> tuple[SettingsIndex, Mapping[str, Source], Mapping[str, Source], ProjectFiles]:
    index = SettingsIndex(overrides={key.replace("_", "-"): value for key, value in settings.items()})
    named = discover(paths or ["."], index).sources
    files = ProjectFiles(index.cwd, index)
    return index, named, {**files.sources(), **named}, files
