"""Configuration files in whose place the user of a program names his own, or whose values he replaces.

A program that loads ``args.base``, which has no default, makes what the user's file says; so does one that lays what
stands on the command line over the file it loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations import opened
from loaderlint.linking.things import locations, settings
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.vocabulary.keys import CONSUMERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_LIBRARIES = frozenset(name.partition(".")[0] for name in opened.READERS)
_OVER = ("from_dotlist", "from_cli")
_STEPS = 200
"""Expressions followed for one call that reads a file."""


def paths(evaluator: Evaluator) -> frozenset[str]:
    """Return the files that name what they are for, and which a program was seen to leave to its user."""
    return evaluator.once(("files of users",), frozenset[str](), lambda: frozenset(_paths(evaluator)))


def _paths(evaluator: Evaluator) -> Iterator[str]:
    if not any(evaluator.project.configuration_files_with(tuple(CONSUMERS))):
        return
    for facts in evaluator.project.all_python():
        if any(library in facts.source.text for library in _LIBRARIES):
            for name in sorted(opened.READER_NAMES & facts.calls.keys()):
                for site in facts.calls[name]:
                    with evaluator.steps(_STEPS):
                        yield from _read_at(evaluator, facts, site)


def _read_at(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> Iterator[str]:
    """Yield the files that a call may read and that are the user's to choose or to change."""
    frame = Frame(facts, site.place)
    readers = [one.thing.name for one in evaluator.evaluate(site.node.func, frame) if isinstance(one.thing, External)]
    if not site.node.args or not any(name in opened.READERS for name in readers):
        return
    language = next(opened.READERS[name][0] for name in readers if name in opened.READERS)
    found = [location for location, _ in locations.of(evaluator, site.node.args[0], frame) if location is not None]
    if found and all(location.given for location in found):
        # Where a file is the default, it is what the program runs with, as the default of any other option.
        yield from (one.source.path for one in opened.shipped_for(evaluator, language, site.node, frame))
    for location in found:
        if not location.given and _merges_what_the_user_writes(evaluator, facts, site):
            file = opened.at(evaluator, location, facts.source.path)
            if file is not None:
                yield file.source.path


def _merges_what_the_user_writes(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> bool:
    """Return whether the scope that reads a file also lays what stands on the command line over something."""
    others = (one for name in _OVER for one in facts.calls.get(name, ()) if one.place.scope is site.place.scope)
    return any(
        settings.is_of_user(one)
        for other in others
        for one in evaluator.evaluate(other.node, Frame(facts, other.place))
    )
