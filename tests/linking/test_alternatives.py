from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.linking.things.alternatives import (
    MOST_GATHERED,
    at_most,
    gathered,
    gathered_loosely,
    joined,
    simplified,
)
from loaderlint.linking.things.kinds import Possibility, Unseen
from loaderlint.linking.things.possibilities import MOST_THINGS, MOST_WAYS, distinct
from loaderlint.model.assumptions import PLATFORM, START_METHOD, Answer, Assumption, Assumptions, answers_of, together
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate, meetings
from tests.linking.traced import loader_of, met, traced


def assuming(**answers: Answer) -> Assumptions:
    return frozenset(Assumption(subject, answer) for subject, answer in answers.items())


HERE = Span("train.py", 1, 0, 1, 1)

CASES: dict[str, tuple[list[Assumptions], list[Assumptions]]] = {
    "none": ([], []),
    "one": ([assuming(a=True)], [assuming(a=True)]),
    "twice the same": ([assuming(a=True), assuming(a=True)], [assuming(a=True)]),
    "both answers": ([assuming(a=True), assuming(a=False)], [assuming()]),
    "both answers beside a third": (
        [assuming(a=True, b=True), assuming(a=False, b=True)],
        [assuming(b=True)],
    ),
    "all four": ([assuming(a=x, b=y) for x, y in product((True, False), repeat=2)], [assuming()]),
    "a flag's default and what is given": (
        [assuming(flag="default"), assuming(flag="given")],
        [assuming()],
    ),
    "more than another": ([assuming(a=True), assuming(a=True, b=True)], [assuming(a=True)]),
    "different questions": ([assuming(a=True), assuming(b=True)], [assuming(a=True), assuming(b=True)]),
    "two callers of who knows how many": ([assuming(call=0), assuming(call=1)], [assuming(call=0), assuming(call=1)]),
    "two methods": ([assuming(m="__init__"), assuming(m="load")], [assuming(m="__init__"), assuming(m="load")]),
}


@pytest.mark.parametrize(("alternatives", "expected"), CASES.values(), ids=CASES.keys())
def test_simplified(alternatives: list[Assumptions], expected: list[Assumptions]) -> None:
    assert simplified(alternatives) == expected


SUBJECTS = "abc"
RUNS = [dict(zip(SUBJECTS, answers, strict=True)) for answers in product((True, False), repeat=3)]
ALTERNATIVES = st.lists(
    st.dictionaries(st.sampled_from(SUBJECTS), st.booleans()).map(lambda answers: assuming(**answers)), max_size=8
)


def holds(alternatives: list[Assumptions], run: dict[str, bool]) -> bool:
    return any(all(run[subject] == answer for subject, answer in one) for one in alternatives)


@given(ALTERNATIVES)
def test_simplified_alternatives_hold_in_the_same_runs_and_are_no_more(alternatives: list[Assumptions]) -> None:
    fewer = simplified(alternatives)
    assert [holds(fewer, run) for run in RUNS] == [holds(alternatives, run) for run in RUNS]
    assert len(fewer) <= len(alternatives)


def test_a_value_that_comes_about_in_many_ways_is_one_candidate() -> None:
    conditions = "".join(f"if c{number}():\n    raise ValueError\n" for number in range(12))
    loader = loader_of(
        f"def load(d):\n    n = 4\n    {conditions.replace(chr(10), chr(10) + '    ')}\n"
        "    return DataLoader(d, num_workers=n if x() or y() or z() else 4)\n"
    )
    assert len(loader.num_workers.candidates) == 2


GATHERED: dict[str, tuple[list[Assumptions], list[Assumptions]]] = {
    "two callers": ([assuming(call=0), assuming(call=1)], [assuming(call=frozenset({0, 1}))]),
    "callers of callers": (
        [assuming(call=x, outer=y) for x, y in product(range(3), range(2))],
        [assuming(call=frozenset({0, 1, 2}), outer=frozenset({0, 1}))],
    ),
    "callers under another condition each": (
        [assuming(call=0, a=True), assuming(call=1, b=True)],
        [assuming(call=0, a=True), assuming(call=1, b=True)],
    ),
    "methods": ([assuming(m="__init__"), assuming(m="load")], [assuming(m="__init__"), assuming(m="load")]),
}


@pytest.mark.parametrize(("alternatives", "expected"), GATHERED.values(), ids=GATHERED.keys())
def test_gathered(alternatives: list[Assumptions], expected: list[Assumptions]) -> None:
    assert gathered(alternatives) == expected


def test_words_are_gathered_where_they_count() -> None:
    files = [assuming(file=frozenset({"a.yaml"}), turn=1), assuming(file="b.yaml", turn=1), assuming(file="c.yaml")]
    assert set(gathered(files)) == set(files)
    assert gathered(files, words=True) == [files[2], assuming(file=frozenset({"a.yaml", "b.yaml"}), turn=1)]


@pytest.mark.parametrize(
    "answers", [{PLATFORM: [frozenset({"linux"}), frozenset({"windows"})]}, {START_METHOD: ["fork", "spawn"]}]
)
def test_what_the_target_settles_is_not_gathered(answers: dict[str, list[Answer]]) -> None:
    ways = [frozenset({Assumption(subject, one)}) for subject, several in answers.items() for one in several]
    assert gathered(ways, words=True) == ways


CALLERS = st.lists(st.dictionaries(st.sampled_from(SUBJECTS), st.integers(0, 2)), max_size=8)


@given(CALLERS)
def test_gathered_alternatives_meet_just_what_the_alternatives_meet(alternatives: list[dict[str, int]]) -> None:
    before = [assuming(**answers) for answers in alternatives]
    runs = [assuming(**dict(zip(SUBJECTS, answers, strict=True))) for answers in product(range(3), repeat=3)]
    for run in runs:
        met = {together(run, one) for one in gathered(before)} - {None}
        assert met == ({run} if any(one <= run for one in before) else set())


@given(CALLERS)
def test_words_gathered_meet_just_what_the_alternatives_meet(alternatives: list[dict[str, int]]) -> None:
    before = [assuming(**{subject: f"{answer}.yaml" for subject, answer in one.items()}) for one in alternatives]
    runs = [
        assuming(**{subject: f"{answer}.yaml" for subject, answer in zip(SUBJECTS, answers, strict=True)})
        for answers in product(range(3), repeat=3)
    ]
    for run in runs:
        met = {together(run, one) for one in gathered(before, words=True)} - {None}
        assert met == ({run} if any(one <= run for one in before) else set())


LOOSELY: dict[str, tuple[list[Assumptions], list[Assumptions]]] = {
    "two callers": ([assuming(call=0), assuming(call=1)], [assuming(call=frozenset({0, 1}))]),
    "callers told apart by several numbers": (
        [assuming(call=0, outer=0), assuming(call=1, outer=1), assuming(call=2, outer=2)],
        [assuming(call=frozenset({0, 1, 2}), outer=frozenset({0, 1, 2}))],
    ),
    "callers by way of different functions": (
        [assuming(call=0, a=0), assuming(call=1, b=0)],
        [assuming(call=frozenset({0, 1}))],
    ),
    "callers under another condition each": (
        [assuming(call=0, a=True), assuming(call=1, b=True)],
        [assuming(call=0, a=True), assuming(call=1, b=True)],
    ),
    "callers whichever way a condition goes": (
        [assuming(call=x, outer=x, a=y) for x, y in product(range(2), (True, False))],
        [assuming(call=frozenset({0, 1}), outer=frozenset({0, 1}))],
    ),
}


@pytest.mark.parametrize(("alternatives", "expected"), LOOSELY.values(), ids=LOOSELY.keys())
def test_gathered_loosely(alternatives: list[Assumptions], expected: list[Assumptions]) -> None:
    assert gathered_loosely(alternatives) == expected


@given(CALLERS)
def test_alternatives_gathered_loosely_meet_at_least_what_the_alternatives_meet(
    alternatives: list[dict[str, int]],
) -> None:
    before = [assuming(**answers) for answers in alternatives]
    loosely = gathered_loosely(before)
    assert len(loosely) <= 1
    for one in before:
        assert any(together(one, fewer) == one for fewer in loosely)


def asked_of_each(number: int) -> Assumptions:
    return assuming(call=number, ask=True, **{f"ask{number}": True})


MANY = MOST_GATHERED + 6


def test_of_too_many_ways_what_each_asks_besides_is_forgotten_first() -> None:
    ways = [assuming(has=number % 2 == 0) | asked_of_each(number) for number in range(MANY)]
    fewer = joined([assuming(before=True)], ways)
    assert len(fewer) <= MOST_GATHERED
    assert all(assuming(before=True, ask=True) <= one for one in fewer)
    for one in ways:
        assert any(together(one, other) is not None for other in fewer)
    assert not any(together(assuming(call=MANY), other) for other in fewer)


def test_at_most_so_many_ways_still_tell_who_calls() -> None:
    ways = [asked_of_each(number) for number in range(4)]
    assert at_most(4, ways) == ways
    fewer = at_most(3, ways)
    assert len(fewer) <= 3
    assert all(any(together(one, other) is not None for other in fewer) for one in ways)
    assert not any(together(assuming(call=4), other) for other in fewer)


def test_ways_that_nothing_but_the_file_keeps_apart_are_one_where_they_are_too_many() -> None:
    ways = [assuming(file=f"{number}.yaml") for number in range(MANY)]
    assert joined([assuming()], ways[:MOST_GATHERED]) == ways[:MOST_GATHERED]
    assert joined([assuming()], ways) == [assuming(file=frozenset(f"{number}.yaml" for number in range(MANY)))]


@pytest.mark.parametrize("callers", [4, MANY])
def test_a_test_is_passed_by_whoever_calls_under_however_many_conditions(callers: int) -> None:
    calls = "".join(f"    if asks_{number}():\n        make(parsed())\n" for number in range(callers))
    text = f"""
import argparse
def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    return parser.parse_args()
def extras(args):
    if args.workers > 0:
        return {{"prefetch_factor": 2}}
    return {{}}
def make(args):
    return DataLoader([1], num_workers=args.workers, **extras(args))
def train():
{calls}
def test():
    args = parsed()
    args.workers = 0
    make(args)
"""
    assert met(text) == {("4", "2"), ("0", "None")}


MEETINGS: dict[str, tuple[Assumptions, Assumptions, Assumptions | None]] = {
    "one of several": (assuming(call=frozenset({0, 1})), assuming(call=1), assuming(call=1)),
    "another than several": (assuming(call=frozenset({0, 1})), assuming(call=2), None),
    "several of several": (
        assuming(call=frozenset({0, 1, 2})),
        assuming(call=frozenset({1, 2, 3})),
        assuming(call=frozenset({1, 2})),
    ),
    "a set of one stays a set": (
        assuming(platform=frozenset({"linux"})),
        assuming(platform=frozenset({"linux", "macos"})),
        assuming(platform=frozenset({"linux"})),
    ),
    "others than several": (assuming(call=frozenset({0})), assuming(call=frozenset({1})), None),
}


@pytest.mark.parametrize(("first", "second", "expected"), MEETINGS.values(), ids=MEETINGS.keys())
def test_sets_of_answers_meet(first: Assumptions, second: Assumptions, expected: Assumptions | None) -> None:
    assert together(first, second) == together(second, first) == expected


ANSWERS: st.SearchStrategy[Answer] = st.sampled_from(
    [True, False, 1, 2, frozenset({1, 2}), frozenset({True, False}), frozenset({2, 3})]
)
WAYS = st.lists(st.dictionaries(st.sampled_from(SUBJECTS), ANSWERS).map(lambda answers: assuming(**answers)))


@given(WAYS, WAYS)
def test_the_pairs_that_meet_are_all_that_do_not_contradict_each_other_in_order(
    first: list[Assumptions], second: list[Assumptions]
) -> None:
    ones, others = ([Candidate(0, HERE, assumptions=way) for way in ways] for ways in (first, second))
    pairs = [(one, other) for one in ones for other in others]
    meet = [pair for pair in pairs if together(pair[0].assumptions, pair[1].assumptions) is not None]
    assert [*map(ids, meetings(ones, others))] == [*map(ids, meet)]


def ids(pair: tuple[Candidate, Candidate]) -> tuple[int, int]:
    return id(pair[0]), id(pair[1])


@given(WAYS, WAYS)
def test_sets_of_assumptions_meet_in_what_every_answer_of_both_allows(
    first: list[Assumptions], second: list[Assumptions]
) -> None:
    for one, other in product(first, second):
        allowed = {
            subject: frozenset.intersection(
                *(answers_of(each.answer) for each in (*one, *other) if each.subject == subject)
            )
            for subject, _ in (*one, *other)
        }
        joint = together(one, other)
        assert (joint is None) is not all(allowed.values())
        assert joint is None or {each.subject: answers_of(each.answer) for each in joint} == allowed


def test_a_value_that_arrives_by_very_many_calls_is_still_seen() -> None:
    calls = "".join(f"    load({place}, workers)\n" for place in range(10))
    runs = "run(N)\n" * 10
    text = f"""
N = ⟦8⟧
def load(data, workers):
    DataLoader(data, num_workers=workers)
def run(workers):
{calls}
{runs}"""
    assert traced({"main.py": f"from torch.utils.data import DataLoader\n{text}"}) == {"8 shared"}


def test_few_values_that_arrive_in_very_many_ways_are_still_seen() -> None:
    """Each of the values comes from one call alone, by way of more functions than an expression has possibilities."""
    jobs = "".join(f"def job{place}(workers):\n    load(workers)\n" for place in range(10))
    runs = "".join(f"    job{place}(workers)\n" * 2 for place in range(10))
    starts = "".join(f"run(⟦{workers}⟧)\n" for workers in range(1, 9))
    text = f"def load(workers):\n    DataLoader(1, num_workers=workers)\n{jobs}def run(workers):\n{runs}{starts}"
    expected = {str(workers) for workers in range(1, 9)}
    assert traced({"main.py": f"from torch.utils.data import DataLoader\n{text}"}) == expected


@pytest.mark.parametrize(("values", "seen"), [(MOST_THINGS, True), (MOST_THINGS + 1, False)])
def test_many_values_are_each_followed_and_very_many_are_not(values: int, seen: bool) -> None:
    mark = "⟦{}⟧" if seen else "{}"
    calls = "".join(f"load(1, {mark.format(workers)})\n" for workers in range(values))
    text = f"def load(data, workers):\n    DataLoader(data, num_workers=workers)\n{calls}"
    expected = {str(workers) for workers in range(values)} if seen else {"open"}
    assert traced({"main.py": f"from torch.utils.data import DataLoader\n{text}"}) == expected


def test_what_comes_about_in_too_many_ways_is_kept_in_some_of_them_and_open() -> None:
    """Each stands under many conditions, which tell it from what is given where those are not met."""
    tests = "".join(f"    if unknown({place}):\n        workers = choose({place})\n" for place in range(9))
    ways = "".join(f"    if other({place}):\n        return ⟦{place % 8 + 1}⟧\n" for place in range(8))
    text = f"def choose(place):\n{ways}    return ⟦9⟧\ndef load():\n    workers = ⟦10⟧\n{tests}"
    loader = "    DataLoader(1, num_workers=workers)\nload()\n"
    expected = {*map(str, range(1, 11)), "open"}
    assert traced({"main.py": f"from torch.utils.data import DataLoader\n{text}{loader}"}) == expected


AMBIGUOUS = """
from loaderlint.linking.things.alternatives import simplified
from loaderlint.model.assumptions import Assumption
answers = (True, False), (False, True), (True, True)
both = [frozenset({Assumption("a", one), Assumption("b", other)}) for one, other in answers]
print([sorted(map(str, one)) for one in simplified(both)])
"""


def test_which_alternatives_are_joined_first_is_the_same_in_every_run() -> None:
    runs = (
        subprocess.run(
            [sys.executable, "-c", AMBIGUOUS],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(6)
    )
    assert len(set(runs)) == 1


def of_platforms(number: int, *platforms: str) -> list[Possibility]:
    """Return a thing that comes about in so many ways on each of some platforms, no two of which can be said as one."""
    return [
        Possibility(8, HERE, assumptions=assuming(**{f"way{way}": True}) | {Assumption(PLATFORM, frozenset({on}))})
        for way in range(number)
        for on in platforms
    ]


def test_platforms_do_not_make_the_ways_of_a_thing_too_many() -> None:
    found = distinct(of_platforms(MOST_WAYS, "linux", "macos"))
    assert {one.thing for one in found} == {8}
    both = frozenset({Assumption(PLATFORM, frozenset({"linux", "macos"}))})
    assert [one.assumptions for one in found] == [assuming(**{f"way{way}": True}) | both for way in range(MOST_WAYS)]


def test_a_thing_of_every_platform_does_not_depend_on_it() -> None:
    found = distinct(of_platforms(MOST_WAYS, "linux", "macos", "windows"))
    assert [one.assumptions for one in found] == [assuming(**{f"way{way}": True}) for way in range(MOST_WAYS)]


def test_more_ways_than_are_told_apart_are_unseen_on_whatever_platforms() -> None:
    assert any(isinstance(one.thing, Unseen) for one in distinct(of_platforms(MOST_WAYS + 1, "linux", "macos")))
