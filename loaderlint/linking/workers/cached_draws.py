"""Whether worker code keeps what it, or something that it was handed, may have drawn: an epoch finds the last one's."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things.kinds import External, Frame, Function, Made, Possibility, Unseen
from loaderlint.linking.workers.made_once import drawn, keeps_results
from loaderlint.readers.python import FunctionNode, Place, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.drawing import DRAW_NO_MORE
from loaderlint.vocabulary.kept import KINDS
from loaderlint.vocabulary.running import DRAWS_IN_PLACE

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CALLED = frozenset({"__call__", "forward"})
"""Methods that run where an object is called."""


def keeps_what_is_drawn(
    evaluator: Evaluator, functions: Sequence[Function], stored: Iterable[tuple[Function, ast.AST]]
) -> bool:
    """Return whether something may have drawn for what functions store by a key, or keep as their results.

    That is a function of the object that draws, a random generator, or a callable that was handed over and not seen to
    be of the project: ``self.cache[index] = self.transform(row)``. ``stored`` is what they
    store.
    """
    kept = [(one, one.node) for one in functions if isinstance(one.node, FunctionNode) and keeps_results(one.node)]
    return any(_may_draw(evaluator, function, value, functions) for function, value in (*stored, *kept))


def _may_draw(evaluator: Evaluator, function: Function, kept: ast.AST, functions: Sequence[Function]) -> bool:
    """Return whether something may draw that a value was worked out by, in a function or in those it calls."""
    given = _values(function)
    waiting: list[tuple[Function, ast.AST]] = [(function, kept)]
    seen = set[int]()
    while waiting:
        of, value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for node in ast.walk(value):
            if isinstance(node, ast.Name) and of is function:
                waiting.extend((of, one) for one in given.get(node.id, ()))
            elif isinstance(node, ast.Call):
                if _draws(evaluator, of, node):
                    return True
                # What an attribute is called for may be that of any object that worker code calls.
                names = {called_name(node), *(_CALLED if isinstance(node.func, ast.Attribute) else ())}
                waiting.extend((one, one.node) for one in functions if _name(one) in names)
    return False


def _name(function: Function) -> str:
    return function.node.name if isinstance(function.node, FunctionNode) else ""


def _values(function: Function) -> dict[str, list[ast.expr]]:
    """Return what the names of a function are given."""
    return {
        name: [one.value for one in bindings if one.value is not None]
        for name, bindings in function.scope.bindings.items()
        if "." not in name
    }


def _draws(evaluator: Evaluator, function: Function, call: ast.Call) -> bool:
    if called_name(call) in DRAWS_IN_PLACE:
        return True
    if any(True for touch in drawn(function) if touch.span == function.facts.span(call)):
        return True
    first, *rest = (dotted(call.func) or "").split(".")
    if len(rest) == 0 or first == "cls":
        return False
    with evaluator.steps(STEPS):
        if first != "self" or function.receiver is None:
            owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
            return any(map(_is_generator, evaluator.evaluate(owner, Frame(function.facts, Place(function.scope, 0)))))
        kept = evaluator.attribute_of(function.receiver, rest[0]) if rest[0] not in _methods(function) else None
    if kept is None:
        return False
    if len(rest) > 1:
        return any(map(_is_generator, kept))
    return not kept or any(map(_is_foreign, kept))


def _is_generator(one: Possibility) -> bool:
    """Return whether a thing is a random generator of its own (``numpy.random.default_rng()``)."""
    kind = KINDS.get(one.thing.callee) if isinstance(one.thing, Made) else None
    return kind is not None and kind.draws


def _methods(function: Function) -> set[str]:
    around = function.scope.parent
    return {one.name for one in around.children} if around is not None and around.is_class else set()


def _is_foreign(one: Possibility) -> bool:
    """Return whether nobody knows what a thing does, or it is of a library that may draw."""
    thing = one.thing
    name = thing.callee if isinstance(thing, Made) else thing.name if isinstance(thing, External) else ""
    known = bool(name) and all(name.partition(".")[0] in libraries for libraries in DRAW_NO_MORE.values())
    return isinstance(thing, Unseen) or (bool(name) and not known)
