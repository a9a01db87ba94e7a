"""Remembers the answers to questions, and counts the steps that are taken for each.

A question may ask others, and these the first again: what was found on the way around such a circle, or where the steps
ran out, holds for who asked and for nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from loaderlint.linking.things.kinds import Frame, Possibilities
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Span

Answer = TypeVar("Answer")

MOST_STEPS = 10**9
"""The steps there are while no question is asked that has a limit: more than are ever taken."""
STEPS_INSIDE = 6
"""So many times its own steps may be spent on the questions inside an outermost question, such as what an option is."""
STEPS_OF_A_PROJECT_QUESTION = 4000
"""Expressions followed for a question about the whole project, and for any other without a limit of its own."""
LEAST_STEPS = 30
"""So many of its steps a question has however little effort is made: a table of classes by their names takes these."""
NOTHING_MET = 10**9
"""How deep the outermost expression lies that was met while being followed, when there was none."""
DEEPEST_EXPRESSION = 60
"""Expressions followed through each other; a longer way than this is unseen."""
_UNANSWERED: Any = object()
"""Stands for the answer to a question that nobody asked so far."""


class Remembering:
    """The answers found so far, the questions that are being asked, and the steps that are left for them.

    ``effort`` is the share of the steps there are for a question that may be spent on it.
    """

    def __init__(self, effort: float) -> None:
        self._effort = effort
        self._active: dict[tuple[object, ...], int] = {}
        """What is being followed, each with how deep it lies."""
        self._kept: dict[int, object] = {}
        self._cut: dict[tuple[object, ...], tuple[int, object]] = {}
        """What was found when the steps ran out, with how many there were: a few more are not enough another time."""
        self._tentative: dict[tuple[object, ...], tuple[object, int]] = {}
        """Answers that hold until something further out is known, each with how deep that lies."""
        self._met = NOTHING_MET
        self._answers: dict[tuple[object, ...], Any] = {}
        self._left = self._left_in_all = self._of_outermost = MOST_STEPS
        self._project_questions = self.steps_taken = 0
        self.times_too_deep = 0
        """How often something was unseen for no other reason than how deep it lay below who asked."""

    def forget(self) -> None:
        """Forget what was worked out so far, which something found since then may change."""
        for found in (self._cut, self._answers, self._tentative):
            found.clear()

    @contextmanager
    def steps(self, most: int) -> Iterator[None]:
        """Follow at most so many expressions for the questions asked inside; the rest of the way is unseen.

        Questions inside may set limits of their own, but those of one outermost question stay within its own.
        """
        before, self._left = self._left, self._share(most)
        outermost = before == MOST_STEPS == self._left_in_all
        if outermost:
            self._of_outermost = self._left
            self._left_in_all = self._left * STEPS_INSIDE
        try:
            yield
        finally:
            self._left = before
            if outermost:
                self._left_in_all = MOST_STEPS

    def _share(self, most: int) -> int:
        """Return how many of the steps that there are for a question may be spent on it."""
        return max(int(most * self._effort), min(most, LEAST_STEPS))

    @property
    def _steps_left(self) -> int:
        return self._left if self._left < self._left_in_all else self._left_in_all

    def _too_few(self, steps: int, before: int) -> bool:
        """Return whether so many steps are not worth a try where they ran out ``before`` with so many.

        It takes twice as many, or nearly all that an outermost question has, so that its answer depends little on who
        asked before it.
        """
        nearly_all = MOST_STEPS if self._project_questions else self._of_outermost * 7 // 8
        return steps < max(2 * before, 0) and not before < nearly_all <= steps

    @property
    def ran_out(self) -> bool:
        """Whether no question has steps left, whatever its own limit: what is found out now may lack something."""
        return self._left_in_all < 0

    @property
    def lies_deep(self) -> bool:
        """Whether who asks lies so deep that others may well see further."""
        return len(self._active) > DEEPEST_EXPRESSION // 2

    def remembered(self, key: tuple[object, ...], frame: Frame | None, work: Callable[[], Answer]) -> Answer:
        """Return the answer to a question that was asked before in the same circumstances, else work it out.

        A question that is the same in every frame has none (None).
        """
        full = (*key, id(frame.arguments), id(frame.receiver)) if frame is not None else key
        answer: Answer = self._answers.get(full, _UNANSWERED)
        if answer is not _UNANSWERED:
            return answer
        if full in self._tentative:
            return cast(Answer, self._still_tentative(full))
        steps, cut = self._steps_left, self._cut.get(full)
        if cut is not None and self._too_few(steps, cut[0]):
            self._left = -1
            return cast(Answer, cut[1])
        before = self._met, len(self._tentative)
        self._met = NOTHING_MET
        answer = work()
        if frame is not None:
            self._keep(frame.arguments, frame.receiver)
        if cut_short := self._steps_left < 0:
            self._cut[full] = steps, answer
        if self._may_remember(full, answer, before, len(self._active), cut_short):
            self._answers[full] = answer
        return answer

    def on_the_way(self, key: tuple[object, ...], frame: Frame, enough: int, work: Callable[[], Answer]) -> Answer:
        """Return what `remembered` does for what is asked on the way to something else.

        Where ``enough`` steps did not suffice for it before, and there are not many more of them now, who asks goes on
        with what was found by then: it costs nobody anything after that.
        """
        cut = self._cut.get((*key, id(frame.arguments), id(frame.receiver)))
        if cut is not None and self._share(enough) <= cut[0] and 0 <= self._steps_left < 2 * cut[0]:
            return cast(Answer, cut[1])
        return self.remembered(key, frame, work)

    def in_a_circle(
        self, key: tuple[object, ...], frame: Frame, unfinished: Answer, work: Callable[[], Answer]
    ) -> Answer:
        """Return what `remembered` does; to whom asks it meanwhile, in the same circumstances, it is ``unfinished``."""
        full = (*key, id(frame.arguments), id(frame.receiver))
        if full in self._active:
            self._met = min(self._met, self._active[full])
            return unfinished

        def followed() -> Answer:
            self._active[full] = len(self._active)
            try:
                return work()
            finally:
                del self._active[full]

        return self.remembered(key, frame, followed)

    def once(
        self,
        key: tuple[object, ...],
        unfinished: Answer,
        work: Callable[[], Answer],
        most: int | None = None,
        alike: tuple[object, ...] | None = None,
    ) -> Answer:
        """Return the answer to a question about the whole project; to whom asks it meanwhile it is ``unfinished``.

        It has steps of its own, which it shares with the questions inside it. One inside that these ran out for has a
        better answer when somebody asks who has more of them. A small question, with its ``most`` steps, never shares
        those of whom it lies inside. Of questions that are ``alike`` each is unfinished to whom asks it while another
        is being answered: where many ask each other, they are not followed in every order.
        """
        answer: Answer = self._answers.get(key, _UNANSWERED)
        if answer is not _UNANSWERED:
            return answer
        if key in self._tentative:
            return cast(Answer, self._still_tentative(key))
        if (asked := alike or key) in self._active:
            self._met = min(self._met, self._active[asked])
            return unfinished
        depth = len(self._active)
        before = self._met, len(self._tentative)
        left = self._left, self._left_in_all
        outermost = self._project_questions == 0 or most is not None
        steps = self._share(most or STEPS_OF_A_PROJECT_QUESTION) if outermost else self._left_in_all
        cut = self._cut.get(key)
        if cut is not None and not outermost and steps < max(2 * cut[0], 0):
            self._left = -1
            return cast(Answer, cut[1])
        # What an outermost question costs is not charged to the first who asks it.
        self._left, self._left_in_all = MOST_STEPS, steps
        self._project_questions += 1
        self._met = NOTHING_MET
        self._active[asked] = depth
        try:
            answer = work()
        finally:
            del self._active[asked]
            self._project_questions -= 1
            cut_short = not outermost and self._steps_left < 0
            self._left, self._left_in_all = left if outermost else (left[0], self._left_in_all)
        if cut_short:
            self._cut[key] = steps, answer
        if self._may_remember(key, answer, before, depth, cut_short):
            self._answers[key] = answer
        return answer

    def step(self, span: Span, steps: int = 1) -> Possibilities:
        """Take a step of those that are left, or several; return what is known when they ran out, nothing before that.

        Work that takes as long as following so many expressions takes as many ``steps``.
        """
        self.steps_taken += steps
        self._left -= steps
        self._left_in_all -= steps
        return unseen(span) if self._steps_left < 0 else ()

    def too_deep(self, span: Span) -> Possibilities:
        """Return what is known of something for which Python, or we ourselves, would have to go deeper than we may.

        How deep it may go depends on who asks: nothing of it is remembered for others.
        """
        self._met = 0
        self.times_too_deep += 1
        return unseen(span)

    def _still_tentative(self, key: tuple[object, ...]) -> object:
        answer, met = self._tentative[key]
        self._met = min(self._met, met)
        return answer

    def _may_remember(
        self,
        key: tuple[object, ...],
        answer: object,
        before: tuple[int, int],
        depth: int,
        cut_short: bool,
    ) -> bool:
        """Return whether an answer holds for whoever asks next; it does not when it was cut short.

        An answer that met an expression which is still being followed further out holds for that question alone. It is
        tentative, and forgotten together with the others of its kind as soon as that expression is known. ``before`` is
        what had been met, and how much was tentative, when the question was asked.
        """
        met, tentative = self._met, before[1]
        self._met = min(before[0], met)
        if met < depth:
            if not cut_short:
                self._tentative[key] = answer, met
            return False
        self._met = before[0]
        while len(self._tentative) > tentative:
            self._tentative.popitem()
        return not cut_short

    def _keep(self, *objects: object) -> None:
        """Keep the objects whose identities are remembered: an identity is unique only while its object lives."""
        self._kept.update((id(one), one) for one in objects if one is not None)
