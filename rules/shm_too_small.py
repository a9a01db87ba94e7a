"""LL303."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import AddKey, Fix, Remedy, Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.job import Job, Runner
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import Target

_SIZE = "8gb"
_PREFETCH = 2
_ERROR = "RuntimeError: unable to allocate shared memory(shm) for file </torch_...>: No space left on device (28)"
_HELP = {
    Runner.COMPOSE: "add shm_size to the service, or ipc: host",
    Runner.DOCKER: "give docker run --shm-size=8g, or --ipc=host",
    Runner.KUBERNETES: "mount an emptyDir with medium: Memory at /dev/shm",
}


class ShmTooSmall(Rule):
    """A container trains with workers and keeps the 64 MB of shared memory that containers get.

    ## What it does
    Finds compose services, `docker run` and Kubernetes containers whose command starts a program with loader workers
    and that say nothing of `/dev/shm`: no `shm_size` or `--shm-size`, no shared `ipc`, nothing mounted there.

    ## Why it breaks
    Workers hand batches over in shared memory. It holds workers x prefetch factor batches before the first is used and
    one more after, for each loader that is alive; datasets of tensors come on top with spawned workers. What does not
    fit kills the worker.

    ## Example
    ```yaml
    services:
      trainer:
        image: trainer
        command: python train.py --num-workers 8
    ```
    where `train.py` says
    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=args.num_workers)
    ```

    ## Safe equivalent
    ```yaml
    services:
      trainer:
        image: trainer
        shm_size: "8gb"
        command: python train.py --num-workers 8
    ```
    Or, where no memory can be had, no workers:
    ```python
    loader = DataLoader(dataset, batch_size=64)
    ```

    ## Fix safety
    Safe: the size is a limit, and memory is only taken by what is put there. Unsafe where other services have the same
    mapping. Only compose files are rewritten.

    ## Evidence
    Docker's reference of `docker run --shm-size` (64 MB); the README of PyTorch, "Docker Image", which asks for
    `--ipc=host` or `--shm-size`; pytorch/pytorch#5040 and #16979. On torch 2.13.0 CPU, Python 3.11, Linux, 2 workers
    with batches of 8 MiB on a `/dev/shm` of 16 MB raised the error quoted in 18 of 18 runs; 64 MB were enough for them.
    """

    code = "LL303"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each container that starts the program and keeps the default."""
        for job in loader.program.jobs:
            counts = job.workers_on(target)
            if job.small_shm and counts:
                known = loader.prefetch_factor.on(target).known
                factor = next((one.constant for one in known if isinstance(one.constant, int)), _PREFETCH)
                number = counts[0].number(target)
                most = "their" if number is None else f"up to {number * factor + 1}"
                message = (
                    f"workers die when {most} batches outgrow 64 MB of shared memory: {counted(counts[0])} x {factor}, "
                    f"and the one in use, of {place(loader.span)} in " + f"{job.runner.value} {job.name}".strip()
                )
                help, trail = _HELP.get(job.runner), counts[0].trail
                yield self.finding(loader, job, message, target, trail=trail, error=_ERROR, help=help, fix=_larger(job))


def _larger(job: Job) -> Remedy:
    if job.settings is None:
        return Unfixed("only the block of a service in a compose file is added to")
    fix = Fix(f"give the service {_SIZE} of shared memory", (AddKey(job.settings, "shm_size", _SIZE),))
    return fix.unsafe("other services have the same settings") if job.settings_shared else fix
