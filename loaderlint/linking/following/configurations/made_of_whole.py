"""Classes that a program makes of its whole configuration: of those a user may name, which are for another class.

A configuration that says at its top what is to be made of it (``_target_``) is one for that class.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations.located import located
from loaderlint.linking.things import classes, settings
from loaderlint.linking.things.kinds import Class, Frame, Possibility, Settings

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_TARGET = "_target_"


def may_be_of(evaluator: Evaluator, frame: Frame, parameter: str) -> Callable[[Possibility], bool]:
    """Return what tells whether a function, in whose frame we are, may be run with a configuration as its parameter."""
    made = _made_of(evaluator, frame, parameter)

    def may_be(configuration: Possibility) -> bool:
        whole = configuration.thing
        named = settings.child(whole, _TARGET) if made and isinstance(whole, Settings) else None
        # A user may replace this value as any other: what is for a class is what is written there.
        wanted = [one.thing for one in located(evaluator, named or ()) if isinstance(one.thing, Class)]
        return not wanted or any(map(is_made, wanted))

    def is_made(wanted: Class) -> bool:
        both = ((one, wanted) for one in made)
        return any(_is_below(evaluator, first, second) or _is_below(evaluator, second, first) for first, second in both)

    return may_be


def _made_of(evaluator: Evaluator, frame: Frame, parameter: str) -> list[Class]:
    """Return the classes of the project that a function makes of a parameter, by names that are not its own."""
    scope = frame.scope
    calls = [
        (site.node.func, frame.at(site.place))
        for site in scope.calls
        if isinstance(site.node.func, ast.Name) and site.node.func.id not in scope.bindings
        if any(isinstance(given, ast.Name) and given.id == parameter for given in site.node.args)
    ]
    things = (one.thing for callee, where in calls for one in evaluator.evaluate(callee, where))
    return [one for one in things if isinstance(one, Class)]


def _is_below(evaluator: Evaluator, one: Class, other: Class) -> bool:
    return any(above.node is other.node for above in classes.lineage(evaluator, one))
