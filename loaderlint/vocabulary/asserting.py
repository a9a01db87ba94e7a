"""Functions that raise an error where what they are given first is not true."""

from __future__ import annotations

LAST_NAMES = frozenset({"_assert", "_check", "_check_index", "_check_not_implemented", "_check_type", "_check_value"})
"""The last parts of their names."""
FUNCTIONS = frozenset(f"torch.{name}" for name in LAST_NAMES)
"""``torch/__init__.py``: ``_assert(condition, message)``, and ``_check(cond, message=None)`` with its kin."""
