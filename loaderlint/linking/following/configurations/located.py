"""What dotted names in configurations name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import under, unseen

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def located(evaluator: Evaluator, names: Possibilities) -> Possibilities:
    """Return the classes or functions that dotted names name; one outside the project by its name."""
    return tuple(way for one in names for way in under(_located(evaluator, one), one.assumptions))


def _located(evaluator: Evaluator, name: Possibility) -> Possibilities:
    if not isinstance(name.thing, str):
        return unseen(name.span)
    module, _, last = name.thing.rpartition(".")
    for path in evaluator.project.modules_ending(module, name.span.path) if module else ():
        facts = evaluator.project.python(path)
        if facts is not None and last in facts.module.bindings:
            return evaluator.bound(last, Frame(facts, end_of(facts.module)), None, name.span)
    return (Possibility(External(name.thing), name.span),)
