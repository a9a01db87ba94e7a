"""Questions that the steps run out for, and those that come after them."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import partial

import pytest

from loaderlint.linking.following import conditions, hierarchy, remembering, running, stops
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.link import link
from loaderlint.linking.loaders import made, options
from loaderlint.linking.things.classes import class_of
from loaderlint.linking.things.kinds import UNSEEN, Class, Frame, Function, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import choice, in_few
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, Place, Stop
from loaderlint.readers.python_calls import called_name
from tests.linking.traced import project_of, traced


def of_one_line() -> tuple[Evaluator, Span, Frame]:
    """What follows a project of one line, with where that stands and the frame it is read in."""
    project, _ = project_of("workers = 2\n")
    facts = project.python("main.py")
    assert facts is not None
    return Evaluator(project), facts.span(facts.tree.body[0]), Frame(facts, Place(facts.module, 0))


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


def test_what_was_cut_short_is_asked_again_by_who_has_nearly_all_steps() -> None:
    evaluator, span, frame = of_one_line()
    worked: list[str] = []

    def dear(steps: int) -> str:
        worked.append("dear")
        return "cut short" if evaluator.step(span, steps) else "known"

    def asked(most: int, steps: int = 2500) -> str:
        with evaluator.steps(most):
            return evaluator.remembered(("dear", steps), frame, lambda: dear(steps))

    assert [asked(2000), asked(2200), asked(3000), asked(3000)] == ["cut short", "cut short", "known", "known"]
    assert len(worked) == 2
    assert [asked(2900, 4000), asked(3000, 4000), asked(3000, 4000)] == ["cut short"] * 3
    assert len(worked) == 3


def test_what_was_cut_short_is_not_asked_again_inside_a_project_question() -> None:
    evaluator, span, frame = of_one_line()
    worked: list[str] = []

    def dear() -> str:
        worked.append("dear")
        return "cut short" if evaluator.step(span, 5000) else "known"

    def asked() -> str:
        return evaluator.remembered(("dear",), frame, dear)

    with evaluator.steps(2300):
        assert asked() == "cut short"
    with evaluator.steps(3000):
        assert evaluator.once(("around it",), "unfinished", asked) == "cut short"
    assert len(worked) == 1


def test_a_project_question_that_was_cut_short_inside_another_is_asked_again_on_its_own() -> None:
    evaluator, span, _ = of_one_line()

    def dear() -> str:
        return "cut short" if evaluator.step(span, 3500) else "known"

    def asked() -> str:
        return evaluator.once(("dear",), "unfinished", dear)

    def after_others() -> str:
        evaluator.step(span, 1000)
        return asked()

    assert evaluator.once(("around it",), "unfinished", after_others) == "cut short"
    assert asked() == "known"


def test_what_a_constructor_calls_is_found_out_without_the_steps_of_who_asks() -> None:
    project, _ = project_of(
        "class Data:\n    def __init__(self, kind):\n        (first if kind else second)(self)\n"
        "def first(data):\n    data.part = 1\ndef second(data):\n    data.part = 2\n"
    )
    facts = project.python("main.py")
    assert facts is not None
    [scope] = [one for one in facts.module.children if isinstance(one.node, ast.ClassDef)]
    assert isinstance(scope.node, ast.ClassDef)
    span = facts.span(scope.node)
    owner = class_of(facts, scope)
    [making] = scope.children
    assert owner is not None
    assert isinstance(making.node, FunctionNode)
    method = Function(facts, making.node, making, owner=owner)
    evaluator = Evaluator(project)

    def left() -> int:
        steps = 0
        while not evaluator.step(span):
            steps += 1
        return steps

    def left_after_asking() -> int:
        assert evaluator.effects.reached_by_calls(owner, method, "self").attributes == {"part"}
        return left()

    assert evaluator.once(("around it",), 0, left_after_asking) == evaluator.once(("around nothing",), 0, left)


def test_what_changes_a_thing_is_asked_again_where_the_steps_ran_out() -> None:
    project, _ = project_of("cfg = {}\ndef add(c):\n    c['workers'] = 2\nadd(cfg)\n")
    facts = project.python("main.py")
    assert facts is not None
    evaluator = Evaluator(project)
    frame = Frame(facts, Place(facts.module, 10))

    def changing(steps: int) -> int:
        with evaluator.steps(steps):
            return len(evaluator.effects.changing(frame, "cfg"))

    assert [changing(0), changing(100), changing(0)] == [0, 1, 1]


def test_of_questions_that_are_alike_none_is_followed_inside_another() -> None:
    project, _ = project_of("workers = 2\n")
    evaluator = Evaluator(project)
    names = ("a", "b", "c", "d")
    answered: list[str] = []

    def asked(name: str) -> str:
        return evaluator.once(("checked", name), "open", lambda: answer(name), alike=("checked",))

    def answer(name: str) -> str:
        answered.append(name)
        return name + "".join(asked(other) for other in names if other != name)

    assert asked("a") == "aopenopenopen"
    assert asked("b") == "baopenopenopenopenopen"
    assert answered == ["a", "b"]
    assert evaluator.once(("another",), "open", lambda: asked("c") + asked("a")) == asked("c") + asked("a")
    assert answered == ["a", "b", "c"]


def test_how_often_it_is_asked_whether_an_object_was_made_grows_with_what_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"part{number}" for number in range(7)]
    given = "".join(f"        self.{name} = {name}\n" for name in names)
    every = " and ".join(f"self.{name}" for name in names)
    checked = "".join(f"    @property\n    def whole{one}(self):\n        return {every}\n" for one in names)
    stops_here = "".join(f"        if not self.whole{one} or not {one}: raise ValueError\n" for one in names)
    program = (
        f"class Run:\n    def __init__(self, {', '.join(names)}):\n{given}{stops_here}{checked}"
        f"    def loader(self): return DataLoader(d, num_workers=self.part0)\n"
        f"Run(⟦2⟧, {', '.join(names[1:])}).loader()\n"
    )
    asked: list[object] = []
    found_out = stops.conditions_of_end

    def counted(evaluator: Evaluator, frame: Frame, names: Collection[str]) -> list[Assumptions]:
        asked.append(names)
        return found_out(evaluator, frame, names)

    monkeypatch.setattr(stops, "conditions_of_end", counted)
    assert traced(program) == {"2 shared"}
    assert len(asked) < 2 * len(names)


def test_what_one_call_makes_is_one_thing_in_however_many_ways_it_was_called() -> None:
    project, _ = project_of("made = kind(1)\nother = kind(1)\n")
    facts = project.python("main.py")
    assert facts is not None
    frame = Frame(facts, Place(facts.module, 0))
    first, second = [one.value for one in facts.tree.body if isinstance(one, ast.Assign)]
    assert isinstance(first, ast.Call)
    assert isinstance(second, ast.Call)
    span = facts.span(first)

    def ways(callee: str, call: ast.Call, *callers: int) -> Possibilities:
        return tuple(Possibility(Made(callee, call, frame), span, assumptions=choice("call", one)) for one in callers)

    (found,) = in_few(ways("Loader", first, 0, 1, 2))
    assert found.assumptions == choice("call", frozenset({0, 1, 2}))
    apart = in_few((*ways("Loader", first, 0), *ways("Other", first, 1), *ways("Loader", second, 2)))
    assert len(apart) == 3


def test_a_constant_that_some_caller_writes_is_not_lost_behind_others_that_go_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(options, "STEPS", 100)
    far = "".join(f"def start_{one}(n):\n    load(workers=n.a + n.b + n.c)\n" for one in range(60))
    text = f"def load(workers):\n    return DataLoader(1, num_workers=workers)\n{far}load(workers=⟦8⟧)\n"
    assert traced(text) == {"8", "open"}


def test_what_a_check_lets_pass_is_found_out_once_for_all_places_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "def check(count):\n    if count > 8:\n        raise ValueError\n"
        "def main(count):\n    check(count)\n" + "    DataLoader(d, num_workers=count)\n" * 10 + "main(⟦2⟧)\n"
    )
    asked: list[str] = []
    comes_back = stops._comes_back

    def counted(
        evaluator: Evaluator, stop: Stop, frame: Frame, depth: int, same: frozenset[str] = frozenset()
    ) -> list[Assumptions]:
        asked.append(called_name(stop.call) if stop.call is not None else "")
        return comes_back(evaluator, stop, frame, depth, same)

    monkeypatch.setattr(stops, "_comes_back", counted)
    assert [[one.constant for one in loader.num_workers.known] for loader in link(project_of(program)[0])] == [[2]] * 10
    assert 0 < asked.count("check") < 10


def test_which_methods_run_on_an_object_is_found_out_once_for_all_its_attributes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"part{number}" for number in range(10)]
    methods = "".join(f"    def set_{one}(self, value):\n        self.{one} = value\n" for one in names)
    kept = "".join(f"        self.{one} = {one}\n" for one in names)
    program = (
        f"class Run:\n{methods}    def __init__(self, {', '.join(names)}):\n{kept}"
        f"    def loader(self): return DataLoader(d, num_workers={' + '.join(f'self.{one}' for one in names)})\n"
        f"Run({', '.join('0' for _ in names)}).loader()\n"
    )
    asked: list[str] = []
    runs = hierarchy.runs

    def counted(evaluator: Evaluator, kind: Class, owner: Class, method: str) -> bool:
        asked.append(method)
        return runs(evaluator, kind, owner, method)

    monkeypatch.setattr(hierarchy, "runs", counted)
    traced(program)
    assert asked.count("set_part0") < len(names)


def test_the_callees_of_worker_code_are_followed_so_far_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "from torch.utils.data import DataLoader, Dataset\n"
        "class Data(Dataset):\n    def __getitem__(self, index):\n        return run(index)\n"
        "    def __len__(self):\n        return 4\n"
        "def run(index):\n    return torch.zeros(3).cuda()\n"
        "DataLoader(Data(), num_workers=2)\n"
    )

    def touched() -> int:
        [loader] = link(project_of(program)[0])
        return len(loader.payload.cuda)

    assert touched() == 1
    monkeypatch.setattr(running, "_STEPS_OF_CALLEE", 0)
    assert touched() == 0


def test_what_a_project_stores_as_configuration_is_not_charged_to_the_first_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fields = "".join(f"    field{number}: int = {number} + 1\n" for number in range(10))
    others = "".join(
        f"@dataclass\nclass Model{number}:\n{fields}kept.store(group='model', name='{number}', node=Model{number})\n"
        for number in range(20)
    )
    files = {
        "stored.py": "from dataclasses import dataclass\nfrom hydra.core.config_store import ConfigStore\n"
        "kept = ConfigStore.instance()\n"
        + others
        + "@dataclass\nclass Train:\n    num_workers: int = ⟦4⟧\nkept.store(name='train', node=Train)\n",
        "main.py": "from torch.utils.data import DataLoader\nimport hydra\nimport stored\n"
        "@hydra.main(config_path=None, config_name='train')\ndef main(cfg):\n"
        "    model = hydra.utils.instantiate(cfg)\n    DataLoader(d, num_workers=cfg.num_workers)\n",
    }
    monkeypatch.setattr(remembering, "STEPS_OF_A_PROJECT_QUESTION", 400)
    assert traced(files) == {"4", "open"}


@pytest.mark.parametrize("limit", ["steps", "depth"])
def test_a_callee_that_was_not_followed_to_its_end_is_followed_again_by_who_can(limit: str) -> None:
    project, _ = project_of("def run(n):\n    DataLoader(d, num_workers=n)\nfirst = run\nsecond = first\nsecond(8)\n")
    facts = project.python("main.py")
    assert facts is not None
    [scope] = facts.module.children
    assert isinstance(scope.node, FunctionNode)
    function = Function(facts, scope.node, scope)
    evaluator = Evaluator(project)

    def with_few_steps(left: int) -> None:
        for _ in range(remembering.STEPS_OF_A_PROJECT_QUESTION - left):
            evaluator.step(facts.span(scope.node))
        evaluator.callers.of(function)

    def deep_inside(times: int, turn: int) -> None:
        if times:
            evaluator.once(("deep", times, turn), None, lambda: deep_inside(times - 1, turn))
        else:
            evaluator.callers.of(function)

    for turn in range(3):
        if limit == "steps":
            evaluator.once(("few steps", turn), None, partial(with_few_steps, turn))
        else:
            deep_inside(remembering.DEEPEST_EXPRESSION, turn)
    assert len(evaluator.callers.of(function).by) == 1


def test_what_enough_steps_did_not_suffice_for_takes_none_from_who_asks_on_the_way() -> None:
    project, _ = project_of("workers = 2\nDataLoader(d, num_workers=workers)\n")
    facts = project.python("main.py")
    assert facts is not None
    _, assignment, _ = facts.tree.body
    assert isinstance(assignment, ast.Assign)
    evaluator, frame = Evaluator(project), Frame(facts, Place(facts.module, 0))

    def endless() -> str:
        while not evaluator.step(facts.span(assignment)):
            pass
        return "cut short"

    def asked(enough: int) -> Possibilities:
        with evaluator.steps(50):
            assert evaluator.on_the_way(("costly",), frame, enough, endless) == "cut short"
            number = ast.copy_location(ast.Constant(3), assignment.value)
            return evaluator.evaluate(number, frame)

    assert [one.thing for one in asked(40)] == [UNSEEN]
    assert [one.thing for one in asked(40)] == [3]
    # With so few steps more of them may still find another answer.
    assert [one.thing for one in asked(60)] == [UNSEEN]


@pytest.mark.parametrize("test", ["is None", "!= 'spawn'"])
def test_a_start_method_may_be_asked_for_before_it_is_set(test: str) -> None:
    text = (
        "import multiprocessing\n"
        f"if multiprocessing.get_start_method(allow_none=True) {test}:\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "DataLoader(d, num_workers=⟦2⟧)\n"
    )
    assert traced(text) == {"2"}


def test_what_other_callers_give_is_followed_past_a_test_that_takes_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "ENOUGH_FOR_A_TEST", 100)
    monkeypatch.setattr(remembering, "STEPS_OF_A_PROJECT_QUESTION", 600)
    monkeypatch.setattr(options, "STEPS", 400)
    monkeypatch.setattr(made, "STEPS", 400)

    def total(first: int, of: int) -> str:
        if of == 1:
            return f"(len(sys.argv) + {first})"
        return f"({total(first, of // 2)} + {total(first + of // 2, of // 2)})"

    text = (
        "import sys\ndef load(n):\n    DataLoader(1, num_workers=n)\ndef same(n):\n    return n\n"
        f"if {total(0, 256)} > 3:\n    load(same(⟦8⟧))\nif {total(1000, 256)} > 3:\n    load(same(⟦4⟧))\n"
    )
    assert traced(text) == {"8", "4"}
