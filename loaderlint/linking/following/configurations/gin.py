"""Functions and classes under ``@gin.configurable``: what a call leaves out, a file of the user may bind.

What a call gives wins over any binding, and that over the default; of a class it is the constructor that is bound
(``gin/config.py``, ``_make_gin_wrapper`` and ``_decorate_fn_or_cls``, 0.5).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import ABSENT, External, Frame, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import choice, unseen
from loaderlint.readers.python import FunctionNode, Place, Scope
from loaderlint.readers.python_calls import without_arguments
from loaderlint.vocabulary.configurations import GIN_CONFIGURABLE

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def configuration(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities | None:
    """Return what gin hands a function for a parameter that its caller leaves out; None where it hands over nothing.

    An `Absent` among it stands for the default.
    """
    if not isinstance(frame.scope.node, FunctionNode):
        return None
    span = frame.facts.span(node)
    for decorator, place in _decorators(frame.scope):
        for one in evaluator.evaluate(decorator, Frame(frame.facts, place)):
            if isinstance(one.thing, External) and one.thing.name in GIN_CONFIGURABLE:
                subject = f"what gin binds at {span}"
                left = Possibility(ABSENT, span, assumptions=choice(subject, "nothing"))
                return (left, *unseen(span, choice(subject, "a value")))
    return None


def _decorators(scope: Scope) -> Iterator[tuple[ast.expr, Place]]:
    """Yield what decorates a function, and for a constructor its class, without arguments; with where it is read."""
    if isinstance(scope.node, FunctionNode | ast.ClassDef) and scope.parent is not None:
        yield from ((without_arguments(one), end_of(scope.parent)) for one in scope.node.decorator_list)
        if scope.name == "__init__" and scope.parent.is_class:
            yield from _decorators(scope.parent)
