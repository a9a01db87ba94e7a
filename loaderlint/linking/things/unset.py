"""Tests that ask whether an object has something: ``if self.file is None``, ``if not hasattr(self, "file")``."""

from __future__ import annotations

import ast

from loaderlint.readers.python import Arm, dotted

_READ_BY_NAME = ("getattr", "hasattr")
"""Functions that ask an object for an attribute by its name."""


def fills(arm: Arm, self_name: str, attribute: str) -> bool:
    """Return whether an arm is only taken where an attribute of an object was not given anything that counts."""
    return arm.test is not None and _asked_of(arm.test, arm.truth, self_name) == attribute


def fills_none(arm: Arm, self_name: str, attribute: str) -> bool:
    """Return whether an arm is taken where an attribute of an object is None."""
    by_name = arm.test is not None and any(isinstance(one, ast.Call) for one in ast.walk(arm.test))
    return fills(arm, self_name, attribute) and not by_name


def _asked_of(test: ast.expr, answer: bool, self_name: str) -> str | None:
    """Return the attribute that is unset where a test has this answer, None where it asks for something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked_of(test.operand, not answer, self_name)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        with_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        asked = isinstance(test.ops[0], ast.Is | ast.Eq) if answer else isinstance(test.ops[0], ast.IsNot | ast.NotEq)
        return _attribute(test.left, self_name) if with_none and asked else None
    return None if answer else _attribute(test, self_name)


def _attribute(node: ast.expr, self_name: str) -> str | None:
    """Return the name of the attribute that is read, or asked for: ``self.file``, ``getattr(self, "file", None)``."""
    name = dotted(node)
    if name is not None and name.startswith(f"{self_name}.") and name.count(".") == 1:
        return name.partition(".")[2]
    if isinstance(node, ast.Call) and dotted(node.func) in _READ_BY_NAME and len(node.args) >= 2:
        owner, key = node.args[:2]
        if dotted(owner) == self_name and isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
    return None
