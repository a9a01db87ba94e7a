"""What makes pools of processes or threads, and where it is told how many."""

from __future__ import annotations

from collections.abc import Mapping

POOLS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "concurrent.futures.ProcessPoolExecutor",
            "concurrent.futures.ThreadPoolExecutor",
            "concurrent.futures.process.ProcessPoolExecutor",
            "concurrent.futures.thread.ThreadPoolExecutor",
        ),
        "max_workers",
    ),
    **dict.fromkeys(
        (
            "multiprocessing.Pool",
            "multiprocessing.dummy.Pool",
            "multiprocessing.pool.Pool",
            "multiprocessing.pool.ThreadPool",
            "torch.multiprocessing.Pool",
        ),
        "processes",
    ),
    "joblib.Parallel": "n_jobs",
}
"""Callables by dotted name, each with the name of its first argument: how many there are
(``concurrent/futures/process.py``, ``concurrent/futures/thread.py``, ``multiprocessing/pool.py``,
``joblib/parallel.py``)."""

POOL_NAMES = tuple(sorted({name.rpartition(".")[2] for name in POOLS}))
"""The last parts of their names."""
