"""Functions that change a whole process, whoever calls them: its generators, its folder, what torch does by default."""

from __future__ import annotations

from loaderlint.vocabulary.seeding import SEEDERS

CHANGES_THE_PROCESS = frozenset(SEEDERS) | {
    "gc.disable",
    "locale.setlocale",
    "numpy.random.set_state",
    "numpy.seterr",
    "os.chdir",
    "os.putenv",
    "os.umask",
    "random.setstate",
    "signal.alarm",
    "signal.setitimer",
    "signal.signal",
    "socket.setdefaulttimeout",
    "sys.setrecursionlimit",
    "torch.random.set_rng_state",
    "torch.seed",
    "torch.set_default_device",
    "torch.set_default_dtype",
    "torch.set_default_tensor_type",
    "torch.set_float32_matmul_precision",
    "torch.set_flush_denormal",
    "torch.set_grad_enabled",
    "torch.set_num_interop_threads",
    "torch.set_num_threads",
    "torch.set_rng_state",
    "torch.use_deterministic_algorithms",
}
"""Functions, by dotted name, after which all code of their process has something else: so their documentation."""
