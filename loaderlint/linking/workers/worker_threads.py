"""Libraries that run threads of their own in every worker."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.things.kinds import External, Frame, Function, Made
from loaderlint.linking.workers.thread_users import is_batch, is_fast_tokenizer, parallelism, use_of
from loaderlint.model.uses import ThreadUse
from loaderlint.readers.python import CallSite
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary import forking
from loaderlint.vocabulary.forking import Threaded

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def threads_in_workers(evaluator: Evaluator, running: Iterable[Function]) -> tuple[ThreadUse, ...]:
    """Return the first place in worker code that uses each library whose threads nothing in the project holds back."""
    found: dict[str, ThreadUse] = {}
    for function in running:
        for site in function.scope.calls:
            frame = Frame(function.facts, site.place, receiver=function.receiver)
            for threaded in () if told_apart(site.place) else _used_at(evaluator, site, frame):
                if threaded.words not in found:
                    with evaluator.steps(STEPS):
                        for conditions in evaluator.conditions(site.place.arms, frame)[:1]:
                            found[threaded.words] = use_of(function.facts, site.node, conditions, threaded, None)
    return tuple(found.values())


def _used_at(evaluator: Evaluator, site: CallSite, frame: Frame) -> Iterator[Threaded]:
    node = site.node
    name = called_name(node)
    if name in forking.OPENCV_FUNCTIONS and not evaluator.once(("opencv",), True, lambda: _held_back(evaluator)):
        with evaluator.steps(STEPS):
            called = [one.thing for one in evaluator.evaluate(node.func, frame)]
        if any(isinstance(one, External) and one.name == f"cv2.{name}" for one in called):
            yield forking.OPENCV
    by_method = name in forking.TOKENIZER_BATCHES and isinstance(node.func, ast.Attribute)
    if by_method or is_batch(node, frame.scope):
        if evaluator.once(("switched off",), True, lambda: "other" in parallelism(evaluator)):
            return
        tokenizer = node.func.value if by_method and isinstance(node.func, ast.Attribute) else node.func
        with evaluator.steps(STEPS):
            made = [one.thing for one in evaluator.evaluate(tokenizer, frame)]
        if any(isinstance(one, Made) and is_fast_tokenizer(one) for one in made):
            yield forking.TOKENIZER_THREADS


def _held_back(evaluator: Evaluator) -> bool:
    """Return whether the project sets the number of OpenCV's threads somewhere, or a library does so for it."""
    return any(
        word in facts.source.text
        for facts in evaluator.project.all_python()
        for word in (forking.OPENCV_THREADS, *forking.HOLD_OPENCV_BACK)
    )
