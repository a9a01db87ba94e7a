"""Names that say what a program does with a loader: who passes its batches on, which words tell what it is for."""

from __future__ import annotations

import sys
from collections.abc import Mapping

PASS_ON = (
    "builtins.",
    "itertools.",
    "tqdm.",
    "rich.progress.track",
    "alive_progress.alive_it",
    "fastprogress.",
    "progressbar.",
)
"""What hands on the batches of the loader it is given and does nothing else with it, by dotted name or its start."""

KEEP_ITERATORS = frozenset(
    {"iter", "enumerate", "zip", "map", "filter", "islice", "cycle", "chain", "from_iterable", "zip_longest", "next"}
)
"""Functions that make one iterator of what they are given: a loop over what they return makes no other."""

PROGRESS_BARS = frozenset({"tqdm", "track", "alive_it", "enumerate", "progress_bar", "master_bar", "ProgressBar"})
"""Functions whose first argument is what a loop over them goes over."""

HOLD_ITERATORS = (KEEP_ITERATORS - {"next"}) | PROGRESS_BARS | {"__iter__"}
"""Functions and methods whose results take from what they are given when they are asked themselves."""

LOOKS_AT_LOADERS = ("bool", "hash", "id", "isinstance", "len", "print", "repr", "str", "type")
"""Functions of Python that iterate no loader they are given."""

TELLS_OF_LOADERS = (
    *("batch_sampler", "batch_size", "collate_fn", "dataset", "drop_last", "generator", "multiprocessing_context"),
    *("num_workers", "persistent_workers", "pin_memory", "prefetch_factor", "sampler", "timeout", "worker_init_fn"),
)
"""Attributes that a loader keeps its options under (``torch/utils/data/dataloader.py``, 2.13)."""

ITERATE_NOTHING = frozenset({"abc.ABC", "builtins.object", "torch.nn.Module"})
"""Classes whose methods iterate nothing that an object of theirs is given."""

OF_WORKERS_ALONE = frozenset(
    {
        *("_data_queue", "_in_order", "_index_queues", "_mark_worker_as_unavailable", "_num_workers"),
        *("_pin_memory_thread", "_pin_memory_thread_done_event", "_prefetch_factor", "_rcvd_idx", "_send_idx"),
        *("_shutdown", "_shutdown_workers", "_task_info", "_tasks_outstanding", "_try_get_data", "_try_put_index"),
        *("_worker_init_fn", "_worker_pids_set", "_worker_queue_idx_cycle", "_worker_result_queue", "_workers"),
        *("_workers_done_event", "_workers_num_tasks", "_workers_status"),
    }
)
"""Attributes of a loader's iterator that it has with workers alone, and the one that says how many
(``_MultiProcessingDataLoaderIter``, ``torch/utils/data/dataloader.py``, 2.13)."""

COUNTERS = frozenset({"range", "trange", "count", "xrange"})
"""Functions that count: a loop over what they return goes over numbers."""

WITHOUT_GRADIENTS = frozenset({"no_grad", "inference_mode"})
"""Context managers and decorators of torch under which nothing is trained."""

EVALUATION_WORDS = frozenset(
    {"val", "valid", "validation", "validate", "test", "testing", "eval", "evaluate", "evaluation", "dev", "predict"}
)
TRAINING_WORDS = frozenset({"train", "training", "trainset", "trainloader"})
"""Words in the name of a loader, or of the function that makes it, that say what it is for."""

DISTRIBUTED_SAMPLERS = frozenset(
    {"torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler"}
)
"""Samplers that shuffle by the epoch ``set_epoch`` told them last (``torch/utils/data/distributed.py``, 2.13)."""

SETS_START_METHOD = frozenset({"multiprocessing.set_start_method", "torch.multiprocessing.set_start_method"})
"""Functions that set how the process starts others, which can be done once (``multiprocessing/context.py``)."""

GIVES_CONTEXT = frozenset({"multiprocessing.get_context", "torch.multiprocessing.get_context"})
"""Functions that give what starts processes by a method, the one that is set where none is named."""

STARTS_PROCESSES = frozenset(
    {
        *("multiprocessing.Pool", "multiprocessing.Process", "multiprocessing.context.Process"),
        *("multiprocessing.pool.Pool", "torch.multiprocessing.Pool", "torch.multiprocessing.Process"),
        *("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor"),
        "tqdm.contrib.concurrent.process_map",
    }
)
"""What starts processes by the method that is set, unless it is told another (``multiprocessing/context.py``,
``concurrent/futures/process.py``, ``tqdm/contrib/concurrent.py``); a manager's gets nothing from the program."""

ASKS_FOR_PROCESS = frozenset({"get_start_method", "current_process", "parent_process", "get_worker_info"})
"""Functions that tell a worker from the main process, or whether a start method was set."""

MAKE_NO_PROCESSES = (sys.stdlib_module_names - {"concurrent"}) | {
    "PIL",
    "cv2",
    "numpy",
    "pandas",
    "torch",
    "torchaudio",
    "torchvision",
    "tqdm",
    "yaml",
}
"""Modules that make nothing that takes the start method when they are imported."""

FIXED_OPTIONS = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""The attributes that a finished loader refuses to have set (``DataLoader.__setattr__``, torch 2.13)."""

LOADERS_OF_TORCH = frozenset(
    {
        "torch.utils.data.DataLoader",
        "torch.utils.data.dataloader.DataLoader",
        "torchdata.stateful_dataloader.StatefulDataLoader",
        "torchdata.stateful_dataloader.stateful_dataloader.StatefulDataLoader",
        "monai.data.DataLoader",
        "monai.data.dataloader.DataLoader",
        "torch_geometric.loader.DataLoader",
        "torch_geometric.loader.dataloader.DataLoader",
    }
)
"""Torch's loader, and subclasses and copies that set attributes as it does."""

PURE_FUNCTIONS = frozenset({"len", "int", "float", "bool", "str", "min", "max", "abs", "round", "sum", "range"})
"""Built-in functions that give the same for the same, and change nothing."""

SETS_SHARING_STRATEGY = frozenset({"torch.multiprocessing.set_sharing_strategy"})
"""Functions that choose how tensors travel between processes (``torch/multiprocessing/__init__.py``)."""

ACCUMULATES: Mapping[str, str] = {
    **{
        f"{library}.Trainer": "accumulate_grad_batches"
        for home in ("pytorch_lightning", "lightning", "lightning.pytorch")
        for library in (home, f"{home}.trainer", f"{home}.trainer.trainer")
    },
    **{f"accelerate.{home}Accelerator": "gradient_accumulation_steps" for home in ("", "accelerator.")},
}
"""Callables whose object makes the steps of a training, and the keyword that says over how many batches each sums its
gradients (``lightning/pytorch/trainer/trainer.py``, 2.6; ``accelerate/accelerator.py``, 1.15)."""
