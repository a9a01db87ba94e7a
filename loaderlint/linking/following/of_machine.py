"""Tests that ask nothing but the machine, such as ``torch.cuda.device_count() > 1``: their answer is the same all over.

It is wherever the program asks, in whichever function and under whichever name it keeps what it was told.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following import environment
from loaderlint.linking.things.kinds import Frame, Made
from loaderlint.linking.things.platforms import on
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.target import Platform
from loaderlint.vocabulary.running import MACHINE_QUESTIONS, MACOS_QUESTIONS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OR_NONE = "torch.accelerator.current_accelerator"
_HIDES_DEVICES = "CUDA_VISIBLE_DEVICES"
"""A program that sets this while it runs may be told something else from then on."""


def spelled_out(evaluator: Evaluator, test: ast.expr, frame: Frame) -> tuple[ast.expr, bool] | None:
    """Return a test with what it asks of the machine in place of the names for that; None where it asks for more.

    Beside it stands whether the answers are those of the test itself, and not the opposite ones.
    """
    if not evaluator.once(("asks the machine",), False, lambda: _asks_at_all(evaluator)):
        return None
    spelled = evaluator.remembered(("of the machine", id(test)), frame, lambda: _spelled(evaluator, test, frame))
    if spelled is None or isinstance(spelled, ast.Constant):
        return None
    if environment.is_set_somewhere(evaluator, _HIDES_DEVICES):
        return None
    return _as_truth(spelled)


def holds_on(asked: ast.expr) -> Assumptions:
    """Return what is assumed of the platform where what the machine is asked, as it was spelled out, is so."""
    function = asked.func if isinstance(asked, ast.Call) else None
    of_macos = isinstance(function, ast.Name) and function.id in MACOS_QUESTIONS
    return on(frozenset({Platform.MACOS.value})) if of_macos else NO_ASSUMPTIONS


def _asks_at_all(evaluator: Evaluator) -> bool:
    """Return whether any file of the project mentions something that a machine is asked.

    Of CUDA, too, it is asked whether it ``is_available``, which is settled by the target.
    """
    parts = (name.split(".") for name in MACHINE_QUESTIONS)
    words = {".".join(one[-2:]) if one[-1] == "is_available" else one[-1] for one in parts}
    return any(True for word in sorted(words) for _ in evaluator.project.python_mentioning(word))


def _as_truth(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a test whether there is an accelerator at all as that accelerator, which counts as true if there is one.

    With it comes whether the answer is the same; ``current_accelerator`` gives None where there is none.
    """
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot) and len(test.ops) == 1:
        asked, other = test.left, test.comparators[0]
        is_none = isinstance(other, ast.Constant) and other.value is None
        if is_none and isinstance(asked, ast.Call) and isinstance(asked.func, ast.Name) and asked.func.id == _OR_NONE:
            return asked, isinstance(test.ops[0], ast.IsNot)
    return test, True


def _spelled(evaluator: Evaluator, node: ast.expr, frame: Frame) -> ast.expr | None:
    if isinstance(node, ast.Constant):
        return node
    if isinstance(node, ast.Compare):
        operands = _all_spelled(evaluator, [node.left, *node.comparators], frame)
        return ast.Compare(operands[0], node.ops, operands[1:]) if operands else None
    if isinstance(node, ast.BoolOp):
        values = _all_spelled(evaluator, node.values, frame)
        return ast.BoolOp(node.op, values) if values else None
    if isinstance(node, ast.UnaryOp):
        operand = _spelled(evaluator, node.operand, frame)
        return ast.UnaryOp(node.op, operand) if operand is not None else None
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return None
    question = _question(evaluator, node, frame)
    if question is None and isinstance(node, ast.Attribute):
        owner = _question(evaluator, node.value, frame)
        return ast.Attribute(owner, node.attr, ast.Load()) if owner is not None else None
    return question


def _all_spelled(evaluator: Evaluator, nodes: list[ast.expr], frame: Frame) -> list[ast.expr]:
    """Return expressions as they are spelled out, none as soon as one of them asks for more than the machine."""
    found: list[ast.expr] = []
    for node in nodes:
        spelled = _spelled(evaluator, node, frame)
        if spelled is None:
            return []
        found.append(spelled)
    return found


def _question(evaluator: Evaluator, node: ast.expr, frame: Frame) -> ast.expr | None:
    """Return the call that asks the machine for what an expression gives, whatever else it was called by."""
    found = evaluator.evaluate(node, frame)
    thing = found[0].thing if len(found) == 1 else None
    if not isinstance(thing, Made) or thing.callee not in MACHINE_QUESTIONS:
        return None
    given = [*thing.call.args, *(one.value for one in thing.call.keywords)]
    if not all(isinstance(one, ast.Constant) for one in given):
        return None
    return ast.Call(ast.Name(thing.callee, ast.Load()), thing.call.args, thing.call.keywords)
