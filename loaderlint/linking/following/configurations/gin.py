"""Functions under ``@gin.configurable``: what a call leaves out, a file of the user may bind before the default.

What a call gives wins over any binding (``gin/config.py``, ``_make_gin_wrapper``, 0.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import ABSENT, External, Frame, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import choice, unseen
from loaderlint.readers.python import FunctionNode
from loaderlint.readers.python_calls import without_arguments
from loaderlint.vocabulary.configurations import GIN_CONFIGURABLE

if TYPE_CHECKING:
    import ast

    from loaderlint.linking.following.evaluate import Evaluator


def configuration(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities | None:
    """Return what gin hands a function for a parameter that its caller leaves out; None where it hands over nothing.

    An `Absent` among it stands for the default.
    """
    if not isinstance(frame.scope.node, FunctionNode) or frame.scope.parent is None:
        return None
    where = Frame(frame.facts, end_of(frame.scope.parent))
    span = frame.facts.span(node)
    for decorator in map(without_arguments, frame.scope.node.decorator_list):
        for one in evaluator.evaluate(decorator, where):
            if isinstance(one.thing, External) and one.thing.name in GIN_CONFIGURABLE:
                subject = f"what gin binds at {span}"
                left = Possibility(ABSENT, span, assumptions=choice(subject, "nothing"))
                return (left, *unseen(span, choice(subject, "a value")))
    return None
