"""Joins what all files say into the loaders of a project."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders import mmengine
from loaderlint.linking.loaders.bare import bare_loaders
from loaderlint.linking.loaders.gated import with_gates
from loaderlint.linking.loaders.made import configured_loaders, loader_of
from loaderlint.linking.loaders.options import Given, options_of
from loaderlint.linking.loaders.samplers import samplers_of
from loaderlint.linking.loaders.shadowed import with_shadowed
from loaderlint.linking.loaders.sites import PythonSite, python_sites
from loaderlint.linking.loaders.trainers import given_to_trainers
from loaderlint.linking.programs.around import Programs
from loaderlint.linking.programs.loader_uses import words_that_matter
from loaderlint.linking.sharing.known_as import with_names
from loaderlint.linking.sharing.of_programs import with_sharing
from loaderlint.linking.sharing.of_settings import with_sharing_of_settings
from loaderlint.linking.things.classes import owner_of
from loaderlint.linking.workers.payload import payload_of
from loaderlint.model.loader import Loader
from loaderlint.model.source import Language
from loaderlint.vocabulary.callables import LOADER_NAMES

_Wrappers: TypeAlias = Mapping[str, Mapping[str, str | int]]


def link(
    project: Project, wrappers: _Wrappers | None = None, named: Set[str] | None = None, *, near: bool = False
) -> tuple[Loader, ...]:
    """Return every loader of a project, each option followed to the places where somebody wrote it.

    ``wrappers`` are the project's own loader callables, by dotted name, with the name or position each option has there
    (INTERFACE.md, ``[tool.loaderlint.loaders]``). With ``named`` files they are the loaders of the parts of the project
    that those belong to, no others of which have to do with them; those that are ``near`` alone are made in one process
    with what the files define: no others get a value that is written there.
    """
    around = project.in_programs_with(named) if named is not None and near else None
    return _in_order(_of_parts(project, named, lambda part: link_part(part, wrappers, around)))


def _of_parts(
    project: Project, named: Set[str] | None, loaders: Callable[[Project], tuple[Loader, ...]]
) -> Iterator[tuple[Loader, ...]]:
    """Yield the loaders of each part of a project, which learns what was read for them."""
    for part in map(project.part, project.parts(named)):
        yield loaders(part)
        project.learn(part.seen)


def link_part(part: Project, wrappers: _Wrappers | None, near: Set[str] | None) -> tuple[Loader, ...]:
    """Return the loaders of one part of a project, or those alone that stand in files that are ``near``, as `link`."""
    evaluator, sites = _followed(part, wrappers, near)
    part.count_imported()
    evaluator.ask_imported()
    sites = _shared(evaluator, sites)
    sent = [(site, _with_objects(evaluator, site, loader, given)) for site, loader, given in sites]
    programs = Programs(evaluator, sent, [given for _, _, given in sites])
    return tuple(with_shadowed(part, _with_configured(evaluator, programs.joined(), near)))


def _with_objects(evaluator: Evaluator, site: PythonSite, loader: Loader, given: Mapping[str, Given]) -> Loader:
    """Return the loader with the samplers it gets and what it sends to its workers."""
    options = {**loader.options, **samplers_of(evaluator, site, given)}
    sent = {**given, **given_to_trainers(evaluator, site)}
    payload = payload_of(evaluator, sent, site.frame, workers=loader.may_have_workers)
    return replace(loader, options=options, payload=payload)


def traced(project: Project, wrappers: _Wrappers | None = None, named: Set[str] | None = None) -> tuple[Loader, ...]:
    """Return the loaders of `link` with their options alone.

    Neither their payload nor their program is looked at, nor what else their values serve.
    """
    near = project.in_programs_with(named) if named is not None else None
    return _in_order(_of_parts(project, named, lambda part: _traced(part, wrappers, near)))


def traced_in(project: Project, wrappers: _Wrappers | None, standing: Set[str]) -> tuple[Loader, ...]:
    """Return those of the loaders of `traced` that stand in some Python files."""
    return _in_order(_of_parts(project, standing, lambda part: _traced(part, wrappers, standing)))


def _traced(part: Project, wrappers: _Wrappers | None, near: Set[str] | None) -> tuple[Loader, ...]:
    evaluator, sites = _followed(part, wrappers, near)
    return _with_configured(evaluator, tuple(loader for _, loader, _ in sites), near)


def _in_order(loaders: Iterable[Iterable[Loader]]) -> tuple[Loader, ...]:
    return tuple(sorted((one for several in loaders for one in several), key=lambda one: one.span))


def _with_configured(evaluator: Evaluator, loaders: tuple[Loader, ...], near: Set[str] | None) -> tuple[Loader, ...]:
    """Return the loaders and those of configuration, as far as they stand in files that are near."""
    configured = [*mmengine.loaders(evaluator)]
    if near is None or any(Language.of(path) is not Language.PYTHON for path in near):
        configured.extend(configured_loaders(evaluator))
        configured.extend(bare_loaders(evaluator, (*loaders, *configured)))
    found = (*loaders, *with_sharing_of_settings(evaluator, configured))
    return tuple(one for one in found if near is None or one.span.path in near)


_Followed: TypeAlias = list[tuple[PythonSite, Loader, Mapping[str, Given]]]


def _followed(project: Project, wrappers: _Wrappers | None, near: Set[str] | None) -> tuple[Evaluator, _Followed]:
    """Return the sites with their options followed.

    Before that they are followed a little way, several times, to find the files that matter: each time those are read
    that mention a name which matters, such as that of a function whose parameter was followed, or that are given one.
    """
    asked: set[str] = set()
    evaluator: Evaluator | None = None
    for _ in range(MOST_TURNS_LOOKING):
        evaluator = Evaluator(project, wrappers, LOOKING, evaluator)
        evaluator.prepare()
        evaluator.callers.note_takers(sorted(LOADER_NAMES))
        deque(_sites(evaluator, near), maxlen=0)
        unknown = evaluator.mentioned - asked
        asked |= unknown
        mentioning = project.read_mentions(sorted(unknown), evaluator.callers.importable)
        if not project.count(evaluator.takers) and not mentioning:
            break
        project.look_again()
    evaluator = Evaluator(project, wrappers, before=evaluator)
    evaluator.prepare()
    return evaluator, list(_sites(evaluator, near))


LOOKING = 0.1
"""The share of their steps that values are followed for while it is only found out which files matter."""
MOST_TURNS_LOOKING = 3
"""Times everything is followed to find out which files matter."""


def _shared(evaluator: Evaluator, sites: _Followed) -> _Followed:
    shared = with_sharing(evaluator, (loader for _, loader, _ in sites))
    loaders = with_gates(evaluator, with_names(evaluator.project, shared))
    return [(site, loader, given) for (site, _, given), loader in zip(sites, loaders, strict=True)]


def _sites(evaluator: Evaluator, near: Set[str] | None) -> Iterator[tuple[PythonSite, Loader, Mapping[str, Given]]]:
    for site in python_sites(evaluator, near):
        given = options_of(evaluator, site)
        loader = loader_of(evaluator, site, given)
        if loader is not None:
            yield site, loader, given
        scope, facts = site.frame.scope, site.frame.facts
        evaluator.mentioned |= words_that_matter(facts)
        if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
            # Whoever calls the function that makes a loader may iterate it.
            owner = owner_of(facts, scope) if scope.name == "__init__" else None
            evaluator.mentioned.add(scope.name if owner is None else owner.node.name)
        elif scope.runs_at_import:
            # Whoever imports the module may iterate it, in words that say nothing of loaders.
            evaluator.takers |= evaluator.project.users(facts.source.path)
