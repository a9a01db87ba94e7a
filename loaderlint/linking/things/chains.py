"""What a chain of methods begins with that each give another of the same kind: ``WebLoader(…).unbatched().batched(8)``.

A ``WebLoader`` is a pipeline whose first stage is torch's DataLoader; its methods give the pipeline, or a copy of it,
with one more stage (``webdataset/pipeline.py`` and ``compat.py``, 1.0).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import under
from loaderlint.vocabulary.datasets import FLUENT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def begun_by(evaluator: Evaluator, made: Made) -> Possibilities:
    """Return what the chain began with whose last method made a thing; nothing where no such method made it."""
    found: list[Possibility] = []
    waiting = list(_owners(evaluator, made))
    while waiting:
        one = waiting.pop()
        before = _owners(evaluator, one.thing) if isinstance(one.thing, Made) else ()
        waiting.extend(under(before, one.assumptions))
        found.extend(() if before else (one,))
    return tuple(found)


def _owners(evaluator: Evaluator, made: Made) -> Possibilities:
    """Return what the method belongs to that made a thing of the same kind."""
    function = made.call.func
    chained = made.callee.startswith(FLUENT) and "()." in made.callee
    return evaluator.evaluate(function.value, made.frame) if chained and isinstance(function, ast.Attribute) else ()
