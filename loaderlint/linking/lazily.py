"""Entries of a dictionary that are worked out when they are read: a configuration is large, and few read all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from loaderlint.linking.things import Possibilities


class _Once:
    """Possibilities that are worked out at most once."""

    def __init__(self, work: Callable[[], Possibilities]) -> None:
        self._work: Callable[[], Possibilities] | None = work
        self._known: Possibilities = ()

    def __call__(self) -> Possibilities:
        if self._work is not None:
            self._known, self._work = self._work(), None
        return self._known


class Lazily(Mapping[str, Possibilities]):
    """Entries each of which is worked out when it is first read."""

    def __init__(self, entries: Mapping[str, Possibilities | _Once]) -> None:
        self._entries = entries

    @classmethod
    def of(cls, keys: Iterable[str], work: Callable[[str], Possibilities]) -> Lazily:
        """Return entries for these keys; ``work`` gives what stands under one of them."""
        return cls({key: _Once(lambda key=key: work(key)) for key in keys})  # type: ignore[misc]

    def __getitem__(self, key: str) -> Possibilities:
        found = self._entries[key]
        return found() if isinstance(found, _Once) else found

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
