"""Names of what imports a module."""

from __future__ import annotations

IMPORT_FUNCTIONS = ("import_module", "__import__")
"""Functions that import the module whose name they are given: of ``importlib``, and the builtin."""
