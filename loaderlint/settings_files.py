"""Settings files: finding them in a folder, reading them, and naming the line of what is wrong in them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from loaderlint.line_lengths import declared
from loaderlint.paths import displayed, valid_lines
from loaderlint.requirements import torch_asked_for

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_FILE = "loaderlint.toml"
PROJECT_FILE = "pyproject.toml"
_TABLE = ("tool", "loaderlint")
_OPTIONS = {"platforms": "--platform"}
_PLACE = re.compile(r" \(at (?:end of document|line (\d+), column \d+)\)$")


class SettingsError(Exception):
    """Mistakes in a settings file or in what the command line says, each a text that names the place."""

    def __str__(self) -> str:
        return "\n".join(self.args)


class Layer(Struct, frozen=True):
    """The settings that one file, or the command line, gives.

    ``folder`` is what its paths are relative to; ``file`` its name as shown, empty for the command line; ``text`` what
    it says, and ``table`` the keys that lead to loaderlint's table in it.
    """

    values: Mapping[str, Any]
    folder: str
    file: str = ""
    text: str = ""
    table: tuple[str, ...] = ()

    def where(self, key: str | int, *inner: str | int) -> str:
        """Return the place of a key: ``pyproject.toml:12``, or the option's name on the command line."""
        if not self.file:
            return _OPTIONS.get(str(key), f"--{key}")
        return f"{self.file}:{line_of(self.text, (*self.table, key, *inner))}"


def command_line(values: Mapping[str, object], cwd: str) -> Layer:
    """Return the layer of keys given on the command line, or raise `SettingsError`."""
    return _checked(Layer(values, cwd))


def read_settings_file(location: str, cwd: str) -> Layer:
    """Return the settings of one file (of a ``pyproject.toml``, its table of ours), or raise `SettingsError`."""
    content = _read(location, cwd)
    document = _parsed(content, displayed(location, cwd))
    return _layer(document, content, location, cwd) or Layer({}, os.path.dirname(location))


class Folder(Struct, frozen=True, dict=True):
    """What a folder says about settings: its layers, nearest last, and what its project requires of Python.

    ``dependencies`` are those that its ``pyproject.toml`` names.
    """

    path: str
    layers: tuple[Layer, ...] = ()
    requires_python: str | None = None
    dependencies: tuple[str, ...] = ()
    is_repository: bool = False

    @property
    def is_root(self) -> bool:
        """Whether settings of parent folders do not count here."""
        return any(layer.values.get("root", False) for layer in self.layers)

    @cached_property
    def line_length(self) -> int | None:
        """How long the lines of its Python files shall be, None where no file in it says so."""
        return declared(self.path)

    @cached_property
    def torch(self) -> tuple[int, int] | None:
        """The newest torch that its requirements admit, None where they admit the newest there is."""
        return torch_asked_for(self.path, self.dependencies)


def read_folder(folder: str, cwd: str, *, with_settings: bool = True) -> Folder:
    """Return what a folder says about settings, or raise `SettingsError`.

    A ``pyproject.toml`` that cannot be read or parsed matters only when it speaks of loaderlint. Without settings, only
    what the project requires of Python is read.
    """
    layers: list[Layer] = []
    named: Any = None
    project = os.path.join(folder, PROJECT_FILE)
    if os.path.isfile(project):
        document, content = _project(project, cwd, with_settings)
        named = document.get("project")
        layer = _layer(document, content, project, cwd) if with_settings else None
        layers.extend([layer] if layer else [])
    own = os.path.join(folder, OWN_FILE)
    if with_settings and os.path.isfile(own):
        layers.append(read_settings_file(own, cwd))
    named = named if isinstance(named, dict) else {}
    required, dependencies = named.get("requires-python"), named.get("dependencies")
    return Folder(
        folder,
        tuple(layers),
        required if isinstance(required, str) else None,
        tuple(one for one in dependencies if isinstance(one, str)) if isinstance(dependencies, list) else (),
        os.path.exists(os.path.join(folder, ".git")),
    )


def _project(location: str, cwd: str, with_settings: bool) -> tuple[dict[str, Any], str]:
    content = ""
    try:
        content = _read(location, cwd)
        return _parsed(content, displayed(location, cwd)), content
    except SettingsError:
        if with_settings and ".".join(_TABLE) in content:
            raise
        return {}, ""


def _read(location: str, cwd: str) -> str:
    try:
        with open(location, "rb") as file:
            content = file.read()
    except OSError as error:
        raise SettingsError(f"{displayed(location, cwd)}: {error.strerror or error}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise SettingsError(f"{displayed(location, cwd)}:{line}: this file is not UTF-8") from error


def _parsed(content: str, shown: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = place[1] if place and place[1] else content.rstrip().count("\n") + 1
        raise SettingsError(f"{shown}:{line}: {_PLACE.sub('', message)}") from error
    except (ValueError, RecursionError) as error:  # An integer of thousands of digits is a ValueError.
        raise SettingsError(f"{shown}:1: {error}") from error
    return document


def _layer(document: dict[str, Any], content: str, location: str, cwd: str) -> Layer | None:
    """Return the checked settings of a document, or None when it has no table of ours."""
    table: tuple[str, ...] = ()
    values: Any = document
    if os.path.basename(location).endswith(PROJECT_FILE):
        table = _TABLE
        for name in table:
            values = values.get(name) if isinstance(values, dict) else None
        if values is None:
            return None
    shown = displayed(location, cwd)
    if not isinstance(values, dict):
        raise SettingsError(f"{shown}:{line_of(content, table)}: {'.'.join(table)} should be a table")
    return _checked(Layer(values, os.path.dirname(location), shown, content, table))


def _checked(layer: Layer) -> Layer:
    """Return the layer when its types and patterns are right; raise `SettingsError` otherwise."""
    if not layer.values:
        return layer
    from loaderlint.settings_table import mistakes

    wrong = mistakes(layer.values) or list(_bad_patterns(layer.values))
    if wrong:
        raise SettingsError(*(f"{layer.where(*where)}: {message}" for where, message in wrong))
    return layer


def _bad_patterns(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    for key in ("exclude", "per-file-ignores"):
        for pattern in values.get(key, ()):
            if pattern not in valid_lines([pattern]):
                yield (key,), f"{pattern!r} is no gitignore pattern"


def line_of(text: str, keys: Sequence[str | int]) -> int:
    """Return the line, from 1, on which a TOML text begins to give the value that keys lead to; 1 when it does not.

    A text cut off before the value lacks it, and the shortest text from there on that parses has it: where a statement
    begins can be told without knowing TOML's syntax a second time.
    """
    names = [key for key in keys if isinstance(key, str)]
    lines = text.replace("\r\n", "\n").split("\n")
    for start, line in enumerate(lines):
        if names[-1] in line and _gives(lines[:start], names) is False:
            longer = (_gives(lines[:end], names) for end in range(start + 1, len(lines) + 1))
            if next((given for given in longer if given is not None), False):
                return start + 1
    return line_of(text, names[:-1]) if len(names) > 1 else 1


def _gives(lines: list[str], names: list[str]) -> bool | None:
    """Return whether a TOML text has the value that names lead to, or None when it does not parse."""
    try:
        value: Any = tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True
