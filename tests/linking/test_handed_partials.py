"""Partials of loaders whose options may reach loaders that nobody sees."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

FAST = "from functools import partial\nFast = partial(DataLoader, persistent_workers=True)\n"

HANDED = {
    "called alone": ("", False),
    "called, and shown": ("print(Fast)\n", False),
    "in a loop over several": ("for make in (Fast, Small):\n    make([1])\n", True),
    "in a dictionary": ("makers = {'train': Fast}\n", True),
    "to a function": ("from elsewhere import train\ntrain(Fast)\n", True),
    "by another name": ("Faster = Fast\n", True),
    "by a partial of it": ("Faster = partial(Fast, batch_size=2)\nmakers = [Faster]\n", True),
    "by a partial of it, which is called alone": ("Faster = partial(Fast, batch_size=2)\nFaster([1])\n", False),
    "by a partial of it, which is called at once": ("partial(Fast, num_workers=0, batch_size=2)([1])\n", False),
    "by a partial of it in a list": ("makers = [partial(Fast, batch_size=2)]\n", True),
    "by a function": ("def maker():\n    return Fast\n", True),
    "another of its kind": ("Other = partial(DataLoader, persistent_workers=True)\nmakers = [Other]\n", False),
}


@pytest.mark.parametrize(("uses", "expected"), HANDED.values(), ids=HANDED.keys())
def test_what_a_partial_gives_that_is_handed_on_may_reach_others(uses: str, expected: bool) -> None:
    *_, small = loaders_of(f"{FAST}Small = partial(Fast, num_workers=0)\n{uses}Small([1])\n")
    assert [one.needed_elsewhere() for one in small.option("persistent_workers").written] == [expected]
