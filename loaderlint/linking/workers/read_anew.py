"""What workers read of their surroundings each time one starts, and a program changes: one that stays has it as it was.

That is the environment that their code asks, and what their modules read of it, or of files, when they import them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.left_behind import place_of, read_of_modules
from loaderlint.linking.workers.surroundings import asked_by, changed_parts, changed_surroundings
from loaderlint.linking.workers.top_level import EVERY_IMPORT, Global
from loaderlint.linking.workers.written_files import changed_files
from loaderlint.model.payload import Touch

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def read_anew(evaluator: Evaluator, running: Sequence[Function]) -> Touch | None:
    """Return where a program changes what functions, or their modules, read of the surroundings of their process."""

    def changed() -> Mapping[Global, Touch]:
        return {**dict(changed_surroundings(evaluator)), **changed_files(evaluator)}

    parts = evaluator.remembered(("changed parts",), None, lambda: changed_parts(evaluator))
    names = evaluator.remembered(("changed surroundings",), None, changed)
    asked = (one for function in running for one in asked_by(function)) if parts else ()
    read = (one for function in running for one in read_of_modules(evaluator, function)) if names else ()
    touches = [at for one in asked for part, at in parts if part.meets(one)] + [
        names[one] for one in (EVERY_IMPORT, *read) if one in names
    ]
    return min(touches, key=place_of, default=None)
