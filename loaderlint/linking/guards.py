"""What runs in the main process alone: code that asks for it, or for the notebook that no worker runs in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things import MAIN, Frame, Possibilities, Possibility, choice, one_of
from loaderlint.model.source import Span
from loaderlint.model.value import together
from loaderlint.readers.python import Arm, Block, Place, PythonFacts, is_main_test

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_STEPS = 150
"""Expressions followed to find out whether a place is guarded."""
_ASKED_FOR_MAIN = frozenset({"__main__", "MainProcess"})
_OF_A_NOTEBOOK = frozenset({"get_ipython", "__IPYTHON__", "ipykernel", "google.colab"})
"""Names and modules that are there in a notebook or in IPython, not in a worker that was started from it."""


def process_name(span: Span) -> Possibilities:
    """Return what ``multiprocessing.current_process().name`` is: a worker has its own when it imports the main module.

    CPython, ``Lib/multiprocessing/spawn.py``, ``prepare``, and ``process.py``, ``BaseProcess.__init__``.
    """
    return one_of(MAIN, ((True, (Possibility("MainProcess", span),)), (False, (Possibility("Process-1", span),))))


def guarded_place(evaluator: Evaluator, facts: PythonFacts, node: ast.AST, place: Place) -> bool:
    """Return whether a node at a place runs only in the main process, not in a worker that imports its file.

    A worker imports no notebook: its main module has no file (CPython, ``Lib/multiprocessing/spawn.py``,
    ``get_preparation_data``). In a function only tests that speak of the main process or a notebook are looked at.
    """
    if facts.source.cells is not None or any(_asks_for_main_or_notebook(arm) for arm in place.arms):
        return True
    if _after_notebook_call(facts, node, place):
        return True
    tests = [arm.test for arm in place.arms if arm.test is not None]
    if not any(place.scope is facts.module or _ASKED_FOR_MAIN & _texts(test) for test in tests):
        return False
    with evaluator.steps(_STEPS):
        ways = evaluator.conditions(place.arms, Frame(facts, place))
    return bool(ways) and all(together(one, choice(MAIN, False)) is None for one in ways)


def _asks_for_main_or_notebook(arm: Arm) -> bool:
    """Return whether an arm is taken only in the main module, or where a test found what a notebook has."""
    test, truth = arm.test, arm.truth
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, truth = test.operand, not truth
    if test is None:
        return False
    return (truth and is_main_test(test)) or _finds_notebook(test) is truth


def _finds_notebook(test: ast.expr) -> bool | None:
    """Return how a test answers in a notebook that asks for what only a notebook has, None for any other test."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return True if any(_finds_notebook(one) for one in test.values) else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.In | ast.NotIn):
        sought = test.left
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
        sought = test.args[-1] if test.args else test
    else:
        return None
    if not (isinstance(sought, ast.Constant) and sought.value in _OF_A_NOTEBOOK):
        return None
    return not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn))


def _after_notebook_call(facts: PythonFacts, node: ast.AST, place: Place) -> bool:
    """Return whether ``get_ipython()`` always comes before a node: where there is no IPython, it raises a NameError."""
    if "get_ipython" not in facts.calls or "get_ipython" in facts.module.bindings:
        return False
    return any(
        isinstance(call.node.func, ast.Name)
        and call.place.scope is place.scope
        and call.place.order < place.order
        and call.place.arms == place.arms[: len(call.place.arms)]
        and all(_ran_on(facts, block, node, place) for block in _around(facts, call.node))
        for call in facts.calls["get_ipython"]
    )


def _around(facts: PythonFacts, node: ast.AST) -> Iterator[Block]:
    span = facts.span(node)
    return (one for one in facts.blocks if facts.between(one.body[0], one.body[-1]).holds(span))


def _ran_on(facts: PythonFacts, block: Block, node: ast.AST, place: Place) -> bool:
    """Return whether a node stands in the body of a ``try`` or ``with``, or runs only where that came to its end."""
    return block in _around(facts, node) or any(arm.owner is block and arm.truth for arm in place.arms)


def _texts(test: ast.expr) -> set[object]:
    return {one.value for one in ast.walk(test) if isinstance(one, ast.Constant)}
