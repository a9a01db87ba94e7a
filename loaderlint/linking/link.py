"""Joins what all files say into the loaders of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from loaderlint.linking.bare import bare_loaders
from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.payload import payload_of
from loaderlint.linking.programs import Programs
from loaderlint.linking.project import Project
from loaderlint.linking.sites import PythonSite, configured_loaders, loader_of, options_of, python_sites
from loaderlint.model.loader import Loader


def link(project: Project, wrappers: Mapping[str, Mapping[str, str | int]] | None = None) -> tuple[Loader, ...]:
    """Return every loader of a project, each option followed to the places where somebody wrote it.

    ``wrappers`` are the project's own loader callables, by dotted name, with the name or position each option has there
    (INTERFACE.md, ``[tool.loaderlint.loaders]``).
    """
    evaluator = Evaluator(project, wrappers)
    sites: list[tuple[PythonSite, Loader]] = []
    for site in python_sites(evaluator):
        given = options_of(evaluator, site)
        loader = loader_of(evaluator, site, given)
        if loader is not None:
            sites.append((site, replace(loader, payload=payload_of(evaluator, given, site.frame))))
    loaders = Programs(evaluator, sites).joined()
    configured = tuple(configured_loaders(evaluator))
    bare = tuple(bare_loaders(evaluator, (*loaders, *configured)))
    return tuple(sorted((*loaders, *configured, *bare), key=lambda one: one.span))
