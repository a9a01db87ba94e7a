"""What the rules say on a platform whose runs end between the call that makes a loader and what iterates it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload, Unpicklable
from loaderlint.model.target import Platform, Target
from loaderlint.model.uses import IteratedOn, Uses
from tests.test_rules import LINUX, MACOS, WINDOWS, a_loader, at, check

ELSEWHERE = Uses(iterated_on=lambda: IteratedOn(frozenset({Platform.LINUX})))
LAMBDA = Payload(unpicklable=(Unpicklable(at(30), "lambda", "collate_fn"),))


def _without_iteration(**options: Any) -> Loader:
    return replace(a_loader(payload=LAMBDA, **options), uses=ELSEWHERE)


@pytest.mark.parametrize(("rule", "target"), [("LL101", WINDOWS), ("LL103", MACOS), ("LL103", WINDOWS)])
def test_no_worker_starts_there(rule: str, target: Target) -> None:
    assert check(rule, a_loader(payload=LAMBDA, num_workers=2), target)
    assert not check(rule, _without_iteration(num_workers=2), target)


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("LL201", {"num_workers": 0, "prefetch_factor": 4}),
        ("LL202", {"num_workers": 0, "persistent_workers": True}),
        ("LL205", {"num_workers": -1}),
        ("LL206", {"num_workers": 2, "prefetch_factor": -1}),
        ("LL104", {"num_workers": 2, "multiprocessing_context": "spwan"}),
    ],
)
def test_what_the_call_raises_it_raises_there(rule: str, options: dict[str, Any]) -> None:
    for target in (LINUX, MACOS, WINDOWS):
        assert check(rule, _without_iteration(**options), target)
