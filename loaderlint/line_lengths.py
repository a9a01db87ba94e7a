"""How long the lines of a project are, where it tells its formatters and linters."""

from __future__ import annotations

import configparser
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOML = (
    ("pyproject.toml", (("tool", "ruff"), ("tool", "black")), "line-length"),
    ("ruff.toml", ((),), "line-length"),
    (".ruff.toml", ((),), "line-length"),
)
_INI = ("setup.cfg", "tox.ini", ".flake8")
_SECTIONS_OF_INI = ("flake8", "pycodestyle")
_OF_PYTHON = re.compile(r"\*|\*\.py|.*\{([^}]*,)?\s*(\*\.)?py\s*(,[^}]*)?\}")
"""Sections of an ``.editorconfig`` that Python files are in."""


def declared(folder: str) -> int | None:
    """Return the longest that lines of the Python files in a folder shall be, None where no file in it says so.

    What breaks lines comes before what only counts them. Sources: "line-length" in the settings of Ruff and of Black,
    ``max-line-length`` of flake8 and pycodestyle, ``max_line_length`` of EditorConfig.
    """
    lengths = (*_of_toml(folder), *_of_ini(folder), *_of_editors(folder))
    return next((one for one in lengths if one > 0), None)


def _of_toml(folder: str) -> Iterator[int]:
    for name, tables, key in _TOML:
        try:
            document: Any = tomllib.loads(_text(folder, name))
        except (ValueError, RecursionError):  # An integer of thousands of digits is a ValueError.
            continue
        for table in tables:
            found = document
            for part in table:
                found = found.get(part) if isinstance(found, dict) else None
            length = found.get(key) if isinstance(found, dict) else None
            if isinstance(length, int):
                yield length


def _of_ini(folder: str) -> Iterator[int]:
    for name in _INI:
        sections = _sections(_text(folder, name))
        for section in _SECTIONS_OF_INI:
            for key in ("max-line-length", "max_line_length"):
                yield from _number(sections.get(section, key, fallback=""))


def _of_editors(folder: str) -> Iterator[int]:
    # What stands before the first section is about the file itself: ``root = true``.
    sections = _sections(f"[ ]\n{_text(folder, '.editorconfig')}")
    # The last of several sections that a file is in counts.
    for section in reversed(sections.sections()):
        if _OF_PYTHON.fullmatch(section):
            yield from _number(sections.get(section, "max_line_length", fallback=""))


def _sections(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        parser.clear()
    return parser


def _number(text: str | None) -> Iterator[int]:
    if text and text.strip().isdecimal():
        yield int(text)


def _text(folder: str, name: str) -> str:
    """Return what a file says, nothing where there is none that can be read."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""
