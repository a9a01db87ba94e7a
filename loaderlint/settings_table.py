"""The settings a table may hold: their types, their limits and their JSON schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from loaderlint.model.finding import Severity
from loaderlint.model.limits import Limits
from loaderlint.model.target import Accelerator, Platform
from loaderlint.nearest import nearest
from loaderlint.rulebook import all_rules
from loaderlint.selection import EVERY_DEFAULT, all_selectors, suggestion
from loaderlint.vocabulary.callables import OPTIONS

_LIMITS = Limits()
_Python = Annotated[str, StringConstraints(pattern=r"^3\.\d+(\.[\w.+]+)?$")]
_Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+(\.[\w.+]+)?$")]
_Place = Annotated[int, Field(ge=0)]
_AtLeastOne = Annotated[int, Field(ge=1)]
_Platform = Annotated[Platform, Field(strict=False)]
_Accelerator = Annotated[Accelerator, Field(strict=False)]
_Severity = Annotated[Severity, Field(strict=False)]
_Option = Literal[OPTIONS]  # type: ignore[valid-type]


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class SettingsTable(BaseModel):
    """Settings of loaderlint, the linter of PyTorch data loading."""

    model_config = ConfigDict(
        alias_generator=_dashed, extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )

    root: bool = False
    """Whether the search for settings in parent folders ends here."""
    platforms: Annotated[list[_Platform], Field(min_length=1)] | None = None
    """The platforms the project runs on; the one loaderlint runs on when not given."""
    python: _Python | Annotated[list[_Python], Field(min_length=1)] | None = None
    """The Python version or versions the project runs on; the interpreter loaderlint runs on, or the nearest that
    `requires-python` admits, when not given."""
    torch: _Version | None = None
    """The torch version the project runs on; when not given, the newest that its requirements admit (unknown where
    they admit the newest there is)."""
    accelerator: _Accelerator | None = None
    """What tensors are computed on; unknown when not given."""
    cpus: _AtLeastOne | None = None
    """The CPUs a training process may use; unknown when not given."""
    select: list[str] = [EVERY_DEFAULT]
    """The rules that are on, by code, code prefix, name, or `ALL`."""
    extend_select: list[str] = []
    """Rules that are on besides those of `select`."""
    ignore: list[str] = []
    """Rules that are off."""
    per_file_ignores: dict[str, list[str]] = {}
    """Rules that are off in the files a gitignore pattern picks."""
    exclude: list[str] = []
    """Files and folders not to look at, as gitignore patterns."""
    min_severity: _Severity = Severity.INFO
    """The least severity that is shown."""
    pedantic: bool = False
    """Whether findings of `possible` confidence are shown, too."""
    max_prefetch_factor: _AtLeastOne = _LIMITS.max_prefetch_factor
    """The most batches a worker should load ahead."""
    max_batches_in_flight: _AtLeastOne = _LIMITS.max_batches_in_flight
    """The most batches all workers together should load ahead: num_workers x prefetch_factor."""
    windows_workers: _Place = _LIMITS.windows_workers
    """What num_workers becomes on Windows."""
    plugins: list[str] = []
    """Modules with rules of your own, which are on when they are selected."""
    loaders: dict[str, dict[_Option, str | _Place]] = {}
    """Your own wrappers: for each callable, torch's option and where it takes it, by keyword or position from 0."""


def known_keys() -> tuple[str, ...]:
    """Return every settings key as it is written."""
    return tuple(_dashed(name) for name in SettingsTable.model_fields)


def defaults() -> dict[str, Any]:
    """Return the value of every key that nobody sets, as it would be written."""
    return SettingsTable().model_dump(mode="json", by_alias=True)


def schema() -> dict[str, Any]:
    """Return the JSON schema of a settings table (draft 2020-12), with every name a rule can be selected by."""
    described = SettingsTable.model_json_schema(by_alias=True)
    selector = {"type": "string", "enum": list(all_selectors(all_rules()))}
    properties = described["properties"]
    for key in ("select", "extend-select", "ignore"):
        properties[key]["items"] = {"$ref": "#/$defs/Selector"}
    properties["per-file-ignores"]["additionalProperties"]["items"] = {"$ref": "#/$defs/Selector"}
    described["$defs"] = {**described.get("$defs", {}), "Selector": selector}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}


Mistake: TypeAlias = tuple[tuple[str | int, ...], str]
"""The keys that lead to what is wrong in a table, and what it is."""


def mistakes(table: Mapping[str, object]) -> list[Mistake]:
    """Return all that is wrong with a table."""
    try:
        SettingsTable.model_validate(table)
    except ValidationError as error:
        found = error.errors(include_url=False)
    else:
        return []
    by_place: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for one in found:
        by_place.setdefault(_keys_in(table, one["loc"]), []).append(one)
    # What may be a text or a list of them, and is neither, is wrong as both: that which was meant is wrong further in.
    inmost = [one for one in by_place if not any(other != one and other[: len(one)] == one for other in by_place)]
    written = list(table)
    in_order = sorted(inmost, key=lambda where: written.index(str(where[0])))
    return [(where, _what_is_wrong(table, where, by_place[where])) for where in in_order]


def _what_is_wrong(table: Mapping[str, object], where: tuple[str | int, ...], errors: list[ErrorDetails]) -> str:
    first, key = errors[0], str(where[-1])
    if where == ("tool",) and isinstance(table["tool"], Mapping):
        return "unknown key 'tool': in this file the keys stand by themselves, without [tool.loaderlint]"
    if first["type"] == "extra_forbidden":
        return f"unknown key {key!r}{suggestion(key, known_keys())}"
    if first["loc"][-1] == "[key]":
        return f"{_written(where[:-1])} has no option {key!r}{suggestion(key, OPTIONS)}"
    given = first["input"]
    if isinstance(given, int | float) and any(one["type"] == "string_type" for one in errors):
        return f"{_written(where)} should be in quotes, and is {given!r}"
    # What is no version is none in a list, either.
    versions = [one for one in errors if one["type"] == "string_pattern_mismatch"]
    expected = dict.fromkeys(map(_expectation, versions or errors))
    return f"{_written(where)} should {' or '.join(expected)}, and is {given!r}{_hint(first)}"


def _expectation(error: ErrorDetails) -> str:
    given = error["input"]
    if error["type"] == "string_pattern_mismatch":
        return f"be a version such as '{'2.6' if error['loc'][0] == 'torch' else '3.12'}'"
    if error["type"] == "list_type" and isinstance(given, str):
        return f"be a list such as [{given!r}]"
    return error["msg"].partition(" should ")[2].replace("valid dictionary", "table")


def _hint(error: ErrorDetails) -> str:
    """Return which of the words that there are was meant by another, if one is near."""
    words = re.findall(r"'([^']+)'", error["ctx"]["expected"]) if error["type"] in ("enum", "literal_error") else []
    given = str(error["input"])
    meant = nearest(_OF_PYTHON.get(given, given), words)
    return f"; did you mean {meant!r}?" if meant is not None else ""


_OF_PYTHON = {"win32": "windows", "darwin": "macos"}
"""What ``sys.platform`` calls the platforms (its documentation in the library reference)."""


def _keys_in(table: Mapping[str, object], location: tuple[int | str, ...]) -> tuple[str | int, ...]:
    """Return the keys and indices of the table in pydantic's location, which also names the arms of unions."""
    keys: list[str | int] = []
    value: Any = table
    for part in location:
        if part in (value if isinstance(value, Mapping) else range(len(value) if isinstance(value, list) else 0)):
            value = value[part]
            keys.append(part)
    return tuple(keys)


def _written(keys: tuple[str | int, ...]) -> str:
    first, *rest = keys
    return str(first) + "".join(f"[{key!r}]" for key in rest)
