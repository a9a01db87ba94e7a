"""Which loaders an expression stands for that somebody iterates."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.constructor_calls import method_frame
from loaderlint.linking.things import classes
from loaderlint.linking.things.chains import begun_by
from loaderlint.linking.things.kinds import Frame, Instance, Items, Made, Possibility, Row
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.uses import LOOKS_AT_LOADERS, PROGRESS_BARS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_COUNTS = frozenset({"range", "len", "items", "keys", "values", "listdir", "glob", "open", "split"})
"""Calls that give no loader, whatever they are given."""
_LOOKS = frozenset(f"builtins.{name}" for name in LOOKS_AT_LOADERS)
"""Functions whose results hold no loader that they are given."""
_STEPS = 150
"""Expressions followed for what one expression stands for."""
_DEEPEST_ITERATED = 4
"""Things that hold loaders inside each other; deeper ones are not looked into."""


class Behind(NamedTuple):
    """A loader that an expression stands for: the identity of the call that makes it, and what that assumes.

    ``frames`` are those in which the call is made for it; there is None among them where they were not all seen.
    """

    call: int
    assumptions: Assumptions
    frames: tuple[Frame | None, ...]


def loaders_in(evaluator: Evaluator, expression: ast.expr, frame: Frame) -> list[Behind]:
    """Return the loaders behind an expression that is iterated."""
    key = (id(expression), *(_made_by(frame.receiver) if frame.receiver is not None else ()))
    if key not in evaluator.loaders_behind:
        with evaluator.steps(_STEPS):
            evaluator.loaders_behind[key] = _loaders_in(evaluator, expression, frame)
    return evaluator.loaders_behind[key]


def _made_by(one: Instance) -> Iterator[int]:
    """Yield what tells an object from others of its class: the call that makes it, and those that lead to that."""
    yield from (id(one.of.node), id(one.call))
    frame = one.frame
    while frame is not None and frame.caller is not None:
        call, frame = frame.caller
        yield id(call)


def _loaders_in(evaluator: Evaluator, expression: ast.expr, frame: Frame) -> list[Behind]:
    found: dict[int, Behind] = {}
    if isinstance(expression, ast.Constant | ast.List | ast.Dict) or _counts(expression):
        return []
    for one in evaluator.evaluate(expression, frame):
        for call, assumptions, made_in in _loaders_of(evaluator, one, 0):
            before = found.setdefault(call, Behind(call, assumptions, ()))
            found[call] = before._replace(frames=(*before.frames, made_in))
    if not found:
        for put, where in _put_inside(_taken_from(expression, frame), frame):
            for behind in loaders_in(evaluator, put, where):
                found.setdefault(behind.call, behind)
    return list(found.values())


def _taken_from(expression: ast.expr, frame: Frame) -> ast.expr | None:
    """Return what holds the thing that an expression stands for: what a loop goes over, or a subscript is of."""
    if isinstance(expression, ast.Subscript):
        return expression.value
    bindings = frame.scope.bindings.get(expression.id, ()) if isinstance(expression, ast.Name) else ()
    loops = [one.value for one in bindings if one.kind == "loop" and one.place.order <= frame.place.order]
    holder = loops[-1] if loops and len(loops) == len(bindings) else None
    while isinstance(holder, ast.Call):
        taken = holder.func.value if _gives_items(holder) and isinstance(holder.func, ast.Attribute) else None
        holder = taken or (holder.args[0] if called_name(holder) in PROGRESS_BARS and holder.args else None)
    return holder


def _gives_items(call: ast.Call) -> bool:
    return called_name(call) in ("items", "values") and not call.args


def _put_inside(holder: ast.expr | None, frame: Frame) -> Iterator[tuple[ast.expr, Frame]]:
    """Yield what the same scope, or the module, put into a list or dictionary before, how often was not followed."""
    name = dotted(holder) if holder is not None else None
    scope = frame.scope if name in frame.scope.bindings else frame.facts.module
    for one in scope.bindings.get(name, ()) if name is not None else ():
        if scope is frame.scope and one.place.order >= frame.place.order:
            continue
        appended = one.kind == "list" and isinstance(one.node, ast.Call) and called_name(one.node) == "append"
        values = one.node.args if appended and isinstance(one.node, ast.Call) else [one.value]
        if appended or one.kind == "item":
            yield from ((value, Frame(frame.facts, one.place)) for value in values if value is not None)


def _counts(expression: ast.expr) -> bool:
    if not isinstance(expression, ast.Call):
        return False
    name = called_name(expression)
    return name in _COUNTS and name not in ("values", "items")


def _loaders_of(evaluator: Evaluator, one: Possibility, depth: int) -> Iterator[tuple[int, Assumptions, Frame | None]]:
    """Yield the loaders that a thing is or holds: the call that makes it, what that assumes, and in which frame."""
    thing = one.thing
    if depth > _DEEPEST_ITERATED:
        return
    inside: list[Possibility] = []
    if isinstance(thing, Made):
        if thing.callee in LOADER_CALLABLES:
            yield id(thing.call), one.assumptions, thing.frame
            return
        if thing.callee in _LOOKS:
            return
        inside.extend(begun_by(evaluator, thing))
        for argument in (*thing.call.args, *(keyword.value for keyword in thing.call.keywords)):
            if not isinstance(argument, ast.Starred):
                inside.extend(evaluator.evaluate(argument, thing.frame))
    elif isinstance(thing, Instance):
        if thing.call is not None:
            yield id(thing.call), one.assumptions, None
        lineage = classes.lineage(evaluator, thing.of)
        hooks = {id(one) for owner in lineage for one in owner.scope.children if one.name.endswith("dataloader")}
        for owner in lineage:
            for scope in owner.scope.children:
                if scope.name == "__init__" or id(scope) in hooks:
                    # What the hooks make is made later on, whatever the constructor calls.
                    seen = not hooks and thing.call is not None
                    made_in = method_frame(evaluator, thing, owner, scope) if seen else None
                    yield from ((id(site.node), one.assumptions, made_in) for site in scope.calls)
            if any(id(scope) in hooks for scope in owner.scope.children):
                # A data module's hooks may build their loaders in helper methods of the same class.
                for scope in owner.scope.children:
                    yield from ((id(site.node), one.assumptions, None) for site in scope.calls)
    elif isinstance(thing, Row):
        inside.extend(way for item in thing.items for way in item)
    elif isinstance(thing, Items):
        inside.extend(way for item in thing.entries.values() for way in item)
    for way in inside:
        for call, assumptions, made_in in _loaders_of(evaluator, way, depth + 1):
            joint = together(assumptions, one.assumptions)
            if joint is not None:
                yield call, joint, made_in
