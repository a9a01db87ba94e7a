"""What Python's comparisons ask."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
"""The comparisons of numbers, by the operator that asks for each."""
