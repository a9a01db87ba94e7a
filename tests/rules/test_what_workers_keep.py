"""What worker code keeps, or never has, and fixes that change how many processes run it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.worker_code import WorkerCode
from tests.test_rules import LINUX, WINDOWS, a_loader, at, the_finding, the_fix

REMEMBERS = WorkerCode(remembers=True)
LEFT_BEHIND = WorkerCode(changed_later=Touch(at(3), "THRESHOLD = 100"))


def with_code(code: WorkerCode) -> Loader:
    return replace(a_loader(num_workers=4), payload=Payload(seen=True, code=code))


@pytest.mark.parametrize(
    ("code", "safe"),
    [(WorkerCode(), True), (REMEMBERS, False), (LEFT_BEHIND, False)],
    ids=["none", "keeps", "lacks"],
)
def test_workers_are_taken_away_safely_where_their_code_does_the_same_without_them(
    code: WorkerCode, safe: bool
) -> None:
    assert the_fix(the_finding("LL101", with_code(code), WINDOWS)).safe is safe


@pytest.mark.parametrize(
    ("code", "safe"), [(WorkerCode(), True), (REMEMBERS, False), (LEFT_BEHIND, True)], ids=["none", "keeps", "lacks"]
)
def test_fewer_workers_give_the_same_where_none_remembers(code: WorkerCode, safe: bool) -> None:
    target = replace(LINUX, cpus=2)
    assert the_fix(the_finding("LL302", with_code(code), target)).safe is safe
