"""What workers read of their surroundings each time one starts, and a program changes: one that stays has it as it was.

One that is started anew has what its file set of the environment before it reads that, which the file itself did not.

That is the environment that their code asks, and what their modules read of it, or of files, when they import them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers import surroundings
from loaderlint.linking.workers.changed_outside import changed_outside
from loaderlint.linking.workers.left_behind import place_of, read_of_modules
from loaderlint.linking.workers.read_at_import import ReadAtImport
from loaderlint.linking.workers.surroundings import asked_by, changed_parts
from loaderlint.linking.workers.top_level import Global
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


def set_after_read(evaluator: Evaluator, running: Sequence[Function]) -> Touch | None:
    """Return where the top level of a file changes the surroundings after names were worked out of them."""
    if not changed_parts(evaluator, later=False):
        return None
    at_import = evaluator.remembered(
        ("set after read",), None, lambda: ReadAtImport(evaluator, partial(surroundings.set_after_read, evaluator))
    )
    read = {one for function in running for one in read_of_modules(evaluator, function)}
    # What is imported holds the surroundings themselves.
    made = (one for one in read if not _is_imported(evaluator, one))
    return min((touch for one in made if (touch := at_import.of(one)) is not None), key=place_of, default=None)


def _is_imported(evaluator: Evaluator, meant: Global) -> bool:
    of = evaluator.project.python_in_passing(meant.path)
    return of is not None and any(one.kind == "import" for one in of.module.bindings.get(meant.name, ()))
