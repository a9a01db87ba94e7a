"""LL304."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Export, Fix, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.job import Runner
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import Platform, Target


class JobCpusBelowWorkers(Rule):
    """A job asks for more loader workers than it is given CPUs.

    ## What it does
    Finds Slurm scripts, compose services, `docker run` and Kubernetes containers that name a number of CPUs below the
    worker count of a loader of the program they start; and an `srun` that `--cpus-per-task` of its script does not
    reach and that says nothing of CPUs itself. Counts are taken for one loader at a time, in all ranks that a launcher
    starts there.

    ## Why it breaks
    The workers take turns on the CPUs, and the main process with them: batches come late, and a GPU waits for them.

    ## Example
    ```bash
    #SBATCH --cpus-per-task=4
    python train.py --num-workers 16
    ```
    where `train.py` says
    ```python
    loader = DataLoader(dataset, num_workers=args.num_workers)
    ```

    ## Safe equivalent
    ```bash
    #SBATCH --cpus-per-task=16
    export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
    srun python train.py --num-workers 16
    ```
    Or ask for what is there:
    ```python
    loader = DataLoader(dataset, num_workers=len(os.sched_getaffinity(0)))
    ```

    ## Fix safety
    The `export` is safe: `srun` gets what the script asked for. How many CPUs a job can have is for you to say, so a
    number has no fix.

    ## Evidence
    `sbatch` and `srun` manual pages, `--cpus-per-task`: from Slurm 22.05 on `srun` does not inherit the value, but
    takes `SRUN_CPUS_PER_TASK`. What a task without it gets also depends on how a site binds tasks, so that finding is
    likely, not certain. `_MultiProcessingDataLoaderIter` in `torch/utils/data/dataloader.py` (2.13) starts as many
    processes as it is told. `sched_getaffinity` sees the CPUs that Slurm binds, not the quota of a container.
    """

    code = "LL304"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each job whose CPUs are below the fewest workers that the loader can have there."""
        for job in loader.program.jobs:
            if job.runner is Runner.SLURM and target.platform is not Platform.LINUX:
                # Its nodes run Linux, also where people who develop on other platforms submit the job.
                continue
            cpus, fewest = job.cpus, next(iter(job.workers_on(target)), None)
            number = fewest.number(target) if fewest is not None else None
            ranks = job.ranks.number if job.ranks is not None else 1
            if cpus is None or fewest is None or number is None or number * ranks <= cpus.number:
                continue
            many = f"{ranks} x {counted(fewest)}" if ranks > 1 else counted(fewest)
            take_turns = f"{'takes' if number * ranks == 1 else 'take'} turns"
            if cpus.lost is None:
                given = f"{cpus.written} CPU{'s' if cpus.number != 1 else ''}"
                message = f"{many} {take_turns} on {given}: the job gives no more to the loader at {place(loader.span)}"
                help = f"give the job {number * ranks} CPUs, or its loader no more workers than it has"
                unfixed = Unfixed("how many CPUs there are to give is not known")
                yield self.finding(loader, cpus, message, target, trail=fewest.trail, help=help, fix=unfixed)
                continue
            message = (
                f"{many} of {place(loader.span)} take turns on 1 CPU: from Slurm 22.05 on this srun does not give its "
                f"tasks the {cpus.written} of {place(cpus.lost)}"
            )
            export = Export(cpus.span, "SRUN_CPUS_PER_TASK", "$SLURM_CPUS_PER_TASK")
            fix = Fix("hand --cpus-per-task on to srun", (export,))
            yield self.finding(loader, cpus, message, target, confidence=Confidence.LIKELY, trail=fewest.trail, fix=fix)
