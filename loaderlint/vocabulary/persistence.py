"""Names that say what a program does in every epoch."""

from __future__ import annotations

EPOCH_HOOKS = frozenset(
    {
        "on_train_epoch_start",
        "on_train_epoch_end",
        "on_validation_epoch_start",
        "on_validation_epoch_end",
        "training_epoch_end",
        "validation_epoch_end",
        "on_epoch_start",
        "on_epoch_end",
    }
)
"""Methods that Lightning calls in every epoch (``lightning/pytorch/core/hooks.py``; some up to 1.9 only)."""

HOOKED = frozenset({"LightningModule", "LightningDataModule", "Callback"})
"""Classes of Lightning whose heirs have those methods."""

KEPT_BY_LOADERS = frozenset({"dataset", "datasets", "collate_fn", "worker_init_fn", "__dict__"})
"""Attributes by which code gets at what a loader, or a data set around another one, keeps; or at all attributes."""

KEPT_BY_LIBRARIES = frozenset(
    {
        *("data", "extensions", "imgs", "indices", "labels", "loader", "samples", "target_transform", "targets"),
        *("tensors", "transform", "transforms"),
    }
)
"""Attributes of the data sets of torch and torchvision (``torchvision/datasets``, ``torch/utils/data/dataset.py``)."""

PLAIN_BASES = frozenset({"ABC", "Dataset", "Generic", "IterableDataset", "Module", "Protocol", "object"})
"""Classes of libraries that give their heirs no attributes of a data set."""

REACHES_BY_NAME = frozenset(
    {"__delattr__", "__setattr__", "attrgetter", "delattr", "getattr", "methodcaller", "setattr", "vars"}
)
"""Functions that get at an attribute whose name they are given, or at all."""

REACHES_LATER = frozenset({"attrgetter", "methodcaller"})
"""Those that are given the object only when what they give is called."""

BRINGS_IN = frozenset({"__import__", "exec", "import_module", "instantiate", "run_module", "run_path"})
"""Functions that run code of files which nobody imports by name."""

TELLS = frozenset(
    {
        *("bool", "float", "hasattr", "id", "int", "isinstance", "issubclass", "len", "max", "min", "print", "range"),
        *("repr", "round", "str", "sum", "type"),
    }
)
"""Functions that give a number, a text or an answer of what they are given, and keep nothing of it."""
