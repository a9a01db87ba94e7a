"""The numbers that rules go by, and that a project can set."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """The numbers a project can set (INTERFACE.md, "Settings")."""

    max_prefetch_factor: int = 4
    max_batches_in_flight: int = 32
    windows_workers: int = 0
