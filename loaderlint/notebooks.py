"""Reads a Jupyter notebook as one Python text, and puts a changed text back into its cells.

The file is JSON as nbformat 4 has it (its ``v4`` schema: ``cells``, each with a ``cell_type`` and a ``source``, a text
or a list of its lines). Only the lines that changed are typed anew; every other byte of the file stays.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from loaderlint.model.cells import FIRST_LINE, IN_PLACE, hidden, is_ours, mark, parted
from loaderlint.model.source import Source

_PYTHON_INSIDE = frozenset({"capture", "time", "timeit", "prun", "debug"})
"""Cell magics whose cell is Python that runs in the notebook itself (IPython, ``core/magics/execution.py``)."""

_NO_PYTHON = re.compile(r"[%!?]|[^#'\"]*=\s*[%!]|[\w.]+\?\??\s*$")
"""How a line begins that IPython makes Python of: a magic, a shell command, either on the right of ``=``, help."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class NotebookError(Exception):
    """Raised with the reason why a notebook cannot be read."""


def as_python(content: bytes) -> str | None:
    """Return the Python text of a notebook's code cells (see `Cells`); None when its language is not Python.

    Raises:
        NotebookError: this is no notebook of nbformat 4, or its text could not be taken apart again.
    """
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"this notebook is no valid JSON: {error}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotebookError("this is no notebook of format 4: it has no list of cells")
    if _language(notebook) != "python":
        return None
    pieces = [FIRST_LINE]
    for number, cell in enumerate(notebook["cells"], start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            pieces += [mark(number), _python(_source(cell, number), number), "\n"]
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotebookError("this notebook holds half of a character, which is no text") from None
    return text


def _language(notebook: dict[str, Any]) -> str:
    about = notebook.get("metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        said = about.get(key) if isinstance(about, dict) else None
        if isinstance(said, dict) and isinstance(said.get(name), str):
            return str(said[name]).lower()
    return "python"


def _source(cell: dict[str, Any], number: int) -> str:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(one, str) for one in lines):
        raise NotebookError(f"the source of cell {number} is no text")
    return "".join(lines)


def _python(source: str, number: int) -> str:
    """Return a cell as the text has it: as it is when that is Python, otherwise with comments for what is none."""
    lines = source.split("\n")
    if any(map(is_ours, _LINE_END.split(source))):
        raise NotebookError(f"cell {number} has a line that only loaderlint writes")
    if source.lstrip().startswith("%%"):
        first = next(index for index, line in enumerate(lines) if line.strip())
        name, *_ = [*lines[first].strip().removeprefix("%%").split(), ""]
        inside = "\n".join([*lines[:first], hidden(lines[first]), *lines[first + 1 :]])
        return inside if name in _PYTHON_INSIDE and _parses(inside) else "\n".join(map(hidden, lines))
    if _parses(source):
        return source
    held = "\n".join(_held(line) if _NO_PYTHON.match(line.lstrip(" \t")) else line for line in lines)
    return held if _parses(held) else "\n".join(map(hidden, lines))


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n" + text)  # A byte order mark is passed over at the start of a text, and no cell is that.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _held(line: str) -> str:
    rest = line.lstrip(" \t")
    return f"{line[: len(line) - len(rest)]}{IN_PLACE}{rest}"


def on_disk(source: Source) -> Source:
    """Return the source whose content is what stands, or will stand, in the file itself."""
    if source.notebook is None:
        return source
    return replace(source, content=put_back(source.notebook, source.text), notebook=None)


def put_back(file: bytes, text: str) -> bytes:
    """Return the notebook with what the text holds in its cells; a cell that did not change keeps every byte."""
    now = parted(text)
    written = file.decode()
    pieces: list[str] = []
    end_before = 0
    for number, (start, end) in _code_cells(written):
        value, _ = _DECODER.raw_decode(written, start)
        before = "".join(value) if isinstance(value, list) else value
        if now[number] != before:
            new = _lines(written, start, end, now[number]) if isinstance(value, list) else _typed(written, now[number])
            pieces += [written[end_before:start], new]
            end_before = end
    return "".join([*pieces, written[end_before:]]).encode()


def _code_cells(written: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the number of each code cell with a source, and where that stands."""
    ((cells, _),) = [place for key, place in _members(written, written.index("{")) if key == "cells"][-1:]
    for number, (start, _) in enumerate(_items(written, cells), start=1):
        if written[start] == "{":
            places = dict(_members(written, start))
            kind = _DECODER.raw_decode(written, places["cell_type"][0])[0] if "cell_type" in places else None
            if kind == "code" and "source" in places:
                yield number, places["source"]


def _members(written: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the keys of the object that begins somewhere, each with where its value stands."""
    at = _after_space(written, start + 1)
    while written[at] != "}":
        key, at = _DECODER.raw_decode(written, at)
        value = _after_space(written, _after_space(written, at) + 1)
        _, end = _DECODER.raw_decode(written, value)
        yield key, (value, end)
        at = _after_space(written, end)
        if written[at] == ",":
            at = _after_space(written, at + 1)


def _items(written: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where the items of the list that begins somewhere stand."""
    at = _after_space(written, start + 1)
    while written[at] != "]":
        _, end = _DECODER.raw_decode(written, at)
        yield at, end
        at = _after_space(written, end)
        if written[at] == ",":
            at = _after_space(written, at + 1)


def _after_space(written: str, at: int) -> int:
    found = _SPACE.match(written, at)
    return found.end() if found else at


def _typed(written: str, text: str) -> str:
    """Return a text as the file writes such: with escapes where it has nothing but ASCII in it."""
    return json.dumps(text, ensure_ascii=written.isascii())


def _lines(written: str, start: int, end: int, text: str) -> str:
    """Return a list of lines that makes a text, in the layout of the one it takes the place of."""
    places = list(_items(written, start))
    old = [_DECODER.raw_decode(written, at)[0] for at, _ in places]
    head = _first_shared(old, text)
    begun = len("".join(old[:head]))
    tail = len(old) - _last_shared(old[head:], text[begun:])
    between = text[begun : len(text) - len("".join(old[tail:]))]
    typed = [
        *(written[slice(*place)] for place in places[:head]),
        *(_typed(written, line) for line in re.findall(r"[^\n]*\n|[^\n]+", between)),
        *(written[slice(*place)] for place in places[tail:]),
    ]
    if not places:
        return f"[{', '.join(typed)}]"
    opening, closing = written[start : places[0][0]], written[places[-1][1] : end]
    separator = written[places[0][1] : places[1][0]] if len(places) > 1 else f",{opening[1:] or ' '}"
    return f"{opening}{separator.join(typed)}{closing}"


def _first_shared(items: list[str], text: str) -> int:
    """Return how many of the items the text begins with, each of them whole lines of it."""
    at = 0
    for count, item in enumerate(items):
        end = at + len(item)
        if text[at:end] != item or not (item.endswith("\n") or end == len(text)):
            return count
        at = end
    return len(items)


def _last_shared(items: list[str], text: str) -> int:
    """Return how many of the items the text ends with, each of them whole lines of it."""
    end = len(text)
    for count, item in enumerate(reversed(items)):
        at = end - len(item)
        if at < 0 or text[at:end] != item or not (at == 0 or text[at - 1] == "\n"):
            return count
        end = at
    return len(items)
