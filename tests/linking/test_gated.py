"""Options that are given only where a program asked for workers."""

from __future__ import annotations

import pytest

from loaderlint.model.edit import Edit, Fix, OnlyWithWorkers, SetValue
from loaderlint.model.remedy import single_process
from loaderlint.model.target import Platform, Target
from tests.linking.traced import loaders_of

_PROGRAM = """
import argparse
from torch.utils.data import DataLoader

def main(dataset, debug):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    few = args.workers < 8
    options = {{"prefetch_factor": None}}
    if {test}:
        {there}
    else:
        {elsewhere}
    DataLoader(dataset, num_workers=args.workers, **options)

main([1], bool(input()))
"""


def is_gated(test: str, *, inside: bool) -> bool:
    """Return whether the option is known to go with the workers that is given inside a test, or where that fails."""
    given, other = 'options["prefetch_factor"] = 4', "pass"
    there, elsewhere = (given, other) if inside else (other, given)
    (loader,) = loaders_of({"main.py": _PROGRAM.format(test=test, there=there, elsewhere=elsewhere)})
    (workers,) = [one for one in loader.num_workers.candidates if one.constant == 4]
    given_here = [one for one in loader.option("prefetch_factor").written if one.constant == 4]
    assert given_here
    return all(workers.span in one.gates() for one in given_here)


@pytest.mark.parametrize(
    "test",
    [
        "args.workers",
        "args.workers > 0",
        "args.workers >= 1",
        "args.workers != 0",
        "args.workers > 1",
        "args.workers == 4",
        "args.workers and not debug",
    ],
)
def test_an_option_given_where_there_are_workers_goes_with_them(test: str) -> None:
    assert is_gated(test, inside=True)
    assert not is_gated(test, inside=False)


@pytest.mark.parametrize(
    "test",
    [
        "not args.workers",
        "args.workers == 0",
        "args.workers < 1",
        "args.workers < 4",
        "args.workers != 4",
        "debug or args.workers <= 0",
    ],
)
def test_an_option_given_where_there_are_not_none_goes_with_them(test: str) -> None:
    assert is_gated(test, inside=False)
    assert not is_gated(test, inside=True)


@pytest.mark.parametrize(
    "test",
    ["args.workers or debug", "max(args.workers, 1) > 0", "few", "args.workers < 8", "args.workers > -1", "debug"],
)
def test_an_option_given_for_another_reason_may_stay_without_workers(test: str) -> None:
    assert not is_gated(test, inside=True)


CHOSEN = {
    "None if args.workers == 0 else 4": True,
    "4 if args.workers > 0 else None": True,
    "None if debug or not args.workers else 4": True,
    "4 if debug else None": False,
    "4 if args.workers < 8 else None": False,
    "4 if args.workers == 0 else None": False,
}


@pytest.mark.parametrize(("choice", "gated"), CHOSEN.items(), ids=CHOSEN.keys())
@pytest.mark.parametrize("written", ["4", "ahead"], ids=["there", "elsewhere"])
def test_an_option_that_is_chosen_where_there_are_workers_goes_with_them(
    choice: str, gated: bool, written: str
) -> None:
    program = f"""
import argparse
from torch.utils.data import DataLoader
ahead = 4

def main(dataset, debug):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    DataLoader(dataset, num_workers=args.workers, prefetch_factor={choice.replace("4", written)})

main([1], bool(input()))
"""
    (loader,) = loaders_of({"main.py": program})
    (workers,) = loader.num_workers.written
    given = [one for one in loader.option("prefetch_factor").written if one.constant == 4]
    assert given
    assert all((workers.span in one.gates()) is gated for one in given)


@pytest.mark.parametrize(
    ("choice", "gated"),
    [
        ("None if args.workers == 0 else unseen()", True),
        ("unseen() if args.workers else None", True),
        ("unseen() if debug else None", False),
        ("unseen() if args.workers else 2", False),
        ("None if args.workers > 0 else unseen()", False),
        ("unseen()", False),
    ],
)
def test_what_is_unseen_goes_with_the_workers_that_its_choice_asks_for(choice: str, gated: bool) -> None:
    program = f"""
import argparse
from torch.utils.data import DataLoader
from elsewhere import unseen

def main(dataset, debug):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    DataLoader(dataset, num_workers=args.workers, prefetch_factor={choice})

main([1], bool(input()))
"""
    (loader,) = loaders_of({"main.py": program})
    (workers,) = loader.num_workers.written
    assert (workers.span in loader.prefetch_factor.gates()) is gated


_GIVEN = """
import argparse
from torch.utils.data import DataLoader

def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    workers = parser.parse_args().workers
    {before}
    DataLoader(dataset, num_workers=workers, prefetch_factor={ahead})

main([1])
"""
STAYS = {
    "another arm": ("pass", "4 if workers > 2 else 2"),
    "another arm the other way round": ("pass", "2 if workers <= 2 else 4"),
    "an arm that is the same": ("pass", "4 if workers > 1 else 4"),
    "another arm of a statement": (
        "if workers > 2:\n        ahead = 4\n    else:\n        ahead = 2",
        "ahead",
    ),
    "what was given before": ("ahead = 2\n    if workers > 2:\n        ahead = 4", "ahead"),
}
GOES = {
    "nothing in the other arm": ("pass", "4 if workers > 2 else None"),
    "two arms inside of one": ("pass", "(4 if len(dataset) > 2 else 2) if workers > 0 else None"),
    "two arms, both with workers": ("pass", "4 if workers > 2 else 2 if workers > 0 else None"),
    "nothing in the other arm of a statement": (
        "if workers > 2:\n        ahead = 4\n    else:\n        ahead = None",
        "ahead",
    ),
    "nothing before": ("ahead = None\n    if workers > 2:\n        ahead = 4", "ahead"),
}


def edits_without_workers(before: str, ahead: str) -> list[Edit]:
    """What the fix for Windows does besides setting the default of the flag."""
    (loader,) = loaders_of({"main.py": _GIVEN.format(before=before, ahead=ahead)})
    (workers,) = [one for one in loader.num_workers.candidates if one.constant == 4]
    fix = single_process(loader, workers, Target(Platform.WINDOWS, (3, 12)))
    assert isinstance(fix, Fix)
    first, *others = fix.edits
    assert first == SetValue(workers.span, 0)
    return others


@pytest.mark.parametrize(("before", "ahead"), STAYS.values(), ids=STAYS.keys())
def test_an_option_that_another_arm_gives_without_workers_is_taken_away(before: str, ahead: str) -> None:
    assert [type(one) for one in edits_without_workers(before, ahead)] == [OnlyWithWorkers]


@pytest.mark.parametrize(("before", "ahead"), GOES.values(), ids=GOES.keys())
def test_an_option_that_no_arm_gives_without_workers_goes_by_itself(before: str, ahead: str) -> None:
    assert edits_without_workers(before, ahead) == []
