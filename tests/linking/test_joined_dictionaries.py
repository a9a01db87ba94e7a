"""The entries of one dictionary that stands for many, each of which comes about in many ways."""

from __future__ import annotations

import pytest

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things.dictionaries import as_items
from loaderlint.linking.things.kinds import ABSENT, UNSEEN, Items, Possibilities, Possibility
from loaderlint.linking.things.possibilities import MOST_POSSIBILITIES, choice
from loaderlint.model.source import Span
from tests.linking.traced import project_of

FEW, MANY = 6, 60
SPAN = Span("main.py", 1, 1, 1, 2)


def dictionaries(number: int, ways: int, *, alike: bool = False) -> Possibilities:
    """Return so many dictionaries, in each of which something else, or the same, stands under a key in these ways."""
    return tuple(
        Possibility(
            Items(
                {
                    "workers": tuple(
                        Possibility(one if alike else one + each * ways, SPAN, assumptions=choice("way", f"{one}"))
                        for one in range(ways)
                    )
                }
            ),
            SPAN,
            assumptions=choice("which", f"{each}"),
        )
        for each in range(number)
    )


def entry_and_steps(number: int, ways: int, *, alike: bool = False) -> tuple[Possibilities, int]:
    """Return what stands under the key in the dictionary that stands for them, and the steps taken to know it."""
    evaluator = Evaluator(project_of("")[0])
    (joined,) = as_items(evaluator, dictionaries(number, ways, alike=alike))
    return joined.entries["workers"], evaluator.steps_taken


def test_every_value_of_a_few_dictionaries_stands_under_the_key() -> None:
    found, _ = entry_and_steps(FEW, FEW)
    assert {one.thing for one in found} == set(range(FEW * FEW))


def test_the_values_of_a_few_dictionaries_take_no_steps() -> None:
    assert entry_and_steps(FEW, FEW)[1] == 0


def test_what_many_dictionaries_say_alike_is_found_in_all_of_them() -> None:
    found, _ = entry_and_steps(MANY, FEW, alike=True)
    assert {one.thing for one in found} == set(range(FEW))


def test_hundreds_of_ways_are_left_to_who_reads_them() -> None:
    assert len(entry_and_steps(MANY, FEW)[0]) == MANY * FEW


def test_thousands_of_ways_are_said_in_few() -> None:
    found, _ = entry_and_steps(MANY, MANY, alike=True)
    assert len(found) <= MOST_POSSIBILITIES


def test_what_thousands_of_ways_do_not_tell_is_unseen_and_never_another_value() -> None:
    found, _ = entry_and_steps(MANY, MANY)
    assert {one.thing for one in found} - {UNSEEN} <= set(range(MANY * MANY))
    assert UNSEEN in {one.thing for one in found}


def test_thousands_of_ways_take_steps_of_who_asks() -> None:
    assert entry_and_steps(MANY, MANY)[1] > entry_and_steps(MANY, FEW)[1] > 0


def test_ways_that_are_read_after_the_steps_ran_out_are_unseen() -> None:
    evaluator = Evaluator(project_of("")[0])
    (joined,) = as_items(evaluator, dictionaries(MANY, MANY))

    def asked_without_steps() -> Possibilities:
        while not evaluator.step(SPAN):
            pass
        return joined.entries["workers"]

    unfinished: Possibilities = ()
    found = evaluator.once(("without steps",), unfinished, asked_without_steps)
    assert [one.thing for one in found] == [UNSEEN]


@pytest.mark.parametrize("complete", [True, False])
def test_a_key_that_one_of_them_lacks_is_absent_from_it_where_it_was_seen_whole(complete: bool) -> None:
    evaluator = Evaluator(project_of("")[0])
    lacking = Possibility(Items({}, complete=complete), SPAN, assumptions=choice("which", "lacking"))
    (joined,) = as_items(evaluator, (*dictionaries(1, 1), lacking))
    assert [one.thing for one in joined.entries["workers"]] == [0, ABSENT if complete else UNSEEN]


def test_of_no_dictionaries_there_is_one_without_entries() -> None:
    (joined,) = as_items(Evaluator(project_of("")[0]), ())
    assert not joined.entries
