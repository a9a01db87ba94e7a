"""Whether an error that a place raises is kept from getting out: by a ``try``, or by a ``with`` that expects it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from loaderlint.readers.python import PythonFacts, dotted
from loaderlint.readers.python_calls import called_name

_EVERY_ERROR = ("Exception", "BaseException")
_EXPECT_ERRORS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
"""Functions whose object, as the context manager of a ``with``, takes the errors they are given."""


def is_caught(facts: PythonFacts, node: ast.AST, error: str, *, for_good: bool = False) -> bool:
    """Return whether a node stands in a ``try`` that takes an error, or in a ``with`` that does.

    Taken ``for_good`` it is where the handler raises nothing itself.
    """
    span = facts.span(node)
    for block in facts.blocks:
        if not facts.between(block.body[0], block.body[-1]).holds(span):
            continue
        if isinstance(block, ast.Try):
            if any(_takes([one.type], error) and not (for_good and _raises(one)) for one in block.handlers):
                return True
        elif any(_expects(item.context_expr, error) for item in block.items):
            return True
    return False


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def _takes(kinds: Sequence[ast.expr | None], error: str) -> bool:
    for kind in kinds:
        if isinstance(kind, ast.Tuple):
            if _takes(kind.elts, error):
                return True
        elif kind is None or (dotted(kind) or error).rpartition(".")[2] in (error, *_EVERY_ERROR):
            return True
    return False


def _expects(manager: ast.expr, error: str) -> bool:
    if not isinstance(manager, ast.Call):
        return False
    return called_name(manager) in _EXPECT_ERRORS and _takes(
        [*manager.args, *(one.value for one in manager.keywords if one.arg == "expected_exception")], error
    )
