"""Joins what all files say into the loaders of a project."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from loaderlint.linking.bare import bare_loaders
from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.parameters import owner_of
from loaderlint.linking.payload import payload_of
from loaderlint.linking.programs import Programs
from loaderlint.linking.project import Project
from loaderlint.linking.sites import Given, PythonSite, configured_loaders, loader_of, options_of, python_sites
from loaderlint.linking.things import Function
from loaderlint.model.loader import Loader


def link(project: Project, wrappers: Mapping[str, Mapping[str, str | int]] | None = None) -> tuple[Loader, ...]:
    """Return every loader of a project, each option followed to the places where somebody wrote it.

    ``wrappers`` are the project's own loader callables, by dotted name, with the name or position each option has there
    (INTERFACE.md, ``[tool.loaderlint.loaders]``).
    """
    evaluator, sites = _followed(project, wrappers)
    sent = [(site, replace(loader, payload=payload_of(evaluator, given, site.frame))) for site, loader, given in sites]
    loaders = Programs(evaluator, sent).joined()
    configured = tuple(configured_loaders(evaluator))
    bare = tuple(bare_loaders(evaluator, (*loaders, *configured)))
    return tuple(sorted((*loaders, *configured, *bare), key=lambda one: one.span))


_Followed: TypeAlias = list[tuple[PythonSite, Loader, Mapping[str, Given]]]


def _followed(project: Project, wrappers: Mapping[str, Mapping[str, str | int]] | None) -> tuple[Evaluator, _Followed]:
    """Return the sites with their options followed, callers in files without a loader's word read when they matter."""
    asked: set[str] = set()
    while True:
        evaluator = Evaluator(project, wrappers)
        sites: _Followed = []
        for site in python_sites(evaluator):
            given = options_of(evaluator, site)
            loader = loader_of(evaluator, site, given)
            if loader is not None:
                sites.append((site, loader, given))
            scope = site.frame.scope
            if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
                facts = site.frame.facts
                evaluator.callers.of(Function(facts, scope.node, scope, owner=owner_of(facts, scope)))
        unknown = evaluator.callers.unknown - asked
        asked |= unknown
        if not project.read_mentions(sorted(unknown)):
            return evaluator, sites
