"""What exists on some platforms alone, and ends a program on the others."""

from __future__ import annotations

from collections.abc import Mapping

from loaderlint.model.target import Platform
from loaderlint.model.value import CommandLineText

_WINDOWS = frozenset({Platform.WINDOWS.value})
_LINUX = frozenset({Platform.LINUX.value})
UNIX = frozenset({Platform.LINUX.value, Platform.MACOS.value})
"""The platforms that are a Unix."""

FUNCTIONS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("os.sched_getaffinity", "os.sched_setaffinity", "os.sched_setscheduler"), _LINUX),
    **dict.fromkeys(
        ("os.fork", "os.getegid", "os.geteuid", "os.getgid", "os.getloadavg", "os.getpgid", "os.getuid"), UNIX
    ),
    **dict.fromkeys(("os.killpg", "os.nice", "os.setpgid", "os.setpgrp", "os.setsid", "os.uname"), UNIX),
    **dict.fromkeys(("signal.alarm", "signal.pause", "signal.setitimer", "signal.siginterrupt"), UNIX),
}
"""Functions, with the platforms that have them: "Availability" on the pages of ``os`` and ``signal`` of Python's docs.

A call of one on another platform raises ``AttributeError``.
"""

ATTRIBUTES: Mapping[str, frozenset[str]] = {
    **FUNCTIONS,
    **dict.fromkeys(("sys.getwindowsversion", "os.startfile", "signal.CTRL_C_EVENT"), _WINDOWS),
}
"""Attributes of modules, with the platforms where ``hasattr`` finds them (the same pages, and that of ``sys``)."""

VARIABLES_OF_WINDOWS: Mapping[str, str] = {"OS": "Windows_NT"}
"""Environment variables that every process has on Windows and nobody sets elsewhere."""

SIGNALS = frozenset({f"SIG{name}" for name in ("ALRM", "CHLD", "CONT", "HUP", "KILL", "QUIT", "STOP", "USR1", "USR2")})
"""Signals that Windows has no name for: ``signal.SIGUSR1`` raises ``AttributeError`` (Python's docs, ``signal``)."""
ON_SIGNALS: Mapping[str, frozenset[str]] = {"signal.signal": UNIX}
"""Functions that are handed a signal, with the platforms that have all of them."""

MODULES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"), UNIX),
    **dict.fromkeys(("SharedArray", "horovod", "uvloop"), UNIX),
    **dict.fromkeys(("cudf", "cuml", "nvidia.dali", "torch_xla"), _LINUX),
}
"""Modules, with the platforms where they can be imported.

Those of Python: "Unix Specific Services" in Python's docs. Of others: SharedArray is built on ``sys/mman.h`` (its
``shared_array.c``); Horovod's page "Horovod Installation Guide" requires "GNU Linux or macOS"; ``setup.py`` of uvloop
raises "uvloop does not support Windows at the moment"; RAPIDS ("Installation Guide": Linux, or Windows by WSL 2) and
DALI ("Installation", "Prerequisites": "Linux x64") are there for Linux alone, as are the wheels of PyTorch/XLA
(its ``README.md``, "Installation").
"""


def module_of_some(name: str) -> str | None:
    """Return the module, of those that not every platform has, that a dotted name is or lies in."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or None


COMMANDS: Mapping[str, frozenset[str]] = {"stty": UNIX}
"""Commands, with the platforms that have them (POSIX, "Utilities")."""
COLON = ":"
"""What no file or folder of Windows has twice in its name ("Naming Files, Paths, and Namespaces", learn.microsoft.com).

One colon alone names a stream of a file.
"""
NEEDED: Mapping[str, frozenset[str]] = {**COMMANDS, COLON: UNIX}
"""What a call may need, with the platforms that have it."""
TELLS_TIME = frozenset(f"datetime.datetime.{name}" for name in ("now", "today", "utcnow"))
"""Functions whose results are spelled with two colons by ``str`` (Python's docs, ``datetime.isoformat``)."""
SPELLS_TIME = frozenset({"time.strftime"})
"""A function that spells a time in the format that it is given first, as the method of that name does."""
MAKES_FOLDERS = frozenset({"os.makedirs", "os.mkdir"})
"""Functions that make a folder of the name they are given first."""
READ_COMMANDS = frozenset({"os.popen"})
"""Functions that run a command and give what it writes, which is nothing where there is no such command."""
FAIL_WITHOUT_COMMAND = frozenset(
    f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")
)
"""Functions that raise ``FileNotFoundError`` where there is no such command (Python's docs, ``subprocess``)."""

BUILT_ON_UNIX = b"compiler_so"
"""What a build asks of the compiler where that is a Unix one: distutils' ``MSVCCompiler`` has no such attribute."""

BACKENDS: Mapping[str, frozenset[str]] = {"nccl": _LINUX}
"""Backends of ``torch.distributed``, with the platforms whose torch is built with them (its page, "Backends")."""
WITH_BACKEND: Mapping[str, str] = {
    "torch.distributed.init_process_group": "backend",
    "deepspeed.init_distributed": "dist_backend",
}
"""Functions whose first argument, by its name, is one of these; another is refused.

``torch/distributed/distributed_c10d.py``: "Distributed package doesn't have NCCL built in", which DeepSpeed calls with
what it was given (``deepspeed/comm/torch.py``, ``init_process_group``).
"""
MAKES_GROUP = frozenset(name.rpartition(".")[2] for name in WITH_BACKEND)
"""The last parts of their names."""
NEED_GROUP: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler"),
        frozenset({"num_replicas", "rank"}),
    ),
    **dict.fromkeys(
        (
            *("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel"),
            "apex.parallel.DistributedDataParallel",
        ),
        frozenset({"process_group"}),
    ),
}
"""Classes that raise where there is no group, with the arguments by any of which they may do without.

"Default process group has not been initialized" (``torch/distributed/distributed_c10d.py``, which
``torch/utils/data/distributed.py`` and ``torch/nn/parallel/distributed.py`` ask, 2.13).
"""
MAY_NEED_GROUP = frozenset(name.rpartition(".")[2] for name in NEED_GROUP)
"""The last parts of their names."""
HAS_GROUP = "torch.distributed.is_initialized"
"""The function that says whether one of them was called already."""
MAKE_GROUPS_THEMSELVES = frozenset(
    {
        *("accelerate", "colossalai", "composer", "deepspeed", "fairseq", "from trl", "ignite", "init_device_mesh"),
        *("init_distributed_device", "lightning", "mmcv", "mmengine", "ray.train", "TrainingArguments"),
    }
)
"""Words in files whose libraries may call one of them, each with the backend of its own choice.

``init_distributed_device`` is timm's, whose backend goes by the device (``timm/utils/distributed.py``, 1.0).
"""

MAKES_GROUP_TO_TRAIN = "Trainer"
"""The name of Lightning's trainer, which makes a group before it asks for a loader where its strategy wants one."""
TRAINERS_OF = ("lightning.", "pytorch_lightning.")
"""How the dotted names begin that it goes by."""
ON_DEVICES: Mapping[str, frozenset[object]] = {"accelerator": frozenset({"cuda", "gpu"}), "gpus": frozenset({-1, "-1"})}
"""Its parameters that ask for CUDA, by what they are given; a number of GPUs above 0 does, too.

On macOS it refuses them beside such a strategy: "MPS accelerator is incompatible with DDP family of strategies", or
"No supported gpu backend found!" (``trainer/connectors/accelerator_connector.py``, 2.6).
"""
GROUPED_STRATEGIES = ("ddp", "fsdp")
"""How the names of strategies begin that make one, with the backend of the device (``strategies/ddp.py``, 2.6)."""
GROUPED_STRATEGY_CLASSES = ("DDPStrategy", "FSDPStrategy")
"""The names of their classes, which may be told another ``process_group_backend``."""

REFUSALS = ("Distributed package doesn't have NCCL built in", "Torch not compiled with CUDA enabled")
"""What torch says where it was built without one of them (``distributed_c10d.py``, ``torch/cuda/__init__.py``)."""

LAST_NAMES = frozenset(name.rpartition(".")[2] for name in (*FUNCTIONS, *ON_SIGNALS, *WITH_BACKEND))
"""The last parts of the names of all these functions."""

CUDA_FUNCTIONS = frozenset(
    f"torch.cuda.{name}"
    for name in (
        *("current_device", "get_device_capability", "get_device_name", "get_device_properties", "mem_get_info"),
        *("current_stream", "Event", "FloatTensor", "LongTensor", "reset_peak_memory_stats", "Stream", "synchronize"),
    )
)
"""Functions and classes that raise where torch has no CUDA.

Functions start it (``torch/cuda/__init__.py``, ``_lazy_init``, 2.13); classes stand for what is not there
(``torch/cuda/streams.py``; "type torch.cuda.FloatTensor not available", ``torch/csrc/tensor/python_tensor.cpp``).
"""
SETS_DEVICE = frozenset({"torch.cuda.set_device"})
"""The same, where the device that they are given is none below 0."""
RANKS = frozenset({CommandLineText("$LOCAL_RANK"), CommandLineText("$SLURM_LOCALID")})
"""Variables that number the processes of a machine from 0 (docs.pytorch.org, "torchrun"; slurm.schedmd.com, "srun")."""
SETS_DEFAULT = frozenset({"torch.set_default_device", "torch.set_default_tensor_type"})
"""Functions that say where tensors are made from then on.

The next is the seed that ``DataLoader.__iter__`` draws (``_BaseDataLoaderIter``); a type that is not there is refused
at once ("type torch.cuda.FloatTensor not available", 2.13).
"""
MAY_NEED_CUDA = frozenset(
    {"cuda", "to", *(name.rpartition(".")[2] for name in (*CUDA_FUNCTIONS, *SETS_DEVICE, *SETS_DEFAULT))}
)
"""The last parts of their names, and of the methods that move models and tensors."""
COUNTS_CUDA = frozenset({"torch.cuda.device_count"})
"""Functions that give 0 where torch has no CUDA (``torch/cuda/__init__.py``, 2.13), by which nothing is divided."""
MAY_COUNT_CUDA = frozenset(name.rpartition(".")[2] for name in COUNTS_CUDA)
"""The last parts of their names."""
