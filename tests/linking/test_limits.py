"""Questions that the steps run out for, and those that come after them."""

from __future__ import annotations

import ast

from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.things import Frame
from loaderlint.readers.python import Place
from tests.linking.traced import project_of


def test_a_question_that_ran_out_of_the_steps_of_another_takes_none_from_what_comes_later() -> None:
    project, _ = project_of("workers = 2\nDataLoader(d, num_workers=workers)\n")
    facts = project.python("main.py")
    assert facts is not None
    _, assignment, _ = facts.tree.body
    assert isinstance(assignment, ast.Assign)
    evaluator = Evaluator(project)

    def endless() -> str:
        while not evaluator.step(facts.span(assignment)):
            pass
        return "cut short"

    def asked() -> str:
        return evaluator.once(("endless",), "unfinished", endless)

    assert evaluator.once(("around it",), "unfinished", asked) == "cut short"
    assert asked() == "cut short"
    (found,) = evaluator.evaluate(assignment.value, Frame(facts, Place(facts.module, 0)))
    assert found.thing == 2
