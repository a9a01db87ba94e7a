from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.linking.alternatives import simplified
from loaderlint.model.value import Assumption, Assumptions
from tests.linking.traced import loader_of


def assuming(**answers: bool | int | str) -> Assumptions:
    return frozenset(Assumption(subject, answer) for subject, answer in answers.items())


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
