"""Devices of torch: what type one is of, and which tests only a device of CUDA passes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from msgspec.structs import replace

from loaderlint.linking.things.kinds import Possibilities, Possibility
from loaderlint.linking.things.platforms import on
from loaderlint.linking.things.possibilities import WITH_CUDA, unseen
from loaderlint.linking.things.templates import beginning
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span

_CUDA = "cuda"
_MEAN_DEVICES = ("device", "dev")
"""How names end that stand for a device."""


def types_of(named: Iterable[Possibility], span: Span) -> Possibilities:
    """Return the types of devices that are made of these names: ``cuda`` of ``cuda:1``, what comes before the number.

    "A string containing the device type and, optionally, the device ordinal" (docs.pytorch.org, ``torch.device``).
    """
    found: list[Possibility] = []
    for one in named:
        start = beginning(one.thing)
        kind, number, _ = start.partition(":") if isinstance(start, str) else ("", "", "")
        if isinstance(one.thing, str) or number:
            found.append(replace(one, thing=kind))
        else:
            found.extend(replace(other, assumptions=one.assumptions) for other in unseen(span))
    return tuple(found)


def where_asked_for_cuda(test: ast.expr, answer: bool) -> Assumptions:
    """Return what is assumed of the platform where a test is answered so that the device it asks about is CUDA's.

    Nothing of any other test. Whoever names such a device where torch has no CUDA gets no further than the first use of
    it ("Torch not compiled with CUDA enabled", ``torch/cuda/__init__.py``, 2.13).
    """
    return on(WITH_CUDA) if _is_of_cuda(test, answer) else NO_ASSUMPTIONS


def _is_of_cuda(test: ast.expr, answer: bool) -> bool:
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return _is_of_cuda(operand, not answer)
        case ast.BoolOp(operator, operands) if answer is isinstance(operator, ast.And):
            return any(_is_of_cuda(one, answer) for one in operands)
        case ast.Compare(left, [ast.Eq() | ast.Is()], [right]):
            return answer and _names_cuda(left, right)
        case ast.Compare(left, [ast.NotEq() | ast.IsNot()], [right]):
            return not answer and _names_cuda(left, right)
        case ast.Compare(ast.Constant("cuda"), [ast.In()], [right]):
            return answer and _is_device(right)
        case ast.Call(ast.Attribute(owner, "startswith"), [ast.Constant("cuda")]):
            return answer and _is_device(owner)
    return False


def _names_cuda(left: ast.expr, right: ast.expr) -> bool:
    return any(
        isinstance(name, ast.Constant)
        and isinstance(name.value, str)
        and name.value.startswith(_CUDA)
        and _is_device(of)
        for name, of in ((left, right), (right, left))
    )


def _is_device(node: ast.expr) -> bool:
    """Return whether an expression goes by the name of a device, of its type, or of its text."""
    match node:
        case ast.Call(ast.Name("str"), [inside]):
            return _is_device(inside)
        case ast.Attribute(owner, "type"):
            return _is_device(owner)
        case ast.Attribute(_, name) | ast.Name(name) | ast.Subscript(_, ast.Constant(str(name))):
            return name.lower().endswith(_MEAN_DEVICES)
    return False
