"""What worker code keeps at the top level of its module that any process makes alike, whatever ran before.

Whether somebody called it before the workers start is not asked. Two spellings are known to make it alike::

    if TABLE is None:
        TABLE = load("rows")

    if key not in TABLE:
        TABLE[key] = load(key)

So do functions that keep their results by what they were handed, and draw nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import Global, full_name, meant_by, reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters
from loaderlint.vocabulary.running import DIFFERENT_IN_EACH_PROCESS, DRAWS, LOOKS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CACHES = frozenset({"cache", "lru_cache"})
"""Decorators that keep what a function gave for the same arguments (``functools``)."""
_LOOKING = frozenset(
    {"dict", "enumerate", "len", "list", "max", "min", "print", "set", "sorted", "sum", "tuple", "zip"}
)
"""Builtins that leave what they are given as it is, and give back something else."""


def keeps_results(function: FunctionNode) -> bool:
    """Return whether a function keeps what it gave for the same arguments before."""
    called = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return any((dotted(one) or "").rpartition(".")[2] in _CACHES for one in called)


def drawn(function: Function) -> Iterator[Touch]:
    """Yield where a function asks for something else than another process does."""
    for site in function.scope.calls:
        if full_name(function.scope, dotted(site.node.func) or "").startswith((*DIFFERENT_IN_EACH_PROCESS, *DRAWS)):
            yield touch_at(function.facts, site.node)


def is_made_alike(function: Function, meant: Global, touch: Touch) -> bool:
    """Return whether a touch is one of the two spellings that make what a name at the top level means.

    What the function does before it must not look at the name, nor may what is made be worked out of anything that
    the function was handed, but for the key it is kept by.
    """
    scope, facts = function.scope, function.facts
    if facts.source.path != meant.path or not isinstance(function.node, FunctionNode):
        return False
    for statement in function.node.body:
        match statement:
            case ast.If(
                ast.Compare(ast.Name(asked), [ast.Is()], [ast.Constant(None)]),
                [ast.Assign([ast.Name(kept)], value) as made],
                [],
            ) if asked == kept == meant.name and facts.span(made) == touch.span:
                return kept in scope.outer_names and _is_worked_out_of(scope, value, kept, None)
            case ast.If(
                ast.Compare(ast.Name(key), [ast.NotIn()], [ast.Name(asked)]),
                [ast.Assign([ast.Subscript(ast.Name(kept), ast.Name(place))], value) as made],
                [],
            ) if asked == kept == meant.name and key == place and facts.span(made) == touch.span:
                filled = [one.value for one in facts.module.bindings.get(kept, ())]
                empty = len(filled) == 1 and isinstance(filled[0], ast.Dict)
                handed = [one.kind for one in scope.bindings.get(key, ())] == ["parameter"]
                return empty and handed and _is_worked_out_of(scope, value, kept, key) and _is_asked(scope, kept, key)
        if any(isinstance(one, ast.Name) and one.id == meant.name for one in ast.walk(statement)):
            return False
    return False


def _is_worked_out_of(scope: Scope, value: ast.expr, kept: str, key: str | None) -> bool:
    """Return whether a value is worked out of nothing but a key and other names of the top level."""
    names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} - {key}
    return kept not in names and all(reaches_top(scope, name) and name not in scope.bindings for name in names)


def _is_asked(scope: Scope, kept: str, key: str) -> bool:
    """Return whether a function asks a dictionary for nothing but one key."""
    asked = set[int]()
    for node in ast.walk(scope.node):
        match node:
            case ast.Compare(ast.Name(name), [ast.NotIn()], [one]) | ast.Subscript(one, ast.Name(name)) if name == key:
                asked.add(id(one))
    return all(id(one) in asked for one in ast.walk(scope.node) if isinstance(one, ast.Name) and one.id == kept)


def is_looked_at(evaluator: Evaluator, function: Function, node: ast.AST) -> bool:
    """Return whether a statement or call hands things to nobody but a local name, or functions, that look at them."""
    match node:
        case ast.Assign([ast.Name(name)]) if name not in function.scope.outer_names:
            return _is_only_looked_at(function.scope, name)
        case ast.Call(ast.Name(called)):
            found = [
                one
                for meant in meant_by(evaluator, function.facts, function.scope, called)
                if (of := evaluator.project.python(meant.path)) is not None
                for one in of.module.children
                if one.name == meant.name
            ]
            return bool(found) and all(_looks_at_all(function.scope, node, one) for one in found)
    return False


def _looks_at_all(scope: Scope, call: ast.Call, called: Scope) -> bool:
    """Return whether a function only looks at what a call hands it that is not the caller's own."""
    if not isinstance(called.node, FunctionNode):
        return False
    taken = [one.arg for one in parameters(called.node)]
    if len(call.args) > len(taken) or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    handed = [*zip(taken, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    return all(
        (isinstance(value, ast.Name) and not reaches_top(scope, value.id))
        or (name is not None and name in taken and _is_only_looked_at(called, name))
        for name, value in handed
    )


def _is_only_looked_at(scope: Scope, name: str) -> bool:
    """Return whether nothing in a function can change what has a name in it, nor give it another name."""
    looked = set[int]()
    for node in ast.walk(scope.node):
        match node:
            case ast.Attribute() | ast.Subscript() if _root(node) == name:
                if not isinstance(node.ctx, ast.Load) or (isinstance(node, ast.Attribute) and node.attr not in LOOKS):
                    return False
                looked.add(id(node.value))
            case ast.AugAssign(target) if _root(target) == name:
                return False
            case ast.Compare(left, _, others):
                looked |= {id(one) for one in (left, *others)}
            case ast.For(_, iterated) | ast.comprehension(_, iterated):
                looked.add(id(iterated))
            case ast.Call(ast.Name(called), arguments) if called in _LOOKING and reaches_top(scope, called):
                looked |= {id(one) for one in arguments}
    loaded = (one for one in ast.walk(scope.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    return all(id(one) in looked for one in loaded if one.id == name)


def _root(node: ast.expr) -> str:
    """Return the name that attributes and items are taken of, an empty one where there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
