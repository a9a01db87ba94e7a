"""What a rule looks at: a loader, the program that iterates it, and what travels into its workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, holds_on, together
from loaderlint.model.job import Job
from loaderlint.model.payload import NOTHING_SEEN, Met, Payload, Touch
from loaderlint.model.source import Span
from loaderlint.model.target import Platform, StartMethod, Target
from loaderlint.model.uses import NOT_USED, SharingStrategy, StartMethodCall, ThreadUse, Uses
from loaderlint.model.value import NOTHING_GIVEN, Candidate, Constant, Trail, Value, meetings, met_in_runs

TORCH_DEFAULTS: Mapping[str, Constant] = MappingProxyType(
    {
        "batch_size": 1,
        "shuffle": None,
        "num_workers": 0,
        "pin_memory": False,
        "drop_last": False,
        "timeout": 0,
        "multiprocessing_context": None,
        "prefetch_factor": None,
        "persistent_workers": False,
        "pin_memory_device": "",
        "in_order": True,
    }
)
"""What torch takes when an option is not given (``torch/utils/data/dataloader.py``, ``DataLoader.__init__``, 2.13)."""

OBJECT_OPTIONS = ("sampler", "batch_sampler")
"""The options that get an object, which torch takes to be left out where they get None."""

WORKER_OPTIONS = ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout")
"""The options torch refuses, or that fail at the first batch, when there are no workers (HAZARDS 1.3)."""


def arrives(option: str, constant: object) -> bool:
    """Return whether this constant makes a worker option count as given (``None``, ``False`` and 0 do not)."""
    if option == "prefetch_factor" or option == "multiprocessing_context":
        return constant is not None
    return bool(constant)


def left_out(option: str, target: Target) -> Constant:
    """Return the value that says on a target what leaving an option out says.

    Of ``prefetch_factor`` that was 2 before torch 2.0, which took no None (``torch/utils/data/dataloader.py``, 1.13.1).
    """
    if option == "prefetch_factor" and target.torch is not None and target.torch < (2, 0):
        return 2
    return TORCH_DEFAULTS.get(option)


class Program(Struct, frozen=True):
    """Facts about the process that iterates a loader.

    ``guarded`` is True when every entry point seen stands under ``if __name__ == "__main__":``, False when one runs at
    import, None when no entry point was seen. ``start_methods`` are the ``set_start_method`` calls (each candidate's
    constant is the method asked for). ``cuda`` and ``compiled`` are the places in the main process that touch CUDA and
    that make a compiled callable. ``loaders`` are all loaders of the program, without programs of their own.
    ``start_method_calls`` are those of the ``set_start_method`` calls that can raise, ``sharing_strategies`` the calls
    that choose how tensors travel. ``apart`` are, by the place of a start method that one main file alone asks for, the
    files that come to the loader in other programs than that file's.
    ``jobs`` are the commands that start the program and make this loader. ``threads`` is what the main process uses
    before the workers start, of the threads that worker code uses, ``processes`` where it starts others than workers,
    by the start method that is set. What only workers suffer from is looked for where the loader has some: CUDA,
    compiled callables, how tensors travel, threads, other processes.
    """

    guarded: bool | None = None
    start_methods: tuple[Candidate, ...] = ()
    cuda: Sequence[Touch] = ()
    compiled: Sequence[Touch] = ()
    loaders: tuple[Loader, ...] = ()
    start_method_calls: tuple[StartMethodCall, ...] = ()
    sharing_strategies: tuple[SharingStrategy, ...] = ()
    jobs: tuple[Job, ...] = ()
    threads: tuple[ThreadUse, ...] = ()
    processes: Sequence[Touch] = ()
    apart: Mapping[Span, frozenset[str]] = field(default_factory=dict)

    def asks_for(self, asked: Candidate, workers: Candidate) -> bool:
        """Return whether a start method is asked for in a program that a worker count arrives in."""
        others = self.apart.get(asked.span)
        return not others or others.isdisjoint(place.path for place in workers.places)


class Start(Struct, frozen=True):
    """How a loader's workers start: the method, and the candidate that asks for it (None: the platform's default).

    ``assumptions`` are those under which it is this way: the asking candidate's, or those that leave the context out.
    """

    method: StartMethod
    asked_by: Candidate | None = None
    assumptions: Assumptions = NO_ASSUMPTIONS


_Way: TypeAlias = tuple[Candidate, Start, Assumptions]
"""A worker count, how those workers start, and the assumptions under which both are so in one run."""


class Shadowed(Struct, frozen=True):
    """A value of an option that a later one under the same key takes the place of: what it was, and what wins."""

    span: Span
    option: str
    what: str
    kept: str
    kept_span: Span
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()


class Unreached(Struct, frozen=True):
    """A loader that runs iterate on some ``platforms`` alone: where it stands, and what ended a run on the others.

    It holds nothing else that was followed.
    """

    span: Span
    platforms: frozenset[Platform]
    ended: Mapping[Platform, Touch]


class Loader(Struct, frozen=True, dict=True):
    """One place where loader options come together.

    ``span`` is the call or mapping, ``callee`` the dotted name of what is called there (the key path for a mapping
    whose consumer is not seen). ``options`` carry torch's own names whatever the framework calls them; ``spelling``
    gives the framework's name where it differs. ``unguarded`` are the statements that iterate this loader whenever the
    file is imported. ``consumer_seen`` is False for a bare configuration mapping that no code was seen to read;
    ``may_be_guarded`` says that code of the project names options that need workers, and may drop them where there are
    none. ``handled`` are the errors, by name, that the code around the call takes where torch refuses an option.
    ``asked_for`` is False for a validation loader where the only trainers seen validate nothing, and for one that comes
    after what reads a name that nothing defines, and for settings in a language that most programs write other things
    in and that the code beside them does not name, or whose worker count none of it can take. ``shadowed`` are values
    that never arrive, for the same key is written again. ``accumulation`` is over how many of its batches gradients are
    summed before a step of the optimizer, as far as that was seen. ``platforms`` are those on which a run comes to it:
    what only some have may end the program on the others, and ``ended`` says what does there, as far as one thing does.
    ``own_class`` is a class of the project that the call may make and that iterates in a way of its own.
    ``starts_workers`` is False where all that the call makes iterates without torch's iterator, or nothing iterates
    what it makes, so that no worker ever starts. ``settings_files`` are the files of Python that its settings are read
    from, with every name that these give anything. ``given_beside`` are the options that need workers which a loader in
    code, whose own count may be that of a bare mapping, gets from elsewhere, and where they are written.
    """

    span: Span
    callee: str
    options: Mapping[str, Value] = field(default_factory=dict)
    spelling: Mapping[str, str] = field(default_factory=dict)
    program: Program = Program()
    payload: Payload = NOTHING_SEEN
    uses: Uses = NOT_USED
    unguarded: tuple[Touch, ...] = ()
    consumer_seen: bool = True
    may_be_guarded: bool = False
    handled: frozenset[str] = frozenset()
    asked_for: bool = True
    platforms: frozenset[Platform] = frozenset(Platform)
    ended: Mapping[Platform, Touch] = field(default_factory=dict)
    own_class: Touch | None = None
    starts_workers: bool = True
    settings_files: frozenset[str] = frozenset()
    given_beside: Mapping[str, Span] = field(default_factory=dict)
    shadowed: tuple[Shadowed, ...] = ()
    accumulation: Value = NOTHING_GIVEN

    @property
    def unreached(self) -> Unreached:
        """Where it stands, and where no run comes to it, or to what iterates it."""
        iterated = self.uses.iterated_on()
        ends = {**self.ended, **iterated.ended}
        ended = {platform: Touch(end.span, end.what) for platform, end in ends.items()}
        return Unreached(self.span, self.platforms & iterated.platforms, ended)

    @cached_property
    def _ways(self) -> dict[Target, tuple[_Way, ...]]:
        return {}

    def option(self, name: str) -> Value:
        """Return the value of an option by torch's name; torch's default, unwritten, where it is not given."""
        given = self.options.get(name)
        if given is not None:
            return given
        return Value((Candidate(TORCH_DEFAULTS.get(name), self.span, written=False),))

    def spelled(self, name: str) -> str:
        """Return what the framework that is called here names one of torch's options."""
        return self.spelling.get(name, name)

    @property
    def num_workers(self) -> Value:
        """The worker count."""
        return self.option("num_workers")

    @property
    def may_have_workers(self) -> bool:
        """Whether a worker count was seen other than none at all, and something starts them."""
        return self.starts_workers and any(one.constant not in (0, None) for one in self.num_workers.known)

    @property
    def prefetch_factor(self) -> Value:
        """Batches each worker loads ahead."""
        return self.option("prefetch_factor")

    @property
    def multiprocessing_context(self) -> Value:
        """The start method asked for at the loader."""
        return self.option("multiprocessing_context")

    def asked_for_on(self, target: Target) -> tuple[Candidate, ...]:
        """Return the candidates of ``num_workers`` that ask for workers on the target, whether these start or not."""
        if not self.starts_workers:
            return ()
        return tuple(one for one in self.num_workers.on(target).known if one.starts_workers(target))

    def workers_on(self, target: Target) -> tuple[Candidate, ...]:
        """Return the candidates of ``num_workers`` that start workers on the target: some run iterates it there."""
        asked = self.asked_for_on(target)
        return asked if asked and target.platform in self.uses.iterated_on().platforms else ()

    def together(self, first: str, second: str, target: Target) -> Iterator[tuple[Candidate, Candidate]]:
        """Yield the pairs of two options' candidates that can meet in one run on the target."""
        yield from meetings(self.option(first).on(target).known, self.option(second).on(target).known)

    def written_together(self, first: str, second: str, target: Target) -> Iterator[tuple[Candidate, Candidate]]:
        """Yield the same pairs, each as it is written where the runs in which they meet take it from."""
        yield from met_in_runs(self.option(first).on(target).known, self.option(second).on(target).known)

    def beside(self, given: Candidate, option: str, target: Target) -> tuple[Candidate, ...]:
        """Return the candidates of an option that can meet one of another option in one run on the target."""
        return tuple(other for _, other in meetings([given], self.option(option).on(target).known))

    def starts_on(self, target: Target, workers: Candidate | None = None) -> tuple[Start, ...]:
        """Return the ways this loader's workers can start on the target, all of them or those of one worker count.

        The loader's own context wins over ``set_start_method``, which wins over the platform's default
        (``_MultiProcessingDataLoaderIter.__init__``, torch 2.13). Nothing is returned for a context that was not seen
        or that the target does not have.
        """
        own = self.multiprocessing_context.on(target).known
        starts = [_start(one, target) for one in own if one.constant is not None]
        asked_for = [one for one in self.program.start_methods if holds_on(one.assumptions, target)]
        process_wide = [one for one in asked_for if workers is None or self.program.asks_for(one, workers)]
        for left_out in (one.assumptions for one in own if one.constant is None):
            for asked in process_wide:
                joint = together(left_out, asked.assumptions)
                if joint is not None:
                    starts.append(_start(replace(asked, assumptions=joint), target))
            if not process_wide:
                starts.append(Start(target.default_start_method, None, left_out))
        return tuple(one for one in starts if one is not None)

    def worker_starts(self, target: Target, *met: Met) -> Iterator[tuple[Candidate, Start]]:
        """Yield each worker count above 0 with each way to start it that it can meet in one run on the target.

        Only runs that also come by everything in ``met`` count.
        """
        if not all(holds_on(one.assumptions, target) for one in met):
            return
        if target not in self._ways:
            self._ways[target] = tuple(self._ways_on(target))
        for workers, start, joint in self._ways[target]:
            if together(joint, *(one.assumptions for one in met)) is not None:
                yield workers, start

    def sent_on(self, target: Target) -> Payload:
        """Return what the target's workers get and do: nothing where none start, so that nobody looks for it."""
        return self.payload if any(self.worker_starts(target)) else NOTHING_SEEN

    def _ways_on(self, target: Target) -> Iterator[_Way]:
        """Yield what `worker_starts` does without anything met, which is asked by every rule, for every touch."""
        for workers in self.workers_on(target):
            for start in self.starts_on(target, workers):
                joint = together(workers.assumptions, start.assumptions)
                if joint is not None:
                    yield workers, start, joint

    def cannot_start(self, target: Target) -> bool:
        """Return whether starting its workers on the target raises whatever else is asked, as LL103 and LL109 say.

        What travels to them under a condition of its own may stay behind in another run.
        """
        sent = (*self.payload.unpicklable, *self.payload.in_notebook)
        return any(
            start.method.reimports and one.assumptions <= workers.assumptions | start.assumptions
            for one in sent
            for workers, start in self.worker_starts(target, one)
        )


def _start(candidate: Candidate, target: Target) -> Start | None:
    for method in target.start_methods:
        if method.value == candidate.constant:
            return Start(method, candidate, candidate.assumptions)
    return None
