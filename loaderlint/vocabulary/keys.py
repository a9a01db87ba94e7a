"""Where loader settings stand in configuration files, when no code that reads them is in sight.

The key paths are those found in many of the 114 repositories of IDIOMS.md ("YAML"); the names in `NOT_LOADERS` are the
false friends found beside them.
"""

from __future__ import annotations

from collections.abc import Mapping

CONSUMERS: Mapping[str, str] = {"target": "params", "_target_": "", "class_path": "init_args", "_component_": ""}
"""Keys that name what a configuration mapping makes, and the key of its arguments (empty: its own other keys)."""

WORKER_KEYS = frozenset({"num_workers", "NUM_WORKERS", "dataloader_num_workers"})
"""Keys that hold a loader's worker count."""

LOADER_KEYS = frozenset(
    {
        "batch_size",
        "shuffle",
        "drop_last",
        "pin_memory",
        "prefetch_factor",
        "persistent_workers",
        "multiprocessing_context",
    }
)
"""Keys that, beside a worker count, show a mapping to be loader settings."""

WORKER_WORDS = ("worker",)
LOADER_WORDS = (*WORKER_WORDS, "batch_size", "shuffle", "drop_last", "pin_mem", "prefetch", "persistent", "timeout")
"""Words in the keys under which projects write a loader's settings: ``num_worker_per_gpu``, ``train_batch_size``."""

PARENT_WORDS = ("data", "load", "train", "val", "test", "run", "params", "init_args", "dl")
"""A mapping under a key with one of these words in it holds loader settings when it has a worker count."""

NOT_LOADERS = (
    "noise",
    "preprocess",
    "augment",
    "server",
    "uvicorn",
    "gunicorn",
    "ray",
    "scaling",
    "tokeniz",
    "offload",
    "optimizer",
    "prepare",
    "service",
    "download",
)
"""A mapping under a key with one of these words in it is no loader's, whatever its keys say."""
