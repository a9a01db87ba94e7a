"""What functions keep from call to call where the program calls them before its workers, which call them, too.

A forked worker goes on where those calls ended; one that is started anew begins where the first of them began. Where
all that is kept is what each call would work out again, that makes no difference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import full_name, is_later, touch_at
from loaderlint.linking.workers.worked_out import goes_on
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, dotted
from loaderlint.vocabulary.running import DIFFERENT_IN_EACH_PROCESS, DRAWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CACHES = frozenset({"cache", "lru_cache"})
"""Decorators that keep what a function gave for the same arguments (``functools``)."""


def kept_from_before(
    evaluator: Evaluator, running: Sequence[Function], own: Sequence[Span], changes: Iterable[Touch]
) -> Iterator[Touch]:
    """Yield the changes that functions make which the program calls before, unless they keep what is worked out.

    ``own`` is where the ``running`` functions stand. What a function that keeps its results draws is one, too.
    """
    met = list(changes)
    for function in running:
        if not isinstance(function.node, FunctionNode):
            continue
        span = function.facts.span(function.node)
        drawn = list(_drawn(function))
        inside = (one for one in met if span.holds(one.span))
        found = [one for one in inside if goes_on(evaluator, function, one, drawn=bool(drawn))]
        found += drawn if keeps_results(function.node) else []
        if found and _is_called_before(evaluator, function.node.name, own):
            yield from found


def _is_called_before(evaluator: Evaluator, name: str, own: Sequence[Span]) -> bool:
    """Return whether a function is called by its name in what runs neither in workers nor when they import it."""
    return any(
        is_later(evaluator, facts, site.node, site.place)
        for facts in evaluator.project.all_python()
        for site in facts.calls.get(name, ())
        if not any(one.holds(facts.span(site.node)) for one in own)
    )


def keeps_results(function: FunctionNode) -> bool:
    """Return whether a function keeps what it gave for the same arguments before."""
    called = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return any((dotted(one) or "").rpartition(".")[2] in _CACHES for one in called)


def _drawn(function: Function) -> Iterator[Touch]:
    """Yield where a function asks for something else than another process does."""
    for site in function.scope.calls:
        if full_name(function.scope, dotted(site.node.func) or "").startswith((*DIFFERENT_IN_EACH_PROCESS, *DRAWS)):
            yield touch_at(function.facts, site.node)
