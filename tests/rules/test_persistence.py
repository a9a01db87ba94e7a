"""The rules about what is only wrong where workers persist, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload
from loaderlint.model.persistence import Change, Together
from loaderlint.model.target import Target
from loaderlint.model.uses import Uses
from loaderlint.model.value import Value
from loaderlint.model.worker_code import WorkerCode
from tests.test_rules import LINUX, MACOS, WINDOWS, a_loader, assuming, at, check, the_finding, the_fix, written
from tests.test_rules import assuming_platform as on_platforms

CHANGE = Change(at(60), "dataset.set_epoch(epoch)", attribute="epoch", holder="Numbers", read=at(20))


def changing(change: Change = CHANGE, num_workers: Any = 2, persistent_workers: Any = True) -> Loader:
    """Make a loader whose epochs change its dataset; the options are written at lines 10 and 11."""
    return replace(
        a_loader(num_workers=num_workers, persistent_workers=persistent_workers), uses=Uses(changes=(change,))
    )


@pytest.mark.parametrize("target", [LINUX, MACOS, WINDOWS])
def test_it_stands_at_the_change_and_the_workers_start_again(target: Target) -> None:
    finding = the_finding("LL405", changing(), target)
    assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(60))
    assert "`Numbers.epoch`, read at train.py:20" in finding.message
    assert the_fix(finding).edits == (SetValue(at(11), False),)
    assert the_fix(finding).safe


def test_workers_that_start_again_forget_what_they_kept() -> None:
    loader = replace(changing(), payload=Payload(seen=True, code=WorkerCode(remembers=True)))
    assert not the_fix(the_finding("LL405", loader, LINUX)).safe


def test_a_value_that_serves_others_is_changed_at_the_call() -> None:
    loader = changing(persistent_workers=written(True, 11, shared=True))
    (edit,) = the_fix(the_finding("LL405", loader, LINUX)).edits
    assert edit.span == loader.option("persistent_workers").argument


@pytest.mark.parametrize(
    "loader",
    [
        changing(num_workers=0),
        changing(persistent_workers=False),
        changing(num_workers=Value(open=True)),
        changing(persistent_workers=Value(open=True)),
        a_loader(num_workers=2, persistent_workers=True),
    ],
    ids=["no workers", "not persistent", "unseen workers", "unseen persistence", "nothing changed"],
)
def test_nothing_stale_is_quiet(loader: Loader) -> None:
    assert check("LL405", loader, LINUX) == []


def test_what_other_runs_change_is_quiet() -> None:
    persistent = written(True, 11, assumptions=assuming("arguments.keep", True))
    for answer, count in ((True, 1), (False, 0)):
        change = replace(CHANGE, assumptions=assuming("arguments.keep", answer))
        assert len(check("LL405", changing(change, persistent_workers=persistent), LINUX)) == count


def test_what_is_changed_on_another_platform_is_quiet() -> None:
    change = replace(CHANGE, assumptions=on_platforms("windows"))
    assert check("LL405", changing(change), LINUX) == []
    assert len(check("LL405", changing(change), WINDOWS)) == 1


class TestSharedPersistentIterator:
    SECOND = Together(at(61), "loader", other=at(60))

    def twice(self, second: Together | None = None, num_workers: Any = 2, persistent_workers: Any = True) -> Loader:
        options = a_loader(num_workers=num_workers, persistent_workers=persistent_workers)
        return replace(options, uses=Uses(together=(second or self.SECOND,)))

    @pytest.mark.parametrize("target", [LINUX, MACOS, WINDOWS])
    def test_it_stands_at_the_second_iterator_and_names_the_first(self, target: Target) -> None:
        finding = the_finding("LL406", self.twice(), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(61))
        assert finding.message.endswith("has only one, taken at train.py:60")
        assert finding.fix is None

    def test_each_iterator_has_workers_of_its_own_where_they_do_not_persist(self) -> None:
        assert check("LL406", self.twice(persistent_workers=False), LINUX) == []
        assert check("LL406", self.twice(persistent_workers=Value(open=True)), LINUX) == []
        assert check("LL406", self.twice(num_workers=0), LINUX) == []
        assert check("LL406", a_loader(num_workers=2, persistent_workers=True), LINUX) == []

    def test_what_other_runs_iterate_is_quiet(self) -> None:
        persistent = written(True, 11, assumptions=assuming("arguments.keep", True))
        for answer, count in ((True, 1), (False, 0)):
            second = replace(self.SECOND, assumptions=assuming("arguments.keep", answer))
            assert len(check("LL406", self.twice(second, persistent_workers=persistent), LINUX)) == count

    def test_what_is_iterated_on_another_platform_is_quiet(self) -> None:
        second = replace(self.SECOND, assumptions=on_platforms("windows"))
        assert check("LL406", self.twice(second), LINUX) == []
        assert len(check("LL406", self.twice(second), WINDOWS)) == 1
