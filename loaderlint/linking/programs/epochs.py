"""Samplers that shuffle by the epoch they are told, and whether a program tells them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.following import stops
from loaderlint.linking.following.questions import named_at
from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.things import classes, platforms
from loaderlint.linking.things.kinds import Frame, Instance, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import EVERY_PLATFORM, under
from loaderlint.model.source import Span
from loaderlint.model.uses import UntoldSampler
from loaderlint.readers.python import CallSite, PythonFacts, owners_set
from loaderlint.vocabulary.uses import DISTRIBUTED_SAMPLERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given

_REFERENCE = re.compile(r"\.set_epoch\b|[\"']set_epoch[\"']")
_SETS_EPOCH = re.compile(r"sampler\w*\.(epoch|seed)\s*\+?=(?!=)")
_TOLD_BY = ("epoch", "seed")
"""Attributes of a sampler from which its order follows."""
_MAKES_GROUP = "init_process_group"
_PLACES = {"shuffle": 3}
"""Where ``DistributedSampler(dataset, num_replicas, rank, shuffle)`` takes what by position."""


def told_no_epoch(
    evaluator: Evaluator,
    loader: Made,
    given: Mapping[str, Given],
    files: Iterable[str],
    heads: Mapping[ast.expr, Frame],
) -> Iterator[UntoldSampler]:
    """Yield the shuffling distributed samplers a loader is given, if no file of the program may tell them an epoch.

    ``heads`` are what the loops that iterate the loader go over, with the places of the loops.
    """
    samplers = [one for one in _samplers(evaluator, given) if _shuffles(evaluator, one)]
    if not samplers or any(
        evaluator.once(("told an epoch", path), False, partial(_may_tell, evaluator, path)) for path in files
    ):
        return
    where = platforms.on(_platforms_of_groups(evaluator, files))
    for one in under(samplers, where):
        assert isinstance(one.thing, Made)
        facts = one.thing.frame.facts
        what = shortened(facts.text(one.thing.call))
        names = _names(evaluator, one.thing, heads)
        if not names and "sampler" in given and [way.thing for way in given["sampler"].possibilities] == [one.thing]:
            names = tuple((span, f"{name}.sampler") for span, name in _names(evaluator, loader, heads))
        yield UntoldSampler(facts.span(one.thing.call), what, one.assumptions, one.trail, names=names)


def _platforms_of_groups(evaluator: Evaluator, files: Iterable[str]) -> frozenset[str]:
    """Return the platforms on which one of the calls in these files that make a process group can make it.

    A distributed sampler asks the group for its size and rank (``torch/utils/data/distributed.py``).
    """
    read = (evaluator.project.python(path) for path in files)
    calls = [(one, site) for one in read if one is not None for site in one.calls.get(_MAKES_GROUP, ())]
    found = frozenset[str]()
    for call, frame in ((site.node, Frame(one, site.place)) for one, site in calls):
        comes_to_it = stops.platforms_at(evaluator, frame)
        found |= comes_to_it & stops.platforms_in(platforms.needed(evaluator, call, frame))
    return found or EVERY_PLATFORM


def _names(evaluator: Evaluator, made: Made, heads: Mapping[ast.expr, Frame]) -> tuple[tuple[Span, str], ...]:
    """Return what the code in loops calls an object, for those loops where a name is this object in all runs."""
    found: list[tuple[Span, str]] = []
    scope = made.frame.scope
    given = [name for name, bindings in scope.bindings.items() if any(one.value is made.call for one in bindings)]
    for over, head in heads.items():
        own = head.scope.bindings
        settled = (
            name
            for name in dict.fromkeys((*given, *own))
            if all(one.place.order < head.place.order for one in own.get(name, ()))
        )
        name = next((name for name in settled if _is_always(evaluator, name, made, over, head)), "")
        found.extend([(head.facts.span(over), name)] if name else [])
    return tuple(found)


def _is_always(evaluator: Evaluator, name: str, made: Made, at: ast.expr, head: Frame) -> bool:
    node = evaluator.remembered(("name", at, name), head, lambda: named_at(at, name))
    with evaluator.steps(STEPS):
        ways = evaluator.evaluate(node, head) if node is not None else ()
    return bool(ways) and all(
        isinstance(way.thing, Made) and way.thing.call is made.call and not way.assumptions for way in ways
    )


def _samplers(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Possibility]:
    for role in ("sampler", "batch_sampler"):
        if role not in given:
            continue
        for one in given[role].possibilities:
            for way in (one, *_inside(evaluator, one)):
                if isinstance(way.thing, Made) and way.thing.callee in DISTRIBUTED_SAMPLERS:
                    yield way


def _inside(evaluator: Evaluator, one: Possibility) -> Possibilities:
    """Return the sampler in torch's ``BatchSampler``."""
    thing = one.thing
    if not isinstance(thing, Made) or not thing.callee.endswith(".BatchSampler"):
        return ()
    arguments = [*thing.call.args[:1], *(key.value for key in thing.call.keywords if key.arg == "sampler")]
    with evaluator.steps(STEPS):
        return tuple(way for node in arguments for way in under(evaluator.evaluate(node, thing.frame), one.assumptions))


def _shuffles(evaluator: Evaluator, one: Possibility) -> bool:
    """Return whether a sampler was seen to shuffle, as it does when nobody says otherwise."""
    assert isinstance(one.thing, Made)
    call, place = one.thing.call, _PLACES["shuffle"]
    if any(keyword.arg is None for keyword in call.keywords):
        return False
    named = [keyword.value for keyword in call.keywords if keyword.arg == "shuffle"] or call.args[place : place + 1]
    with evaluator.steps(STEPS):
        return all(way.thing is True for node in named for way in evaluator.evaluate(node, one.thing.frame))


def _may_tell(evaluator: Evaluator, path: str) -> bool:
    """Return whether a file may tell a sampler its epoch.

    It calls ``set_epoch`` on what may be one, hands that on, or sets the attribute itself.
    """
    facts = evaluator.project.python(path)
    if facts is None:
        return False
    if _SETS_EPOCH.search(facts.source.text) or _sets_on_sampler(evaluator, facts):
        return True
    if "set_epoch" not in facts.source.text:
        return False
    calls = facts.calls.get("set_epoch", ())
    return len(_REFERENCE.findall(facts.source.text)) > len(calls) or any(
        not _is_something_else(evaluator, facts, site) for site in calls
    )


def _sets_on_sampler(evaluator: Evaluator, facts: PythonFacts) -> bool:
    """Return whether a file sets the epoch, or the seed, of what was seen to be a distributed sampler."""
    if not any(f".{name}" in facts.source.text for name in _TOLD_BY):
        return False
    for scope in facts.scopes.values():
        for name, bindings in scope.bindings.items():
            owner, _, attribute = name.rpartition(".")
            if attribute not in _TOLD_BY or owner in ("", "self", "cls"):
                continue
            for one in bindings:
                with evaluator.steps(STEPS):
                    ways = [
                        way.thing
                        for target in owners_set(one.node, attribute)
                        for way in evaluator.evaluate(target, Frame(facts, one.place))
                    ]
                if any(isinstance(thing, Made) and thing.callee in DISTRIBUTED_SAMPLERS for thing in ways):
                    return True
    return False


def _is_something_else(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> bool:
    """Return whether ``set_epoch`` is called on objects of the project alone, none of which is a sampler."""
    function = site.node.func
    owner = getattr(function, "value", None)
    if owner is None:
        return False
    with evaluator.steps(STEPS):
        ways = evaluator.evaluate(owner, Frame(facts, site.place))
    return all(
        isinstance(one.thing, Instance)
        and not any(
            "Sampler" in name
            for owner in classes.lineage(evaluator, one.thing.of)
            for name in classes.foreign_bases(evaluator, owner)
        )
        for one in ways
    )
