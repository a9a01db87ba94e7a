"""What a project offers to those who install it."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.readers.python import PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.files.project import Project


def is_offered(project: Project, facts: PythonFacts, name: str) -> bool:
    """Return whether whoever installs the project is offered a function or class that a module defines at its top.

    Its package is one that is installed, and the module lists the name in ``__all__``, or a package around it imports
    it from there (PEP 8, "Public and Internal Interfaces"). What a package's own ``__init__.py`` defines is offered
    unless its ``__all__`` leaves it out.
    """
    path = facts.source.path
    if name.startswith("_") or not project.is_installed(path):
        return False
    if name in listed(facts) or (_is_package(path) and not _lists_names(facts)):
        return True
    initializers = (project.python(one) for one in _initializers(path))
    return any(_hands_on(project, one, name, path) for one in initializers if one is not None)


def listed(facts: PythonFacts) -> frozenset[str]:
    """Return the names that a module lists in its ``__all__``, as far as they are written there."""
    values = [one.value for one in facts.module.bindings.get("__all__", ())]
    rows = [one for one in values if isinstance(one, ast.List | ast.Tuple)]
    items = (one.value for row in rows for one in row.elts if isinstance(one, ast.Constant))
    return frozenset(one for one in items if isinstance(one, str))


def _is_package(path: str) -> bool:
    """Return whether a module is a public package's own; at the root of a project nothing installs it."""
    folder, file = posixpath.split(path)
    return file == "__init__.py" and folder != "" and not any(one.startswith("_") for one in folder.split("/"))


def _lists_names(facts: PythonFacts) -> bool:
    """Return whether a module has an ``__all__``, in whatever way it is made; a dictionary so called lists no names."""
    return any(not isinstance(one.value, ast.Dict) for one in facts.module.bindings.get("__all__", ()))


def _initializers(path: str) -> Iterator[str]:
    """Yield the paths of the modules of the packages around a module, the innermost first."""
    folder = posixpath.dirname(path)
    # Above the root of all files, which a path has that is not below the folder of the process, it is itself.
    while folder.strip("/"):
        yield posixpath.join(folder, "__init__.py")
        folder = posixpath.dirname(folder)


def _hands_on(project: Project, package: PythonFacts, name: str, path: str) -> bool:
    """Return whether a package imports a name, or every name, from the module at a path."""
    imported = [one.target for one in package.module.bindings.get(name, ()) if one.kind == "import"]
    given = (one.removesuffix(last) for last in (name, "*") for one in imported if one.endswith(f".{last}"))
    starred = (one.target.removesuffix("*") for one in package.module.bindings.get("*", ()))
    modules = (one.removesuffix(".") if one.strip(".") else one for one in (*given, *starred))
    return any(project.module(one, package.source.path) == path for one in modules)
