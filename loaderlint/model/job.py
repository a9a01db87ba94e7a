"""Where a program runs: what starts it, and what of the machine it is given there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from loaderlint.model.source import Span
from loaderlint.model.target import Platform, Target
from loaderlint.model.value import Candidate, Trail, Value


class Runner(str, Enum):
    """What starts a program and decides what it is given; the value is how messages call one start."""

    COMPOSE = "service"
    DOCKER = "container"
    KUBERNETES = "pod container"
    SLURM = "job step"
    SHELL = "command"


@dataclass(frozen=True)
class Cpus:
    """How many CPUs a job is given, where somebody wrote that.

    ``written`` is the text of it. ``lost`` is the place of a Slurm script's ``--cpus-per-task`` that does not reach
    this ``srun``, which then gives one CPU to a task.
    """

    span: Span
    number: float
    written: str
    lost: Span | None = None
    trail: Trail = ()


@dataclass(frozen=True)
class Ranks:
    """How many processes of one program a launcher starts on a machine, where somebody wrote that.

    Each of them makes the program's loaders for itself.
    """

    span: Span
    number: int


@dataclass(frozen=True)
class Job:
    """One command that starts a program, and where it runs.

    ``span`` is where it stands, ``name`` what the service or container is called, and ``runs`` the program's file.
    ``num_workers`` are the worker counts that a loader can have there: those that the command asks for, and where it
    leaves its flag out the program's own. ``small_shm`` says that it runs in a container whose ``/dev/shm`` nobody
    made larger. ``ranks`` are the processes that a launcher starts of it. ``settings`` is the mapping that shared
    memory can be asked for in; ``settings_shared`` says that it serves others, too.
    """

    span: Span
    runner: Runner
    runs: str
    name: str = ""
    num_workers: Value = field(default_factory=lambda: Value(open=True))
    small_shm: bool = False
    cpus: Cpus | None = None
    ranks: Ranks | None = None
    settings: Span | None = None
    settings_shared: bool = False
    trail: Trail = ()

    def workers_on(self, target: Target) -> tuple[Candidate, ...]:
        """Return the worker counts that the loader can have there, the smallest first.

        There are none where one of them was not seen or starts no workers. Containers and Slurm run on Linux, whatever
        the target is.
        """
        there = replace(target, platform=Platform.LINUX)
        counts = self.num_workers.on(there).known
        if self.num_workers.open or not all(one.starts_workers(there) for one in counts):
            return ()
        return tuple(sorted(counts, key=lambda one: one.number(there) or float("inf")))
