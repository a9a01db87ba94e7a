"""Names that say what a program does: who runs a function, who iterates loaders, what starts CUDA."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

RUNNERS = frozenset(
    {
        "fire.Fire",
        "absl.app.run",
        "typer.run",
        "tyro.cli",
        "asyncio.run",
        "simple_parsing.parse",
        "sys.exit",
        "builtins.exit",
        "torch.multiprocessing.spawn",
        "torch.multiprocessing.spawn.spawn",
        *(
            f"{home}.{made}().optimize"
            for home in ("optuna", "optuna.study")
            for made in ("create_study", "load_study", "Study")
        ),
    }
)
"""Functions that call the function they are given first, here or in processes that they start.

A study of optuna calls its objective in this process, in threads where ``n_jobs`` asks for more than one
(``optuna/study/_optimize.py``, ``_run_trial``).
"""

CURRENT_PROCESS = frozenset(
    {
        "multiprocessing.current_process",
        "multiprocessing.process.current_process",
        "torch.multiprocessing.current_process",
    }
)
"""Functions that give the object of the process they are called in."""

TRAINERS: Mapping[str, frozenset[str]] = {
    "Trainer": frozenset({"fit", "train", "test", "validate", "predict", "evaluate", "tune"}),
    "ignite.engine.": frozenset({"run"}),
    "catalyst.": frozenset({"train"}),
}
"""What stands in the name of a framework's trainer, and its methods that iterate the loaders it is given
(``ignite/engine/engine.py``, ``catalyst/dl/runners/runner.py``)."""
TRAINER_METHODS = frozenset[str]().union(*TRAINERS.values())

CUDA_STARTERS = frozenset(
    {
        "torch.cuda.init",
        "torch.cuda.set_device",
        "torch.cuda.current_device",
        "torch.cuda.synchronize",
        "torch.cuda.get_device_name",
        "torch.cuda.get_device_properties",
        "torch.cuda.get_device_capability",
        "torch.cuda.mem_get_info",
        "torch.cuda.Stream",
        "torch.cuda.Event",
        "torch.cuda.current_stream",
    }
)
"""Functions that call ``torch.cuda._lazy_init`` (``torch/cuda/__init__.py``, 2.13) or the driver directly.

Seeding (``torch.cuda.manual_seed``) is queued until CUDA starts, and ``empty_cache`` does nothing before that.
"""


class Hander(Struct, frozen=True):
    """How a callable takes a function and the arguments it calls it with, each by position and name.

    ``arguments`` None says that they follow the function as they are; ``hidden`` positional arguments of its own come
    before them, and where ``later`` is set more can be given when the result is called. ``apart`` says that another
    process may be what calls it, which has nothing of what this one set unless it is forked.
    """

    function: tuple[int, str]
    arguments: tuple[int, str] | None = None
    keywords: tuple[int, str] | None = None
    hidden: int = 0
    later: bool = False
    apart: bool = False


_SPAWN = Hander((0, "fn"), (1, "args"), hidden=1, apart=True)
_PROCESS = Hander((1, "target"), (3, "args"), (4, "kwargs"), apart=True)
_LAUNCHER = Hander((0, "function"), (1, "args"), apart=True)

HANDERS: Mapping[str, Hander] = {
    "torch.multiprocessing.spawn": _SPAWN,
    "torch.multiprocessing.spawn.spawn": _SPAWN,
    "torch.multiprocessing.start_processes": _SPAWN,
    "multiprocessing.Process": _PROCESS,
    "torch.multiprocessing.Process": _PROCESS,
    "multiprocessing.context.Process": _PROCESS,
    "threading.Thread": Hander((1, "target"), (3, "args"), (4, "kwargs")),
    "detectron2.engine.launch": Hander((0, "main_func"), (5, "args"), apart=True),
    "accelerate.notebook_launcher": _LAUNCHER,
    "accelerate.debug_launcher": _LAUNCHER,
    "accelerate.launchers.notebook_launcher": _LAUNCHER,
    "accelerate.launchers.debug_launcher": _LAUNCHER,
    "asyncio.to_thread": Hander((0, "func")),
    "functools.partial": Hander((0, "func"), later=True),
}
"""What calls the function it is given, with the arguments it is given.

``torch/multiprocessing/spawn.py`` (``fn(i, *args)``), ``multiprocessing/process.py``, ``threading.py``,
``detectron2/engine/launch.py``, ``accelerate/launchers.py`` (``function(*args)``).
"""

HANDING_METHODS: Mapping[str, Hander] = {
    "Process": _PROCESS,
    "submit": Hander((0, "fn"), apart=True),
    "apply": Hander((0, "func"), (1, "args"), (2, "kwds"), apart=True),
    "apply_async": Hander((0, "func"), (1, "args"), (2, "kwds"), apart=True),
    "run_in_executor": Hander((1, "func"), apart=True),
}
"""The same for methods of objects of other libraries.

``concurrent.futures.Executor`` (submitit's executors are like it), ``multiprocessing.pool.Pool``, the contexts of
``multiprocessing.get_context``, asyncio's event loops.
"""

MAKES_REMOTE = frozenset({"ray.remote"})
"""What makes a class or function callable from other processes, by its ``remote`` (docs.ray.io, "Tasks", "Actors")."""

CPU_COUNTS = frozenset(
    {
        "os.cpu_count",
        "multiprocessing.cpu_count",
        "torch.multiprocessing.cpu_count",
        "os.process_cpu_count",
        "psutil.cpu_count",
        "joblib.cpu_count",
    }
)
"""Functions that return how many CPUs there are."""

ALL_START_METHODS = frozenset({"multiprocessing.get_all_start_methods", "torch.multiprocessing.get_all_start_methods"})
"""Functions that return the names of the start methods there are."""

START_METHOD_QUESTIONS = frozenset({"multiprocessing.get_start_method", "torch.multiprocessing.get_start_method"})
"""Functions that return the name of the start method in force."""

CUDA_QUESTIONS = frozenset({"torch.cuda.is_available"})
"""Functions that return whether there is CUDA."""

MACHINE_QUESTIONS = frozenset(
    {
        *(f"torch.accelerator.{name}" for name in ("current_accelerator", "device_count", "is_available")),
        *("torch.cuda.device_count", "torch.cuda.is_bf16_supported"),
        *("torch.backends.mps.is_available", "torch.backends.mps.is_built", "torch.mps.device_count"),
        *("torch.xpu.device_count", "torch.xpu.is_available"),
    }
)
"""Functions that return what a machine has, the same whenever a program asks."""

MACOS_QUESTIONS = frozenset({"torch.backends.mps.is_available", "torch.backends.mps.is_built"})
"""Those of them that are true on macOS alone: Metal is Apple's (``torch.backends.mps``, `torch.backends` page)."""

PROCESS_DEFAULTS = ("torch.set_default_dtype", "torch.set_default_tensor_type", "torch.set_default_device")
"""Functions of torch that change what tensors its process makes from then on."""

DIFFERENT_IN_EACH_PROCESS = (
    *("datetime.date.today", "datetime.datetime.now", "datetime.datetime.today", "datetime.datetime.utcnow"),
    *("os.getpid", "os.urandom", "secrets.", "tempfile.", "time.", "uuid.uuid1", "uuid.uuid4"),
)
"""Functions that give something else in each process that asks them."""

DRAWS_OF_TORCH = ("torch.bernoulli", "torch.multinomial", "torch.normal", "torch.poisson", "torch.rand")
DRAWS = ("numpy.random.", "random.", *DRAWS_OF_TORCH)
"""Functions that draw random numbers: other ones in each process that seeds none."""

LOOKS = frozenset(
    {"as_dict", "cast", "copy", "count", "critical", "debug", "decode", "dict", "dim", "dump", "dumps", "encode"}
    | {"endswith", "error", "exception", "exists", "format", "get", "getLogger", "glob", "index", "info", "is_dir"}
    | {"is_file", "item", "items", "iterdir", "join", "joinpath", "keys", "log", "lower", "mkdir", "model_dump"}
    | {"numel", "numpy", "print_help", "read_bytes", "read_text", "relative_to", "replace", "resolve", "size"}
    | {"split", "startswith", "strip", "submit", "to_dict", "tolist", "union", "upper", "values", "warn", "warning"}
    | {"map", "with_name", "with_suffix"}
    | {"findall", "finditer", "fullmatch", "group", "groups", "match", "search", "sub", "subn"}
    | {"capitalize", "isdigit", "lstrip", "partition", "rpartition", "rsplit", "rstrip", "splitlines", "title", "zfill"}
    | {"argmax", "argmin", "astype", "max", "mean", "min", "std", "sum"}
)
"""Methods of texts, patterns, paths, collections, arrays, settings, loggers, executors that leave the object alone."""

PREPARES = frozenset(
    {
        *(f"accelerate.{home}Accelerator().prepare" for home in ("", "accelerator.")),
        *(
            f"{home}.Fabric().setup_dataloaders"
            for home in ("lightning", "lightning.fabric", "lightning.fabric.fabric", "lightning_fabric")
        ),
    }
)
"""Methods that give a row of what they make of each thing they are handed (``accelerate/accelerator.py``, 1.15;
``lightning/fabric/fabric.py``, 2.6)."""

CALLS_FIRST = frozenset({"apply", "filter", "imap", "map", "reduce", "starmap", "submit"})
"""Functions and methods that call what they are handed first (``builtins``, ``concurrent.futures``, ``pandas``)."""

DRAWS_IN_PLACE = frozenset(
    {"bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_"}
)
"""Methods that fill a tensor with random numbers (docs.pytorch.org, "torch", "In-place random sampling")."""
