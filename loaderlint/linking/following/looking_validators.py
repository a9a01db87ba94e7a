"""Validators that look at a model whose fields are set, and set none of them.

What such a validator returns takes the model's place only where something else holds the model, and a program that
reads fields of it needs a model there: one made by a call of its class stays what it is, whatever a validator returns
(``pydantic/main.py``, ``BaseModel.__init__``, 2.14).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Class, External, Frame, Function, end_of
from loaderlint.model.setting_words import MUTATORS
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import FunctionNode, parameters
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_VALIDATOR = "model_validator"
_READS = frozenset({"dict", "getattr", "hasattr", "isinstance", "len", "print", "repr", "str", "type"})
"""Functions of Python that leave the object alone that they are handed."""
_SETS = frozenset({"setattr", "delattr", "vars", "eval", "exec", "super"})


def only_looks(evaluator: Evaluator, owner: Class, validator: FunctionNode) -> bool:
    """Return whether a validator of a whole model runs after its fields are set, and leaves all it sees as it is."""
    return evaluator.once(("only looks", id(validator)), False, lambda: _only_looks(evaluator, owner, validator))


def _only_looks(evaluator: Evaluator, owner: Class, validator: FunctionNode) -> bool:
    taken = [one.arg for one in parameters(validator)]
    scope = next((one for one in owner.scope.children if one.node is validator), None)
    if not taken or scope is None or not _runs_after(validator) or _changes(validator):
        return False
    returned = [value for value, _ in scope.returns]
    if not returned or not all(isinstance(one, ast.Name) and one.id in taken for one in returned):
        return False
    if _goes_by_other_names(validator, taken[0]):
        return False
    return all(_leaves_alone(evaluator, one.node, taken[0], Frame(owner.facts, one.place)) for one in scope.calls)


def _runs_after(validator: FunctionNode) -> bool:
    match validator.decorator_list:
        case [ast.Call(args=[], keywords=[ast.keyword("mode", ast.Constant("after"))]) as decorator]:
            return last_name(without_arguments(decorator)) == _VALIDATOR
    return False


def _changes(function: FunctionNode | ast.Lambda) -> bool:
    """Return whether a function sets an attribute or item of anything itself."""
    return any(
        isinstance(one, ast.Attribute | ast.Subscript) and not isinstance(one.ctx, ast.Load)
        for one in nodes_of(function)
    )


def _goes_by_other_names(validator: FunctionNode, receiver: str) -> bool:
    """Return whether a validator may get at the model, or at what it holds, by a name or in a way that is not followed.

    It gives the model another name, speaks of the dictionary of its attributes, or adds to what it holds in place:
    ``options = self.options`` and then ``options |= more``.
    """
    nodes = list(nodes_of(validator))
    owners = [one for one in nodes if isinstance(one, ast.Attribute)]
    handed = [given for one in nodes if isinstance(one, ast.Call) for given in one.args]
    returned = [one.value for one in nodes if isinstance(one, ast.Return)]
    known = {id(one) for one in (*(one.value for one in owners), *handed, *returned)}
    named = [one for one in nodes if isinstance(one, ast.Name) and one.id == receiver]
    if any(one.attr == "__dict__" for one in owners) or any(id(one) not in known for one in named):
        return True
    added_to = {one.target.id for one in nodes if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}
    held = [
        one for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Attribute | ast.Subscript)
    ]
    return any(isinstance(target, ast.Name) and target.id in added_to for one in held for target in one.targets)


def _leaves_alone(evaluator: Evaluator, call: ast.Call, receiver: str, frame: Frame) -> bool:
    callee = call.func
    handed = any(isinstance(one, ast.Name) and one.id == receiver for one in call.args)
    if isinstance(callee, ast.Attribute):
        own = handed or (isinstance(callee.value, ast.Name) and callee.value.id == receiver)
        return not own and callee.attr not in MUTATORS and callee.attr not in evaluator.effects.setting
    if not isinstance(callee, ast.Name) or callee.id in _SETS or (handed and callee.id not in _READS):
        return False
    called = [one.thing for one in evaluator.evaluate(callee, frame.at(end_of(frame.scope)))]
    return bool(called) and all(isinstance(one, External) or _is_plain(one) for one in called)


def _is_plain(called: object) -> bool:
    """Return whether a function of the project calls nothing and changes nothing."""
    if not isinstance(called, Function) or _changes(called.node):
        return False
    return not any(isinstance(one, ast.Call) for one in nodes_of(called.node))
