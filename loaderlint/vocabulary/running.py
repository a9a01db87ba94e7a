"""Names that say what a program does: who runs a function, who iterates loaders, what starts CUDA."""

from __future__ import annotations

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
    }
)
"""Functions that call the function they are given first."""

TRAINER_METHODS = frozenset({"fit", "train", "test", "validate", "predict", "evaluate", "tune"})
"""Methods of a framework's trainer that iterate the loaders it was given."""

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
