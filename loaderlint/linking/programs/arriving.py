"""The worker counts that a loader can have where a program iterates it, of all that can reach it somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.loaders.options import options_of
from loaderlint.linking.things.kinds import Absent, Frame
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText, CpuCount

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite
    from loaderlint.model.loader import Loader


def arriving(
    evaluator: Evaluator,
    site: PythonSite,
    loader: Loader,
    frames: Iterable[Frame | None],
    other_programs: Set[str],
) -> frozenset[Span] | None:
    """Return where those worker counts are written that a loader can have in some frames, None for all it can have.

    What passes a file of another program does not arrive in this one.
    """
    counts = loader.num_workers.known
    if len({one.span for one in counts}) < 2:
        return None
    given = _given_in(evaluator, site, frames)
    return frozenset(
        one.span
        for one in counts
        if other_programs.isdisjoint(place.path for place in one.places) and (given is None or one.span in given)
    )


def _given_in(evaluator: Evaluator, site: PythonSite, frames: Iterable[Frame | None]) -> Set[Span] | None:
    """Return the places of what a call gives its loader as worker count in some frames, None where one is unseen."""
    found: set[Span] = set()
    for frame in frames:
        if frame is None or frame.scope is not site.frame.scope or site.base is not None:
            return None
        given = options_of(evaluator, replace(site, frame=frame)).get("num_workers")
        for one in given.possibilities if given is not None else ():
            if not one.constant and not isinstance(one.thing, Absent | CpuCount | CommandLineText):
                return None
            found.add(one.span)
    return found
