"""What travels into a worker, and what the code does there."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, Trail
from loaderlint.model.worker_code import NOTHING_DONE, WorkerCode

if TYPE_CHECKING:
    from loaderlint.model.kept import Kept


class Met(Protocol):
    """Something somebody wrote that a run of the program comes by."""

    @property
    def span(self) -> Span:
        """Where it stands."""
        ...

    @property
    def assumptions(self) -> Assumptions:
        """What is assumed of a run that comes by it."""
        ...

    @property
    def trail(self) -> Trail:
        """The steps it took to the loader."""
        ...


class Touch(Struct, frozen=True):
    """A place where a program does something its workers inherit or repeat, such as touching CUDA.

    ``what`` is the code as somebody wrote it, shortened to one line. ``caught`` says that it stands in a ``try`` that
    takes a RuntimeError. ``workers`` are the places of the worker counts that its loader can have there, None where all
    that were seen can be. ``ends`` says that it ends each worker that comes to it. ``brought_in`` is where other code
    may bring in its file by a name that only a run shows, which then is not the program's main file.
    """

    span: Span
    what: str
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()
    caught: bool = False
    workers: frozenset[Span] | None = None
    ends: bool = False
    brought_in: Touch | None = None

    def meets(self, workers: Candidate) -> bool:
        """Return whether its loader can have a worker count there."""
        return self.workers is None or workers.span in self.workers


class Handing(str, Enum):
    """How something comes to travel into a worker, as messages say it of an argument's or attribute's name.

    What is nested in a loader's argument need not be what that argument is called: a dataset's transform is no dataset.
    """

    GIVEN = "given as {}"
    PART = "that is part of the {}"
    KEPT = "kept as `self.{}`"


class Unpicklable(Struct, frozen=True):
    """A callable or class that cannot be pickled by reference because no module a worker imports has it by name.

    ``kind`` is ``"lambda"``, ``"local function"`` or ``"local class"``, or ``"function"`` or ``"class"`` of a notebook,
    whose main module no worker can import, or of a file that has it under its ``__main__`` guard alone (``guarded``);
    ``role`` the option, argument or attribute it is handed to, and ``handing`` says how; ``captures`` are the names it
    takes from the function around it, without which it could be hoisted. ``decorator`` is one that gives a local
    function or class instead of it.
    """

    span: Span
    kind: str
    role: str
    name: str = ""
    captures: tuple[str, ...] = ()
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()
    guarded: bool = False
    handing: Handing = Handing.GIVEN
    decorator: str = ""

    @property
    def handed(self) -> str:
        """How it is handed over, as messages say it behind what it is: ``given as collate_fn``."""
        return self.handing.value.format(self.role)


class DatasetKind(str, Enum):
    """How torch takes samples from a dataset: by index, or as they come.

    A datapipe is an IterableDataset that takes ``shuffle`` (``DataLoader.__init__``, 2.13).
    """

    MAP = "map"
    ITERABLE = "iterable"
    DATAPIPE = "datapipe"


class Samples(Struct, frozen=True):
    """What a loader's dataset is, as far as it was seen.

    ``name`` is that of its class, ``kind`` None where a base of it was not seen. ``length`` is how many samples it has
    by construction, ``endless`` says that it gives them for ever; ``in_memory`` says that they are nothing but rows of
    tensors (a ``TensorDataset``). One that ``works`` was seen to read or compute something for each sample. With
    ``whole_batches`` it gives each worker whole batches by itself.
    """

    span: Span
    name: str
    kind: DatasetKind | None = None
    length: int | None = None
    endless: bool = False
    in_memory: bool = False
    works: bool = False
    assumptions: Assumptions = NO_ASSUMPTIONS
    whole_batches: bool = False

    @property
    def iterable(self) -> bool | None:
        """Whether it is an IterableDataset, None where that was not seen."""
        return None if self.kind is None else self.kind is not DatasetKind.MAP


class Payload(Struct, frozen=True):
    """What must travel into a worker: ``dataset``, ``collate_fn``, ``worker_init_fn``.

    ``in_notebook`` are the functions and classes that a notebook defines, which a worker that starts as a fresh
    interpreter does not find. ``datasets`` are those that the dataset can be, where any was seen, and ``iterable`` says
    whether one of them is an IterableDataset (None: it was not seen to be one). ``cuda`` are the places in code that
    runs inside a worker which touch CUDA. ``kept`` is what it holds from before the workers start. ``seen`` is True
    when all that travels was followed to its definition, or is known to pickle. One with a ``model`` holds layers with
    parameters. ``code`` is what its code does in a worker, and what it gives back.
    """

    unpicklable: tuple[Unpicklable, ...] = ()
    in_notebook: tuple[Unpicklable, ...] = ()
    cuda: Sequence[Touch] = ()
    kept: Sequence[Kept] = ()
    iterable: bool | None = None
    datasets: tuple[Samples, ...] = ()
    collate_fn: Span | None = None
    worker_init_fn: Span | None = None
    seen: bool = False
    model: bool = False
    code: WorkerCode = NOTHING_DONE


NOTHING_SEEN = Payload()
"""What is known of a payload that was not looked at."""
