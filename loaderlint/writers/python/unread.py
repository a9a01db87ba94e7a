"""Options of a command line that nothing reads any more when what read them is written as a constant."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from loaderlint.model.edit import Edit, SetValue
from loaderlint.writers.python.places import Places


def options_unread(places: Places, edits: Iterable[Edit], text: str) -> list[str]:
    """Return what is to say of the options that a file declares and reads nowhere but where a value is set."""
    every = [places.expressions.get(one.span) for one in edits if isinstance(one, SetValue) and one.platforms is None]
    read = {one.attr.value for one in every if isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name)}
    return [f"`{flag}` is then read by nothing" for name in sorted(read) for flag in _unread(name, every, text)]


def _unread(name: str, edited: Iterable[cst.CSTNode | None], text: str) -> list[str]:
    set_now = sum(isinstance(one, cst.Attribute) and one.attr.value == name for one in edited)
    declared = re.search(rf"[\"'](--{re.escape(name).replace('_', '[-_]')})[\"']", text)
    reads = len(re.findall(rf"\.{re.escape(name)}\b|[\"']{re.escape(name)}[\"']", text))
    return [declared[1]] if declared is not None and reads <= set_now and not _READS_ANY.search(text) else []


_READS_ANY = re.compile(r"\b(?:get_default|getattr|vars)\(|\bparse_args\(\[")
"""What may read an option by a name that is put together, and words of a program that no user gives."""
