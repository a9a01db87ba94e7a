"""Which names of a file the rest of the project imports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from loaderlint.linking.files import OtherFiles
from loaderlint.linking.project import Project
from loaderlint.model.source import Language, Source


def imported_names(path: str, sources: Mapping[str, Source], others: OtherFiles | None) -> frozenset[str]:
    """Return the names that other files of the project import from the file, or read as attributes of its module."""
    project = Project(sources, others)
    file = PurePosixPath(path)
    stem = (file.parent.name if file.name == "__init__.py" else file.stem).encode()
    names: set[str] = set()
    every = {*sources, *(others.paths() if others is not None else ())}
    for other in sorted(every - {path}):
        source = project.source(other) if Language.of(other) is Language.PYTHON else None
        if source is None or stem not in source.content:
            continue
        facts = project.python(other)
        if facts is None:
            continue
        for scope in facts.scopes.values():
            for bindings in scope.bindings.values():
                for binding in bindings:
                    if binding.kind != "import":
                        continue
                    base, _, name = binding.target.rpartition(".")
                    if base and project.module(base, other) == path:
                        names.add(name)
    return frozenset(names)
