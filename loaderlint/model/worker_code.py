"""What the code that runs inside workers does there, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.model.value import Trail

if TYPE_CHECKING:
    from loaderlint.model.payload import Touch
    from loaderlint.model.uses import ThreadUse


Sought: TypeAlias = Callable[[], "Touch | None"]
"""Gives a place that is looked for in the whole program when somebody first asks: most of them nobody asks for."""


def nowhere() -> None:
    """Return that there is no such place."""


class Unsendable(Struct, frozen=True):
    """Something a worker gives back that cannot be pickled, so that it never arrives in the main process.

    ``what`` is what it is in words (``"a lambda"``), ``error`` what the worker prints, ``role`` the option whose code
    gives it. A tensor that keeps its ``graph`` can be sent once it is detached.
    """

    span: Span
    what: str
    error: str
    role: str
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()
    graph: bool = False


class SeedOrigin(str, Enum):
    """Where a seed comes from.

    ``FIXED`` is one number in all workers and epochs, ``WORKER`` the worker's number, ``STATE`` the first word of
    NumPy's state, ``DRAWN`` what torch drew for the worker in this epoch, all of its bits.
    """

    FIXED = "fixed"
    WORKER = "worker"
    STATE = "state"
    DRAWN = "drawn"


class Seed(Struct, frozen=True):
    """A call that seeds random numbers: ``what`` as somebody wrote it, ``span`` that of the seed.

    ``library`` says whose random numbers those are, ``torch`` how the file calls torch (empty: it does not). What is
    ``called_elsewhere`` stands in a function that code of the project seems to call by itself, too.
    """

    span: Span
    what: str
    library: str
    origin: SeedOrigin
    torch: str = ""
    called_elsewhere: bool = False
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()


class Nested(Struct, frozen=True):
    """A loop of worker code over another loader, the one that stands at ``loader``."""

    span: Span
    what: str
    loader: Span
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()


class Exhausted(Struct, frozen=True):
    """A place that takes the next item of an iterator for every sample, of fewer than the dataset has samples.

    ``items`` is how many that iterator has at most, which was made at ``made``; ``samples`` are all of the dataset's.
    """

    span: Span
    what: str
    made: Span
    items: int
    samples: int
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()

    def ends_with(self, workers: int, batch: int) -> bool:
        """Return whether it has too few items for the samples that the busiest of so many workers reads, if any is."""
        batches = -(-self.samples // batch)
        share = min(self.samples, -(-batches // max(workers, 1)) * batch)
        return self.items < share


class CompiledCall(Struct, frozen=True):
    """A call of worker code to what ``torch.compile`` gave at ``compiled``.

    ``called_outside`` says that something that is no worker code was seen to call the same.
    """

    span: Span
    what: str
    compiled: Span
    called_outside: bool = False
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()


class WorkerCode(Struct, frozen=True):
    """What ``dataset``, ``collate_fn`` and ``worker_init_fn`` do inside a worker.

    Of a loader that has none, as far as was seen, only ``ends``, ``exhausted``, ``nested`` and ``on_cuda`` are
    known. ``nested`` and ``compiled`` are looked for when somebody asks.

    ``unsendable`` is what they give back and a worker cannot send. ``repeated`` is what an iterable dataset reads in
    every worker alike: each gives all samples. ``seeds`` are the calls that seed random numbers as a worker starts, and
    those that hand NumPy a number too big for it. ``ends`` is where reading one sample raises StopIteration,
    ``exhausted`` where it does once an iterator that the dataset keeps has no more items, ``nested`` are loops over
    other loaders, ``threads`` the places that have torch compute with several threads, ``compiled`` the calls of
    compiled functions, ``on_cuda`` where tensors of the batch are put on a CUDA device, as far as a loader may pin
    them. ``inherited`` is what uses a library's threads that only the main process has, ``own_threads`` what starts
    such threads in every worker. ``asks_worker`` says that it asks which worker it runs in, ``changes`` that it may
    change what the worker keeps from one sample, or epoch, to the next, ``changes_tensors`` that this may be a tensor,
    and ``remembers`` that a sample may be another because of those the same process read before.
    ``left_behind`` is where the program changes what it reads after the modules were imported: only a forked worker has
    that. ``changed_later`` is where it changes names that it reads, or the defaults of tensors, and no other setting.
    ``imported_late`` is where modules change what it reads that the main process alone imports, in a function or under
    the guard, ``read_anew`` where the program changes what each new worker reads of its surroundings, such as the
    environment, and ``set_after_read`` where a file does so at its top level, below what read it there for such code.
    ``process_wide`` is where it ends its process, or changes what all of that has, such as the seed of a
    generator, ``told_process`` where what it gives hangs on which process runs it, by its name or number, and
    ``read_back`` where the program reads what it changes of the objects it runs on, which are copies in workers.
    ``reads`` are the files that it reads, by their paths as far as these are seen to the end, and ``draws`` says whose
    random numbers it draws of those that all of a process shares.
    ``draws_seeded`` says that a ``worker_init_fn`` may seed the random numbers that samples draw.
    """

    unsendable: tuple[Unsendable, ...] = ()
    repeated: tuple[Touch, ...] = ()
    seeds: tuple[Seed, ...] = ()
    ends: tuple[Touch, ...] = ()
    exhausted: tuple[Exhausted, ...] = ()
    nested: Sequence[Nested] = ()
    threads: tuple[Touch, ...] = ()
    compiled: Sequence[CompiledCall] = ()
    on_cuda: tuple[Touch, ...] = ()
    inherited: tuple[ThreadUse, ...] = ()
    own_threads: tuple[ThreadUse, ...] = ()
    asks_worker: bool = False
    changes: bool = False
    changes_tensors: bool = False
    remembers: bool = False
    left_behind: Sought = nowhere
    changed_later: Sought = nowhere
    imported_late: Sought = nowhere
    read_anew: Sought = nowhere
    set_after_read: Sought = nowhere
    process_wide: Sought = nowhere
    told_process: Sought = nowhere
    read_back: Sought = nowhere
    reads: tuple[str, ...] = ()
    draws: frozenset[str] = frozenset()
    draws_seeded: bool = False


NOTHING_DONE = WorkerCode()
"""What is known of code that was not looked at."""
