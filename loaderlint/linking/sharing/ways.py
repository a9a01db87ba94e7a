"""The ways that written values take to loaders, and which of them meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import Protocol

from loaderlint.linking.sharing.interpolated import Interpolations
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Value, meetings

OF_WORKERS = frozenset({"num_workers", *WORKER_OPTIONS, "pin_memory", "pin_memory_device"})
"""The options that say how batches are loaded, and not which: whatever decides them may be decided anew."""


class Ways:
    """The places that the values of some options pass on their ways to loaders."""

    def __init__(self, loaders: tuple[Loader, ...], options: Set[str]) -> None:
        self._values = [one for loader in loaders for one in loader.options.items() if one[0] in options]
        self._held: dict[Span, bool] = {}

    @cached_property
    def _passed(self) -> Mapping[str, Set[Span]]:
        found: dict[str, set[Span]] = {}
        for _, value in self._values:
            followed = (span for one in value.known for span in (one.entry, *(step.span for step in one.trail)))
            for span in (value.argument, *followed):
                if span is not None:
                    found.setdefault(span.path, set()).add(span)
        return found

    @cached_property
    def _written(self) -> Mapping[str, Set[Span]]:
        found: dict[str, set[Span]] = {}
        for _, value in self._values:
            for one in value.written:
                found.setdefault(one.span.path, set()).add(one.span)
        return found

    def hold(self, span: Span) -> bool:
        """Return whether a place is on the way of one of the values to a loader."""
        if span not in self._held:
            self._held[span] = any(way.holds(span) for way in self._passed.get(span.path, ()))
        return self._held[span]

    def pass_in(self, span: Span) -> bool:
        """Return whether one of the values passes inside a place, or is written there."""
        return any(span.holds(way) for every in (self._passed, self._written) for way in every.get(span.path, ()))

    def passing(self, meets: Callable[[Span], bool]) -> Iterator[tuple[str, Value, Candidate]]:
        """Yield the written values of options that are written at places of some kind, or pass them."""
        for option, value in self._values:
            for one in value.written:
                if any(meets(place) for place in (one.span, *steps_of(one, value.argument))):
                    yield option, value, one


class Hold(Protocol):
    """Ways of values to loaders."""

    def hold(self, span: Span) -> bool:
        """Return whether a place is on one of the ways."""
        ...


def steps_of(candidate: Candidate, argument: Span | None) -> list[Span]:
    """Return the places on the way of a value to a loader."""
    return [span for span in (argument, *(step.span for step in candidate.trail)) if span is not None]


def is_interpolated(interpolations: Interpolations, option: str, candidate: Candidate, ways: Hold) -> bool:
    """Return whether an interpolation takes a value for something else; one of its own name mostly does not."""
    return any(one.gives != option and not ways.hold(one.span) for one in interpolations.of(candidate.span))


def needed_elsewhere(loaders: Iterable[Loader], loader: Loader, option: str, candidate: Candidate) -> bool:
    """Return whether another loader gets the same value, one that may start workers where the option is for these."""
    for other in loaders:
        same = [at for one in other.option(option).written if (at := one.written_at(candidate.span)) is not None]
        if other.span == loader.span or not same:
            continue
        if option not in WORKER_OPTIONS or _counts_apart(other.num_workers, loader.num_workers, same):
            return True
    return False


def _counts_apart(count: Value, own: Value, same: Iterable[Candidate]) -> bool:
    """Return whether a worker count that meets the same value may start workers, whatever the own count becomes."""
    places = own.given_at | {one.span for one in own.written}
    unseen = count.open and not (own.open and places & (count.given_at | {one.span for one in count.written}))
    met = meetings(count.written, same)
    return unseen or any(one.may_start_workers and one.span not in places for one, _ in met)
