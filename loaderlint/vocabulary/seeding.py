"""Functions that seed random numbers, and what may be handed to them in a worker."""

from __future__ import annotations

from collections.abc import Mapping

_NUMPY = "NumPy"
EVERYTHING = "every library"
"""What is seeded where Python, NumPy and torch are at once."""

SEEDERS: Mapping[str, str] = {
    "numpy.random.seed": _NUMPY,
    "random.seed": "Python",
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
    "transformers.set_seed": EVERYTHING,
    "accelerate.utils.set_seed": EVERYTHING,
    "lightning.seed_everything": EVERYTHING,
    "lightning.pytorch.seed_everything": EVERYTHING,
    "lightning.fabric.seed_everything": EVERYTHING,
    "pytorch_lightning.seed_everything": EVERYTHING,
}
"""Functions, by dotted name, that seed the random numbers everybody shares, and whose those are.

torch seeds Python, itself and NumPy anew in every worker and epoch (``torch/utils/data/_utils/worker.py``,
``_worker_loop``, 2.13; NumPy from 1.9 on).
"""

SEEDS_OF_NUMPY = frozenset({"numpy.random.seed", "numpy.random.RandomState"})
"""Functions that take no seed of 2**32 or above."""

SEEDER_NAMES = frozenset(name.rpartition(".")[2] for name in (*SEEDERS, *SEEDS_OF_NUMPY))
"""The last parts of their names."""

SEEDS_EVERYTHING = frozenset({"seed_everything", "set_seed", "set_random_seed", "seed_all", "set_all_seeds"})
"""What functions are called, in whatever library, that give torch a seed as they do everything else."""

GENERATORS = frozenset({"Generator", "Random", "RandomState", "default_rng"})
"""What makes random numbers apart from those that everybody shares, in Python, NumPy and torch, by its last name."""

NUMPY_STATE = frozenset({"numpy.random.get_state"})
"""What gives the state of NumPy's random numbers, whose first word torch leaves the same in every worker and epoch."""

SEEDS_OF_TORCH = frozenset({"torch.initial_seed", "torch.random.initial_seed"})
"""What gives the seed that torch drew for a worker in this epoch, a number of 63 bits."""

WORKER_INFO = frozenset({"torch.utils.data.get_worker_info", "torch.utils.data._utils.worker.get_worker_info"})
"""What gives, as ``seed``, the same number."""
