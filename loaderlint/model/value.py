"""What an option can be, where that was written, and how it got there.

An option rarely is a literal. `Value` is the set of things that can reach it, each a `Candidate` with the place where
somebody wrote it, the steps it took, and the assumptions under which it arrives. Assumptions are what keeps
``prefetch_factor=4 if workers else None`` beside ``workers = 0`` from being called a contradiction: the 4 assumes a
choice that the 0 rules out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.model.assumptions import (
    CUDA,
    NO_ASSUMPTIONS,
    Answer,
    Assumption,
    Assumptions,
    Question,
    answered,
    answers_of,
    holds_on,
    together,
)
from loaderlint.model.recognized import Recognized
from loaderlint.model.source import Language, Span
from loaderlint.model.target import Target
from loaderlint.model.unasked import nameless, nowhere, uncounted, ungated

Constant: TypeAlias = bool | int | float | str | None


class CpuCount(Recognized, frozen=True):
    """A number worked out from the machine's CPU count, such as ``os.cpu_count() // 2``.

    ``compute`` gives the number for a count of CPUs.
    """

    beside: ClassVar = frozenset({"compute"})

    text: str
    compute: Callable[[int], Constant]

    def __str__(self) -> str:
        return self.text


class CommandLineText(Struct, frozen=True):
    """The string that a command-line flag hands over when its declaration has no ``type``, or one that leaves it so.

    Where it is declared ``type=float`` it is a ``number``, and none that counts.
    """

    flag: str
    number: bool = False

    def __str__(self) -> str:
        return f"the {'number' if self.number else 'text'} given to {self.flag}"


class Object(Struct, frozen=True):
    """An object that an option gets, such as a sampler.

    ``made_by`` is the name of the class or function that made it, ``batches`` says that it is torch's own
    ``BatchSampler``, which gives lists of indices.
    """

    made_by: str
    batches: bool = False

    def __str__(self) -> str:
        return self.made_by


class Step(Struct, frozen=True):
    """One step of a trail: where a value passed, and what it was called there."""

    span: Span
    note: str


Trail: TypeAlias = tuple[Step, ...]


class Written(NamedTuple):
    """Where something was written, with what can be taken away of that, and the way it took from there."""

    span: Span
    entry: Span | None
    trail: Trail
    shared: bool


def _as_it_is(candidate: Candidate) -> Candidate:
    return candidate


class SaidAlike(Recognized, frozen=True):
    """What one candidate stands for where very many files say the same: where each does.

    ``subject`` is what the user chose one of the files as, ``by_answer`` has the place of each by its path. ``asking``
    gives what stands at one of them its own answers to what else the value serves.
    """

    beside: ClassVar = frozenset({"asking"})

    subject: str
    by_answer: Mapping[str, Written]
    asking: Callable[[Candidate], Candidate] = _as_it_is

    @property
    def places(self) -> frozenset[Span]:
        """The places that say it, of which files that inherit it have one."""
        return frozenset(one.span for one in self.by_answer.values())

    def among(self, answers: Container[Answer]) -> SaidAlike:
        """Return those of them that the user chooses by some answers."""
        return replace(self, by_answer={path: one for path, one in self.by_answer.items() if path in answers})

    def at(self, span: Span) -> SaidAlike:
        """Return those of them that say it at a place."""
        return replace(self, by_answer={path: one for path, one in self.by_answer.items() if one.span == span})


class Candidate(Recognized, frozen=True):
    """One thing that can reach an option.

    ``span`` is where somebody wrote it, which is the place a fix edits. ``entry`` is the whole keyword argument, key or
    item that can be taken away so that the option no longer arrives; None when its reader cannot do without it.
    ``trail`` runs from the written place to the loader. ``sources`` are the written places that a computed candidate
    was worked out from: ``workers > 0`` follows by itself when the worker count is changed. ``written`` is False for a
    default that torch supplies because nobody gave the option. ``shared`` says of the written place, such as a YAML
    anchor, that it also serves something else than loaders; ``used_elsewhere`` looks for what else the program does
    with the value, when somebody asks (`serves_others`), and ``needed_elsewhere`` whether another loader gets it, too,
    which may have workers of its own, and ``refuses_lower`` whether its declaration, or one on its way, may refuse
    a lower number. ``known_as`` gives the names it came by, those of a worker count alone;
    ``gates`` where the worker counts were written that must be above 0 for a worker option to be given, ``chosen_by``
    where those were that it is chosen by, whichever way, and ``counted`` where the dictionary that it is written in
    says how many workers its loader has.
    ``names_context`` says of the name of a start method that ``get_context`` is handed it: the loader gets a context.
    ``taken_out`` says that the value is only taken out of what is written there: it is an element of a range, a
    piece of a text, or what a flag gives that is declared there. No fix can set it there. ``said_alike`` says where
    else the same is written, where the candidate stands for what very many files say.
    """

    beside: ClassVar = frozenset(
        {
            "used_elsewhere",
            "needed_elsewhere",
            "refuses_lower",
            "known_as",
            "gates",
            "chosen_by",
            "counted",
            "said_alike",
        }
    )

    constant: Constant | CpuCount | CommandLineText | Object
    span: Span
    entry: Span | None = None
    trail: Trail = ()
    assumptions: Assumptions = NO_ASSUMPTIONS
    sources: frozenset[Span] = frozenset()
    written: bool = True
    shared: bool = False
    used_elsewhere: Callable[[], bool] = nowhere
    needed_elsewhere: Callable[[], bool] = nowhere
    refuses_lower: Callable[[], bool] = nowhere
    known_as: Callable[[], frozenset[str]] = nameless
    gates: Callable[[], frozenset[Span]] = ungated
    chosen_by: Callable[[], frozenset[Span]] = ungated
    counted: Callable[[], Span | None] = uncounted
    names_context: bool = False
    taken_out: bool = False
    said_alike: SaidAlike | None = None

    def in_run_of(self, assumptions: Assumptions) -> Candidate:
        """Return the candidate as it is written where the runs of some assumptions take it from."""
        if self.said_alike is None:
            return self
        left = answers_of(answered(assumptions).get(self.said_alike.subject, frozenset()))
        return self._of(self.said_alike.among(left), assumptions)

    def written_at(self, span: Span) -> Candidate | None:
        """Return the candidate as it comes from a place; None where it does not."""
        if self.said_alike is None:
            return self if self.span == span else None
        there = self.said_alike.at(span)
        chosen = frozenset({Assumption(there.subject, frozenset(there.by_answer))})
        joint = together(self.assumptions, chosen) if there.by_answer else None
        return None if joint is None else self._of(there, joint)

    def _of(self, alike: SaidAlike, assumptions: Assumptions) -> Candidate:
        """Return what stands for some of the files that this stands for; itself where that are none or all."""
        if not alike.by_answer or alike == self.said_alike:
            return self
        first = next(iter(alike.by_answer.values()))
        moved = replace(
            self,
            span=first.span,
            entry=first.entry,
            trail=first.trail,
            assumptions=assumptions,
            shared=first.shared,
            said_alike=alike if len(alike.places) > 1 else None,
        )
        return alike.asking(moved)

    @property
    def places(self) -> tuple[Span, ...]:
        """Where it was written, and what it passed on its way."""
        return (self.span, *self.sources, *(step.span for step in self.trail))

    @property
    def switch(self) -> str:
        """The flag without a value that a user gives to get this, as the first step names it; empty without one."""
        # click names both ways of a switch: ``--pin/--no-pin``.
        first = self.trail[0].note.partition("/")[0] if self.trail else ""
        return first if self.taken_out and isinstance(self.constant, bool) and first.startswith("-") else ""

    @property
    def worked_out_from(self) -> tuple[Span, ...]:
        """The places in other files that a computed candidate was worked out from and its steps do not name."""
        named = {self.span, *(step.span for step in self.trail)}
        return tuple(sorted(one for one in self.sources - named if one.path != self.span.path))

    @property
    def serves_others(self) -> bool:
        """Whether what is written there also serves something else than loaders."""
        return self.taken_out or self.shared or self.used_elsewhere()

    @property
    def may_be_changed(self) -> bool:
        """Whether it arrives only where nothing changes it in the configuration that holds it, as anything may."""
        return any(isinstance(one.subject, Question) and one.subject.of_change for one in self.assumptions)

    @property
    def shown(self) -> str:
        """The value as messages show it: a constant as Python writes it, an expression as it stands."""
        return (
            str(self.constant)
            if isinstance(self.constant, CommandLineText | CpuCount | Object)
            else repr(self.constant)
        )

    def number(self, target: Target) -> float | int | None:
        """Return the candidate as a number on the target; None when it is none, or the CPU count is not known."""
        constant = self.constant
        if isinstance(constant, CpuCount):
            if target.cpus is None:
                return None
            constant = constant.compute(target.cpus)
        return constant if isinstance(constant, int | float) else None

    @property
    def may_start_workers(self) -> bool:
        """Whether a loader with this worker count starts workers on some machine; what is no number here may be one."""
        return not isinstance(self.constant, int | float) or self.constant > 0

    def starts_workers(self, target: Target) -> bool:
        """Return whether a loader with this worker count starts workers; a CPU count is taken to be at least 1."""
        if isinstance(self.constant, CpuCount) and target.cpus is None:
            many = self.constant.compute(8)
            return isinstance(many, int | float) and many > 0
        number = self.number(target)
        return number is not None and number > 0


def asks_no_more(one: Candidate, other: Assumptions) -> bool:
    """Return whether all that had to be asked to come by a candidate is asked for the other thing, too.

    Where it is not, the two may exclude each other unseen: questions that stand apart in the code can hang together,
    such as ``distributed`` and ``world_size > 1``. Asked are yes or no, and whether a user gives an option, for what is
    worked out from one also whether it keeps its default; who calls a function is not, nor what the target settles.
    """
    words = ("given", "default") if one.sources else ("given",)
    asked = {
        subject
        for subject, answer in one.assumptions
        if subject != CUDA and (isinstance(answer, bool) or answer in words)
    }
    return asked <= {subject for subject, _ in other}


def gives_way(one: Candidate, others: Iterable[Candidate], beside: Assumptions) -> bool:
    """Return whether another candidate of its option stands in place of one in some runs of what is ``beside``.

    One that assumes all that this one does, and more, arrives where this one then does not, and so does one that
    assumes what this one does not know of, but nothing that ``beside`` does not: which answers tell the two apart was
    not kept of this one where there were too many of them.
    """
    return any(
        other.constant != one.constant
        and (
            (other.assumptions > one.assumptions and together(other.assumptions, beside) is not None)
            or (other.assumptions <= beside and not other.assumptions <= one.assumptions)
        )
        for other in others
    )


class Value(Recognized, frozen=True):
    """All that can reach one option: the candidates seen, and whether something unseen can reach it, too.

    ``argument`` is the expression that hands the option over at the loader itself, None when the option is absent there
    or arrives inside a splat. ``by_user`` says that what is unseen is what the user of the program gives, and no more;
    ``given_at`` are the places where the flags are declared whose value arrives as the user gives it, and those of the
    settings that he can replace on the command line. ``unseen`` are the alternatives under which something unseen
    arrives, as far as they were found out. ``gates`` says of a worker option where the worker counts were written that
    must be above 0 for the argument to be anything but left out. ``read_back`` finds out, when somebody asks, whether a
    test of the program asks the loader for what it was given.
    """

    beside: ClassVar = frozenset({"gates", "read_back"})

    candidates: tuple[Candidate, ...] = ()
    open: bool = False
    argument: Span | None = None
    by_user: bool = False
    given_at: frozenset[Span] = frozenset()
    unseen: tuple[Assumptions, ...] = (NO_ASSUMPTIONS,)
    gates: Callable[[], frozenset[Span]] = ungated
    read_back: Callable[[], bool] = nowhere

    def on(self, target: Target) -> Value:
        """Return the value as it can be on the target: the arm of a platform conditional that runs there."""
        kept = tuple(one for one in self.candidates if holds_on(one.assumptions, target))
        return replace(self, candidates=kept)

    def open_beside(self, one: Candidate) -> bool:
        """Return whether something unseen can arrive in the same run as a candidate of another option."""
        return self.open and any(together(way, one.assumptions) is not None for way in self.unseen)

    @property
    def at_the_call(self) -> Span | None:
        """The loader's own argument, where a fix can edit that instead of what it hands over: in Python alone."""
        in_a_call = self.argument is not None and Language.of(self.argument.path) is Language.PYTHON
        return self.argument if in_a_call else None

    @property
    def known(self) -> tuple[Candidate, ...]:
        """The candidates that were followed to a place where somebody wrote them, or to torch's own default."""
        return self.candidates

    @property
    def written(self) -> tuple[Candidate, ...]:
        """The candidates that somebody wrote."""
        return tuple(one for one in self.candidates if one.written)


NOTHING_GIVEN = Value()
"""The value of what nobody was seen to give."""


def met_in_runs(first: Iterable[Candidate], second: Iterable[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the pairs of `meetings`, each of them as it is written where a run takes both from."""
    for one, other in meetings(first, second):
        if one.said_alike is None and other.said_alike is None:
            yield one, other
        elif (joint := together(one.assumptions, other.assumptions)) is not None:
            yield one.in_run_of(joint), other.in_run_of(joint)


def meetings(first: Iterable[Candidate], second: Iterable[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the pairs of candidates that can reach one loader in the same run."""
    others = tuple(second)
    beside = _Beside(tuple(other.assumptions for other in others))
    for one in first:
        for position in beside.possible(one.assumptions):
            if together(one.assumptions, others[position].assumptions) is not None:
                yield one, others[position]


class _Beside:
    """Several sets of assumptions, sorted by what they answer the question that most of them answer.

    An option that every one of a hundred configuration files gives meets a hundred of another option, but each of them
    only the one of its own file.
    """

    def __init__(self, ways: Sequence[Assumptions]) -> None:
        asked = Counter(one.subject for way in ways for one in way)
        self._subject = max(asked, key=asked.__getitem__, default="")
        self._by_answer: dict[Answer, list[int]] = {}
        self._without: list[int] = []
        for position, way in enumerate(ways):
            given = self._answers(way)
            for answer in given:
                self._by_answer.setdefault(answer, []).append(position)
            if not given:
                self._without.append(position)
        self._all = range(len(ways))

    def possible(self, assumptions: Assumptions) -> Iterable[int]:
        """Return the positions, in order, of those that do not answer that question otherwise."""
        if not (given := self._answers(assumptions)):
            return self._all
        found = {position for answer in given for position in self._by_answer.get(answer, ())}
        return sorted(found.union(self._without))

    def _answers(self, assumptions: Assumptions) -> frozenset[Answer]:
        given = answered(assumptions).get(self._subject)
        return frozenset() if given is None else answers_of(given)
