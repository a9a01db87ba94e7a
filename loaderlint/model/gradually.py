"""Rows that are worked out as far as somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

_One = TypeVar("_One")


class Gradually(Sequence[_One]):
    """A row each of whose things is worked out when somebody first comes to it, and kept.

    Most of what a big program does is asked for by nobody, or no further than the first that answers.
    """

    def __init__(self, source: Iterable[_One]) -> None:
        self._source = iter(source)
        self._known: list[_One] = []

    def __iter__(self) -> Iterator[_One]:
        place = 0
        while self._reaches(place):
            yield self._known[place]
            place += 1

    def __bool__(self) -> bool:
        return self._reaches(0)

    def __len__(self) -> int:
        self._known.extend(self._source)
        return len(self._known)

    @overload
    def __getitem__(self, place: int) -> _One: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_One]: ...
    def __getitem__(self, place: int | slice) -> _One | Sequence[_One]:
        return self._known[place] if len(self) else ()[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def _reaches(self, place: int) -> bool:
        """Return whether there is something at a place, worked out if need be."""
        if place == len(self._known):
            self._known.extend(islice(self._source, 1))
        return place < len(self._known)


def first_of(source: Iterable[_One]) -> Callable[[], _One | None]:
    """Return what gives the first thing of a row, or None without one, worked out when somebody first asks."""
    row = Gradually(source)
    return lambda: next(iter(row), None)
