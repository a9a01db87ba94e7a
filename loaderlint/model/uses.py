"""What a program does with one loader: where it iterates it, in which loops, and what it does to it besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from msgspec import Struct, field

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.payload import Touch
from loaderlint.model.persistence import Change, Together
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import Constant
from loaderlint.model.worker_code import Sought, nowhere


class Role(str, Enum):
    """What the batches of a loader are for."""

    TRAINING = "training"
    EVALUATION = "evaluation"


class StartMethodCall(Touch, frozen=True):
    """A call of ``set_start_method`` that raises when the process has a start method already, and nothing catches that.

    ``in_workers`` says that it runs when a worker imports the main module; ``can_be_guarded`` that it is a statement of
    that module itself; with ``something_follows`` what that module does next may need the method, or set another.
    ``after`` is another call that was seen to run before it in the same process, ``again`` what has the call itself run
    there a second time.
    """

    in_workers: bool = False
    can_be_guarded: bool = False
    something_follows: bool = False
    after: Span | None = None
    again: Span | None = None


class OptionSet(Touch, frozen=True):
    """An attribute of a finished loader that is set: ``loader.batch_size = 8``; ``constant`` where that was seen.

    ``refused`` says that torch raises whatever the value is.
    """

    option: str = ""
    refused: bool = False
    constant: Constant = None


class Loop(Struct, frozen=True):
    """A loop around something that a program does: in its own function, or around a call that leads there.

    ``what`` is its header as messages show it. ``counts`` says that its turns are counted or go on until something
    holds (``range``, ``while``): such are epochs and steps. Other loops go over data sets, folds or batches.
    ``once`` says that it was seen to have no second turn, ``asked`` that something between it and what it is around
    asks which turn this is. ``counter`` is the name that counts its turns, empty where no plain name does.
    """

    span: Span
    what: str
    counts: bool = False
    once: bool = False
    asked: bool = False
    counter: str = ""


NO_LOOP = Loop(Span("", 1, 1, 1, 1), "")
"""Stands for the loop that a restart has by all means."""


class UntoldSampler(Touch, frozen=True):
    """A sampler whose order follows from the epoch it is told, made in a program that tells it none.

    ``names`` is what the code in a loop calls it, by the loop's place, for those loops where it has a name.
    """

    names: tuple[tuple[Span, str], ...] = ()

    def name_in(self, loop: Loop) -> str:
        """Return what the code in a loop calls it, nothing where it has no name there."""
        return dict(self.names).get(loop.span, "")


class Restart(Touch, frozen=True):
    """What starts a loader's workers in every turn of a loop without need.

    It is the loader itself, made again of what no turn changes, or with ``one_batch`` an iterator made for one batch.
    """

    loop: Loop = NO_LOOP
    one_batch: bool = False


class ThreadUse(Touch, frozen=True):
    """A place that uses a library whose threads belong to the process that started them.

    ``threads`` is what messages call them, ``made`` where an object that keeps them was made, None where the process
    has one set of them. ``hangs`` says that it was seen to hang after a fork, ``spawns`` that workers which
    are spawned do without them or get their own. ``help`` is what to do instead. ``known`` says that somebody saw it
    hang.
    """

    threads: str = ""
    made: Span | None = None
    hangs: bool = False
    spawns: bool = False
    help: str = ""
    known: bool = True


class SharingStrategy(Touch, frozen=True):
    """A call of ``set_sharing_strategy``; with ``main_only`` no worker that is spawned ever runs it."""

    strategy: str = ""
    main_only: bool = False


class Hanging(str, Enum):
    """Why samples hang on something that is another without workers, as messages say it of the code that stands there.

    What workers have is a copy, made when they begin, in processes of their own.
    """

    CHANGED = "changes what samples hang on, which these have at once then"
    LAYERS = "gives samples layers or parameters, of which workers have copies that nothing trains or switches"
    COPIED = "makes the copies that workers get other than what they are copies of"
    RAISED = "comes out of workers as another error, and the program tells them apart"
    TOLD = "looks into errors, and what comes out of workers only has their texts"
    MODE = "sets what samples compute by, and no worker has that"
    NAMED = "is another name in workers"
    MANY = "has workers run more code than was looked into"
    READ = "reads a file that samples write, of which workers are ahead"


class Unsettled(Touch, frozen=True):
    """A place because of which samples may be others without workers."""

    hanging: Hanging = Hanging.CHANGED


class Iteration(Struct, frozen=True):
    """A place where a program makes an iterator of a loader, which starts the workers of one that does not keep them.

    ``loops`` are those around it that do not make the loader as well, innermost first. ``role`` is what the code around
    it does with the batches. ``wrapped_by`` is the library's callable that the loader was handed to before, other than
    one that passes batches on as they are. ``several`` says that it makes more than one iterator, as ``zip(loader,
    loader)`` does, ``held`` that it is a call of ``iter`` with a name for the iterator, which may go on beside others.
    """

    span: Span
    what: str
    loops: tuple[Loop, ...] = ()
    role: Role | None = None
    wrapped_by: str = ""
    several: bool = False
    held: bool = False
    assumptions: Assumptions = NO_ASSUMPTIONS

    @property
    def epochs(self) -> Loop | None:
        """The loop whose turns each iterate the loader anew; None where no second epoch was seen."""
        return next((one for one in self.loops if one.counts and not one.once), None)


class IteratedOn(Struct, frozen=True):
    """The platforms on which a run may come from a loader's call to where it is iterated.

    ``ended`` says what ends the runs between the two on the others, as far as one thing does.
    """

    platforms: frozenset[Platform] = frozenset(Platform)
    ended: Mapping[Platform, Touch] = field(default_factory=dict)


def anywhere() -> IteratedOn:
    """Return that a run may iterate a loader wherever it comes to its call."""
    return IteratedOn()


class Uses(Struct, frozen=True):
    """What a program does with a loader, as far as it was seen.

    ``iterations`` are the places that iterate it. ``role`` is what it is for, by the names it has and else by how it is
    iterated. ``shuffles_by_epoch`` are the samplers of this loader whose order follows from the epoch they are told
    (``DistributedSampler``), as far as nothing in the program may tell them. ``options_set`` are its attributes set
    after it was made, ``restarts`` the loops that start its workers in every turn without need, ``kept`` the places
    that keep what it gives. ``payload_changes`` says that the program may change what was sent to the workers,
    ``payload_touched`` that it may do so out of sight, asked where its workers could persist, ``payload_set`` that it
    was seen to set an attribute of it, ``changes_batches`` that it changes in place what the loader gives.

    Of one that has workers, ``unsettled`` is what samples, or their order, hang on and may be another without them, as
    far as somebody asks, and ``draws_beside`` where the program draws from random numbers that these draw from as well.

    Where its workers may persist, ``changes`` are what each epoch changes of the objects that they have copies of, and
    ``together`` the places that iterate the loader while it is iterated already, ``beside`` the loaders that one run
    may iterate with it.

    ``iterated_on`` gives the platforms on which a run comes from the call that makes it to where it may be iterated,
    asked where workers matter: between the two it may need what some lack.
    """

    iterations: tuple[Iteration, ...] = ()
    role: Role | None = None
    shuffles_by_epoch: tuple[UntoldSampler, ...] = ()
    options_set: tuple[OptionSet, ...] = ()
    restarts: tuple[Restart, ...] = ()
    kept: tuple[Touch, ...] = ()
    payload_changes: bool = False
    payload_touched: bool = False
    payload_set: bool = False
    changes_batches: bool = False
    unsettled: Sequence[Unsettled] = ()
    draws_beside: Sought = nowhere
    changes: tuple[Change, ...] = ()
    together: tuple[Together, ...] = ()
    beside: frozenset[Span] = frozenset()
    iterated_on: Callable[[], IteratedOn] = anywhere

    @property
    def iterated_within_itself(self) -> bool:
        """Whether a second iterator may be made while one of the loader's goes on."""
        spans = {one.span for one in self.iterations}
        if len(spans) > 1 and any(one.held for one in self.iterations):
            return True
        return any(one.several or any(loop.span in spans for loop in one.loops) for one in self.iterations)


NOT_USED = Uses()
"""The uses of a loader that no program was seen to use."""
