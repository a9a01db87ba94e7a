"""What an expression can be, while it is being followed.

A `Thing` is richer than the constants a rule sees: it may be a class, a dictionary, a parsed command line or a
mapping in a configuration file. A `Possibility` is a thing with its history; an expression has one or several. Whatever
cannot be followed is `Unseen`, and stays so.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.recognized import Recognized
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText, Constant, CpuCount, Step, Trail
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Sequence as TreeSequence


class Unseen(Struct, frozen=True):
    """Something that cannot be followed to a place where somebody wrote it; ``truth`` is how it answers a test.

    ``given`` says that it is what the user of a command line gives, ``replaced`` that it is what he puts in the place
    of a value that is written down (``data.num_workers=8``), ``something`` that it is surely not None, ``opened`` that
    it is the open file whose name he gives.
    """

    truth: bool | None = None
    given: bool = False
    replaced: bool = False
    something: bool = False
    opened: bool = False


class Absent:
    """Not given at all: the key a dictionary lacks, the keyword a splat does not bring."""


UNSEEN = Unseen()
TRUTHY = Unseen(True)
FALSY = Unseen(False)
GIVEN = Unseen(given=True)
REPLACED = Unseen(replaced=True)
SOMETHING = Unseen(something=True)
SOMETHING_GIVEN = Unseen(given=True, something=True)
FILE_GIVEN = Unseen(given=True, something=True, opened=True)
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


class Parsed(Enum):
    """What ``configparser`` gives: all that a parser has read, or one section of it.

    A section's options go by names in lower case, unless they go by what is written.
    """

    FILES = "files"
    SECTION = "section"
    AS_WRITTEN = "section as written"


class Items(Struct, frozen=True, eq=False):
    """A dictionary with string keys: what each key can be. ``complete`` is False when unseen keys may be there.

    ``inherits`` says that it is a configuration object whose files name the file they inherit from, ``new_allowed``
    that a file merged into it may bring new keys, ``fixed`` that OmegaConf refuses any key besides its own.
    ``elements`` says what a list under a key is made of, where that is a tree as well. ``of_arguments`` says that the
    values are those of a call's arguments, which may be left out whoever reads them here. ``parsed`` says what it is
    of the INI files that ``configparser`` read.
    """

    entries: Mapping[str, Possibilities]
    complete: bool = True
    inherits: bool = False
    new_allowed: bool = False
    fixed: bool = False
    elements: Mapping[str, Possibilities] = field(default_factory=dict)
    of_arguments: bool = False
    parsed: Parsed | None = None


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


def end_of(scope: Scope) -> Place:
    """Return the place after everything in a scope has run."""
    return Place(scope, 10**9)


def leaves_out(thing: object) -> bool:
    """Return whether an option that gets this is as good as left out, whichever it is."""
    return thing is None or thing is False or isinstance(thing, Absent)
