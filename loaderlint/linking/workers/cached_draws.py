"""Whether worker code keeps what it, or something that it was handed, may have drawn: an epoch finds the last one's."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import External, Frame, Function, Instance, Made, Thing, Unseen
from loaderlint.linking.workers.made_once import drawn, keeps_results
from loaderlint.linking.workers.top_level import imported
from loaderlint.readers.python import FunctionNode, Place, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.drawing import DRAW_NO_MORE, draws_no_more
from loaderlint.vocabulary.kept import KINDS
from loaderlint.vocabulary.running import CALLS_FIRST, DRAWS_IN_PLACE

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
                if _draws(of, node):
                    return True
                frame = _frame_at(of, node)
                for called in _called(node):
                    found = _found(evaluator, frame, called)
                    if any(_is_generator(one) or _is_foreign(one) for one in found):
                        return True
                    waiting.extend((one, one.node) for thing in found for one in _run_by(evaluator, thing))
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


def _draws(function: Function, call: ast.Call) -> bool:
    """Return whether a call draws by the name of what it calls."""
    return called_name(call) in DRAWS_IN_PLACE or any(
        True for touch in drawn(function) if touch.span == function.facts.span(call)
    )


def _called(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call calls, itself or for what it is handed: ``map(self.transform, rows)``."""
    yield call.func
    if called_name(call) in CALLS_FIRST:
        yield from call.args[:1]


def _frame_at(function: Function, call: ast.Call) -> Frame:
    """Return where a call of a function is read."""
    site = function.facts.sites.get(id(call))
    place = site.place if site is not None else Place(function.scope, 0)
    return Frame(function.facts, place, receiver=function.receiver)


def _found(evaluator: Evaluator, frame: Frame, called: ast.expr) -> Sequence[Thing]:
    """Return what something that is called may be, or where it is a method the generator that this is one of."""
    first, *rest = (dotted(called) or "").split(".")
    own, from_elsewhere = first == "self", next(imported(frame.scope, first), None) is not None
    if first == "cls" or (own and frame.receiver is None):
        return ()
    with evaluator.steps(STEPS):
        if isinstance(called, ast.Attribute) and (len(rest) > 1 or not (own or from_elsewhere)):
            owners = (one.thing for one in evaluator.evaluate(called.value, frame))
            return [one for one in owners if _is_generator(one)]
        found = (one.thing for one in evaluator.evaluate(called, frame))
        # A function of a library works its result out of what it is handed, as far as is known.
        return [one for one in found if not (from_elsewhere and isinstance(one, External))]


def _run_by(evaluator: Evaluator, thing: Thing) -> Iterator[Function]:
    """Yield the functions of the project that run where a thing is called."""
    if isinstance(thing, Function):
        yield thing
    elif isinstance(thing, Instance):
        methods = (classes.method(evaluator, thing, name) for name in _CALLED)
        yield from (one for one in methods if one is not None)


def _is_generator(thing: Thing) -> bool:
    """Return whether a thing is a random generator of its own (``numpy.random.default_rng()``)."""
    kind = KINDS.get(thing.callee) if isinstance(thing, Made) else None
    return kind is not None and kind.draws


def _is_foreign(thing: Thing) -> bool:
    """Return whether nobody knows what a thing does, or it is of a library that may draw."""
    name = thing.callee if isinstance(thing, Made) else thing.name if isinstance(thing, External) else ""
    return isinstance(thing, Unseen) or (bool(name) and not all(draws_no_more(name, one) for one in DRAW_NO_MORE))
