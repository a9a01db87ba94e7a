"""Reads the cases of ``fixtures/rules``; its README.md says how they are laid out."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RULES = Path(__file__).resolve().parents[1] / "fixtures" / "rules"


@dataclass(frozen=True)
class Witness:
    """What real torch does with a case: how the bad one fails, and the last line that the good one prints.

    The bad one dies with ``error``, hangs after it printed ``hangs_after``, or ends with the line ``shows`` that gives
    its wrong data away; it runs where all three are None. ``delivers`` is None where there is neither a good one nor
    one mended by hand. With ``gpu`` it needs a CUDA device.
    """

    platform: str = "linux"
    error: str | None = None
    hangs_after: str | None = None
    shows: str | None = None
    delivers: str | None = None
    gpu: bool = False
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One shape in which a rule is broken: the folder ``fixtures/rules/RULE/SHAPE``.

    ``findings`` are written ``CODE PATH:LINE``. ``fix`` is ``"safe"``, ``"unsafe"`` or ``"none"``.
    """

    folder: Path
    options: tuple[str, ...]
    findings: tuple[str, ...]
    fix: str = "safe"
    witness: Witness | None = None

    def __str__(self) -> str:
        return self.folder.relative_to(RULES).as_posix()

    def bad(self, destination: Path) -> Path:
        """Copy the case as somebody wrote it to a folder of its own, and return that."""
        return _copied(self.folder, "bad", destination)

    @property
    def mended_by_hand(self) -> bool:
        """Whether the case says how somebody mends what no fix can."""
        return any(self.folder.glob("mended*"))

    def good(self, destination: Path) -> Path:
        """Copy the case as the fix, or somebody's hand, leaves it to a folder of its own, under the bad one's names."""
        return _copied(self.folder, "mended" if self.mended_by_hand else "good", destination)


@dataclass(frozen=True)
class Quiet:
    """A file or folder in which a rule must find nothing, though it ``has_loader`` (or is a false friend)."""

    path: Path
    rule: str
    options: tuple[str, ...]
    has_loader: bool = True

    def __str__(self) -> str:
        return self.path.relative_to(RULES).as_posix()


def cases() -> list[Case]:
    """Return all cases, sorted by rule and shape."""
    return [_case(path) for path in sorted(RULES.glob("*/*/case.toml"))]


def quiet_cases() -> list[Quiet]:
    """Return everything that must stay quiet, sorted by rule and name."""
    found: list[Quiet] = []
    for table in sorted(RULES.glob("*/quiet/quiet.toml")):
        settings = tomllib.loads(table.read_text(encoding="utf-8"))
        special, without = settings.get("special", {}), set(settings.get("no_loader", ()))
        for path in sorted(table.parent.iterdir()):
            if path != table and path.name != "__pycache__":
                options = special.pop(path.name, settings["options"])
                found.append(Quiet(path, table.parent.parent.name, tuple(options), path.name not in without))
                without.discard(path.name)
        assert not (special or without), f"{table} names what is not there: {sorted({*special, *without})}"
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _case(table: Path) -> Case:
    settings = tomllib.loads(table.read_text(encoding="utf-8"))
    witness = settings.get("witness")
    if witness is not None:
        witness = Witness(**{**witness, "arguments": tuple(witness.get("arguments", ()))})
    return Case(
        folder=table.parent,
        options=tuple(settings["options"]),
        findings=tuple(sorted(settings["findings"])),
        fix=settings.get("fix", "safe"),
        witness=witness,
    )


def _copied(folder: Path, kind: str, destination: Path) -> Path:
    if (folder / kind).is_dir():
        shutil.copytree(folder / kind, destination, ignore=shutil.ignore_patterns("__pycache__"))
        return destination
    (only,) = folder.glob(f"{kind}.*")
    destination.mkdir(parents=True)
    shutil.copyfile(only, destination / f"bad{only.suffix}")
    return destination
