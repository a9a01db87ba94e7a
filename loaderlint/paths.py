"""Names of files, and the gitignore patterns that pick them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def displayed(location: str, cwd: str) -> str:
    """Return an absolute path as findings show it: relative to the working folder when inside it, with ``/``."""
    if location == cwd:
        return "."
    inside = relative(location, cwd)
    return (location if inside is None else inside).replace(os.sep, "/")


def relative(location: str, folder: str) -> str | None:
    """Return an absolute path as seen from a folder that it lies in, or None when it lies elsewhere."""
    prefix = folder.rstrip(os.sep) + os.sep
    return location[len(prefix) :] if location.startswith(prefix) else None


def text_of(location: str) -> str:
    """Return the text of a file that names others, such as ``.gitignore``, or nothing where it cannot be read.

    A missing ignore file ignores nothing. Names that are no UTF-8 come as the system's functions give and take them.
    """
    try:
        return Path(location).read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except (OSError, ValueError):
        return ""


class PathPatterns(Struct, frozen=True, dict=True):
    """Patterns in the language of ``.gitignore``, relative to a folder.

    Building the patterns raises ValueError for a line that is none; `valid_lines` drops such lines.
    """

    folder: str
    lines: tuple[str, ...]

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec

        return GitIgnoreSpec.from_lines(self.lines)

    def verdict(self, location: str, *, is_folder: bool = False) -> bool | None:
        """Return True when the absolute path is picked, False when a ``!`` line takes it back, None for no match."""
        inside = relative(location, self.folder) if self.lines else None
        if inside is None:
            return None
        return self._spec.check_file(inside.replace(os.sep, "/") + "/" * is_folder).include

    def match(self, location: str, *, is_folder: bool = False) -> bool:
        """Return whether the absolute path is picked."""
        return bool(self.verdict(location, is_folder=is_folder))


NO_PATTERNS = PathPatterns("", ())


def valid_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines that say something and that gitignore patterns can be made of."""
    return tuple(line for line in lines if line.strip() and not line.startswith("#") and _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines((line,))
    except ValueError:
        return False
    return True
