"""Questions that code asks about the version of torch: each target whose torch is known settles them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_RELEASES = (*((1, minor) for minor in range(14)), *((2, minor) for minor in range(30)))
"""The versions of torch there are or may be that a loader runs on."""
NEWEST = (2, 13)
"""The version of a target that does not say which it has: what only older ones come to, no run of its own does."""
_PATCHES = ("0", "1", "9")
_BUILDS = ("", "+cpu", "+cu121")
"""What may follow the two numbers that a target says: a fix, and what a wheel was built for (pytorch.org, "Get
Started")."""


class TorchAsked(str):
    """The subject of a test of torch's version: its answers in words, so that tests which ask the same are one.

    ``test`` is the text of one of these. ``by_release`` are the answers by the first two numbers of a version, None
    where the rest of it decides.
    """

    __slots__ = ("by_release", "test")
    test: str
    by_release: Mapping[tuple[int, int], bool | None]

    @classmethod
    def of(cls, test: str, holds: Callable[[str], bool]) -> TorchAsked | None:
        """Return the question that is answered so for versions as torch spells them; None where one cannot be."""
        try:
            by_release = {release: _answer(holds, *release) for release in _RELEASES}
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
            return None
        words = (f"{major}.{minor}: {answer}" for (major, minor), answer in by_release.items())
        made = cls("torch's version, " + ", ".join(words))
        made.test, made.by_release = test, by_release
        return made

    @property
    def settled(self) -> bool | None:
        """The answer of all versions; None where it is not the same for all."""
        answers = set(self.by_release.values())
        return answers.pop() if len(answers) == 1 else None

    def answered(self, release: tuple[int, int]) -> bool | None:
        """Return the answer for a version, None where that is not known."""
        return self.by_release.get(release)


def _answer(holds: Callable[[str], bool], major: int, minor: int) -> bool | None:
    answers = {bool(holds(f"{major}.{minor}.{patch}{build}")) for patch in _PATCHES for build in _BUILDS}
    return answers.pop() if len(answers) == 1 else None
