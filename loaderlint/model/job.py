"""Where a program runs: what starts it, and what of the machine it is given there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.model.source import Span
from loaderlint.model.target import Platform, Target
from loaderlint.model.value import Candidate, CpuCount, Trail, Value


class Runner(str, Enum):
    """What starts a program and decides what it is given; the value is how messages call one start."""

    COMPOSE = "service"
    DOCKER = "container"
    KUBERNETES = "pod container"
    SLURM = "job step"
    SHELL = "command"


class Cpus(Struct, frozen=True):
    """How many CPUs a job is given, where somebody wrote that.

    ``written`` is the text of it. ``lost`` is the place of a Slurm script's ``--cpus-per-task`` that does not reach
    this ``srun``, which then gives one CPU to a task.
    """

    span: Span
    number: float
    written: str
    lost: Span | None = None
    trail: Trail = ()


class Ranks(Struct, frozen=True):
    """How many processes of one program a launcher starts on a machine, where somebody wrote that.

    Each of them makes the program's loaders for itself.
    """

    span: Span
    number: int


class Job(Struct, frozen=True):
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


_MACHINES = (16, 64, 256)
"""CPUs of machines, where the project does not say how many it has."""


def crowded(jobs: Iterable[Job], target: Target) -> Mapping[Candidate, Ranks]:
    """Return the worker counts that no single rank has too many of but all ranks of a machine have, with these ranks.

    Of a job it is the smallest count, of several jobs with the same count the most ranks.
    """
    found: dict[Candidate, Ranks] = {}
    for job in jobs:
        fewest = next(iter(job.workers_on(target)), None)
        if fewest is None or job.ranks is None or not _share_cpus(fewest, job.ranks.number, target):
            continue
        if fewest not in found or found[fewest].number < job.ranks.number:
            found[fewest] = job.ranks
    return found


def _share_cpus(workers: Candidate, ranks: int, target: Target) -> bool:
    """Return whether several ranks with as many workers each have more than CPUs, but one alone has not."""
    if target.cpus is not None:
        many = workers.number(target)
        return many is not None and many <= target.cpus < many * ranks
    sizes = [(cpus, workers.number(replace(target, cpus=cpus))) for cpus in _MACHINES]
    return isinstance(workers.constant, CpuCount) and all(
        many is not None and many <= cpus < many * ranks for cpus, many in sizes
    )
