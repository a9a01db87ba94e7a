"""What workers read of their surroundings each time one starts, and a program changes: one that stays has it as it was.

That is the environment that their code asks, and what their modules read of it, or of files, when they import them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.changed_outside import changed_outside
from loaderlint.linking.workers.left_behind import place_of, read_of_modules
from loaderlint.linking.workers.surroundings import asked_by, changed_parts
from loaderlint.model.payload import Touch

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def read_anew(evaluator: Evaluator, running: Sequence[Function]) -> Touch | None:
    """Return where a program changes what functions, or their modules, read of the surroundings of their process."""
    parts = changed_parts(evaluator)
    asked = (one for function in running for one in asked_by(function)) if parts else ()
    read = {one for function in running for one in read_of_modules(evaluator, function)}
    touches = [at for one in asked for part, at in parts if part.meets(one)]
    return min((*touches, *changed_outside(evaluator, read)), key=place_of, default=None)
