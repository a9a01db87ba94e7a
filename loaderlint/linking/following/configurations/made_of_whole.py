"""Classes that a program makes of its whole configuration: of those a user may name, which are for another class.

A configuration that says at its top what is to be made of it (``_target_``) is one for that class.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations.located import located
from loaderlint.linking.things import classes, settings
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Possibility, Settings, Thing
from loaderlint.readers.python import dotted
from loaderlint.vocabulary.configurations import HYDRA_INSTANTIATORS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_TARGET = "_target_"
_MAKES = ("instantiate", _TARGET)
"""Words of what makes that, or reads it to do so."""


def may_be_of(evaluator: Evaluator, frame: Frame, parameter: str, configuration: Possibility) -> bool:
    """Return whether a function, in whose frame we are, may be run with a configuration as its parameter."""
    whole = configuration.thing
    named = settings.child(whole, _TARGET) if isinstance(whole, Settings) else None
    if not named:
        return True
    key = "made of whole", id(frame.scope), parameter
    made = evaluator.remembered(key, frame, lambda: _made_of(evaluator, frame, parameter))
    # A user may replace this value as any other: what is for a class is what is written there.
    wanted = [one.thing for one in located(evaluator, named) if isinstance(one.thing, Class)] if made else []
    pairs = [(one, other) for one in made for other in wanted]
    return not pairs or any(
        _is_below(evaluator, one, other) or _is_below(evaluator, other, one) for one, other in pairs
    )


def _made_of(evaluator: Evaluator, frame: Frame, parameter: str) -> list[Class]:
    """Return the classes of the project that a function makes of a parameter, by names that are not its own.

    There are none where it hands the parameter to what may make whatever that says: Hydra, or a function beside which
    that is asked to make something.
    """
    found: list[Class] = []
    for site in frame.scope.calls:
        given = (*site.node.args, *(one.value for one in site.node.keywords))
        if not any(isinstance(one, ast.Name) and one.id == parameter for one in given):
            continue
        for thing in (one.thing for one in evaluator.evaluate(site.node.func, frame.at(site.place))):
            if _may_make_any(evaluator, thing):
                return []
            if isinstance(thing, Class) and dotted(site.node.func) not in frame.scope.bindings:
                found.append(thing)
    return found


def _may_make_any(evaluator: Evaluator, thing: Thing) -> bool:
    if isinstance(thing, Function):
        return evaluator.project.mentions(thing.facts.source.path, _MAKES)
    return isinstance(thing, External) and thing.name in HYDRA_INSTANTIATORS


def _is_below(evaluator: Evaluator, one: Class, other: Class) -> bool:
    return any(above.node is other.node for above in classes.lineage(evaluator, one))
