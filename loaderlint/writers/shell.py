"""Rewrites shell scripts: a line more, or a comment less; no other character changes.

The proof is text: without the lines that were put in, and without the comments that were changed, the new text is the
old one. A line is put in only where a command begins a line and no list or pipeline goes on there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loaderlint.model.edit import Edit, Export, RemoveIgnore
from loaderlint.model.source import Source, Span
from loaderlint.writers.base import CannotRewrite, Replacement, Rewritten, splice
from loaderlint.writers.ignores import replacement_without

_GOES_ON = re.compile(r"(?:\\|&&|\|\|?)[ \t]*(?:#[^\r\n]*)?\Z")
"""What ends a line that the next one goes on with."""
_SETTINGS = re.compile(r"[ \t]*(?:[A-Za-z_]\w*=[^\s'\"]*[ \t]+)*")
"""What may stand before a command on its line: variables set for it alone."""


def rewrite(source: Source, edits: Iterable[Edit]) -> Rewritten:
    """Return the source's text with these edits made.

    `Export` and `RemoveIgnore` are known here. Raises `CannotRewrite` when an edit cannot be made.
    """
    replacements: list[Replacement] = []
    ignored: dict[Span, list[str]] = {}
    for edit in dict.fromkeys(edits):
        if isinstance(edit, Export):
            replacements.append(_exported(source, edit))
        elif isinstance(edit, RemoveIgnore):
            ignored.setdefault(edit.span, []).append(edit.name)
        else:
            raise CannotRewrite(f"a shell script cannot say {type(edit).__name__}")
    replacements.extend(replacement_without(source, span, names) for span, names in ignored.items())
    return Rewritten(splice(source.text, replacements))


def _says_something(line: str) -> bool:
    """Return whether a line is neither blank nor a comment: a list or pipeline goes on behind those."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _exported(source: Source, edit: Export) -> Replacement:
    line = edit.span.line
    before = source.lines[line - 1][: edit.span.column - 1]
    if not _SETTINGS.fullmatch(before):
        raise CannotRewrite("the command does not begin a line")
    said = (one for one in reversed(source.lines[: line - 1]) if _says_something(one))
    if _GOES_ON.search(next(said, "")):
        raise CannotRewrite("the command's line goes on with the one before it")
    start = source.offset(line, 1)
    indentation = before[: len(before) - len(before.lstrip(" \t"))]
    line_end = "\r\n" if source.text[:start].endswith("\r\n") else "\n"
    return Replacement(start, start, f"{indentation}export {edit.name}={edit.value}{line_end}")
