"""What an expression comes to on one platform, with or without workers: how a proof reads what was written."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import product

from msgspec import Struct, field

from loaderlint.model.target import Platform
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.counts import above_zero
from loaderlint.writers.python.platforms import platforms_where

_MOST_FACTS = 6


class Situation(Struct, frozen=True):
    """A platform, and the truth of tests that only the running program knows, by their ``ast.dump``."""

    platform: Platform
    sys_names: Collection[str]
    facts: Mapping[str, bool] = field(default_factory=dict)

    def truth(self, test: ast.expr) -> bool | None:
        """Return whether a test is true in this situation, None when it does not depend on it."""
        known = self.facts.get(ast.dump(test))
        if known is not None:
            return known
        where = platforms_where(test, self.sys_names)
        if where is not None:
            return self.platform in where
        if isinstance(test, ast.Constant) and isinstance(test.value, bool):
            return test.value
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.truth(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            opposite = self._opposite(test)
            return opposite if opposite is not None else self._of_workers(test)
        return self._of_workers(test) if isinstance(test, ast.Call) else None

    def _of_workers(self, test: ast.expr) -> bool | None:
        """Return the truth of a test that asks whether there are workers in other words."""
        count, answer = above_zero(test)
        known = self.facts.get(ast.dump(_above_zero(count)))
        return None if known is None else known is answer

    def _asked(self, test: ast.expr) -> bool | None:
        """Return the truth of a test, of one that is a worker count itself or has several parts, too."""
        known = self.facts.get(ast.dump(test))
        if known is not None:
            return known
        if isinstance(test, ast.BoolOp):
            # What ``a or b`` comes to may be known where ``a or b or c`` is asked.
            *first, last = test.values
            answers = [self._asked(first[0] if len(first) == 1 else ast.BoolOp(test.op, first)), self._asked(last)]
            decides = isinstance(test.op, ast.Or)
            if decides in answers:
                return decides
            return None if None in answers else not decides
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._asked(test.operand)
            return None if inner is None else not inner
        truth = self.truth(test)
        return truth if truth is not None else self._of_workers(test)

    def _opposite(self, test: ast.Compare) -> bool | None:
        """Return the truth of a comparison whose opposite is a known fact."""
        opposites: dict[type[ast.cmpop], ast.cmpop] = {
            ast.NotEq: ast.Eq(),
            ast.Eq: ast.NotEq(),
            ast.NotIn: ast.In(),
            ast.In: ast.NotIn(),
            ast.IsNot: ast.Is(),
            ast.Is: ast.IsNot(),
        }
        operator = opposites.get(type(test.ops[0]))
        if operator is None:
            return None
        known = self.facts.get(ast.dump(ast.Compare(test.left, [operator], test.comparators)))
        return None if known is None else not known

    def taken(self, node: ast.expr) -> ast.expr:
        """Return the arm of a choice that is taken, an expression that is none itself."""
        truth = self._asked(node.test) if isinstance(node, ast.IfExp) else None
        if not isinstance(node, ast.IfExp) or truth is None:
            return node
        return self.taken(node.body if truth else node.orelse)

    def settled(self, node: ast.expr) -> ast.expr:
        """Return what an expression comes to: the arm of a choice, what is left of a conjunction, or itself."""
        node = self.taken(node)
        truth = self.truth(node)
        if truth is not None:
            return ast.Constant(truth)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return self._conjunction(node)
        return node

    def _conjunction(self, node: ast.BoolOp) -> ast.expr:
        truths = [self.truth(value) for value in node.values]
        if False in truths:
            return ast.Constant(False)
        left = [value for value, truth in zip(node.values, truths, strict=True) if truth is None]
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def situations(sys_names: Collection[str], worker_count: ast.expr | None = None) -> Iterator[Situation]:
    """Yield every situation that makes a difference, for an option that depends on a worker count where one is given.

    Raises `CannotRewrite` when there are too many.
    """
    tests = list(_open_tests(worker_count, sys_names)) if worker_count is not None else []
    tests = [test for test in tests if not _asks_in_other_words(test, tests)]
    if len(tests) > _MOST_FACTS:
        raise CannotRewrite("the worker count depends on too many tests")
    for platform in Platform:
        for truths in product((True, False), repeat=len(tests)):
            facts = (fact for test, truth in zip(tests, truths, strict=True) for fact in _facts(test, truth))
            yield Situation(platform, sys_names, dict(facts))


def _asks_in_other_words(test: ast.expr, tests: Collection[ast.expr]) -> bool:
    """Return whether another of the tests asks the same of a worker count: ``n > 0`` beside ``n``, or ``not n``."""
    asked = ast.dump(_above_zero(above_zero(test)[0]))
    return asked != ast.dump(test) and asked in {ast.dump(one) for one in tests}


def _facts(test: ast.expr, truth: bool) -> Iterator[tuple[str, bool]]:
    """Yield what is known where a test is true, or is not: each part of ``and`` is true with it, of ``or`` false."""
    yield ast.dump(test), truth
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is truth:
        for part in test.values:
            yield from _facts(part, truth)


def has_workers(worker_count: ast.expr, situation: Situation) -> bool:
    """Return whether a worker count is above 0 in a situation of its own."""
    settled = situation.settled(worker_count)
    known = literal(settled)
    if known is not None:
        return isinstance(known[0], int | float) and known[0] > 0
    answer = situation.facts.get(ast.dump(_above_zero(settled)))
    if answer is None:
        raise CannotRewrite(f"whether there are workers is not told by `{ast.unparse(settled)}`")
    return answer


def _open_tests(worker_count: ast.expr, sys_names: Collection[str]) -> Iterator[ast.expr]:
    if isinstance(worker_count, ast.IfExp):
        if platforms_where(worker_count.test, sys_names) is None:
            yield worker_count.test
        yield from _open_tests(worker_count.body, sys_names)
        yield from _open_tests(worker_count.orelse, sys_names)
    elif literal(worker_count) is None:
        yield _above_zero(worker_count)


def _above_zero(node: ast.expr) -> ast.Compare:
    return ast.Compare(node, [ast.Gt()], [ast.Constant(0)])


def literal(node: ast.expr) -> tuple[Constant] | None:
    """Return the constant a literal says, in a tuple of its own, or None when the node is no literal."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return (value,) if value is None or isinstance(value, bool | int | float | str) else None


def says(node: ast.expr, value: Constant) -> bool:
    """Return whether a node is a literal for just this constant (True is not 1)."""
    found = literal(node)
    return found is not None and type(found[0]) is type(value) and found[0] == value
