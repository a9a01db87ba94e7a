"""Which files a repository tracks: git ignores none of those, whatever ``.gitignore`` says (``gitignore(5)``).

They are read from ``.git/index`` (``gitformat-index(5)``, versions 2 to 4). Nobody asks the program ``git``: it may run
what the configuration of a repository names.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

_HEADER = struct.Struct(">4sLL")
_FLAGS = struct.Struct(">H")
_FLAGS_AT = 60
"""Bytes from the start of an entry to its flags, behind the times, the owner and the 20 bytes of the object's name."""
_EXTENDED = 0x4000
"""The flag of an entry with two more bytes of flags."""


class TrackedFiles:
    """The files that the repository with the work tree ``root`` tracks, read when somebody first asks."""

    def __init__(self, root: str | None) -> None:
        self._root = root

    @cached_property
    def _names(self) -> list[bytes]:
        if self._root is None:
            return []
        try:
            return sorted(_names(Path(git_folder(self._root), "index").read_bytes()))
        except (OSError, struct.error, ValueError, IndexError):
            return []

    def holds(self, location: str, *, is_folder: bool) -> bool:
        """Return whether a file is tracked, or one in a folder or below it; none is where the index cannot be read."""
        if not self._names:
            return False
        name = os.fsencode(os.path.relpath(location, self._root).replace(os.sep, "/")) + (b"/" if is_folder else b"")
        names = self._names
        at = bisect_left(names, name)
        return at < len(names) and (names[at].startswith(name) if is_folder else names[at] == name)


NOTHING_TRACKED = TrackedFiles(None)
"""Stands for what is tracked where there is no repository."""


def git_folder(root: str) -> str:
    """Return the folder that holds what git knows of a work tree: ``.git``, or what that names where it is a file."""
    git = os.path.join(root, ".git")
    try:
        named = Path(git).read_text(encoding="utf-8", errors="replace") if os.path.isfile(git) else ""
    except OSError:
        named = ""
    return os.path.join(root, named.removeprefix("gitdir:").strip()) if named else git


def _names(index: bytes) -> Iterator[bytes]:
    signature, version, count = _HEADER.unpack_from(index)
    if signature != b"DIRC" or version not in (2, 3, 4):
        return
    at, name = _HEADER.size, b""
    for _ in range(count):
        (flags,) = _FLAGS.unpack_from(index, at + _FLAGS_AT)
        start = at + _FLAGS_AT + _FLAGS.size * (2 if flags & _EXTENDED else 1)
        kept = 0
        if version == 4:
            dropped, start = _offset(index, start)
            kept = len(name) - dropped
        end = index.index(b"\0", start)
        name = name[:kept] + index[start:end]
        # Entries of older versions end at a multiple of eight bytes from their start.
        at = end + 1 if version == 4 else end + 8 - (end - at) % 8
        yield name


def _offset(index: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, as packs have it (``gitformat-pack(5)``), and where it ends."""
    number = index[at] & 0x7F
    while index[at] & 0x80:
        at += 1
        number = ((number + 1) << 7) | (index[at] & 0x7F)
    return number, at + 1
