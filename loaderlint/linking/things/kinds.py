"""What an expression can be, while it is being followed.

A `Thing` is richer than the constants a rule sees: it may be a class, a dictionary, a parsed command line or a
mapping in a configuration file. A `Possibility` is a thing with its history; an expression has one or several. Whatever
cannot be followed is `Unseen`, and stays so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import zip_longest
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.things.alternatives import gathered, gathered_loosely, simplified
from loaderlint.model.recognized import Recognized
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import (
    CUDA,
    NO_ASSUMPTIONS,
    PLATFORM,
    Answer,
    Assumption,
    Assumptions,
    CommandLineText,
    Constant,
    CpuCount,
    Step,
    Trail,
    together,
)
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Sequence as TreeSequence


class Unseen(Struct, frozen=True):
    """Something that cannot be followed to a place where somebody wrote it; ``truth`` is how it answers a test.

    ``given`` says that it is what the user of a command line gives, ``replaced`` that it is what he puts in the place
    of a value that is written down (``data.num_workers=8``), ``something`` that it is surely not None.
    """

    truth: bool | None = None
    given: bool = False
    replaced: bool = False
    something: bool = False


class Absent:
    """Not given at all: the key a dictionary lacks, the keyword a splat does not bring."""


UNSEEN = Unseen()
TRUTHY = Unseen(True)
FALSY = Unseen(False)
GIVEN = Unseen(given=True)
REPLACED = Unseen(replaced=True)
SOMETHING = Unseen(something=True)
ABSENT = Absent()


class Frame(Struct, frozen=True, eq=False):
    """Where an expression is read: its file, its place, and what the parameters hold when one call is being followed.

    ``depth`` counts the calls that are being followed into each other, ``caller`` is the last of them.
    """

    facts: PythonFacts
    place: Place
    arguments: Mapping[str, Possibilities] | None = None
    receiver: Instance | None = None
    depth: int = 0
    caller: tuple[ast.Call, Frame] | None = None

    @property
    def scope(self) -> Scope:
        """The scope the expression stands in."""
        return self.place.scope

    @property
    def called(self) -> str:
        """Where the call that is being followed stands, in a word; none where no call is."""
        return str(self.caller[1].facts.span(self.caller[0])) if self.caller is not None else ""

    def at(self, place: Place) -> Frame:
        """Return the frame of another place of the same file; arguments stay while the function stays the same."""
        if place is self.place:
            return self
        if place.scope is self.place.scope:
            return Frame(self.facts, place, self.arguments, self.receiver, self.depth, self.caller)
        return Frame(self.facts, place)


class Function(Struct, frozen=True, eq=False):
    """A function, method or lambda defined in the project."""

    facts: PythonFacts
    node: FunctionNode | ast.Lambda
    scope: Scope
    receiver: Instance | None = None
    owner: Class | None = None


class Class(Struct, frozen=True, eq=False):
    """A class defined in the project."""

    facts: PythonFacts
    node: ast.ClassDef
    scope: Scope
    place: Place


UNCHANGED: Mapping[str, Possibilities] = MappingProxyType({})
"""The attributes set on a thing that nothing was set on since it was made."""


LeftOut: TypeAlias = tuple[ast.Call, ast.ClassDef, str | None]
"""The object of a class that a call makes, which is not meant: at all (None), or by what an attribute of it is."""


class Instance(Struct, frozen=True, eq=False):
    """An object of a project class; ``call`` is the call that made it, None when any call of the project may have.

    ``changed`` are the attributes set on it from outside; an `Absent` among them stands for what it had before.
    ``given`` is what a user may hand its constructor; an `Absent` there stands for what the call gives. ``running`` is
    a method that runs on it, by the class that defines it, where that tells what kind of object it is. ``without`` are
    the objects that are not meant, or of which an attribute was given another value since they were made. ``copied``
    are the calls that copied it, of the copies it is made of, too.
    """

    of: Class
    call: ast.Call | None = None
    frame: Frame | None = None
    changed: Mapping[str, Possibilities] = field(default_factory=lambda: UNCHANGED)
    given: Mapping[str, Possibilities] = field(default_factory=dict)
    running: tuple[Class, str] | None = None
    without: frozenset[LeftOut] = frozenset()
    copied: frozenset[ast.Call] = frozenset()


class External(Struct, frozen=True, eq=False):
    """Something imported from outside the project, by its dotted name."""

    name: str


class Made(Struct, frozen=True, eq=False):
    """What a call of something outside the project returned, or the ``part`` of it at a position."""

    callee: str
    call: ast.Call
    frame: Frame
    part: int | None = None


class Module(Struct, frozen=True, eq=False):
    """A module of the project."""

    facts: PythonFacts


class Folder(Struct, frozen=True, eq=False):
    """A folder of modules without an ``__init__.py``, imported as a namespace package."""

    path: str


class Items(Struct, frozen=True, eq=False):
    """A dictionary with string keys: what each key can be. ``complete`` is False when unseen keys may be there.

    ``inherits`` says that it is a configuration object whose files name the file they inherit from, ``new_allowed``
    that a file merged into it may bring new keys, ``fixed`` that OmegaConf refuses any key besides its own.
    ``elements`` says what a list under a key is made of, where that is a tree as well. ``of_arguments`` says that the
    values are those of a call's arguments, which may be left out whoever reads them here.
    """

    entries: Mapping[str, Possibilities]
    complete: bool = True
    inherits: bool = False
    new_allowed: bool = False
    fixed: bool = False
    elements: Mapping[str, Possibilities] = field(default_factory=dict)
    of_arguments: bool = False


class Row(Struct, frozen=True, eq=False):
    """A list, tuple or set.

    ``in_order`` is how many of its first items stand where they were seen to stand: all, where it is None.
    """

    items: tuple[Possibilities, ...]
    in_order: int | None = None


class Interpolation(Struct, frozen=True, eq=False):
    """Text with ``${…}`` in it, which stands for something else of the configuration it is written in."""

    text: str


class Template(Struct, frozen=True, eq=False):
    """Text of which the user of a command line gives some pieces: each is where its option is declared."""

    pieces: tuple[str | Span, ...]


class Settings(Struct, frozen=True, eq=False):
    """A mapping of an OmegaConf configuration.

    ``here`` is what was written for it, with interpolations as they stand. ``above`` is the mapping or list it is a
    part of, None for a whole configuration, and ``key`` what it stands under there. ``known`` is what was read of it.
    """

    here: Items
    above: Settings | None = None
    key: str = ""
    known: dict[str, Possibilities] = field(default_factory=dict)

    @property
    def root(self) -> Settings:
        """The whole configuration, whose keys interpolations name."""
        whole = self
        while whole.above is not None:
            whole = whole.above
        return whole


class CommandLine(Struct, frozen=True, eq=False):
    """A parsed command line: what was said to its parser in order, and the words it parses where they are written.

    ``changed`` are the attributes set after parsing; an `Absent` among them stands for what was parsed.
    """

    declarations: tuple[Declaration, ...]
    words: tuple[Possibilities, ...] | None = None
    changed: Mapping[str, Possibilities] = field(default_factory=lambda: UNCHANGED)


class Declaration(Struct, frozen=True, eq=False):
    """One call that says something to a parser, such as ``add_argument``.

    ``ways`` are the assumptions under which it runs, ``otherwise`` those under which it does not (none: it always
    runs). Where the names it gives a flag are worked out, ``names`` are these (none: they were not seen), and ``turn``
    is assumed of the loops around it, which declare a flag at every turn.
    """

    call: ast.Call
    frame: Frame
    ways: tuple[Assumptions, ...] = (NO_ASSUMPTIONS,)
    otherwise: tuple[Assumptions, ...] = ()
    names: tuple[str, ...] | None = None
    turn: Assumptions = NO_ASSUMPTIONS


Thing: TypeAlias = (
    Constant
    | CpuCount
    | CommandLineText
    | Unseen
    | Absent
    | Function
    | Class
    | Instance
    | External
    | Made
    | Module
    | Folder
    | Items
    | Row
    | Interpolation
    | Template
    | Settings
    | CommandLine
    | TreeMapping
    | TreeSequence
)


class Alike(Recognized, frozen=True):
    """The files that say the same where one possibility stands for all of them (`many_files`).

    ``subject`` is what the user chose one of them as, ``spans`` are the places where they say it, and ``said`` is
    what each of them gives, by its path, the one that stands for the others first.
    """

    beside: ClassVar = frozenset({"said"})

    subject: str
    spans: frozenset[Span]
    said: Mapping[str, Possibility]


class Possibility(Struct, frozen=True, eq=False):
    """One thing an expression can be, where that was written, the way it took, and what it assumes.

    ``taken_out`` says that what stands at ``span`` is not the thing, but holds it: a range, a text, or a flag's
    declaration. ``alike`` are the files it stands for where it is that of the first of many that say the same.
    """

    thing: Thing
    span: Span
    entry: Span | None = None
    trail: Trail = ()
    assumptions: Assumptions = NO_ASSUMPTIONS
    sources: frozenset[Span] = frozenset()
    shared: bool = False
    taken_out: bool = False
    alike: Alike | None = None

    @property
    def constant(self) -> bool:
        """Whether the thing is a plain constant."""
        return type(self.thing) in _PLAIN

    @property
    def places(self) -> frozenset[Span]:
        """Where it was written, and what it was worked out from."""
        places = self.sources | {self.span}
        return places if self.alike is None else places | self.alike.spans

    def step(self, span: Span, note: str) -> Possibility:
        """Return the possibility one step further on its way."""
        return replace(self, trail=(*self.trail, Step(span, note)))

    def assuming(self, more: Assumptions) -> Possibility | None:
        """Return the possibility under further assumptions, None when they contradict its own."""
        assumptions = together(self.assumptions, more)
        if assumptions is None or assumptions == self.assumptions:
            return None if assumptions is None else self
        return replace(self, assumptions=assumptions)


Possibilities: TypeAlias = tuple[Possibility, ...]

_PLAIN = frozenset({type(None), bool, int, float, str})
"""The types of plain constants."""
MAIN = "__name__"
"""Subject of the assumption that this is the main module and not a worker's import of it."""
MOST_POSSIBILITIES = 64
"""More than this, with the ways in which each comes about, and only some of those ways are followed further."""
POSSIBILITIES_KEPT = 24
"""As many are then kept, and more where there are more things: each in one way at least."""
MOST_THINGS = 256
"""An expression that can be more things than this counts as unseen: nobody reads such a list."""
MOST_OPEN_WAYS = 8
"""Ways in which one of too many things is unseen that are told from each other."""
MOST_WAYS = 64
"""Of a thing that comes about in more ways than this the others count as unseen: without assumptions it is invented."""
MOST_COMBINATIONS = 1024
"""More combinations of operands than this that can meet and the result counts as unseen."""
MOST_MEETINGS = 16 * MOST_COMBINATIONS
"""More combinations than this are not looked through for those that can meet."""


def end_of(scope: Scope) -> Place:
    """Return the place after everything in a scope has run."""
    return Place(scope, 10**9)


def unseen(span: Span, assumptions: Assumptions = NO_ASSUMPTIONS) -> Possibilities:
    """Return the single possibility of not knowing."""
    return (Possibility(UNSEEN, span, assumptions=assumptions),)


def never_none(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities of an expression that never gives None, whatever else was not seen of it."""
    return tuple(replace(one, thing=SOMETHING) if one.thing == UNSEEN else one for one in possibilities)


def irremovable(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities where the program cannot do without the entry they are written in."""
    return tuple(one if one.entry is None else replace(one, entry=None) for one in possibilities)


def under(possibilities: Iterable[Possibility], *assumptions: Assumptions) -> Possibilities:
    """Return the possibilities that remain under the assumptions."""
    joint = together(*assumptions)
    if not joint:
        return () if joint is None else tuple(possibilities)
    return tuple([kept for one in possibilities if (kept := one.assuming(joint)) is not None])


def choice(subject: str, answer: Answer) -> Assumptions:
    """Return the assumption that one question is answered one way."""
    return frozenset({Assumption(subject, answer)})


def either(first: Assumptions, second: Assumptions) -> Assumptions:
    """Return what is assumed both ways: the platforms of either, and else only what the two have in common."""
    common = frozenset(one for one in first & second if one.subject != PLATFORM)
    platforms = platforms_of(first) | platforms_of(second)
    return common if platforms == platforms_of(common) else common | {Assumption(PLATFORM, platforms)}


EVERY_PLATFORM = frozenset(platform.value for platform in Platform)
WITH_CUDA = frozenset(platform.value for platform in Platform if platform.may_have_cuda)


def platforms_of(assumptions: Assumptions) -> frozenset[str]:
    """Return the platforms on which assumptions hold."""
    found = EVERY_PLATFORM
    for subject, answer in assumptions:
        if subject == PLATFORM and isinstance(answer, frozenset):
            found &= answer
        elif subject == CUDA and answer is True:
            found &= WITH_CUDA
    return found


def one_of(subject: str, ways: Iterable[tuple[int | str, Possibilities]]) -> Possibilities:
    """Return what comes of several ways, each assuming that ``subject`` went its way; one way alone assumes nothing."""
    every = list(ways)
    if len(every) == 1:
        return every[0][1]
    return tuple(one for answer, values in every for one in under(values, choice(subject, answer)))


def settled(changed: Possibilities | None, before: Callable[[], Possibilities]) -> Possibilities:
    """Return what a change left of the values before it: all where nothing changed, some where it may not have run."""
    if changed is None:
        return before()
    found: list[Possibility] = []
    for one in changed:
        found.extend(under(before(), one.assumptions) if isinstance(one.thing, Absent) else (one,))
    return tuple(found)


def laid_over(values: Possibilities | None, before: Callable[[], Possibilities]) -> Possibilities:
    """Return what values leave of those they are laid over, as a merge or a default does (`settled`)."""
    return settled(values and covering(values, before), before)


def covering(values: Possibilities, before: Callable[[], Possibilities]) -> Possibilities:
    """Return values that are laid over others: an entry that is taken away uncovers what is below it.

    The program can do without the entry only where that leaves the option out, too.
    """
    if all(one.entry is None for one in values) or all(leaves_out(one.thing) for one in before()):
        return values
    return irremovable(values)


def leaves_out(thing: object) -> bool:
    """Return whether an option that gets this is as good as left out, whichever it is."""
    return thing is None or thing is False or isinstance(thing, Absent)


def combined(*operands: Possibilities) -> list[tuple[tuple[Possibility, ...], Assumptions, frozenset[Span]]]:
    """Return the combinations of operands that can meet, with their joint assumptions and the places they come from."""
    met: list[tuple[tuple[Possibility, ...], Assumptions]] = [((), NO_ASSUMPTIONS)]
    for operand in operands:
        if len(met) * len(operand) > MOST_MEETINGS:
            return []
        met = [
            ((*before, one), joint)
            for before, assumptions in met
            for one in operand
            if (joint := together(assumptions, one.assumptions)) is not None
        ]
        if len(met) > MOST_COMBINATIONS:
            return []
    return [
        (combination, assumptions, frozenset[Span]().union(*(one.places for one in combination)))
        for combination, assumptions in met
    ]


def distinct(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return the possibilities without repetitions.

    One thing that comes about in several ways is kept under as few assumptions as say so.
    """
    ways: dict[tuple[object, ...], list[Possibility]] = {}
    for one in possibilities:
        unseen_anywhere = isinstance(one.thing, Unseen)
        thing = (Unseen, one.thing) if unseen_anywhere else _identity(one)
        ways.setdefault((thing, None if unseen_anywhere else (one.span, one.entry, one.alike)), []).append(one)
    return tuple(one for same in ways.values() for one in _fewest(same))


def _identity(one: Possibility) -> Hashable:
    """Return what tells a thing from others: what one call made is one thing, in however many ways it was called."""
    if one.constant:
        return type(one.thing), one.thing
    if isinstance(one.thing, Made):
        return one.thing.callee, id(one.thing.call), id(one.thing.frame)
    return id(one.thing)


def in_few(
    possibilities: Possibilities, fewer: Callable[[Iterable[Assumptions]], list[Assumptions]] = gathered
) -> Possibilities:
    """Return possibilities that are too many, the ways in which each comes about said in ``fewer``.

    What is unseen in more ways than a few is unseen whatever it assumes.
    """
    open_ways = [one for one in possibilities if isinstance(one.thing, Unseen)]
    seen: dict[tuple[object, ...], list[Possibility]] = {}
    for one in possibilities:
        if not isinstance(one.thing, Unseen):
            thing = _identity(one)
            seen.setdefault((thing, one.span, one.entry, one.alike), []).append(one)
    ways = fewer(one.assumptions for one in open_ways)
    told = ways if len(ways) <= MOST_OPEN_WAYS else [NO_ASSUMPTIONS]
    found = [Possibility(UNSEEN, open_ways[0].span, assumptions=way) for way in told]
    for same in seen.values():
        sources = frozenset[Span]().union(*(one.sources for one in same))
        for assumptions in fewer(one.assumptions for one in same):
            found.append(replace(same[0], assumptions=assumptions, sources=sources))
    return tuple(found)


def in_part(possibilities: Possibilities, span: Span, most: int) -> Possibilities:
    """Return about ``most`` of the possibilities of an expression: each thing in the ways that assume least.

    The other ways are unseen. What is kept and what is not tell runs from each other, so that neither meets the other;
    no thing is said under fewer assumptions than it comes about under, which would invent it.
    """
    ways: dict[tuple[object, ...], list[Possibility]] = {}
    unseen_ways = [one for one in possibilities if isinstance(one.thing, Unseen)]
    for one in sorted(possibilities, key=lambda one: len(one.assumptions)):
        if not isinstance(one.thing, Unseen):
            thing = _identity(one)
            ways.setdefault((thing, one.span, one.entry, one.alike), []).append(one)
    kept = [one for turn in zip_longest(*ways.values()) for one in turn if one is not None][: max(most, len(ways))]
    if len(kept) + len(unseen_ways) == len(possibilities):
        return possibilities
    subject = f"what is not followed at {span}"
    seen = under(kept, choice(subject, 0))
    return (*seen, *unseen_ways, *unseen(span, choice(subject, 1)))


def _fewest(same: list[Possibility]) -> Iterator[Possibility]:
    if len(same) == 1:
        yield same[0]
        return
    alternatives = simplified(one.assumptions for one in same)
    if len(alternatives) > MOST_WAYS:
        alternatives = gathered(alternatives)
    if len(alternatives) > MOST_WAYS:
        alternatives = gathered_loosely(alternatives)
    if len(alternatives) > MOST_WAYS:
        yield replace(same[0], thing=UNSEEN, assumptions=NO_ASSUMPTIONS)
        alternatives = sorted(alternatives, key=len)[:MOST_WAYS]
    first_of = {one.assumptions: one for one in reversed(same)}
    for assumptions in alternatives:
        first = first_of.get(assumptions, same[0])
        # What an alternative was made of is no longer known: it may depend on all that any of them does.
        ways = [one for one in same if one.assumptions == assumptions] or same
        sources = frozenset[Span]().union(*(one.sources for one in ways))
        yield (
            first
            if first.assumptions == assumptions and first.sources == sources
            else replace(first, assumptions=assumptions, sources=sources)
        )
