"""LL302."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.job import crowded
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import single_process
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CpuCount

_WARNING = (
    "UserWarning: This DataLoader will create {} worker processes in total. Our suggested max number of worker in "
    "current system is {}, which is smaller than what this DataLoader is going to create."
)

_HELP = "divide the CPUs by the ranks of a machine, which torchrun gives in LOCAL_WORLD_SIZE"


class MoreWorkersThanCpus(Rule):
    """A loader has more workers than the machine has CPUs.

    ## What it does
    Finds a worker count above the `cpus` that the project gives for its target. `os.cpu_count()` counts as that number.
    Each loader is judged by itself. Where a launcher starts several ranks on a machine (`torchrun --nproc_per_node`,
    `deepspeed --num_gpus`, `accelerate launch --num_processes`) the workers of all of them count, and `os.cpu_count()`
    is too many whatever `cpus` says. Otherwise quiet where no `cpus` are given.

    ## Why it breaks
    Workers that outnumber the CPUs take turns, with each other and with the training process. Each still costs its
    start, its memory and its share of the batches held ready. Every rank makes a loader, and workers, of its own.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=16)  # cpus = 8
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=8)
    ```
    The CPUs a job may use are `len(os.sched_getaffinity(0))` on Linux; several ranks share them:
    `os.cpu_count() // int(os.environ["LOCAL_WORLD_SIZE"])`.

    ## Fix safety
    Safe: samples and their order stay. Unsafe for an IterableDataset, which is divided among the workers, where a
    `worker_init_fn` seeds what samples draw, and where the number also serves something else. A count of the machine's
    CPUs in several ranks has no fix.

    ## Evidence
    `DataLoader.check_worker_number_rationality` in `torch/utils/data/dataloader.py`. On torch 2.13.0 CPU, Python 3.11,
    Linux, it warned when the loader was made and at every epoch, and only for strictly more workers than CPUs, those of
    one loader in one rank. `torchrun` binds no rank to CPUs unless it is asked to, and tells each its
    `LOCAL_WORLD_SIZE` (`torch/distributed/elastic/agent/server/local_elastic_agent.py`). Others may bind them: the
    finding about ranks is likely, not certain.
    """

    code = "LL302"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count above the CPUs there are, by itself or in all ranks of a machine."""
        cpus = target.cpus
        for workers in loader.workers_on(target) if cpus is not None else ():
            many = workers.number(target)
            if many is None or cpus is None or many <= cpus:
                continue
            is_made_of = f" ({workers.constant})" if many != workers.constant else ""
            message = f"{many} workers{is_made_of} {_take_turns(cpus)}"
            capped = _capped(loader, workers, target, cpus)
            yield self.finding(loader, workers, message, target, error=_WARNING.format(many, cpus), fix=capped)
        # Where a job script says how many CPUs there are, LL304 speaks of them.
        for workers, ranks in crowded((job for job in loader.program.jobs if job.cpus is None), target).items():
            many = workers.number(target)
            turns = "more workers than CPUs take turns"
            if many is not None and cpus is not None:
                turns = f"{many * ranks.number} workers {_take_turns(cpus)}"
            message = f"{turns}: {ranks.number} ranks, started at {place(ranks.span)}, have {counted(workers)} each"
            fix: Remedy = Unfixed("how many CPUs the machine has is not known: give --cpus")
            if isinstance(workers.constant, CpuCount):
                fix = Unfixed("how many ranks share a machine's CPUs, a number in the code does not follow")
            elif cpus is not None:
                few = Unfixed(f"{ranks.number} ranks have not even one CPU each")
                fix = _capped(loader, workers, target, cpus // ranks.number) if cpus >= ranks.number else few
            sure = Confidence.LIKELY
            yield self.finding(loader, workers, message, target, confidence=sure, help=_HELP, fix=fix)


def _take_turns(cpus: int) -> str:
    return f"take turns on {cpus} CPU{'s' if cpus != 1 else ''}"


def _capped(loader: Loader, workers: Candidate, target: Target, count: int) -> Remedy:
    fix = single_process(loader, workers, target, count)
    return fix.unsafe("an IterableDataset is divided among its workers") if loader.payload.iterable else fix
