"""Which torch a project asks for, where its requirements leave out the newest ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

_TORCH = re.compile(r"^[\s'\"-]*(?:pytorch::)?(?:py)?torch(?![\w.-])(\[[^\]]*\])?(?P<limits>[^#;\"'\n]*)", re.MULTILINE)
"""A requirement of torch, on a line of its own in a list: pip's, or conda's in YAML."""
_FILE = re.compile(r"requirements[\w.-]*\.txt|environment[\w.-]*\.ya?ml")
_CHANNELS = re.compile(r"^channels:.*\n(?:(?!\w).*\n)*", re.MULTILINE)
"""Where conda gets packages from: one of these places is called ``pytorch`` itself."""
_CONDA = re.compile(r"==?\s*([\d.]*\d)(?:\.\*|\*)?(?:=\S*)?")
"""How conda asks for what begins with a version: ``=1.12``, also with a build, ``==1.12.1=py3.9_cuda11.3``."""
_BUILD = re.compile(r"\+[\w.]+")
"""What a build of a version is called: ``1.12.1+cu113``."""
_NEWEST = (2, 99)
_RELEASES = [*((2, minor) for minor in range(_NEWEST[1], -1, -1)), *((1, minor) for minor in range(13, -1, -1))]
"""The versions there are or may be, the newest first."""
_LAST_PATCH = 9
_FIRST_FOR_PYTHON = {
    (3, 8): (1, 4),
    (3, 9): (1, 7),
    (3, 10): (1, 10),
    (3, 11): (1, 13),
    (3, 12): (2, 2),
    (3, 13): (2, 5),
    (3, 14): (2, 9),
}
"""The first torch that has wheels for a version of Python (https://pypi.org/project/torch/#files, of each release)."""


def torch_asked_for(folder: str, dependencies: Iterable[str]) -> tuple[int, int] | None:
    """Return the newest torch that the requirements in a folder admit, None where they admit the newest there is.

    Those are ``dependencies`` and the lines about torch in ``requirements*.txt`` and ``environment*.yml``. Where
    several are about it, the one that admits the newest counts; a bare name admits all.
    """
    admitted = [_newest(limits) for text in (*dependencies, *_texts(folder)) for limits in _of_torch(text)]
    newest = max(admitted, default=_NEWEST)
    return newest if newest != _NEWEST else None


def runs_on(torch: tuple[int, int], python: tuple[int, int]) -> bool:
    """Return whether a version of torch was built for a version of Python, or for one that is newer."""
    return all(torch >= first for version, first in _FIRST_FOR_PYTHON.items() if version <= python)


def _texts(folder: str) -> Iterator[str]:
    try:
        names = sorted(filter(_FILE.fullmatch, os.listdir(folder)))
    except OSError:
        return
    for name in names:
        try:
            with open(os.path.join(folder, name), encoding="utf-8-sig") as file:
                yield file.read()
        except (OSError, UnicodeDecodeError):
            continue


def _of_torch(text: str) -> Iterator[str]:
    if "torch" in text:
        yield from (one["limits"].strip() for one in _TORCH.finditer(_CHANNELS.sub("", text)))


def _newest(limits: str) -> tuple[int, int]:
    """Return the newest version that limits such as ``>=1.7,<2`` admit; the newest of all where they cannot be read."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    limits = _BUILD.sub("", limits)
    conda = _CONDA.fullmatch(limits)
    try:
        admitted = SpecifierSet(f"=={conda[1]}.*" if conda else limits.strip("()"))
    except InvalidSpecifier:
        return _NEWEST
    fitting = (
        (major, minor)
        for major, minor in _RELEASES
        if any(admitted.contains(f"{major}.{minor}.{patch}") for patch in range(_LAST_PATCH + 1))
    )
    return next(fitting, _NEWEST)
