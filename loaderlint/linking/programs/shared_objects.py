"""What a program does, while a loader is iterated, with the objects that its data set was made of.

A list, an array or a table that others have as well is as it was only where all that is done with it is known to leave
it so: it is looked at, gone through, shown, or asked for what somebody takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Items, Made, Row, Thing, Unseen
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import words_of
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT, HARMLESS_REPORTS, MUTATORS, REPORTING_LIBRARIES
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import VIEWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_NAMES = 20
"""Names that one object has in a program; more are not looked at."""
_MOST_AROUND = 3
"""What stands around a name that is looked at: the method, its call, and whether that is a statement."""
_CONTAINERS = frozenset({f"builtins.{name}" for name in ("bytearray", "dict", "list", "set", "sorted")})
_STAY = ("argparse.", "builtins.", "pathlib.", "os.", "torch.device", "torchvision.transforms")
"""What makes things that stay as they are, or of which `names_written` knows what is set."""
_SHOWS = frozenset({"T", "array", "data", "flat", "iloc", "imag", "loc", "mT", "real", "values"})
"""Attributes that give the same data."""


class Maker(NamedTuple):
    """A call that made what was sent; its ``own`` code, in the project, says what samples read of it."""

    call: ast.Call
    frame: Frame
    own: bool


class _Name(NamedTuple):
    """A name that an object has in a scope; what changes it as a ``whole`` matters, or a part of it alone.

    One that is ``added_to`` in place is the same object after ``+=``.
    """

    facts: PythonFacts
    scope: Scope
    name: str
    whole: bool
    added_to: bool = False


def used_beside(
    evaluator: Evaluator, made: Sequence[Maker], parts: Set[str], iterated: WhileIterated
) -> Iterator[Touch]:
    """Yield what may change, while a loader is iterated, what was sent, or what that was made of.

    ``parts`` are the names of what samples read of objects.
    """
    waiting = [one for maker in made for one in (*_itself(maker), *_handed(evaluator, maker))]
    seen: set[tuple[int, str]] = set()
    while waiting and len(seen) < _MOST_NAMES:
        one = waiting.pop(0)
        if (id(one.scope), one.name) in seen:
            continue
        seen.add((id(one.scope), one.name))
        for node, around, whole in _mentions(one, parts):
            others = list(_others(evaluator, one, node, around, whole=one.whole or not whole))
            # What a function of the project does with it is looked for there.
            matters = not others and (one.whole or not whole) and _changes(one, node, around)
            if matters and iterated.holds(one.facts, _innermost(one.scope, node), node):
                is_method = isinstance(around[0], ast.Attribute) and isinstance(around[1], ast.Call)
                yield touch_at(one.facts, around[1] if is_method else around[0])
            waiting.extend(others)


def _itself(maker: Maker) -> Iterator[_Name]:
    """Yield the names of what a call made, of which parts may be changed."""
    scope = maker.frame.scope
    for name, bindings in scope.bindings.items() if maker.own else ():
        if any(one.value is maker.call for one in bindings):
            yield _Name(maker.frame.facts, _holder(scope, name), name, whole=False)


def _handed(evaluator: Evaluator, maker: Maker) -> Iterator[_Name]:
    """Yield the names of what may be changed in place of all that an object was made of."""
    call, frame = maker.call, maker.frame
    for argument in (*call.args, *(one.value for one in call.keywords)):
        seen = seen_through(frame.scope, argument)
        name = dotted(seen)
        if not name:
            continue
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(seen, frame)]
        if any(map(_may_change, things)):
            added_to = any(isinstance(one, Items | Row) or _is_array(one) for one in things)
            yield _Name(frame.facts, _holder(frame.scope, name), name, whole=True, added_to=added_to)
        elif any(isinstance(one, Instance) for one in things):
            yield _Name(frame.facts, _holder(frame.scope, name), name, whole=False)


def _may_change(thing: Thing) -> bool:
    """Return whether a thing is one of those that are changed in place."""
    if isinstance(thing, Made):
        return thing.callee in _CONTAINERS or not thing.callee.startswith(_STAY)
    return isinstance(thing, Items | Row) or (isinstance(thing, Unseen) and thing.something)


def _is_array(thing: Thing) -> bool:
    return isinstance(thing, Made) and (thing.callee in _CONTAINERS or thing.callee.startswith(("numpy.", "torch.")))


def seen_through(scope: Scope, node: ast.expr) -> ast.expr:
    """Return what an expression is a view of: ``table`` in ``torch.from_numpy(table)[0].data``."""
    while True:
        match node:
            case ast.Call(ast.Attribute(owner, name), arguments) if name in VIEWS:
                of_library = full_name(scope, dotted(owner) or "").startswith(("numpy", "torch"))
                if of_library and not arguments:
                    return node
                node = arguments[0] if of_library else owner
            case ast.Attribute(value=owner, attr="data" | "T") | ast.Subscript(value=owner):
                node = owner
            case _:
                return node


def _mentions(one: _Name, parts: Set[str]) -> Iterator[tuple[ast.expr, Sequence[ast.AST], bool]]:
    """Yield where a name, or a part of what it stands for, is used in a scope, with what that stands right inside."""
    parents = {id(child): node for node in nodes_of(one.scope.node) for child in ast.iter_child_nodes(node)}
    for node in nodes_of(one.scope.node):
        if isinstance(node, ast.Name | ast.Attribute) and dotted(node) == one.name:
            inner: ast.expr = node
            while (outer := _part_around(inner, parents, parts)) is not None:
                inner = outer
            around = parents.get(id(inner))
            chain: list[ast.AST] = []
            while around is not None and len(chain) < _MOST_AROUND:
                chain.append(around)
                around = parents.get(id(around))
            if chain:
                yield inner, chain, inner is node


def _part_around(inner: ast.expr, parents: Mapping[int, ast.AST], parts: Set[str]) -> ast.expr | None:
    """Return what stands around an expression if that reads a part of it, or is a view: ``rows.view(4, 2)[0]``."""
    around = parents.get(id(inner))
    outer = parents.get(id(around))
    match around:
        case ast.Subscript(value, ctx=ast.Load()) if value is inner:
            return around
        case ast.Attribute(value, name, ast.Load()) if value is inner:
            if isinstance(outer, ast.Call) and outer.func is around:
                return outer if name in VIEWS else None
            return around if name in parts or name in _SHOWS else None
        case ast.Call(args=[first, *_]) if first is inner and called_name(around) in VIEWS:
            return around
    return None


def _changes(one: _Name, node: ast.expr, around: Sequence[ast.AST]) -> bool:
    """Return whether what stands around an object is not known to leave it as it is."""
    first = around[0]
    outer = around[1] if len(around) > 1 else None
    match first:
        case ast.Subscript(value, ctx=context) | ast.Attribute(value, ctx=context) if value is node:
            if not isinstance(context, ast.Load):
                return not _is_named(first)
            if isinstance(first, ast.Attribute) and isinstance(outer, ast.Call) and outer.func is first:
                if first.attr == "update" and not outer.args and all(one.arg for one in outer.keywords):
                    return False
                return _method_changes(first.attr, ignored=len(around) > 2 and isinstance(around[2], ast.Expr))
        case ast.keyword(arg="out"):
            return True
        case ast.AugAssign(target) if target is node:
            return one.added_to
        case ast.Call() if node in first.args:
            name = full_name(one.scope, dotted(first.func) or called_name(first))
            if name in CHANGES_ITS_ARGUMENT:
                return first.args[0] is node
            return isinstance(outer, ast.Expr) and not _reports(name)
    return False


def _is_named(node: ast.Attribute | ast.Subscript) -> bool:
    """Return whether what is set has a name, by which `names_written` knows it."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key is None or (isinstance(key, ast.Constant) and isinstance(key.value, str))


def _method_changes(name: str, *, ignored: bool) -> bool:
    if name in MUTATORS or (name.endswith("_") and not name.endswith("__")):
        return True
    return ignored and words_of(name)[0] not in HARMLESS_REPORTS


def _reports(name: str) -> bool:
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    return first in REPORTING_LIBRARIES or first in ("logging", "logger") or words_of(last)[0] in HARMLESS_REPORTS


def _others(
    evaluator: Evaluator, one: _Name, node: ast.expr, around: Sequence[ast.AST], *, whole: bool
) -> Iterator[_Name]:
    """Yield the other names that an object gets where its own stands: parameters, attributes, and further names."""
    added = one.added_to and dotted(node) == one.name
    match around:
        case [ast.Assign(targets, value), *_] if value is node:
            given = (dotted(target) for target in targets)
            yield from (_Name(one.facts, _holder(one.scope, name), name, whole, added) for name in given if name)
            return
        case [ast.Call() as call, *_] if node in call.args:
            taken_as: int | str = call.args.index(node)
        case [ast.keyword(arg=str(keyword)), ast.Call() as call, *_]:
            taken_as = keyword
        case _:
            return
    with evaluator.steps(STEPS):
        found = [each.thing for each in evaluator.evaluate(call.func, Frame(one.facts, place_in(one.scope, call)))]
    for thing in found:
        function = classes.constructor(evaluator, thing) if isinstance(thing, Class) else thing
        if isinstance(function, Function) and isinstance(function.node, FunctionNode):
            taken = [each.arg for each in parameters(function.node)][function.owner is not None :]
            names = taken[taken_as : taken_as + 1] if isinstance(taken_as, int) else [taken_as]
            yield from (_Name(function.facts, function.scope, name, whole, added) for name in names)


def _holder(scope: Scope, name: str) -> Scope:
    """Return the scope in which a name is looked for: that of the class where it is an attribute of its objects."""
    around = scope.parent
    return around if name.startswith("self.") and around is not None and around.is_class else scope


def _innermost(scope: Scope, node: ast.expr) -> Scope:
    """Return the innermost function of a scope that an expression stands in."""
    for child in scope.children:
        if not isinstance(child.node, ast.Module | ast.Lambda):
            first, last = child.node.lineno, child.node.end_lineno or 0
            if first <= node.lineno <= last:
                return _innermost(child, node)
    return scope
