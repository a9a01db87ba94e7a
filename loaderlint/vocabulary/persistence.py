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
