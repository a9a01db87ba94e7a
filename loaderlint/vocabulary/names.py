"""Names that are there though no file of a project binds them."""

from __future__ import annotations

OF_EVERY_MODULE = frozenset(
    {"__annotations__", "__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__", "__package__"}
    | {"__path__", "__spec__", "__class__", "__module__", "__qualname__"}
)
"""What every module, class body or method has (the language reference, "Import-related module attributes")."""

GIVEN_FROM_OUTSIDE = frozenset(
    {"WindowsError", "basestring", "cmp", "execfile", "file", "long", "raw_input", "reduce", "reload", "unichr"}
    | {"unicode", "xrange"}
    | {"_", "dbutils", "display", "get_ipython", "profile", "reveal_type", "sc", "snakemake", "spark", "sqlContext"}
)
"""Builtins of Python 2 and of Windows, and what the programs that run a file put there: IPython, line_profiler,
Snakemake, Databricks, an installed ``gettext``."""

RUN_WITH_NAMES = frozenset({"exec", "execfile", "run_module", "run_path", "spec_from_file_location"})
"""Functions, by their last names, that run code which may be handed names, or leave some."""
