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
    "SourceFileLoader": ("fullname", "path"),
    "load_source": ("name", "pathname"),
    "exec": ("source",),
}
"""Functions by their parameters, the last of which says which module it is.

They are of ``importlib``, ``imp``, ``pkgutil``, ``pydoc``, ``hydra.utils`` and ``runpy``, and builtins
(docs.python.org).
"""

TAKE_PATHS = frozenset({"run_path", "spec_from_file_location", "SourceFileLoader", "load_source"})
"""Those of them that are told the path of a file."""

GIVE_ALL_NAMES = TAKE_PATHS | {"run_module", "exec"}
"""Those of them that run the module's code into something from which any name may be taken."""

WORDS = (
    *(b"import_module", b"__import__", b"resolve_name", b"locate(", b"spec_from_file", b"runpy", b"exec("),
    *(b"SourceFileLoader", b"load_source"),
)
"""A file with none of these words calls none of them."""

IMPORT_WHAT_THEY_GET = frozenset({"import_module", "__import__", "run_module", "run_path"})
"""Those whose names stand for nothing else: handed on, each imports what it is given."""
