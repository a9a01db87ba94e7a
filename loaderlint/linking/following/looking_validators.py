"""Validators that look at a model whose fields are set, and set none of them.

What such a validator returns takes the model's place only where something else holds the model, and a program that
reads fields of it needs a model there: one made by a call of its class stays what it is, whatever a validator returns
(``pydantic/main.py``, ``BaseModel.__init__``, 2.14).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Thing, Unseen, end_of
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT, MUTATORS
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_VALIDATOR = "model_validator"
_READS = frozenset({"dict", "getattr", "hasattr", "isinstance", "len", "print", "repr", "str", "type"})
"""Functions of Python that leave the object alone that they are handed."""
_SETS = CHANGES_ITS_ARGUMENT | {"builtins.eval", "builtins.exec", "builtins.super", "builtins.vars"}
"""What may set a field without the call saying so by a name."""


def only_looks(evaluator: Evaluator, owner: Class, validator: FunctionNode) -> bool:
    """Return whether a validator of a whole model runs after its fields are set, and leaves all it sees as it is."""
    return evaluator.once(("only looks", id(validator)), False, lambda: _only_looks(evaluator, owner, validator))


def _only_looks(evaluator: Evaluator, owner: Class, validator: FunctionNode) -> bool:
    taken = [one.arg for one in parameters(validator)]
    scope = next((one for one in owner.scope.children if one.node is validator), None)
    if not taken or scope is None or not _runs_after(validator) or _changes(validator):
        return False
    returned = [last_name(value) for value, _ in scope.returns]
    if not returned or not set(returned) <= set(taken) or not _is_only_read(evaluator, owner, validator, taken):
        return False
    return all(
        _leaves_alone(evaluator, site.node, taken[0], Frame(owner.facts, site.place))
        for inside in _with_inner(scope)
        for site in inside.calls
    )


def _runs_after(validator: FunctionNode) -> bool:
    match validator.decorator_list:
        case [ast.Call(args=[], keywords=[ast.keyword("mode", ast.Constant("after"))]) as decorator]:
            return last_name(without_arguments(decorator)) == _VALIDATOR
    return False


def _changes(function: FunctionNode | ast.Lambda) -> bool:
    """Return whether a function sets an attribute or item of anything itself, or may lay something over it in place."""
    return any(
        (isinstance(one, ast.AugAssign) and not _is_count(one.target, function))
        or (isinstance(one, ast.Attribute | ast.Subscript) and not isinstance(one.ctx, ast.Load))
        for one in nodes_of(function)
    )


def _is_count(target: ast.expr, function: FunctionNode | ast.Lambda) -> bool:
    """Return whether a name begins as a constant, which nothing that is laid over it changes in place."""
    if not isinstance(target, ast.Name) or target.id in {one.arg for one in parameters(function)}:
        return False
    begun = [
        named
        for one in nodes_of(function)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        for named in one.targets
    ]
    counted = [one.target for one in nodes_of(function) if isinstance(one, ast.AugAssign)]
    given = [one for one in nodes_of(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    own = [one for one in given if one.id == target.id]
    # A name that is given nothing here is one of the module, which may stand for anything.
    return any(one in begun for one in own) and all(one in begun or one in counted for one in own)


def _is_only_read(evaluator: Evaluator, owner: Class, validator: FunctionNode, taken: list[str]) -> bool:
    """Return whether a validator knows the model under no other name, nor a method of it that does more than look."""
    read: set[int] = set()
    for one in nodes_of(validator):
        match one:
            case ast.Attribute(value, name) if _is_looked_at(evaluator, owner, name):
                read.add(id(value))
            case ast.Call(ast.Name(name), arguments) if name in _READS:
                read.update(map(id, arguments))
            case ast.Compare(left, _, others):
                read.update(map(id, (left, *others)))
            case ast.Return(value):
                read.add(id(value))
    known = (one for one in nodes_of(validator) if isinstance(one, ast.Name) and one.id in taken)
    return all(isinstance(one.ctx, ast.Load) and (one.id != taken[0] or id(one) in read) for one in known)


def _is_looked_at(evaluator: Evaluator, owner: Class, name: str) -> bool:
    """Return whether an attribute of a model is a field, or a property or method that only looks as well."""
    if name.startswith("__"):
        return False
    family = classes.lineage(evaluator, owner)
    found = (one.node for kind in family for one in kind.scope.children if one.name == name)
    return all(isinstance(one, FunctionNode) and _calls_and_changes_nothing(one) for one in found)


def _with_inner(scope: Scope) -> Iterator[Scope]:
    """Yield a scope and all those in it."""
    yield scope
    for one in scope.children:
        yield from _with_inner(one)


def _leaves_alone(evaluator: Evaluator, call: ast.Call, own: str, frame: Frame) -> bool:
    callee = call.func
    frame = frame.at(end_of(frame.scope))

    def called(named: ast.expr) -> list[Thing]:
        # What a field holds is not followed: its model is being asked for.
        known = isinstance(named, ast.Name | ast.Attribute) and (dotted(named) or "").partition(".")[0] != own
        return [one.thing for one in evaluator.evaluate(named, frame)] if known else []

    handed = [*call.args, *(one.value for one in call.keywords)]
    if any(isinstance(one, Function) and not _is_plain(one) for given in handed for one in called(given)):
        return False
    things = called(callee)
    if isinstance(callee, ast.Attribute):
        if callee.attr.startswith("__") or callee.attr in MUTATORS or callee.attr in evaluator.effects.setting:
            return False
        on_the_model = isinstance(callee.value, ast.Name) and callee.value.id == own
        return not on_the_model and all(isinstance(one, Unseen) or _is_plain(one) for one in things)
    return bool(things) and all(map(_is_plain, things))


def _is_plain(called: Thing) -> bool:
    """Return whether what is called is of a library and sets nothing, or calls nothing and changes nothing."""
    if isinstance(called, External):
        return called.name not in _SETS
    return isinstance(called, Function) and _calls_and_changes_nothing(called.node)


def _calls_and_changes_nothing(function: FunctionNode | ast.Lambda) -> bool:
    return not _changes(function) and not any(isinstance(one, ast.Call) for one in nodes_of(function))
