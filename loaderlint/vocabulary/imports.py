"""Names of what imports or runs a module that it is told by text."""

from __future__ import annotations

from collections.abc import Mapping

IMPORT_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "import_module": ("name",),
    "__import__": ("name",),
    "resolve_name": ("name",),
    "locate": ("path",),
    "run_module": ("mod_name",),
    "run_path": ("path_name",),
    "spec_from_file_location": ("name", "location"),
    "exec": ("source",),
}
"""Functions by their parameters, the last of which says which module it is.

They are of ``importlib``, ``pkgutil``, ``pydoc``, ``hydra.utils`` and ``runpy``, and builtins (docs.python.org).
"""

GIVE_ALL_NAMES = frozenset({"run_module", "run_path", "spec_from_file_location", "exec"})
"""Those of them that run the module's code into something from which any name may be taken."""

WORDS = (b"import_module", b"__import__", b"resolve_name", b"locate(", b"spec_from_file", b"runpy", b"exec(")
"""A file with none of these words calls none of them."""
