"""Statements that set the attributes of an object by their names."""

from __future__ import annotations

import ast

from loaderlint.readers.python import Binding
from loaderlint.readers.python_attributes import dictionary_of


def sets_attributes(binding: Binding) -> bool:
    """Return whether a change of what a name stands for sets its attributes: by ``setattr``, or in ``vars(name)``."""
    call = binding.node
    if not isinstance(call, ast.Call) or binding.kind not in ("item", "update"):
        return False
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "setattr"
    return isinstance(function, ast.Attribute) and dictionary_of(function.value) is not None
