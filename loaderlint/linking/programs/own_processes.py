"""Where a program starts processes besides the workers of its loaders, by the start method that is set."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.things.classes import class_of, foreign_bases
from loaderlint.linking.things.kinds import External, Frame, Made
from loaderlint.model.payload import Touch
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.vocabulary.uses import GIVES_CONTEXT, STARTS_PROCESSES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = frozenset(name.rpartition(".")[2] for name in STARTS_PROCESSES)


def own_processes(evaluator: Evaluator, facts: PythonFacts) -> Iterator[Touch]:
    """Yield where a file starts processes, or says what one of a class of its own does, unless it says how."""
    if not any(name in facts.source.text for name in _NAMES):
        return
    imported = {
        name
        for name, bindings in facts.module.bindings.items()
        if any(one.kind == "import" and one.target.rpartition(".")[2] in _NAMES for one in bindings)
    }
    for name in sorted(_NAMES | imported):
        for site in facts.calls.get(name, ()):
            with evaluator.steps(STEPS):
                if _starts_one(evaluator, facts, site):
                    yield Touch(facts.span(site.node), shortened(facts.text(site.node)))
    for scope in facts.scopes.values():
        owner = class_of(facts, scope) if scope.is_class else None
        if owner is not None and owner.node.bases:
            with evaluator.steps(STEPS):
                if not STARTS_PROCESSES.isdisjoint(foreign_bases(evaluator, owner)):
                    yield Touch(facts.span(owner.node), f"class {owner.node.name}")


def _starts_one(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> bool:
    call, frame = site.node, Frame(facts, site.place)
    if any(one.arg == "mp_context" for one in call.keywords):
        return False
    callees = [one.thing for one in evaluator.evaluate(call.func, frame)]
    if any(isinstance(one, External) and one.name in STARTS_PROCESSES for one in callees):
        return True
    made_by = evaluator.evaluate(call.func.value, frame) if isinstance(call.func, ast.Attribute) else ()
    contexts = [one.thing for one in made_by if isinstance(one.thing, Made) and one.thing.callee in GIVES_CONTEXT]
    return any(not (one.call.args or one.call.keywords) for one in contexts)
