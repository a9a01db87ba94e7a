"""Puts new content into a file: all of it or nothing, and nothing but the content changes.

A fresh file beside the old one is filled, made durable and renamed over it. It has the old one's mode, owner and
extended attributes; a symbolic link stays one, and what it leads to is replaced. Where a fresh file would be another
file to somebody, the old one is overwritten in place instead: when it has further hard links, which go on showing the
same content, and when its owner cannot be kept. If that fails halfway, its old content is put back.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path

from loaderlint.model.source import Source

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class WriteError(Exception):
    """Raised with the reason why a file could not be written; it is as it was."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def write(source: Source, content: bytes) -> None:
    """Replace the content of the file that ``source`` was read from.

    Raises `WriteError` when the file is gone, is read-only or is no longer what was read, and when its folder or its
    disk takes no new file. Neither an error nor an interrupt leaves a temporary file behind.
    """
    try:
        target = Path(source.location).resolve(strict=True)
        status = target.stat()
        if not status.st_mode & _WRITABLE or not os.access(target, os.W_OK):
            raise WriteError("the file is read-only")
        if status.st_nlink > 1 and target.read_bytes() == content:
            return  # It was written under another of its names.
        if status.st_nlink > 1 or not _replaced(target, status, source.content, content):
            _overwrite(target, source.content, content)
    except (OSError, RuntimeError) as error:  # Before Python 3.13 a loop of links is a RuntimeError.
        raise WriteError(_reason(error)) from error


def _replaced(target: Path, status: os.stat_result, before: bytes, content: bytes) -> bool:
    """Rename a fresh file over the target; return False, having done nothing, when it could not have the same owner."""
    # Its name is known before it is there, so that it goes whenever the process is told to end.
    temporary = str(target.parent / f".loaderlint-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb", opener=_only_for_us) as file:
            if not _owned_alike(temporary, status):
                return False
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        shutil.copystat(target, temporary)
        os.utime(temporary)
        _check_unchanged(target.read_bytes(), before)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    _make_durable(target.parent)
    return True


def _only_for_us(path: str, flags: int) -> int:
    return os.open(path, flags, stat.S_IRUSR | stat.S_IWUSR)


def _owned_alike(path: str, status: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True
    own = os.stat(path)
    if (own.st_uid, own.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.chown(path, status.st_uid, status.st_gid)
    except OSError:
        return False
    return True


def _overwrite(target: Path, before: bytes, content: bytes) -> None:
    with target.open("r+b", buffering=0) as file:
        _check_unchanged(file.readall(), before)
        try:
            _fill(file.fileno(), content)
        except BaseException:
            _fill(file.fileno(), before)
            raise


def _fill(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)


def _check_unchanged(found: bytes, before: bytes) -> None:
    if found != before:
        raise WriteError("the file has changed since it was read")


def _make_durable(folder: Path) -> None:
    """Make a rename in the folder survive a crash, where the platform can."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: Exception) -> str:
    strerror = getattr(error, "strerror", None)
    return str(strerror or error)
