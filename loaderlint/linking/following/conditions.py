"""Conditions: what a test answers, and under which assumptions the arms of branches and loops are taken."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from loaderlint.linking.following import groups, of_machine, stops
from loaderlint.linking.following.configurations.lazy_calls import Changed
from loaderlint.linking.following.read_names import last_read
from loaderlint.linking.following.renewed import names_of, not_told_apart, values_read
from loaderlint.linking.following.where_asked import asked_in
from loaderlint.linking.things import devices, loops
from loaderlint.linking.things.alternatives import joined
from loaderlint.linking.things.kinds import Frame, Possibilities, Possibility
from loaderlint.linking.things.operations import truth_of
from loaderlint.linking.things.possibilities import choice
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, Question, together
from loaderlint.model.source import Span
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Arm, is_main_test

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_OPPOSITES: Mapping[bool | frozenset[bool], bool | frozenset[bool]] = {
    **{answer: not answer for answer in (True, False)},
    **{frozenset({answer}): frozenset({not answer}) for answer in (True, False)},
}
"""The other answer of a test; one that is seen, of which nothing had to be asked, is a set of itself alone."""
_Answer: TypeAlias = tuple[bool, Assumptions, frozenset[Span]]
"""An answer of a test, what it assumes, and the written places it depends on."""
_MOST_ANSWERS = 64
"""A test whose operands can be answered in more ways than this is one question."""
ENOUGH_FOR_A_TEST = 1000
"""Expressions followed for what one test answers: where so many did not suffice, others go on with what they gave."""
_DEEPEST_TEST = 12
"""Tests that are followed through what their names were bound under, each through the one before."""


class Conditions:
    """The conditions of a project's code; a test that nobody can see through is a question of its own."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._questions: dict[tuple[int, str, str], Question] = {}
        self._inside = 0

    def truth(self, test: ast.expr, frame: Frame) -> list[_Answer]:
        """Return the answers a test can give, each with what it assumes and the written places it depends on."""
        key = ("truth", id(test))
        return self._evaluator.on_the_way(key, frame, ENOUGH_FOR_A_TEST, lambda: self._truth(test, frame))

    def met_at(self, frame: Frame, possibilities: Possibilities) -> Possibilities:
        """Return those that a run which comes to a frame's place can have: of too many only some can be kept."""
        ways = self.taken(frame.place.arms, frame)
        met = tuple(one for one in possibilities if any(together(one.assumptions, way) is not None for way in ways))
        return met or possibilities

    def _truth(self, test: ast.expr, frame: Frame) -> list[_Answer]:
        values = self._evaluator.evaluate(test, frame)
        is_seen = {truth_of(one.thing) is not None for one in values}
        of_operands = self._of_operands(test, frame) if isinstance(test, ast.BoolOp) and len(is_seen) > 1 else None
        return of_operands or self._of_values(test, frame, values)

    def _of_values(self, test: ast.expr, frame: Frame, values: Possibilities) -> list[_Answer]:
        answers: list[_Answer] = []
        seen = [(truth, one.assumptions) for one in values if (truth := truth_of(one.thing)) is not None]
        not_seen = [one.assumptions for one in values if truth_of(one.thing) is None]
        for one in values:
            places = one.places
            truth = truth_of(one.thing)
            if truth is not None:
                answers.extend((truth, way, places) for way in self._known(test, frame, truth, one, not_seen))
                continue
            for assumed in (True, False):
                if any(truth is assumed and way <= one.assumptions for truth, way in seen):
                    continue
                for way in self.question(test, frame, assumed):
                    joint = together(one.assumptions, way)
                    if joint is not None:
                        answers.append((assumed, joint, places))
        return answers

    def _of_operands(self, test: ast.BoolOp, frame: Frame) -> list[_Answer] | None:
        """Return the answers of ``and`` or ``or``, each by those of the operands; None where they are too many."""
        stops_at = isinstance(test.op, ast.Or)
        stopped: list[_Answer] = []
        going: list[_Answer] = [(not stops_at, NO_ASSUMPTIONS, frozenset())]
        for operand in test.values:
            reached = [
                (truth, joint, before | places)
                for _, ways, before in going
                for truth, way, places in self.truth(operand, frame)
                if (joint := together(ways, way)) is not None
            ]
            stopped.extend(one for one in reached if one[0] is stops_at)
            going = [one for one in dict.fromkeys(reached) if one[0] is not stops_at]
            if len(stopped) + len(going) > _MOST_ANSWERS:
                return None
        return list(dict.fromkeys([*stopped, *going]))

    def answered(self, test: ast.expr, frame: Frame) -> Possibilities:
        """Return what a test gives: what is seen assumes its answer where that may just as well be one not seen."""
        values = self._evaluator.evaluate(test, frame)
        not_seen = [one.assumptions for one in values if truth_of(one.thing) is None]
        return tuple(
            replace(one, assumptions=way)
            for one in values
            for truth in [truth_of(one.thing)]
            for way in ([one.assumptions] if truth is None else self._known(test, frame, truth, one, not_seen))
        )

    def _known(
        self, test: ast.expr, frame: Frame, truth: bool, one: Possibility, not_seen: Iterable[Assumptions]
    ) -> list[Assumptions]:
        """Return the alternative assumptions under which a test gives an answer that is seen.

        Where it may just as well be one that is not seen, a run that gets this answer gets it wherever it asks again.
        """
        if all(together(one.assumptions, other) is None for other in not_seen):
            way = together(one.assumptions, devices.where_asked_for_cuda(test, truth))
            return [] if way is None else [way]
        ways = (together(one.assumptions, way) for way in self._asked(test, frame, frozenset({truth})))
        return [way for way in ways if way is not None] or [one.assumptions]

    def question(self, test: ast.expr, frame: Frame, answer: bool) -> list[Assumptions]:
        """Return the alternative assumptions under which a test nobody can see through gives this answer.

        Of each value that a name in it may have there it is another question.
        """
        return self._asked(test, frame, answer)

    def _asked(self, test: ast.expr, frame: Frame, answer: bool | frozenset[bool]) -> list[Assumptions]:
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, answer = test.operand, _OPPOSITES[answer]
        of_the_machine = of_machine.spelled_out(self._evaluator, test, frame)
        if of_the_machine is not None:
            asked, truth = of_the_machine
            question = Question(ast.unparse(asked), "the machine", names=_names(test))
            given = answer if truth else _OPPOSITES[answer]
            is_so = of_machine.holds_on(asked) if given in (True, frozenset({True})) else NO_ASSUMPTIONS
            return [choice(question, given) | is_so]
        own = any(name in frame.scope.bindings for name in names_of(test) if "." not in name)
        # What one call asks of its own arguments another call asks of others.
        called = frame.called if own else ""
        where = asked_in(self._evaluator, test, frame)
        truth = answer in (True, frozenset({True}))
        cuda = devices.where_asked_for_cuda(test, truth)
        group = groups.where_there_is_one(self._evaluator, test, frame) if truth else NO_ASSUMPTIONS
        answers = (
            together(way, cuda, group, choice(self._question(test, frame, f"{where}{since}", called), answer))
            for since, way in self._values_read(test, frame)
        )
        return [one for one in answers if one is not None]

    def _values_read(self, test: ast.expr, frame: Frame) -> list[tuple[str, Assumptions]]:
        """Return the ways in which a test comes by what it reads; too deep in other tests it is one way."""
        if self._inside == _DEEPEST_TEST:
            self._evaluator.too_deep(frame.facts.span(test))
            return not_told_apart(test, frame)
        self._inside += 1
        try:
            return values_read(self._evaluator, test, frame)
        finally:
            self._inside -= 1

    def _question(self, test: ast.expr, frame: Frame, where: str, called: str) -> Question:
        key = id(test), where, called
        if key not in self._questions:
            try:
                text = ast.unparse(test)
            except RecursionError:
                # It is nested deeper than Python writes it down; as it stands it is the same question as itself alone.
                text = frame.facts.text(test)
            self._questions[key] = Question(text, where, called, _names(test), of_change=isinstance(test, Changed))
        return self._questions[key]

    def taken(self, arms: tuple[Arm, ...], frame: Frame) -> list[Assumptions]:
        """Return the alternative assumptions under which all these arms are taken."""
        alternatives: list[Assumptions] = [NO_ASSUMPTIONS]
        for arm in arms:
            if arm.test is not None and is_main_test(arm.test):
                continue
            # A name in the test is what it was where the test stands, not what the arm makes of it.
            where = frame.at(arm.place) if arm.place is not None else frame
            alternatives = joined(alternatives, self._ways_into(arm, where))
        return alternatives

    def passed(self, frame: Frame, names: Collection[str]) -> list[Assumptions]:
        """Return the alternatives under which a run comes to a place, as far as what may end it speaks of names."""
        return stops.conditions_about(self._evaluator, frame, names)

    def _ways_into(self, arm: Arm, frame: Frame) -> list[Assumptions]:
        if arm.test is not None:
            return [assumptions for truth, assumptions, _ in self.truth(arm.test, frame) if truth is arm.truth]
        if arm.loop:
            return loops.ends(self._evaluator, arm, frame) if arm.ended else [NO_ASSUMPTIONS]
        owner = arm.owner.pattern if isinstance(arm.owner, ast.match_case) else arm.owner
        taken = [choice(f"the branch at {frame.facts.span(owner)} is taken", arm.truth)]
        if not isinstance(owner, ast.Try) or not arm.truth:
            return taken
        # What comes after the body, or keeps what it was before a handler, met no error in the body.
        return joined(taken, stops.conditions_of_body(self._evaluator, owner, frame)) or taken


def _names(test: ast.expr) -> frozenset[str]:
    """Return the names, attributes and keys that a test reads, of a dotted name the last part."""
    owners = {id(one.value) for one in nodes_of(test) if isinstance(one, ast.Attribute)}
    read = (last_read(one) for one in nodes_of(test) if isinstance(one, ast.expr) and id(one) not in owners)
    return frozenset(name for name in read if name is not None)
