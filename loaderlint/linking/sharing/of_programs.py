"""Which written values also serve something else than loaders, so that they are not changed for a loader's sake."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, partial

from msgspec.structs import replace

from loaderlint.linking.files.shown import Shows
from loaderlint.linking.following.configurations.overrides import keys_of
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.following.fields import fields_of
from loaderlint.linking.following.read_names import last_read
from loaderlint.linking.following.reads import Read, Reads
from loaderlint.linking.following.restricted import restricted
from loaderlint.linking.sharing.asked import asked
from loaderlint.linking.sharing.by_position import ByPosition
from loaderlint.linking.sharing.checked_when_set import checked_when_set
from loaderlint.linking.sharing.counted import count_beside
from loaderlint.linking.sharing.every_key import wholes_asked
from loaderlint.linking.sharing.handed_partials import HandedPartials
from loaderlint.linking.sharing.interpolated import Interpolations
from loaderlint.linking.sharing.known_as import Names
from loaderlint.linking.sharing.named_twice import NamedTwice
from loaderlint.linking.sharing.names import ReadsOfNames
from loaderlint.linking.sharing.of_iterators import asked_of_iterators
from loaderlint.linking.sharing.repeated import Repeated, Way
from loaderlint.linking.sharing.splatted_unseen import mappings_inside
from loaderlint.linking.sharing.ways import OF_WORKERS, Hold, Ways, is_interpolated, needed_elsewhere, steps_of
from loaderlint.linking.things.dictionaries import as_items
from loaderlint.linking.things.kinds import External, Frame, Instance, Made, Possibility
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.uses import LOADERS_OF_TORCH


def with_sharing(evaluator: Evaluator, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders, each candidate of which can say whether something besides loaders uses it, too.

    That takes following what else the program does, so it is found out for those alone that somebody asks: a fix.

    A name or parsed flag is shared when it is read outside the expressions that hand it on towards a loader, the
    conditions that ask about it, and the calls that print it. Whatever else a value is written as (a flag's default, a
    field, a key of a file, a parameter's default) is shared when the program computes with it elsewhere, calls a method
    of it, goes through the dictionary it is in, or gives it to a call of another library. All are shared when a test
    asks about them for something other than worker options, or when not every value may be declared there.
    """
    every = tuple(loaders)
    shows = Shows(evaluator.project)
    of_workers = Ways(every, OF_WORKERS)
    uses = ReadsOfNames(evaluator.project, shows)
    others = _OtherUses(evaluator, every, of_workers, shows)
    partials = HandedPartials(evaluator.project, shows)

    @cache
    def ways_of(option: str) -> Ways:
        return of_workers if option in OF_WORKERS else Ways(every, {option})

    def asking(option: str, value: Value, one: Candidate, loader: Loader) -> Candidate:
        def used_elsewhere() -> bool:
            ways = ways_of(option)
            return (
                (one.shared and others.repeated(option, one))
                or uses.elsewhere(one, ways)
                or (option in _MENDED and others.elsewhere(option, one, value.argument, ways))
            )

        def needed() -> bool:
            handed_on = option in WORKER_OPTIONS and one.written and partials.hold(one.span)
            return handed_on or needed_elsewhere(every, loader, option, one)

        refuses = partial(others.is_restricted, one)
        asked = replace(
            one, shared=False, used_elsewhere=used_elsewhere, needed_elsewhere=needed, refuses_lower=refuses
        )
        if option in WORKER_OPTIONS and one.written:
            names = frozenset({"num_workers", loader.spelled("num_workers")})
            asked = replace(asked, counted=partial(count_beside, evaluator, loader.num_workers, names, one))
        if one.said_alike is None:
            return asked
        elsewhere = replace(one.said_alike, asking=lambda moved: asking(option, value, moved, loader))
        return replace(asked, said_alike=elsewhere)

    def with_candidates(option: str, value: Value, loader: Loader) -> Value:
        candidates = tuple(asking(option, value, one, loader) for one in value.candidates)
        return replace(value, candidates=candidates, read_back=partial(others.read_back, option, loader))

    return tuple(
        replace(loader, options={name: with_candidates(name, value, loader) for name, value in loader.options.items()})
        for loader in every
    )


_MENDED = OF_WORKERS | {"shuffle", "batch_size", "drop_last"}
"""The options that fixes change at their source."""


class _OfLoadersAlone:
    """The places that values pass with which nothing else is done: a test that says which they are says no more."""

    def __init__(self, ways: Ways, others: _OtherUses) -> None:
        self._ways = ways
        self._others = others

    def pass_in(self, span: Span) -> bool:
        """Return whether a worker option passes inside a place, and nothing that serves anything else."""
        return self._ways.pass_in(span) and not self._is_taken(span.holds)

    def hold(self, span: Span) -> bool:
        """Return whether a place is on the way of a worker option to a loader, and of nothing that serves others."""
        return self._ways.hold(span) and not self._is_taken(lambda place: place.holds(span))

    def _is_taken(self, meets: Callable[[Span], bool]) -> bool:
        return any(
            self._others.is_taken(option, one, value.argument, self._ways)
            for option, value, one in self._ways.passing(meets)
        )


class _OtherUses:
    """What a program does with values, apart from loaders and from the ways to them."""

    def __init__(self, evaluator: Evaluator, loaders: Sequence[Loader], of_workers: Ways, shows: Shows) -> None:
        self._evaluator = evaluator
        self._loaders = loaders
        self._of_workers = of_workers
        self._shows = shows
        self._reads = Reads(evaluator.project, shows)
        self._names = Names(evaluator.project)
        self._repeated = Repeated(evaluator.project)
        self._interpolations = Interpolations(evaluator.project)
        self._named_twice = NamedTwice(evaluator.project)
        self._by_position = ByPosition(evaluator.project)
        self._written: dict[int, frozenset[Span]] = {}
        self._known: dict[tuple[str, Span, Span | None], bool] = {}

    @cached_property
    def _tested(self) -> Sequence[Read]:
        """What tests read."""
        ways, shows = _OfLoadersAlone(self._of_workers, self), self._shows
        return [read for facts in self._evaluator.project.all_python() for read in asked(facts, ways, shows)]

    @cached_property
    def _asked(self) -> Mapping[str, list[Read]]:
        """What tests read, by its last name."""
        found: dict[str, list[Read]] = {}
        for read in self._tested:
            name = last_read(read.node)
            if name is not None:
                found.setdefault(name, []).append(read)
        return found

    @cached_property
    def _wholes(self) -> Sequence[Read]:
        """The dictionaries and objects of which every value is used."""
        return [*self._reads.wholes, *wholes_asked(self._tested)]

    def elsewhere(self, option: str, candidate: Candidate, argument: Span | None, ways: Ways) -> bool:
        """Return whether a written value is used under a name of its way, or with all it stands among."""
        if not candidate.written:
            return False
        key = option, candidate.span, argument
        if key not in self._known:
            names = self._known_as(option, candidate, argument)
            asked = [self._asked.get(one, []) for one in names or ()]
            self._known[key] = (
                self.is_restricted(candidate)
                or self._named_twice.is_read(candidate.span, ways.hold)
                or self._by_position.is_read(candidate.span)
                or is_interpolated(self._interpolations, option, candidate, ways)
                or not self._reads.listed.isdisjoint(self._names.read_as(candidate, argument))
                or self.is_taken(option, candidate, argument, ways)
                or self._is_read(candidate, asked, _OfLoadersAlone(ways, self))
                or self._is_read(candidate, [self._wholes], ways)
            )
        return self._known[key]

    def is_taken(self, option: str, candidate: Candidate, argument: Span | None, ways: Ways) -> bool:
        """Return whether a program computes with a written value elsewhere, or gives it away, under a name it has."""
        names = self._known_as(option, candidate, argument)
        return names is None or self._is_read(candidate, [self._reads.by_name.get(one, []) for one in names], ways)

    def _known_as(self, option: str, candidate: Candidate, argument: Span | None) -> Sequence[str] | None:
        """Return the names that a value goes by; None where they are too many."""
        names = self._reads.names({option, *self._came_by(candidate, argument), *self._keys(candidate)})
        return sorted(names) if names is not None else None

    def _came_by(self, candidate: Candidate, argument: Span | None) -> Set[str]:
        return {name for span in steps_of(candidate, argument) for name in self._names.inside(span)}

    def _is_read(self, candidate: Candidate, several: Sequence[Sequence[Read]], ways: Hold) -> bool:
        return any(len(reads) > _MOST_READS for reads in several) or any(
            candidate.span in self._written_for(one, ways) for reads in several for one in reads
        )

    def repeated(self, option: str, candidate: Candidate) -> bool:
        """Return whether a value that stands in several places of its file may be read for something else in one.

        Each of them must be where a loader has it from, or be written for the others alone.
        """

        def is_expected(way: Way) -> bool:
            return any(self._leads_to(way, loader, option, candidate) for loader in self._loaders)

        return self._repeated.reach_others(candidate.span, is_expected)

    def _leads_to(self, way: Way, loader: Loader, option: str, candidate: Candidate) -> bool:
        """Return whether a loader has a value by all the keys of a way to it, or stands below them itself."""
        value = loader.option(option)
        for one in value.written:
            if one.span == candidate.span:
                steps = [*steps_of(one, value.argument), *self._splatted(loader)]
                names = {option, loader.spelled(option), *(name for span in steps for name in self._names.owners(span))}
                if all(entry.key in names or entry.span.holds(loader.span) for entry in way.entries):
                    return True
        return False

    def _splatted(self, loader: Loader) -> Iterable[Span]:
        """Return the places of the dictionaries that a loader's own call splats."""
        facts = self._evaluator.project.python(loader.span.path)
        for site in (one for sites in facts.calls.values() for one in sites) if facts is not None else ():
            if facts is not None and facts.span(site.node) == loader.span:
                yield from (facts.span(one.value) for one in site.node.keywords if one.arg is None)

    def _keys(self, candidate: Candidate) -> Iterator[str]:
        """Yield the key of a value in its file, and those that one which is repeated there is read by."""
        keys = keys_of(self._evaluator.project, candidate.span)
        if keys is not None:
            yield keys[-1]
        ways = self._repeated.ways(candidate.span) if candidate.shared else None
        yield from (way.entries[-1].key for way in ways or () if way.entries)

    def is_restricted(self, candidate: Candidate) -> bool:
        """Return whether a value is declared, at its place or on its way, where not every lower number is taken."""
        return not self._restricted.isdisjoint({candidate.span, *(step.span for step in candidate.trail)})

    @cached_property
    def _restricted(self) -> Set[Span]:
        """The declarations that do not take every number, and the places of the values they read."""
        declared = [one for facts in self._evaluator.project.all_python() for one in restricted(facts)]
        declared.extend(checked_when_set(self._evaluator))
        written = (span for one in declared for read in one.reads for span in self._followed(read))
        return {*(one.span for one in declared), *written}

    def read_back(self, option: str, loader: Loader) -> bool:
        """Return whether the program asks a loader for what it was given, or its iterator for what workers have."""
        if option == "num_workers" and loader.span in self._asked_of_iterators:
            return True
        reads = (*self._asked.get(option, ()), *self._reads.by_name.get(option, ()))
        of_objects = [(one, owner) for one in reads if (owner := _owner(one.node)) is not None]
        return len(of_objects) > _MOST_READS or any(loader.span in self._made(one, owner) for one, owner in of_objects)

    @cached_property
    def _asked_of_iterators(self) -> Set[Span]:
        return frozenset(asked_of_iterators(self._evaluator))

    def _is_loader(self, owner: ast.expr, frame: Frame) -> bool:
        with self._evaluator.steps(_STEPS):
            things = [one.thing for one in self._evaluator.evaluate(owner, frame)]
        return any(isinstance(one, Made) and one.callee in LOADERS_OF_TORCH for one in things)

    def _made(self, read: Read, owner: ast.expr) -> frozenset[Span]:
        with self._evaluator.steps(_STEPS):
            things = [one.thing for one in self._evaluator.evaluate(owner, Frame(read.facts, read.place))]
        return frozenset(one.frame.facts.span(one.call) for one in things if isinstance(one, Made))

    def _written_for(self, read: Read, ways: Hold) -> frozenset[Span]:
        """Return the places where what is read was written, none where it is on one of the ways to a loader."""
        if not read.asked and ways.hold(read.facts.span(read.node)):
            return frozenset()
        if id(read.node) not in self._written:
            self._written[id(read.node)] = self._followed(read)
        return self._written[id(read.node)]

    def _followed(self, read: Read) -> frozenset[Span]:
        frame = Frame(read.facts, read.place)
        owner = _owner(read.node)
        if owner is not None and self._is_loader(owner, frame):
            # What a loader is asked for is found out by `read_back`.
            return frozenset()
        with self._evaluator.steps(_STEPS):
            if read.call is not None and not self._is_taken_by(read.call, frame, followed=read.taken or read.whole):
                return mappings_inside(self._evaluator, read.node, frame) if read.whole else frozenset()
            found = self._evaluator.evaluate(read.node, frame)
            objects = [one.thing for one in found if isinstance(one.thing, Instance)] if read.whole else []
            if objects:
                found = tuple(value for one in objects for value in self._fields(one))
            elif read.whole:
                [items] = as_items(self._evaluator, found)
                found = tuple(one for values in items.entries.values() for one in values)
        return frozenset(span for one in found for span in (one.span, *one.sources))

    def _fields(self, instance: Instance) -> Iterator[Possibility]:
        """Yield what the fields of an object can be."""
        for name in fields_of(self._evaluator, instance.of):
            yield from self._evaluator.attribute_of(instance, name)

    def _is_taken_by(self, call: ast.Call, frame: Frame, *, followed: bool) -> bool:
        """Return whether a call is one of a library, or of something that is not known; no loader is either."""
        function = call.args[0] if called_name(call) == "partial" and call.args else call.func
        callees = [one.thing for one in self._evaluator.evaluate(function, frame)]
        libraries = [one.name for one in callees if isinstance(one, External)]
        return any(one not in LOADER_CALLABLES for one in libraries) or not (libraries or followed)


def _owner(node: ast.expr) -> ast.expr | None:
    """Return what an attribute is asked of, by its name or by ``getattr``; None where something else is read."""
    match node:
        case ast.Attribute(value=owner) | ast.Call(func=ast.Name(id="getattr"), args=[owner, *_]):
            return owner
    return None


_MOST_READS = 1000
"""Where a name is read more often than this, it is taken to be read for something else, too."""
_STEPS = 150
