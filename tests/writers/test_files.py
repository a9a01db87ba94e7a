from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loaderlint.model.source import Language, Source
from loaderlint.writers.files import WriteError, write

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
unprivileged = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may write where modes forbid it"
)

OLD, NEW = b"num_workers: 8\r\n", b"num_workers: 0\r\n"


def read(path: Path) -> Source:
    return Source(path.name, str(path), Language.YAML, path.read_bytes())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder of its own."""
    file = tmp_path / "folder" / "train.yaml"
    file.parent.mkdir()
    file.write_bytes(OLD)
    return file


def only(path: Path) -> bool:
    """Whether the file is alone in its folder: no temporary file was left behind."""
    return list(path.parent.iterdir()) == [path]


def test_the_content_is_replaced_byte_for_byte(path: Path) -> None:
    write(read(path), NEW)
    assert path.read_bytes() == NEW
    assert only(path)


def test_a_reader_with_the_file_open_still_has_the_old_content(path: Path) -> None:
    with path.open("rb") as held:
        if sys.platform != "win32":
            write(read(path), NEW)
        assert held.read() == OLD


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o664])
def test_the_mode_is_kept(path: Path, mode: int) -> None:
    path.chmod(mode)
    write(read(path), NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(path: Path) -> None:
    os.chown(path, 12345, 23456)
    write(read(path), NEW)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
    assert path.read_bytes() == NEW


@posix
def test_a_file_whose_owner_cannot_be_kept_is_written_in_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.stat()

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    genuine = os.stat

    def owned_by_another(target: str | Path, **options: bool) -> object:
        found = genuine(target, **options)
        if ".loaderlint-" in str(target):
            return os.stat_result((*found[:4], found.st_uid + 1, *found[5:10]))
        return found

    monkeypatch.setattr(os, "stat", owned_by_another)
    write(read(path), NEW)
    monkeypatch.undo()
    assert path.read_bytes() == NEW
    assert path.stat().st_ino == before.st_ino
    assert only(path)


def test_the_time_of_change_moves_on(path: Path) -> None:
    os.utime(path, (1_000_000, 1_000_000))
    write(read(path), NEW)
    assert path.stat().st_mtime > 1_000_000


@posix
def test_a_symbolic_link_stays_one_and_its_target_is_replaced(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(Path("folder", "train.yaml"))
    write(read(link), NEW)
    assert link.readlink() == Path("folder", "train.yaml")
    assert path.read_bytes() == NEW
    assert only(path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "link.yaml"]


@posix
def test_hard_links_go_on_showing_one_file(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.hardlink_to(path)
    for content in (NEW, b"", OLD * 1000):
        write(read(path), content)
        assert other.read_bytes() == content
        assert other.samefile(path)
    assert only(path)


@posix
@pytest.mark.parametrize("linked", [False, True], ids=["single", "hard links"])
def test_a_file_that_changed_since_it_was_read_is_left(path: Path, tmp_path: Path, linked: bool) -> None:
    if linked:
        (tmp_path / "other.yaml").hardlink_to(path)
    source = read(path)
    path.write_bytes(b"num_workers: 6\n")
    with pytest.raises(WriteError, match="changed since it was read"):
        write(source, NEW)
    assert path.read_bytes() == b"num_workers: 6\n"
    assert only(path)


def test_a_file_that_is_gone_is_an_error(path: Path) -> None:
    source = read(path)
    path.unlink()
    with pytest.raises(WriteError):
        write(source, NEW)
    assert not list(path.parent.iterdir())


@posix
def test_a_loop_of_links_is_an_error(path: Path, tmp_path: Path) -> None:
    source = Source("loop.yaml", str(tmp_path / "loop.yaml"), Language.YAML, OLD)
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(WriteError):
        write(source, NEW)


def test_a_folder_in_the_files_place_is_an_error(path: Path) -> None:
    source = read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(WriteError):
        write(source, NEW)
    assert only(path)


def test_a_read_only_file_is_left(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        write(read(path), NEW)
    assert path.read_bytes() == OLD
    assert only(path)
    path.chmod(0o644)


@unprivileged
def test_a_read_only_folder_is_an_error(path: Path) -> None:
    path.parent.chmod(0o555)
    try:
        with pytest.raises(WriteError, match="Permission denied"):
            write(read(path), NEW)
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == OLD


FULL_DISK = """
import resource, sys
from pathlib import Path
from loaderlint.model.source import Language, Source
from loaderlint.writers.files import WriteError, write
path = Path(sys.argv[1])
source = Source(path.name, str(path), Language.YAML, path.read_bytes())
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write(source, b"x" * 100_000)
except WriteError as error:
    print(error.message)
"""


@posix
@pytest.mark.parametrize("linked", [False, True], ids=["single", "hard links"])
def test_a_disk_that_takes_no_more_leaves_the_old_content(path: Path, tmp_path: Path, linked: bool) -> None:
    if linked:
        (tmp_path / "other.yaml").hardlink_to(path)
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    assert path.read_bytes() == OLD
    assert only(path)


def interrupted(genuine: Callable[[int], None]) -> Callable[[int], None]:
    """A function that behaves as if Ctrl-C were pressed when it is called for the first time."""
    pressed = False

    def call(descriptor: int) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            signal.raise_signal(signal.SIGINT)
        genuine(descriptor)

    return call


@posix
@pytest.mark.parametrize("linked", [False, True], ids=["single", "hard links"])
def test_an_interrupt_leaves_the_old_content_and_no_temporary_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    if linked:
        (tmp_path / "other.yaml").hardlink_to(path)
    source = read(path)
    monkeypatch.setattr(os, "fsync", interrupted(os.fsync))
    with pytest.raises(KeyboardInterrupt):
        write(source, NEW * 10)
    assert path.read_bytes() == OLD
    assert only(path)
