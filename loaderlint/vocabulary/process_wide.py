"""Functions that change or end a whole process, whoever calls them: its generators, its folder, torch's defaults."""

from __future__ import annotations

from loaderlint.vocabulary.seeding import SEEDERS

ENDS_THE_PROCESS = frozenset({"SystemExit", "exit", "os._exit", "os.abort", "quit", "sys.exit"})
"""What ends the process that calls it, or raises what it makes, unless somebody takes that.

A worker that ends so is a RuntimeError of the main process (``torch/utils/data/dataloader.py``, ``_try_get_data``).
"""

CHANGES_THE_PROCESS = frozenset(SEEDERS) | {
    "cv2.setNumThreads",
    "cv2.setRNGSeed",
    "gc.disable",
    "locale.setlocale",
    "numpy.random.set_state",
    "numpy.seterr",
    "os.chdir",
    "os.putenv",
    "os.umask",
    "os.unsetenv",
    "random.setstate",
    "resource.setrlimit",
    "signal.alarm",
    "signal.setitimer",
    "signal.signal",
    "socket.setdefaulttimeout",
    "sys.setrecursionlimit",
    "torch.autograd.anomaly_mode.set_detect_anomaly",
    "torch.autograd.grad_mode.set_grad_enabled",
    "torch.autograd.set_detect_anomaly",
    "torch.autograd.set_grad_enabled",
    "torch.cuda.manual_seed",
    "torch.cuda.manual_seed_all",
    "torch.cuda.set_device",
    "torch.random.seed",
    "torch.random.set_rng_state",
    "torch.seed",
    "torch.set_default_device",
    "torch.set_default_dtype",
    "torch.set_default_tensor_type",
    "torch.set_deterministic_debug_mode",
    "torch.set_float32_matmul_precision",
    "torch.set_flush_denormal",
    "torch.set_grad_enabled",
    "torch.set_num_interop_threads",
    "torch.set_num_threads",
    "torch.set_rng_state",
    "torch.use_deterministic_algorithms",
}
"""Functions, by dotted name, after which all code of their process has something else.

Their documentation says so: docs.pytorch.org (2.13), "torch" ("Generators", "Locally disabling gradient computation",
"Utilities"), ``torch.autograd`` (``set_grad_enabled``, ``set_detect_anomaly``), ``torch.cuda`` (``set_device``,
``manual_seed``); numpy.org, ``numpy.random.seed``, ``numpy.seterr``; docs.opencv.org, "Utility functions and macros"
(``setNumThreads``), "Operations on arrays" (``setRNGSeed``); docs.python.org, the pages of ``gc``, ``locale``, ``os``,
``random``, ``resource``, ``signal``, ``socket`` and ``sys``. What no table knows counts by its name
(``setting_names``).
"""
