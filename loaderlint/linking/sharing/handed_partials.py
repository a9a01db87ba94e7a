"""Partials of loaders that are handed on, so that loaders may be made with them where nobody sees it.

``for make in (train, valid): make(data)``, ``{"train": partial(DataLoader, …)}``: what such a partial gives reaches
other loaders than those that are seen, which may have workers of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from loaderlint.linking.files.project import Project
from loaderlint.linking.files.shown import Shows
from loaderlint.model.source import Language, Span
from loaderlint.readers.python import PythonFacts, dotted
from loaderlint.readers.python_calls import called_name

_PARTIAL = "partial"


class HandedPartials:
    """The partials of a project's code of which it does more than call them and make others of them."""

    def __init__(self, project: Project, shows: Shows) -> None:
        self._project = project
        self._shows = shows
        self._known: dict[Span, bool] = {}

    def hold(self, written: Span) -> bool:
        """Return whether a place stands in what a partial gives that is handed on."""
        facts = self._project.python(written.path) if Language.of(written.path) is Language.PYTHON else None
        sites = facts.calls.get(_PARTIAL, ()) if facts is not None else ()
        return any(
            self._is_handed_on(facts, one.node)
            for one in sites
            if facts is not None and facts.span(one.node).holds(written)
        )

    def _is_handed_on(self, facts: PythonFacts, call: ast.Call) -> bool:
        span = facts.span(call)
        if span not in self._known:
            # To whom asks while it is found out, a partial of itself is handed on no further.
            self._known[span] = False
            names = _bound_to(facts, call)
            self._known[span] = names is None or any(self._is_read_apart(facts, name) for name in names)
        return self._known[span]

    def _is_read_apart(self, facts: PythonFacts, name: str) -> bool:
        """Return whether more is done with a name than to bind, import and call it, also by partials made of it."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        files = {one.source.path: one for one in (facts, *self._project.python_files_with(word))}
        return any(
            _stands_apart(one, name, self._shows) or any(self._is_handed_on(one, made) for made in _made_of(one, name))
            for one in files.values()
        )


def _bound_to(facts: PythonFacts, call: ast.Call) -> list[str] | None:
    """Return the last names that are bound to just what a call gives; None where it stands in something else."""
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is call:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [name.rpartition(".")[2] for one in targets if (name := dotted(one)) is not None]
            return names if len(names) == len(targets) else None
        if isinstance(node, ast.Call) and (node.func is call or call in _made_of_first(node)):
            return []
    return None


def _made_of_first(call: ast.Call) -> list[ast.expr]:
    """Return what a partial is made of, nothing for any other call."""
    return call.args[:1] if called_name(call) == _PARTIAL else []


def _made_of(facts: PythonFacts, name: str) -> Iterator[ast.Call]:
    """Yield the partials that are made of what has a name."""
    for site in facts.calls.get(_PARTIAL, ()):
        if any((dotted(one) or "").rpartition(".")[2] == name for one in _made_of_first(site.node)):
            yield site.node


def _stands_apart(facts: PythonFacts, name: str, shows: Shows) -> bool:
    shown = (one for site in shows.sites(facts) for one in ast.walk(site.node))
    called = (
        one for sites in facts.calls.values() for site in sites for one in (site.node.func, *_made_of_first(site.node))
    )
    left_out = {id(one) for one in (*shown, *called)}
    return any(
        isinstance(one, ast.Name | ast.Attribute)
        and isinstance(one.ctx, ast.Load)
        and (one.id if isinstance(one, ast.Name) else one.attr) == name
        and id(one) not in left_out
        for one in ast.walk(facts.tree)
    )
