"""Which files a repository tracks: git ignores none of those, whatever ``.gitignore`` says (``gitignore(5)``).

They are read from ``.git/index`` (``gitformat-index(5)``, versions 2 to 4, whole or split). Nobody asks the program
``git``: it may run what the configuration of a repository names. Nor is what stands there trusted: it may come from
anybody.
"""

from __future__ import annotations

import os
import re
import struct
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from loaderlint.model.source import Language
from loaderlint.paths import text_of

_HEADER = struct.Struct(">4sLL")
_FLAGS = struct.Struct(">H")
_EXTENSION = struct.Struct(">4sL")
_BEFORE_ID = 40
"""Bytes from the start of an entry to the object's name, for the times and the owner; the flags stand behind it."""
_EXTENDED = 0x4000
"""The flag of an entry with two more bytes of flags."""
_SPLIT = b"link"
"""The extension of an index that holds only what changed since another was written, which it names."""
_LONGEST_OFFSET = 5
"""Bytes of a number of 32 bits."""
_LONGEST_NAME = 4096
"""Bytes of the longest name that a file can have (``PATH_MAX`` of Linux). In version 4 each name may repeat the one
before at no cost: without an end to it a small index would fill the memory."""
_SHA256 = re.compile(r'^[^#;\n]*\bobjectformat\s*=\s*"?sha256\b', re.IGNORECASE | re.MULTILINE)


class TrackedFiles:
    """The files that the repository with the work tree ``root`` tracks, read when somebody first asks."""

    def __init__(self, root: str | None) -> None:
        self._root = root

    @cached_property
    def names(self) -> list[bytes]:
        """The tracked files in the languages we read, by their names from the root, sorted.

        No other counts: a folder of data is not walked for the file that only keeps it there. Where the index is split
        they may be some too many, which were tracked when the larger part of it was written.
        """
        if self._root is None:
            return []
        git = git_folder(self._root)
        in_sha256 = _SHA256.search(text_of(os.path.join(common_folder(git), "config")))
        try:
            return sorted(_names(git, "index", id_length=32 if in_sha256 else 20))
        except (OSError, struct.error, ValueError, IndexError):
            return []

    def holds(self, location: str, *, is_folder: bool) -> bool:
        """Return whether a file in a language we read is tracked, or such a one in a folder or below it.

        None is where the index cannot be read.
        """
        if not self.names:
            return False
        name = os.fsencode(os.path.relpath(location, self._root).replace(os.sep, "/")) + (b"/" if is_folder else b"")
        at = bisect_left(self.names, name)
        return at < len(self.names) and (self.names[at].startswith(name) if is_folder else self.names[at] == name)


NOTHING_TRACKED = TrackedFiles(None)
"""Stands for what is tracked where there is no repository."""


def git_folder(root: str) -> str:
    """Return the folder that holds what git knows of a work tree: ``.git``, or what that names where it is a file."""
    git = os.path.join(root, ".git")
    named = text_of(git)
    return os.path.join(root, named.removeprefix("gitdir:").strip()) if named else git


def common_folder(git: str) -> str:
    """Return the folder with what all work trees of a repository share, from that of one: its ``commondir`` says."""
    return os.path.join(git, text_of(os.path.join(git, "commondir")).strip())


def _names(git: str, part: str, *, id_length: int) -> Iterator[bytes]:
    index = Path(git, part).read_bytes()
    signature, version, count = _HEADER.unpack_from(index)
    if signature != b"DIRC" or version not in (2, 3, 4):
        return
    at, name = _HEADER.size, b""
    for _ in range(count):
        flags_at = at + _BEFORE_ID + id_length
        (flags,) = _FLAGS.unpack_from(index, flags_at)
        start = flags_at + _FLAGS.size * (2 if flags & _EXTENDED else 1)
        kept = 0
        if version == 4:
            dropped, start = _offset(index, start)
            kept = len(name) - dropped
        end = index.index(b"\0", start)
        if kept < 0 or kept + end - start > _LONGEST_NAME:
            raise ValueError("no name of a file")
        name = name[:kept] + index[start:end]
        # Entries of older versions end at a multiple of eight bytes from their start.
        at = end + 1 if version == 4 else end + 8 - (end - at) % 8
        # An entry that replaces one of the other part of a split index has no name. Ours end in ASCII.
        if Language.of(name.decode("latin-1")) is not None:
            yield name
    if part == "index" and (other := _other_part(index, at, id_length)):
        yield from _names(git, f"sharedindex.{other.hex()}", id_length=id_length)


def _other_part(index: bytes, at: int, id_length: int) -> bytes:
    """Return the id of the index that this one holds the changes of, from its extensions, or nothing.

    The extensions end where the checksum of the index begins.
    """
    while at + _EXTENSION.size <= len(index) - id_length:
        signature, size = _EXTENSION.unpack_from(index, at)
        at += _EXTENSION.size
        if signature == _SPLIT:
            return index[at : at + id_length]
        at += size
    return b""


def _offset(index: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, as packs have it (``gitformat-pack(5)``), and where it ends."""
    start, number = at, index[at] & 0x7F
    while index[at] & 0x80:
        at += 1
        if at == start + _LONGEST_OFFSET:
            raise ValueError("no number of 32 bits")
        number = ((number + 1) << 7) | (index[at] & 0x7F)
    return number, at + 1
