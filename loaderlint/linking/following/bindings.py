"""What a statement that binds a name gives it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following import modules, parameters, questions
from loaderlint.linking.things import loops, operators
from loaderlint.linking.things.kinds import Class, Frame, Function, Possibilities, Possibility
from loaderlint.linking.things.possibilities import unseen
from loaderlint.readers.python import Binding

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def given(evaluator: Evaluator, binding: Binding, frame: Frame) -> Possibilities:
    """Return what one binding gives its name."""
    where = frame.at(binding.place) if binding.inner is None else Frame(frame.facts, binding.inner)
    facts = where.facts
    node = binding.node
    if binding.kind == "assign" and binding.value is not None:
        found = evaluator.evaluate(binding.value, where)
        found = questions.let_pass(evaluator, found, binding.value, binding.place.arms, where)
        return tuple(one.step(facts.span(node), binding.name) if one.constant else one for one in found)
    if binding.kind == "parameter":
        assert isinstance(node, ast.arg)
        return evaluator.remembered(
            ("parameter", id(node)), where, lambda: parameters.parameter(evaluator, node, where)
        )
    if binding.kind == "import":
        return modules.imported(evaluator, binding, where)
    if binding.kind == "function":
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        return (Possibility(Function(facts, node, facts.scopes[id(node)]), facts.span(node)),)
    if binding.kind == "class":
        assert isinstance(node, ast.ClassDef)
        return (Possibility(Class(facts, node, facts.scopes[id(node)], binding.place), facts.span(node)),)
    if binding.kind == "unpack" and binding.value is not None:
        return loops.unpacked(evaluator.evaluate(binding.value, where), binding.index, facts.span(binding.value))
    if binding.kind == "with" and binding.value is not None:
        return evaluator.evaluate(binding.value, where)
    if binding.kind == "loop" and binding.value is not None:
        return loops.turned(evaluator, binding, where)
    if binding.kind == "augment" and isinstance(node, ast.AugAssign):
        operands = (evaluator.evaluate(node.target, where), evaluator.evaluate(node.value, where))
        if isinstance(node.op, ast.BitOr):
            return operators.merged_items(evaluator, operands, facts.span(node))
        return operators.operated(evaluator, operands, node, where)
    return unseen(facts.span(node) if isinstance(node, ast.expr | ast.stmt) else facts.span(facts.tree.body[0]))
