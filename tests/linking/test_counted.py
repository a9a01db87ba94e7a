"""Dictionaries that give options which need workers, and say how many there are."""

from __future__ import annotations

import pytest

from loaderlint.model.edit import Fix
from loaderlint.model.remedy import drop_without_workers
from loaderlint.model.source import Language, Source
from loaderlint.model.target import Platform, Target
from tests.linking.traced import loaders_of

_PROGRAM = """
from torch.utils.data import DataLoader

def build(dataset, args, workers=0, fast=False):
    options = {}
    BODY
    return DataLoader(dataset, **options)
"""

SAID = {
    "in the same display": ('options = {"num_workers": workers, "timeout": 9}', "workers"),
    "in the same call of dict": ("options = dict(num_workers=min(workers, 4), timeout=9)", "min(workers, 4)"),
    "where it was made": ('options = {"num_workers": workers}\n    options["timeout"] = 9', "workers"),
    "where it was made, before an update": (
        'options = dict(num_workers=workers)\n    options.update({"timeout": 9})',
        "workers",
    ),
    "where it was made, before a branch": (
        "options = dict(num_workers=workers)\n    if fast:\n        options.update(timeout=9)",
        "workers",
    ),
    "before something else of the object is asked": (
        'args.w = workers\n    options = dict(num_workers=args.w)\n    check(args.lr)\n    options["timeout"] = 9',
        "args.w",
    ),
    "beside displays of other things": (
        'other = {fast: 1, **args}\n    options = {"num_workers": workers, "timeout": 9}',
        "workers",
    ),
    "before something else is worked out": (
        'options = dict(num_workers=workers)\n    dataset = list(dataset)\n    options["timeout"] = 9',
        "workers",
    ),
}

UNSAID = {
    "in one that is changed": (
        'options = {"num_workers": workers, "timeout": 9}\n    options["num_workers"] = 0 if fast else 2'
    ),
    "before the name means another count": (
        'options = {"num_workers": workers}\n    workers = 3\n    options["timeout"] = 9'
    ),
    "before the object may be changed": (
        'args.w = workers\n    options = dict(num_workers=args.w)\n    check(args)\n    options["timeout"] = 9'
    ),
    "before a method may change the object": (
        'args.w = workers\n    options = dict(num_workers=args.w)\n    args.check()\n    options["timeout"] = 9'
    ),
    "before a part of the object may be changed": (
        "args.data.w = workers\n    options = dict(num_workers=args.data.w)\n    check(data=args.data)\n"
        '    options["timeout"] = 9'
    ),
    "in one that may be given another": (
        'options = {"num_workers": 4, "timeout": 9}\n    if fast:\n        options["num_workers"] = args.workers'
    ),
    "and laid over by an operator": 'options = {"num_workers": workers}\n    options |= {"timeout": 9}',
    "in a branch": ('if fast:\n        options = {"num_workers": workers}\n    options["timeout"] = 9'),
    "before the loop": (
        'options = {"num_workers": workers}\n    for workers in range(3):\n        options["timeout"] = 9'
    ),
    "in no dictionary": 'options = {"timeout": 9}\n    return DataLoader(dataset, num_workers=workers, **options)',
}


def said(body: str) -> str | None:
    """Return what is said of the count where the timeout is written, None where nothing is."""
    text = _PROGRAM.replace("BODY", body)
    loader, *_ = loaders_of({"main.py": text})
    (given,) = [one for one in loader.option("timeout").written if one.constant == 9]
    span = given.counted()
    return None if span is None else Source("main.py", "main.py", Language.PYTHON, text.encode()).at(span)


@pytest.mark.parametrize(("body", "expected"), SAID.values(), ids=SAID.keys())
def test_a_dictionary_says_how_many_workers_there_are(body: str, expected: str) -> None:
    assert said(body) == expected


@pytest.mark.parametrize("body", UNSAID.values(), ids=UNSAID.keys())
def test_a_dictionary_does_not_say_it_where_it_may_be_another_count(body: str) -> None:
    assert said(body) is None


def test_a_call_that_hands_options_on_says_it_unless_another_call_gives_another_count() -> None:
    make = "from torch.utils.data import DataLoader\ndef make(data, **given):\n    return DataLoader(data, **given)\n"
    call = "def run(count=2):\n    make([1], num_workers=count, timeout=9)\nrun()\n"
    for other, expected in (("", "count"), ("make([2], num_workers=0)\n", None)):
        text = f"{make}{call}{other}"
        (loader,) = loaders_of({"main.py": text})
        (given,) = [one for one in loader.option("timeout").written if one.constant == 9]
        span = given.counted()
        assert (span and Source("main.py", "main.py", Language.PYTHON, text.encode()).at(span)) == expected


def test_what_needs_workers_is_given_only_with_them_and_safely() -> None:
    text = _PROGRAM.replace("BODY", 'options = {"num_workers": workers, "timeout": 9}')
    (loader,) = loaders_of({"main.py": f"{text}\nbuild([1], None)\nbuild([1], None, 4)\n"})
    (given,) = loader.option("timeout").written
    fix = drop_without_workers(loader, "timeout", given, Target(Platform.LINUX, (3, 12)))
    assert isinstance(fix, Fix)
    assert fix.safe
    assert fix.title == "give timeout only when there are workers"
