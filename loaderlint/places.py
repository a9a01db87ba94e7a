"""The places that a user asks about on the command line: files and folders, lines of files, and cells of notebooks."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct

from loaderlint.discovery import Discovered
from loaderlint.model.finding import Failure
from loaderlint.model.source import Source
from loaderlint.model.tracing import Asked


class Place(Struct, frozen=True):
    """What stands in a file or folder, in one cell of a notebook, or in one line of either."""

    path: str
    cell: int | None = None
    line: int | None = None


def place(written: str) -> Place:
    """Return the place that a text names: ``train.py``, ``train.py:4``, ``a.ipynb:cell 3:4``.

    A column after that, as the trace itself prints it, is left out.
    """
    path, cell, line = written, None, None
    while not os.path.exists(path):
        before, colon, number = path.rpartition(":")
        in_cell = number.startswith("cell ")
        number = number.removeprefix("cell ")
        if not colon or not number.isdecimal():
            break
        path, cell, line = before, int(number) if in_cell else cell, line if in_cell else int(number)
    return Place(path, cell, line)


def asked_at(where: Place, discovered: Discovered, sources: Mapping[str, Source]) -> Asked | Failure:
    """Return what is asked for by a place where some files were discovered, or why it cannot be."""
    path, line = where.path, where.line
    if not discovered.given and os.path.isfile(path):
        return Failure(path, "the settings exclude this file")
    files = discovered.given or frozenset(discovered.sources)
    if line is None:
        return Asked(path, files)
    if os.path.isdir(path):
        return Failure(path, "this is a folder, and a line is one of a file", line)
    source = sources.get(next(iter(files)))
    if where.cell is not None:
        cells = source.cells if source is not None else None
        found = cells.line(where.cell, line) if cells is not None else None
        if found is None:
            return Failure(path, "there is no such line in a cell with code", line, cell=where.cell)
        return Asked(path, files, found, cells)
    last = line if source is None else source.content.count(b"\n") + (not source.content.endswith(b"\n"))
    if line == 0:
        return Failure(path, "lines count from 1", line)
    return Asked(path, files, line) if line <= last else Failure(path, f"the file ends at line {last}", line)
