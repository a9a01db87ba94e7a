"""What a change under several tests leaves."""

from __future__ import annotations

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.entries_after import otherwise
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.alternatives import MOST_ALTERNATIVES
from loaderlint.linking.things.kinds import Frame
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Language, Source


def left_under(*tests: str) -> list[Assumptions]:
    """Return the alternatives under which a change does not happen that stands under tests inside each other."""
    lines = [f"{'    ' * depth}if {test}:" for depth, test in enumerate(tests)]
    text = "\n".join([*lines, f"{'    ' * len(tests)}changed = 1", ""])
    source = Source("main.py", "/main.py", Language.PYTHON, text.encode(), "utf-8")
    project = Project({"main.py": source})
    facts = project.python("main.py")
    assert facts is not None
    (binding,) = facts.module.bindings["changed"]
    return otherwise(Evaluator(project), binding.place.arms, Frame(facts, binding.place))


def test_one_of_two_tests_is_the_first_that_fails() -> None:
    answers = [sorted((one.subject.rpartition(":")[2], one.answer) for one in way) for way in left_under("a()", "b()")]
    assert sorted(answers) == [[("a()", False)], [("a()", True), ("b()", False)]]


def test_more_alternatives_than_are_told_apart_assume_nothing() -> None:
    assert len(left_under(*(f"a{n}()" for n in range(MOST_ALTERNATIVES)))) == MOST_ALTERNATIVES
    assert left_under(*(f"a{n}()" for n in range(MOST_ALTERNATIVES + 1))) == [NO_ASSUMPTIONS]
