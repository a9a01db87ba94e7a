"""Whether what a function changes of what is kept is what each call would work out again, as a cache does.

What is not known to be that goes on from call to call. So does what the first call gives by what it was handed, and an
item where the function asks about all items.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.classes import is_receiver
from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import full_name, is_of_library, meant_by
from loaderlint.model.payload import Touch
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters
from loaderlint.vocabulary.running import LOOKS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CHANGING_BUILTINS = frozenset({"delattr", "eval", "exec", "next", "setattr"})
"""Builtins that change what they are given first, or run what may."""
_OF_AN_ITEM = frozenset({"get", "pop", "setdefault"})
"""Methods that are about one item."""


def goes_on(evaluator: Evaluator, function: Function, touch: Touch, *, drawn: bool) -> bool:
    """Return whether what a touch changes may hang on the calls before.

    Nothing is worked out again that was ``drawn``.
    """
    for node in ast.walk(function.node):
        if node is function.node or not isinstance(node, ast.stmt | ast.Call | ast.NamedExpr):
            continue
        # A call that is a statement is looked at as the call.
        if isinstance(node, ast.Expr | ast.Return) or function.facts.span(node) != touch.span:
            continue
        match node:
            case ast.Call():
                return _call_goes_on(evaluator, function, node, drawn=drawn)
            case ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value):
                return _set_goes_on(function, target, value, drawn=drawn)
            case ast.AnnAssign(target, value=ast.expr() as value) | ast.NamedExpr(target, value):
                return _set_goes_on(function, target, value, drawn=drawn)
            case ast.Import() | ast.ImportFrom():
                return False
        targets = list(_targets(node))
        return not targets or any(_set_goes_on(function, one, None, drawn=drawn) for one in targets)
    return False


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a statement gives a value, nothing for one that is not known to give values alone."""
    match node:
        case ast.Assign(targets):
            several = targets
        case ast.For(target) | ast.AsyncFor(target):
            several = [target]
        case ast.With(items) | ast.AsyncWith(items):
            several = [one.optional_vars for one in items if one.optional_vars is not None]
        case _:
            several = []
    for one in several:
        yield from _parts(one)


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    match target:
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield from _parts(part)
        case ast.Starred(inner):
            yield from _parts(inner)
        case _:
            yield target


def _call_goes_on(evaluator: Evaluator, function: Function, call: ast.Call, *, drawn: bool) -> bool:
    scope = function.scope
    match call:
        case ast.Call(ast.Attribute(kept, "setdefault"), [key, value]):
            used = _worked_out_of(function, value)
            first = not _names(key) and bool(used & _handed(function))
            return drawn or first or bool(_names(kept) & (_names(key) | used)) or _asks_all(function.node, kept)
        case ast.Call(ast.Attribute(kept)) if full_name(scope, dotted(call.func) or "") not in CHANGES_ITS_ARGUMENT:
            return not any(is_of_library(evaluator, function.facts, scope, name) for name in _names(kept))
    if _changes_first(scope, call):
        return True
    return any(
        _changes_parameter(one)
        for meant in meant_by(evaluator, function.facts, scope, dotted(call.func) or "")
        if (of := evaluator.project.python(meant.path)) is not None
        for one in of.module.children
        if one.name == meant.name
    )


def _changes_parameter(called: Scope) -> bool:
    """Return whether a function may change in place what it is handed."""
    if not isinstance(called.node, FunctionNode):
        return False
    return any(_is_changed(called, one.arg) for one in parameters(called.node))


def _changes_first(scope: Scope, call: ast.Call) -> bool:
    """Return whether a function is known to change what it is handed first."""
    full = full_name(scope, dotted(call.func) or "")
    return full in _CHANGING_BUILTINS or full in CHANGES_ITS_ARGUMENT


def _is_changed(scope: Scope, name: str) -> bool:
    """Return whether a function may change in place what has a name in it."""
    for node in ast.walk(scope.node):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                changed = _root(node) == name
            case ast.AugAssign(target):
                changed = _root(target) == name
            case ast.Call(ast.Attribute(owner, method)) if _root(owner) == name:
                changed = method not in LOOKS
            case ast.Call(args=[first, *_]):
                changed = _root(first) == name and _changes_first(scope, node)
            case _:
                changed = False
        if changed:
            return True
    return False


def _root(node: ast.expr) -> str:
    """Return the name that attributes and items are taken of, an empty one where there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _set_goes_on(function: Function, target: ast.expr, value: ast.expr | None, *, drawn: bool) -> bool:
    """Return whether a value that is given to something may hang on the calls before; any that is not seen does."""
    used = _worked_out_of(function, value) if value is not None else set[str]()
    first = bool(used & _handed(function))
    match target:
        case ast.Name(name) if name not in function.scope.outer_names:
            # Another name for what is kept.
            return _is_changed(function.scope, name)
        case ast.Name() | ast.Attribute() if value is not None and (kept := dotted(target)) is not None:
            itself = any(isinstance(one, ast.expr) and dotted(one) == kept for one in ast.walk(value))
            return drawn or itself or first or not _is_asked_for(function.node, kept)
        case ast.Subscript(kept, key) if value is not None:
            if drawn or _names(kept) & used or _asks_all(function.node, kept):
                return True
            return not _names(key) and bool(used) and (first or not _is_looked_up(function.node, kept))
    return True


def _handed(function: Function) -> set[str]:
    """Return the names of what a function is handed at each call, but for the object of a method."""
    if not isinstance(function.node, FunctionNode):
        return set()
    in_class = function.scope.parent is not None and function.scope.parent.is_class
    return {one.arg for one in parameters(function.node) if not (in_class and is_receiver(function.node, one))}


def _worked_out_of(function: Function, value: ast.expr) -> set[str]:
    """Return the names that a value is worked out of, those of the function's own names among them."""
    found, waiting = set[str](), _names(value)
    while waiting:
        name = waiting.pop()
        found.add(name)
        own = function.scope.bindings.get(name, ()) if name not in function.scope.outer_names else ()
        waiting |= {each for one in own if one.value is not None for each in _names(one.value)} - found
    return found


def _asks_all(function: ast.AST, kept: ast.expr) -> bool:
    """Return whether a function asks about more of what is kept than single items: how many there are, or which."""
    name, nodes = dotted(kept), list(ast.walk(function))
    about_items = {id(one) for node in nodes for one in _asked_for_an_item(node)}
    asked = (one for one in nodes if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load))
    return name is not None and any(dotted(one) == name and id(one) not in about_items for one in asked)


def _asked_for_an_item(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what an expression asks for one item."""
    match node:
        case ast.Subscript(asked) | ast.Compare(_, [ast.In() | ast.NotIn()], [asked]):
            yield asked
        case ast.Attribute(asked, method) if method in _OF_AN_ITEM:
            yield asked


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_asked_for(function: ast.AST, name: str) -> bool:
    """Return whether a function asks whether something is there yet: ``if TABLE is None``, ``if not TABLE``."""
    owner, _, attribute = name.rpartition(".")
    for node in ast.walk(function):
        match node:
            case ast.Compare(asked, [ast.Is()], [ast.Constant(None)]) | ast.UnaryOp(ast.Not(), asked):
                if dotted(asked) == name:
                    return True
            case ast.Call(ast.Name("hasattr"), [asked, ast.Constant(str(given))]):
                if dotted(asked) == owner and given == attribute:
                    return True
    return False


def _is_looked_up(function: ast.AST, kept: ast.expr) -> bool:
    """Return whether a function asks whether an item is there yet: ``if "a" not in TABLE``, or ``TABLE.get("a")``."""
    name = dotted(kept)
    for node in ast.walk(function):
        match node:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [asked]) | ast.Call(ast.Attribute(asked, "get")):
                if dotted(asked) == name:
                    return True
            case ast.ExceptHandler(ast.expr() as kind) if "KeyError" in _names(kind):
                return True
    return False
