"""Names of what starts programs, and of the options that say what a program is given there."""

from __future__ import annotations

import re

PYTHON = re.compile(r"python(?:\d+(?:\.\d+)?)?")
"""An interpreter, by the last part of its path."""
PYTHON_OPTIONS_WITH_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})
"""Options of the interpreter that take the next word (``python --help``)."""

LAUNCHERS = frozenset({"torchrun", "accelerate", "accelerate-launch", "deepspeed", "horovodrun", "mpirun", "mpiexec"})
"""Commands that start the Python file, or with ``-m`` the module, that is named behind their own options."""
LAUNCHER_MODULES = frozenset(
    {
        "torch.distributed.run",
        "torch.distributed.launch",
        "accelerate.commands.launch",
        "accelerate.commands.accelerate_cli",
        "deepspeed.launcher.runner",
    }
)
"""The same as modules (``python -m torch.distributed.run``)."""
RANKS = ("--nproc_per_node", "--nproc-per-node", "--num_gpus")
"""Options that say how many processes a launcher starts on a machine (``torch/distributed/run.py``, deepspeed)."""
RANKS_IN_ALL = ("--num_processes",)
MACHINES = ("--num_machines",)
"""Options of ``accelerate launch``: its processes are those of all machines, where there are several."""
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
WRAPPERS = frozenset(
    {
        "apptainer",
        "command",
        "conda",
        "dumb-init",
        "env",
        "exec",
        "ionice",
        "mamba",
        "micromamba",
        "nice",
        "nohup",
        "numactl",
        "pipenv",
        "poetry",
        "singularity",
        "stdbuf",
        "sudo",
        "time",
        "timeout",
        "tini",
        "uv",
        "xvfb-run",
    }
)
"""Commands that run the command behind their own options."""

CONTAINER_TOOLS = frozenset({"docker", "nvidia-docker", "podman"})
SHARED_MEMORY_OPTIONS = ("--shm-size", "--ipc", "--tmpfs")
"""Options of ``docker run`` that give a container another ``/dev/shm`` (https://docs.docker.com/reference/cli/docker/container/run/)."""
SHARED_MEMORY = "/dev/shm"

CPUS_OF_CONTAINERS = ("--cpus",)
CPUS_OF_TASKS = ("--cpus-per-task", "-c")
TASKS = ("--ntasks", "-n")
TASKS_PER_NODE = ("--ntasks-per-node",)
WHOLE_NODES = ("--exclusive", "--cpus-per-gpu", "--mincpus", "--tres-per-task")
"""Options of ``sbatch`` beside which ``--cpus-per-task`` does not say how many CPUs a batch script has."""
STEP_HAS_OTHER_CPUS = (
    "--cpus-per-gpu",
    "--cpu-bind",
    "--exact",
    "--overlap",
    "--exclusive",
    "--tres-per-task",
    "--mincpus",
)
"""Options of an ``srun`` that say otherwise which CPUs its tasks have (https://slurm.schedmd.com/srun.html)."""
TAKES_CPUS_OVER = "SRUN_CPUS_PER_TASK"
"""The variable from which ``srun`` takes ``--cpus-per-task`` (https://slurm.schedmd.com/srun.html)."""
