"""Entries of a dictionary that are worked out when they are read: a configuration is large, and few read all of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking.things import Frame, Possibilities

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


class _Once:
    """Possibilities that are worked out at most once."""

    def __init__(self, work: Callable[[], Possibilities]) -> None:
        self._work: Callable[[], Possibilities] | None = work
        self._known: Possibilities = ()

    def __call__(self) -> Possibilities:
        if self._work is not None:
            self._known, self._work = self._work(), None
        return self._known


class _Followed:
    """Possibilities that somebody's question works out, and keeps as any other answer."""

    def __init__(self, evaluator: Evaluator, work: Callable[[], Possibilities]) -> None:
        self._evaluator = evaluator
        self._work = work

    def __call__(self) -> Possibilities:
        return self._evaluator.remembered(("entry", self), None, self._work)


class Lazily(Mapping[str, Possibilities]):
    """Entries each of which is worked out when it is first read."""

    def __init__(self, entries: Mapping[str, Possibilities | _Once | _Followed]) -> None:
        self._entries = entries

    @classmethod
    def of(cls, keys: Iterable[str], work: Callable[[str], Possibilities]) -> Lazily:
        """Return entries for these keys; ``work`` gives what stands under one of them."""
        return cls({key: _Once(lambda key=key: work(key)) for key in keys})  # type: ignore[misc]

    @classmethod
    def followed(cls, evaluator: Evaluator, keys: Iterable[str], work: Callable[[str], Possibilities]) -> Lazily:
        """Return entries that are followed when they are read, within the steps that are left to who reads them."""
        return cls({key: _Followed(evaluator, lambda key=key: work(key)) for key in keys})  # type: ignore[misc]

    def __getitem__(self, key: str) -> Possibilities:
        found = self._entries[key]
        return found if isinstance(found, tuple) else found()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def overlaid(self, changes: Mapping[str, Possibilities]) -> Lazily:
        """Return the entries with some of them replaced or added."""
        return Lazily({**self._entries, **changes})


def overlaid(entries: Mapping[str, Possibilities], changes: Mapping[str, Possibilities]) -> Mapping[str, Possibilities]:
    """Return entries with some of them replaced or added; what nobody read so far stays to be worked out."""
    return entries.overlaid(changes) if isinstance(entries, Lazily) else {**entries, **changes}


class AttributesAfter(Mapping[str, Possibilities]):
    """The attributes of a thing after something happened to it, each followed when somebody reads it.

    ``before`` are those it had; ``frame`` is where it happened.
    """

    def __init__(self, evaluator: Evaluator, before: Mapping[str, Possibilities], frame: Frame) -> None:
        self._evaluator = evaluator
        self._before = before
        self._frame = frame

    @abstractmethod
    def _changed(self) -> Collection[str]:
        """Return the names of the attributes that may be others than before."""

    @abstractmethod
    def _follow(self, name: str) -> Possibilities:
        """Return what one of these is now."""

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._changed())

    def __getitem__(self, name: str) -> Possibilities:
        if name not in self._names:
            return self._before[name]
        return self._evaluator.remembered(("set", self, name), self._frame, lambda: self._follow(name))

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._before

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._before), **dict.fromkeys(sorted(self._names))})

    def __len__(self) -> int:
        return len(self._before.keys() | self._names)

    __eq__ = object.__eq__
    __hash__ = object.__hash__
