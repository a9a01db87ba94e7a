"""What is assumed of a run: the questions that decide whether something arrives in it, and their answers.

Two things whose assumptions answer one question differently never meet in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from loaderlint.model.target import Target
from loaderlint.model.torch_asked import NEWEST, TorchAsked

Answer: TypeAlias = bool | int | str | frozenset[Any]
"""What a question about a run can be answered; a set holds the words or numbers that are all possible."""


class Question(str):
    """The subject of a test that nobody can see through: its text and where it is asked.

    ``test`` is the text alone, ``names`` are the names, attributes and keys that it reads. One that is ``of_change`` no
    program asks: whether a key of a configuration is set anew, and others are left, before anything is made of it.
    """

    __slots__ = ("names", "of_change", "test")
    test: str
    names: frozenset[str]
    of_change: bool

    def __new__(
        cls, test: str, where: str, called: str = "", names: frozenset[str] = frozenset(), *, of_change: bool = False
    ) -> Question:
        """Return the question a test asks in a scope; ``called`` names the call it is asked of the arguments of."""
        made = super().__new__(cls, f"{where}:{test}{called and f', called at {called}'}")
        made.test, made.names, made.of_change = test, names, of_change
        return made


class Cases(str):
    """The subject that tells the cases of a test by one value: which of those that are written for it a run gets."""

    __slots__ = ()


class Assumption(NamedTuple):
    """One choice a candidate depends on: the question (``subject``) and the answer it takes.

    Two candidates that answer one subject differently never meet in the same run. The subjects of this module
    (`PLATFORM`, `CUDA`, `START_METHOD`) and tests of torch's version (`TorchAsked`) are settled by the target; every
    other subject is a place in the code, and its answers matter only to each other. A set of answers says that it is
    one of them.
    """

    subject: str
    answer: Answer


PLATFORM = "the platform"
"""Subject whose answer is the frozenset of `Platform` values under which the candidate arrives."""
CUDA = "torch.cuda.is_available()"
"""Subject whose answer is a bool."""
START_METHOD = "multiprocessing.get_start_method()"
"""Subject whose answer is the start method's name where the program sets none."""

Assumptions: TypeAlias = frozenset[Assumption]
NO_ASSUMPTIONS: Assumptions = frozenset()


REMEMBERED = 8192
"""Answers about sets of assumptions that are kept: eight times as many save a twentieth of the time, for half as much
memory again (measured on open_clip)."""


def together(*assumptions: Assumptions) -> Assumptions | None:
    """Return all the assumptions as one set, or None when two of them contradict each other."""
    joint = NO_ASSUMPTIONS
    for one in assumptions:
        if not joint:
            joint = one
        elif one and one is not joint:
            both = _both(joint, one)
            if both is None:
                return None
            joint = both
    return joint


@lru_cache(REMEMBERED)
def _both(first: Assumptions, second: Assumptions) -> Assumptions | None:
    if second <= first:
        return first
    more = second - first
    asked = answered(first)
    met: dict[str, Answer] = {}
    for subject, answer in more:
        if (before := asked.get(subject)) is None:
            continue
        several = isinstance(before, frozenset) or isinstance(answer, frozenset)
        common = answers_of(before) & answers_of(answer) if several else ()
        if not common:
            return None
        met[subject] = next(iter(common)) if before in common or answer in common else common
    if not met:
        return first | more
    kept = [one for one in first | more if one.subject not in met]
    return frozenset([*kept, *(Assumption(subject, answer) for subject, answer in met.items())])


@lru_cache(REMEMBERED)
def answered(assumptions: Assumptions) -> Mapping[str, Answer]:
    """Return the answers that are assumed, by their subjects."""
    return dict(assumptions)


def answers_of(answer: Answer) -> frozenset[Any]:
    """Return the answers that one stands for: a set of them is any of its own."""
    return answer if isinstance(answer, frozenset) else frozenset((answer,))


def holds_on(assumptions: Assumptions, target: Target) -> bool:
    """Return whether a candidate with these assumptions can arrive on the target (unknown facts rule nothing out)."""
    for assumption in assumptions:
        if assumption.subject == PLATFORM:
            assert isinstance(assumption.answer, frozenset)
            if target.platform.value not in assumption.answer:
                return False
        elif _said_by(target, assumption.subject) not in (None, assumption.answer):
            return False
    return True


def _said_by(target: Target, subject: str) -> Answer | None:
    """Return what a target answers besides its platform, None where it does not say."""
    if subject == CUDA:
        return target.cuda
    if isinstance(subject, TorchAsked):
        return subject.answered(target.torch or NEWEST)
    return target.default_start_method.value if subject == START_METHOD else None
