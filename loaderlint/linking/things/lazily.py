"""Entries of a dictionary that are worked out when they are read: a configuration is large, and few read all of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame, Possibilities
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Lazily(Mapping[str, Possibilities]):
    """Entries each of which is worked out when it is first read."""

    def __init__(
        self, keys: Iterable[str], work: Callable[[str], Possibilities], evaluator: Evaluator | None = None
    ) -> None:
        self._keys = dict.fromkeys(keys)
        self._work = work
        self._evaluator = evaluator
        self._known: dict[str, Possibilities] = {}

    @classmethod
    def of(cls, keys: Iterable[str], work: Callable[[str], Possibilities]) -> Lazily:
        """Return entries for these keys; ``work`` gives what stands under one of them."""
        return cls(keys, work)

    @classmethod
    def followed(cls, evaluator: Evaluator, keys: Iterable[str], work: Callable[[str], Possibilities]) -> Lazily:
        """Return entries that are followed when they are read, within the steps that are left to who reads them."""
        return cls(keys, work, evaluator)

    def __getitem__(self, key: str) -> Possibilities:
        if key not in self._keys:
            raise KeyError(key)
        if self._evaluator is not None:
            return self._evaluator.remembered(("entry", self, key), None, lambda: self._work(key))
        if key not in self._known:
            self._known[key] = self._work(key)
        return self._known[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class _Overlaid(Mapping[str, Possibilities]):
    """Entries of which some were replaced or added."""

    def __init__(self, below: Lazily, changes: Mapping[str, Possibilities]) -> None:
        self.below = below
        self.changes = changes

    def __getitem__(self, key: str) -> Possibilities:
        return self.changes[key] if key in self.changes else self.below[key]

    def __contains__(self, key: object) -> bool:
        return key in self.changes or key in self.below

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self.below), **dict.fromkeys(self.changes)})

    def __len__(self) -> int:
        return len({*self.below, *self.changes})

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def overlaid(entries: Mapping[str, Possibilities], changes: Mapping[str, Possibilities]) -> Mapping[str, Possibilities]:
    """Return entries with some of them replaced or added; what nobody read so far stays to be worked out."""
    if isinstance(entries, _Overlaid):
        return _Overlaid(entries.below, {**entries.changes, **changes})
    return _Overlaid(entries, changes) if isinstance(entries, Lazily) else {**entries, **changes}


class AttributesAfter(Mapping[str, Possibilities]):
    """The attributes of a thing after something happened to it, each followed when somebody reads it.

    ``before`` are those it had; ``frame`` is where it happened, and ``span`` the place.
    """

    def __init__(self, evaluator: Evaluator, before: Mapping[str, Possibilities], frame: Frame, span: Span) -> None:
        self._evaluator = evaluator
        self._before = before
        self._frame = frame
        self.span = span

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
        state = next((one for one in self._states() if name in one._names), None)
        return self._first[name] if state is None else state._now(name)

    def _now(self, name: str) -> Possibilities:
        """Return what an attribute is now that may be another than before."""
        evaluator, frame = self._evaluator, self._frame
        try:
            return evaluator.remembered(
                ("set", self, name), frame, lambda: evaluator.step(self.span) or self._follow(name)
            )
        except RecursionError:
            # One state rests on the one before: how many there may be depends on who asks.
            return evaluator.too_deep(self.span)

    def __contains__(self, name: object) -> bool:
        return any(name in one._names for one in self._states()) or name in self._first

    def __iter__(self) -> Iterator[str]:
        states = reversed(list(self._states()))
        return iter(dict.fromkeys((*self._first, *(name for one in states for name in sorted(one._names)))))

    def __len__(self) -> int:
        return len(dict.fromkeys(self))

    def _states(self) -> Iterator[AttributesAfter]:
        """Yield this state and those before it, without going deeper for each: an object may have hundreds."""
        state: Mapping[str, Possibilities] = self
        while isinstance(state, AttributesAfter):
            yield state
            state = state._before

    @cached_property
    def _first(self) -> Mapping[str, Possibilities]:
        """The attributes before the first of these states."""
        *_, first = self._states()
        return first._before

    __eq__ = object.__eq__
    __hash__ = object.__hash__
