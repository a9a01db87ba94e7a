"""Makes loaders of what their options can be, in Python and in configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from loaderlint.linking.following import never_called, stops
from loaderlint.linking.following.configurations import configured_calls
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders import replaced, undefined, validated
from loaderlint.linking.loaders.only_looked_at import is_only_looked_at
from loaderlint.linking.loaders.options import STEPS, Given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.loaders.stubs import without_stubbed
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.things import many_files, overridden, platforms
from loaderlint.linking.things.alternatives import joined
from loaderlint.linking.things.kinds import UNSEEN, Absent, Made, Possibilities, Thing, Unseen
from loaderlint.linking.things.possibilities import distinct, irremovable, platforms_of, under, unseen
from loaderlint.model.assumptions import PLATFORM, Assumptions
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import Candidate, CommandLineText, CpuCount, Object, Value
from loaderlint.vocabulary.callables import LOADER_CALLABLES, LoaderCallable


def loader_of(evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given]) -> Loader | None:
    """Return the loader a call makes, None when the call can never be reached."""
    with evaluator.steps(STEPS):
        arrives_on = stops.platforms_at(evaluator, site.frame)
        if not arrives_on:
            return None
        ways = joined(stops.conditions_at(evaluator, site.frame), [platforms.on(arrives_on)])
        ways = joined(ways, never_called.conditions_of_handing_on(evaluator, site.frame))
        ways = joined(ways, [*site.ways])
    if not ways:
        return None
    if any(kind is site.kind for kind in replaced.loaders(evaluator)):
        given = dict.fromkeys(TORCH_DEFAULTS, Given.known(unseen(site.span)))
    options = {
        option: without_stubbed(evaluator, site, value_of(evaluator, option, one, ways, site.span))
        for option, one in given.items()
        if option in TORCH_DEFAULTS
    }
    handled = frozenset(one for one in _REFUSALS if is_caught(site.frame.facts, site.call, one, for_good=True))
    comes_to_it = frozenset(map(Platform, stops.platforms_in(ways)))
    with evaluator.steps(STEPS):
        ends = {one: stops.ended_on(evaluator, site.frame, one.value) for one in Platform if one not in comes_to_it}
    own = site.own_class
    loader = Loader(
        site.span,
        site.callee,
        options,
        site.kind.spelling,
        may_be_guarded="ValueError" in handled,
        handled=handled,
        asked_for=not (validated.is_never_asked_for(evaluator, site) or undefined.ends_before(evaluator, site)),
        platforms=comes_to_it,
        ended={platform: end for platform, end in ends.items() if end is not None},
        own_class=Touch(own.facts.span(own.node), own.node.name) if own is not None else None,
        starts_workers=site.starts_workers and not is_only_looked_at(evaluator, site),
        settings_files=frozenset(evaluator.settings_in_python),
    )
    summed = given.get(site.kind.accumulation)
    if summed is None:
        return loader
    return replace(loader, accumulation=value_of(evaluator, site.kind.accumulation, summed, ways, site.span))


_REFUSALS = ("ValueError", "TypeError")
"""What torch raises for options it refuses (``DataLoader.__init__``, ``torch/utils/data/dataloader.py``)."""


MOST_OF_ANYTHING = 10**18
"""An integer beyond this is no setting, and Python refuses to write the longest ones down."""


def _no_object(thing: Thing) -> Object | None:
    return None


def value_of(
    evaluator: Evaluator,
    option: str,
    given: Given,
    ways: Iterable[Assumptions],
    site: Span,
    object_of: Callable[[Thing], Object | None] = _no_object,
) -> Value:
    """Return an option's value from what was followed: constants become candidates, anything else leaves it open.

    Where the option takes objects, ``object_of`` tells which things are some.
    """
    candidates: list[Candidate] = []
    unseen_things: list[Thing] = []
    unseen_ways: list[Assumptions] = []
    given_at: set[Span] = set()
    named = _named_contexts(evaluator, given) if option == "multiprocessing_context" else None
    arriving = given.possibilities if named is None else tuple(one for _, several in named for one in several)
    in_contexts = {one.span for makes, several in named or () for one in several if makes}
    for one in distinct(way for assumptions in ways for way in under(arriving, assumptions)):
        thing = object_of(one.thing) or one.thing
        if isinstance(thing, Absent):
            candidates.append(Candidate(TORCH_DEFAULTS.get(option), site, assumptions=one.assumptions, written=False))
        elif isinstance(thing, int) and abs(thing) > MOST_OF_ANYTHING:
            unseen_things.append(UNSEEN)
            unseen_ways.append(one.assumptions)
        elif thing is None or isinstance(thing, bool | int | float | str | CpuCount | CommandLineText | Object):
            candidates.extend(
                Candidate(
                    thing,
                    each.span,
                    each.entry,
                    each.trail,
                    each.assumptions,
                    each.sources,
                    shared=each.shared,
                    names_context=one.span in in_contexts,
                    taken_out=each.taken_out,
                    said_alike=many_files.said_alike(each),
                )
                for each in many_files.told_apart(one)
            )
        else:
            unseen_things.append(thing)
            unseen_ways.append(one.assumptions)
            given_at.update((one.span,) if _is_users(thing) else ())
    by_user = bool(unseen_things) and all(map(_is_users, unseen_things))
    joined = _platforms_joined(_as_shipped(candidates, site))
    return Value(tuple(joined), bool(unseen_things), given.argument, by_user, frozenset(given_at), tuple(unseen_ways))


def _is_users(thing: Thing) -> bool:
    """Return whether a thing that was not seen is what the user of the program gives."""
    return isinstance(thing, Unseen) and (thing.given or thing.replaced)


def _as_shipped(candidates: list[Candidate], site: Span) -> list[Candidate]:
    """Return the candidates without those that come to a loader only in runs in which a user replaces other values.

    A loader that no value of a configuration comes to as it is shipped may be meant for just such runs.
    """
    others = [one for one in candidates if not overridden.in_part(one.assumptions)]
    return others if any(one.written and one.span.path != site.path for one in others) else candidates


def _named_contexts(evaluator: Evaluator, given: Given) -> list[tuple[bool, Possibilities]]:
    """Return what is given, ``get_context("spawn")`` read as the start method it names, each with whether it was.

    None names the default (``multiprocessing/context.py``).
    """
    found: list[tuple[bool, Possibilities]] = []
    for one in given.possibilities:
        thing = one.thing
        if isinstance(thing, Made) and thing.callee.rpartition(".")[2] == "get_context" and thing.call.args:
            for named in evaluator.evaluate(thing.call.args[0], thing.frame):
                methods = platforms.start_method(named.span) if named.thing is None else (named,)
                found.append((True, under(under(methods, named.assumptions), one.assumptions)))
        else:
            found.append((False, (one,)))
    return found


def _platforms_joined(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates with those that differ in nothing but their platforms made one."""
    joined: dict[object, Candidate] = {}
    for one in candidates:
        rest = frozenset(way for way in one.assumptions if way.subject != PLATFORM)
        key = (type(one.constant), one.constant, one.span, one.entry, rest, one.written)
        before = joined.get(key)
        arrives_on = platforms_of(one.assumptions) | (platforms_of(before.assumptions) if before else frozenset())
        assumptions = rest if arrives_on == platforms_of(rest) else rest | platforms.on(arrives_on)
        joined[key] = Candidate(
            one.constant,
            one.span,
            one.entry,
            one.trail,
            assumptions,
            one.sources | (before.sources if before is not None else frozenset()),
            one.written,
            one.shared,
            names_context=one.names_context,
            taken_out=one.taken_out,
            said_alike=one.said_alike,
        )
    return list(joined.values())


def configured_loaders(evaluator: Evaluator) -> Iterator[Loader]:
    """Yield the loaders that a configuration mapping makes by naming a library's loader."""
    for name, caller in configured_calls.instantiations(evaluator):
        kind = LOADER_CALLABLES.get(name)
        if kind is not None and caller.span not in evaluator.instantiations.at_calls:
            given = {key: caller.given(key) for key in caller.arguments.entries}
            yield loader_of_settings(evaluator, given, caller.span, name, kind)


_NUMBERS = frozenset({"batch_size", "num_workers", "prefetch_factor", "timeout"})
"""Options whose value is a number."""


def _unread(option: str, values: Possibilities) -> Possibilities:
    """Return what settings can be that nobody was seen to read: a program may work a number out of any other text."""
    return tuple(
        replace(one, thing=UNSEEN) if option in _NUMBERS and _is_worked_out(one.thing) else one
        for one in irremovable(values)
    )


def _is_worked_out(thing: Thing) -> bool:
    """Return whether a text is no number in quotes, such as ``2*{gpus}``, ``auto``."""
    if not isinstance(thing, str):
        return False
    try:
        float(thing)
    except ValueError:
        return True
    return False


def loader_of_settings(
    evaluator: Evaluator,
    settings: Mapping[str, Possibilities],
    span: Span,
    callee: str,
    kind: LoaderCallable,
    *,
    consumer_seen: bool = True,
) -> Loader:
    """Return the loader whose options are the keys of a configuration mapping, which stands at ``span``."""
    options: dict[str, Value] = {}
    keys = {key.lower(): values for key, values in settings.items()}
    for option in TORCH_DEFAULTS:
        values = keys.get(kind.spelling.get(option, option))
        if values is not None:
            given = Given.known(values if consumer_seen else _unread(option, values))
            options[option] = value_of(evaluator, option, given, (frozenset(),), span)
    loader = Loader(span, callee, options, kind.spelling, consumer_seen=consumer_seen)
    if kind.accumulation not in keys:
        return loader
    summed = Given.known(keys[kind.accumulation])
    return replace(loader, accumulation=value_of(evaluator, kind.accumulation, summed, (frozenset(),), span))
